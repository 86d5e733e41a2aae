//! Python: `height` a bound of its tree, `walk` the items of a file, `names` how they are called,
//! `documentation` what they say of themselves, `uses` what they call, `tokens` what their text
//! says without comments and white space, and `language` how code is put into a file.
//!
//! The parser is that of Ruff. It and its trees recurse, so the height of a tree is bounded before,
//! from tokens alone.

mod documentation;
mod height;
mod language;
mod names;
mod tokens;
mod uses;
mod walk;

pub(crate) use language::Python;

use ruff_python_parser::parse_module;

use self::height::Unfit;
use super::Read;
use crate::limits::MAX_FILE_TOKENS;
use crate::model::Placement;

/// Reads a file.
///
/// # Errors
/// The parser's complaint, with line and column; that the file nests too deep or has too many
/// tokens.
fn read(text: &str, placement: &Placement) -> Result<Read, String> {
    match height::check(text) {
        Ok(()) => {}
        Err(Unfit::TooHigh) => return Err("its brackets or operators nest too deep".to_owned()),
        Err(Unfit::TooLong) => {
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
