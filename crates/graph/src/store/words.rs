//! The index of words: turns a caller's text into an expression of FTS5, and finds the nodes that a
//! text may refer to.

use base::Result;
use database::{Bind, Database};

use super::read::names;
use crate::error::NodeName;
use crate::limits::{MAX_CANDIDATES, MAX_SEARCHED_WORDS, MAX_WORD_CHARACTERS};

/// The nodes that have any of some words, followed by the first nodes of the graph.
const CANDIDATES: &str = "SELECT id, label, type FROM nodes WHERE seq IN (SELECT rowid FROM _codemode_node_words \
     WHERE _codemode_node_words MATCH ?1 LIMIT ?2) UNION ALL SELECT id, label, type FROM (SELECT * FROM nodes ORDER BY seq LIMIT ?2) LIMIT ?2";
const FIRST: &str = "SELECT id, label, type FROM nodes ORDER BY seq LIMIT ?";

/// Returns the words of a query, in the form in which the index has them.
pub(crate) fn words(query: &str) -> Vec<String> {
    query
        .split(|character: char| character.is_whitespace() || character.is_control())
        .filter(|word| !word.is_empty())
        .take(MAX_SEARCHED_WORDS)
        .map(|word| word.chars().take(MAX_WORD_CHARACTERS).collect())
        .collect()
}

/// Returns words as an expression of FTS5: each in quotation marks. The last word, and each word
/// that was cut, matches as a prefix.
pub(crate) fn expression(words: &[String], between: &str) -> String {
    let last = words.len().saturating_sub(1);
    let quoted: Vec<String> = words
        .iter()
        .enumerate()
        .map(|(index, word)| {
            let is_cut = word.chars().count() >= MAX_WORD_CHARACTERS;
            let star = if index == last || is_cut { "*" } else { "" };
            format!("\"{}\"{star}", word.replace('"', "\"\""))
        })
        .collect();
    quoted.join(between)
}

/// Returns the nodes that a text may refer to: those with one of its words, and then the first
/// nodes of the graph.
pub(crate) fn candidates<D: Database>(db: &D, text: &str) -> Result<Vec<NodeName>> {
    let words = words(text);
    let limit = Bind::number(MAX_CANDIDATES as u64);
    if words.is_empty() {
        return names(db, FIRST, &[limit]);
    }
    let binds = [Bind::Text(expression(&words, " OR ")), limit];
    names(db, CANDIDATES, &binds)
}
