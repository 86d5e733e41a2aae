//! Positions in the caller's text, and the extraction of a statement that a model wrapped in prose.
//!
//! Lines and columns count from 1, columns in characters, as an editor shows them.

use super::dialect;
use crate::SqlError;
use base::Error;

/// Characters of a source line that a pointer shows on either side of the position, so that a
/// statement on one line is not repeated completely.
const POINTER_CONTEXT_CHARACTERS: usize = 60;

/// Returns the line and column of a byte offset.
pub(crate) fn line_and_column(sql: &str, offset: usize) -> (usize, usize) {
    let before = sql.get(..floor_boundary(sql, offset)).unwrap_or(sql);
    let line = before.matches('\n').count() + 1;
    let column = before
        .rsplit('\n')
        .next()
        .unwrap_or_default()
        .chars()
        .count()
        + 1;
    (line, column)
}

/// Returns the byte offset of a line and a column that count from 1 in bytes.
pub(crate) fn offset_of(sql: &str, line: usize, column: usize) -> usize {
    let line_start: usize = sql
        .split_inclusive('\n')
        .take(line.saturating_sub(1))
        .map(str::len)
        .sum();
    floor_boundary(sql, line_start + column.saturating_sub(1))
}

fn floor_boundary(sql: &str, offset: usize) -> usize {
    let mut at = offset.min(sql.len());
    while !sql.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Returns the line at `offset` with a caret below it.
pub(crate) fn pointer(sql: &str, offset: usize) -> String {
    let (line, column) = line_and_column(sql, offset);
    let source: Vec<char> = sql
        .lines()
        .nth(line - 1)
        .unwrap_or_default()
        .chars()
        .collect();
    let first = (column - 1)
        .saturating_sub(POINTER_CONTEXT_CHARACTERS)
        .min(source.len());
    let shown: String = source
        .iter()
        .skip(first)
        .take(2 * POINTER_CONTEXT_CHARACTERS)
        .map(|c| if *c == '\t' { ' ' } else { *c })
        .collect();
    let indent = " ".repeat(column - 1 - first.min(column - 1));
    format!("{shown}\n{indent}^")
}

/// Returns a `SYNTAX_ERROR` at a byte offset.
pub(crate) fn syntax_error(sql: &str, offset: usize, message: String) -> Error {
    let hint = dialect::syntax_hint(sql, offset)
        .or_else(|| dialect::definition_hint(sql, offset))
        .map(str::to_owned)
        .or_else(|| prose_hint(sql, offset));
    error_at(sql, offset, message, hint)
}

/// Returns a `SYNTAX_ERROR` with a known fix.
pub(crate) fn hinted_syntax_error(sql: &str, offset: usize, message: String, hint: &str) -> Error {
    error_at(sql, offset, message, Some(hint.to_owned()))
}

fn error_at(sql: &str, offset: usize, message: String, hint: Option<String>) -> Error {
    let (line, column) = line_and_column(sql, offset);
    Error::from(SqlError::SyntaxError {
        message,
        line,
        column,
        pointer: pointer(sql, offset),
        hint,
    })
}

fn prose_hint(sql: &str, offset: usize) -> Option<String> {
    const FIRST_WORDS: [&str; 14] = [
        "SELECT", "WITH", "VALUES", "INSERT", "REPLACE", "UPDATE", "DELETE", "CREATE", "ALTER",
        "DROP", "EXPLAIN", "PRAGMA", "--", "/*",
    ];
    let start = sql.trim_start().to_ascii_uppercase();
    let first = sql.len() - sql.trim_start().len();
    let behind = sql
        .get(first..)
        .and_then(|rest| rest.find(char::is_whitespace))
        .map_or(sql.len(), |length| first + length);
    if offset > behind || FIRST_WORDS.iter().any(|word| start.starts_with(word)) {
        None
    } else {
        Some("send the SQL statement alone, without words before it".to_owned())
    }
}

/// The result of searching a text for a fenced statement.
pub(crate) enum Fenced<'t> {
    /// There is no code fence.
    None,
    /// The text of the only fence.
    One(&'t str),
    /// Several fences: it cannot be known which one is meant.
    Several,
}

/// Finds the contents of Markdown code fences.
pub(crate) fn fenced(text: &str) -> Fenced<'_> {
    let mut parts = text.split("```");
    let _before = parts.next();
    let Some(block) = parts.next() else {
        return Fenced::None;
    };
    let _after = parts.next();
    if parts.next().is_some() {
        return Fenced::Several;
    }
    Fenced::One(without_language(block))
}

/// Removes the language word after the opening fence.
fn without_language(block: &str) -> &str {
    const LANGUAGES: [&str; 4] = ["sqlite3", "sqlite", "sql", "SQL"];
    for language in LANGUAGES {
        if let Some(rest) = block.strip_prefix(language)
            && rest.starts_with(char::is_whitespace)
        {
            return rest;
        }
    }
    block
}
