//! Python. `height` bounds the tree, `walk` collects the items of a file, `names` names them,
//! `documentation` extracts their documentation, `uses` collects the names that they use, `tokens`
//! has the tokens without comments and white space, and `language` has the rules for inserting
//! code.
//!
//! The parser is that of Ruff. The parser and its trees recurse, so the height of a tree is bounded
//! beforehand, from tokens alone.

mod documentation;
mod height;
mod language;
mod names;
mod tokens;
mod uses;
mod walk;

pub(crate) use language::Python;

use ruff_python_parser::parse_module;

use self::height::HeightError;
use super::Read;
use crate::limits::MAX_FILE_TOKENS;
use crate::model::Placement;

/// Parses a file.
///
/// # Errors
/// The parser's error with line and column, or a message that the file nests too deeply or has too
/// many tokens.
fn read(text: &str, placement: &Placement) -> Result<Read, String> {
    match height::check(text) {
        Ok(()) => {}
        Err(HeightError::TooHigh) => {
            return Err("its brackets or operators nest too deeply".to_owned());
        }
        Err(HeightError::TooLong) => {
            return Err(format!("the file has more than {MAX_FILE_TOKENS} tokens"));
        }
    }
    match parse_module(text) {
        Ok(parsed) => Ok(walk::walk(text, placement, &parsed)),
        Err(error) => {
            let at = error.location.start().to_usize().min(text.len());
            let before = text.get(..at).unwrap_or(text);
            let line = before.matches('\n').count() + 1;
            let last = before.rsplit('\n').next().unwrap_or_default();
            let column = last.chars().count() + 1;
            Err(format!("line {line}, column {column}: {}", error.error))
        }
    }
}
