//! Parses the items of files. `grammar` is the trait of a language, and `rust`, `script` and
//! `python` implement it, as `languages` lists. `lines` splits files of other languages. `builder`
//! computes the ids of items; `braces`, `front` and `text` are helpers that languages share.

mod braces;
mod builder;
mod front;
mod grammar;
mod languages;
mod lines;
mod python;
mod rust;
mod script;
pub(crate) mod text;

pub(crate) use front::Front;
pub(crate) use grammar::{Grammar, ItemNames, LongText, ParseFailure, SharedLine};
pub(crate) use languages::{grammar, rules};
pub(crate) use rust::{cargo, compact};

use crate::hash::{file_hash, tracking_hash};
use crate::limits::MAX_PARSED_BYTES;
use crate::model::{Item, Language, ParsedFile, Placement, Reference};
use uuid::Uuid;

/// The name of the file that defines the crate of the files beside it.
pub const MANIFEST_NAME: &str = "Cargo.toml";

/// Returns the language of a file, determined by its extension.
pub fn language(path: &str) -> Language {
    let name = path.rsplit('/').next().unwrap_or(path);
    if name == MANIFEST_NAME {
        return Language::Cargo;
    }
    match name.rsplit_once('.').map(|(_, end)| end) {
        Some("rs") => Language::Rust,
        Some("js" | "mjs" | "cjs" | "jsx") => Language::JavaScript,
        Some("ts" | "mts" | "cts" | "tsx") => Language::TypeScript,
        Some("py" | "pyi" | "pyw") => Language::Python,
        _ => Language::Text,
    }
}

/// Parses a file. It never fails: a file that cannot be parsed is read as far as possible, with the
/// reason.
pub fn parse(bytes: &[u8], placement: &Placement) -> ParsedFile {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return ParsedFile {
            language: Language::Binary,
            parsed: false,
            reason: Some("the file is not UTF-8".to_owned()),
            tracking_hash: file_hash(bytes),
            items: Vec::new(),
            references: Vec::new(),
            line_count: 0,
        };
    };
    let language = language(&placement.path);
    match grammar(language) {
        Some(_) if text.len() > MAX_PARSED_BYTES => {
            let reason = format!(
                "the file has {} bytes, the limit of parsing is {MAX_PARSED_BYTES}",
                text.len()
            );
            by_lines(text, placement, language, Some(reason))
        }
        Some(grammar) => by_grammar(text, placement, language, grammar),
        None => by_lines(text, placement, language, None),
    }
}

fn by_grammar(
    text: &str,
    placement: &Placement,
    language: Language,
    grammar: &dyn Grammar,
) -> ParsedFile {
    let (read, reason) = match grammar.read(text, placement) {
        Ok(read) => (read, None),
        Err(ParseFailure {
            reason,
            partial: Some(read),
        }) if !read.items.is_empty() => (read, Some(reason)),
        Err(ParseFailure { reason, .. }) => {
            return by_lines(text, placement, language, Some(reason));
        }
    };
    ParsedFile {
        language,
        parsed: reason.is_none(),
        reason,
        tracking_hash: read.tracking_hash,
        items: read.items,
        references: read.references,
        line_count: text::line_count(text),
    }
}

/// The items and references of a parsed file.
pub(crate) struct Read {
    pub items: Vec<Item>,
    pub references: Vec<Reference>,
    pub tracking_hash: Uuid,
}

/// Splits a file into lines. Its text is its only token.
fn by_lines(
    text: &str,
    placement: &Placement,
    language: Language,
    reason: Option<String>,
) -> ParsedFile {
    ParsedFile {
        language,
        parsed: reason.is_none(),
        reason,
        tracking_hash: tracking_hash(placement.namespace, &placement.absolute_path, text),
        items: lines::read(text, placement),
        references: Vec::new(),
        line_count: text::line_count(text),
    }
}
