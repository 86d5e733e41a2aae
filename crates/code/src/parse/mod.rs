//! From the text of a file to its items: `rust` and `script` where there is a grammar, `lines` where there is none. `builder` gives items their ids, `tolerant` reads what Rust's parser rejects, by
//! the tokens of `scan`; `text` is small work on texts.

mod builder;
mod lines;
mod rust;
pub(crate) mod scan;
mod script;
pub(crate) mod text;
mod tolerant;

pub(crate) use rust::{compact, impl_path};

use crate::hash::{file_hash, tracking_hash};
use crate::limits::{MAX_FILE_TOKENS, MAX_PARSED_BYTES};
use crate::model::{Item, Language, ParsedFile, Placement, Reference};
use uuid::Uuid;

/// The name of the file that says which crate the files beside it are of.
pub const MANIFEST_NAME: &str = "Cargo.toml";

/// The language of a file, of its name's end.
pub fn language(path: &str) -> Language {
    let name = path.rsplit('/').next().unwrap_or(path);
    if name == MANIFEST_NAME {
        return Language::Cargo;
    }
    match name.rsplit_once('.').map(|(_, end)| end) {
        Some("rs") => Language::Rust,
        Some("js" | "mjs" | "cjs" | "jsx") => Language::JavaScript,
        Some("ts" | "mts" | "cts" | "tsx") => Language::TypeScript,
        _ => Language::Text,
    }
}

/// Reads a file. It never fails: what cannot be parsed is read as far as it goes, and says why.
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
    if text.len() > MAX_PARSED_BYTES
        && matches!(
            language,
            Language::Rust | Language::JavaScript | Language::TypeScript
        )
    {
        let reason = format!(
            "the file has {} bytes, the limit of parsing is {MAX_PARSED_BYTES}",
            text.len()
        );
        return by_lines(text, placement, language, Some(reason));
    }
    match language {
        Language::Rust => rust_file(text, placement),
        Language::JavaScript | Language::TypeScript => script_file(text, placement, language),
        _ => by_lines(text, placement, language, None),
    }
}

fn rust_file(text: &str, placement: &Placement) -> ParsedFile {
    match rust::read(text, placement) {
        Ok(read) => ParsedFile {
            language: Language::Rust,
            parsed: true,
            reason: None,
            tracking_hash: read.tracking_hash,
            items: read.items,
            references: read.references,
            line_count: text::line_count(text),
        },
        Err(rust::Unread::TooHigh) => {
            let reason = "its brackets or operators nest too deep".to_owned();
            by_lines(text, placement, Language::Rust, Some(reason))
        }
        Err(rust::Unread::TooLong) => {
            let reason = format!("the file has more than {MAX_FILE_TOKENS} tokens");
            by_lines(text, placement, Language::Rust, Some(reason))
        }
        Err(rust::Unread::Rejected(reason)) => {
            let read = tolerant::read(text, placement);
            if read.items.is_empty() {
                return by_lines(text, placement, Language::Rust, Some(reason));
            }
            ParsedFile {
                language: Language::Rust,
                parsed: false,
                reason: Some(reason),
                tracking_hash: read.tracking_hash,
                items: read.items,
                references: read.references,
                line_count: text::line_count(text),
            }
        }
    }
}

fn script_file(text: &str, placement: &Placement, language: Language) -> ParsedFile {
    match script::read(text, placement) {
        Ok(read) => ParsedFile {
            language,
            parsed: true,
            reason: None,
            tracking_hash: read.tracking_hash,
            items: read.items,
            references: read.references,
            line_count: text::line_count(text),
        },
        Err(reason) => by_lines(text, placement, language, Some(reason)),
    }
}

/// What a parser read in a file.
pub(crate) struct Read {
    pub items: Vec<Item>,
    pub references: Vec<Reference>,
    pub tracking_hash: Uuid,
}

/// By its lines; the text is its only token.
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
