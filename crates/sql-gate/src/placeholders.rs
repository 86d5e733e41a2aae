//! Finds the placeholders of a text and numbers them as SQLite does.

use std::collections::HashMap;

use base::{CommonError, Error, Result};
use sqlite3_parser::dialect::TokenType;

use super::lex::Token;
use crate::limits::MAX_PARAMETERS;

/// The placeholders of a statement, numbered as by SQLite.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Placeholders {
    /// The placeholders in the order of the text, each with its number from 1.
    pub places: Vec<Placeholder>,
    /// The names, with prefix, and their numbers.
    pub names: Vec<(String, usize)>,
    /// The highest number.
    pub count: usize,
}

/// One placeholder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placeholder {
    /// Byte at which it begins.
    pub start: usize,
    /// Byte after the placeholder.
    pub end: usize,
    /// The number of its parameter, from 1.
    pub number: usize,
}

/// Numbers the placeholders.
///
/// # Errors
/// `TOO_BIG` for a number over the limit.
pub fn placeholders(sql: &str, tokens: &[Token]) -> Result<Placeholders> {
    let mut found = Placeholders::default();
    let mut named: HashMap<&str, usize> = HashMap::new();
    for token in tokens
        .iter()
        .filter(|token| token.kind == TokenType::TK_VARIABLE)
    {
        let written = token.text(sql);
        let number = match written.strip_prefix('?') {
            Some("") => found.count + 1,
            Some(digits) => digits.parse().unwrap_or(usize::MAX),
            None => *named.entry(written).or_insert_with(|| {
                found.names.push((written.to_owned(), found.count + 1));
                found.count + 1
            }),
        };
        if number == 0 || number > MAX_PARAMETERS {
            return Err(Error::from(CommonError::TooBig {
                message: format!("placeholder {written} is not between ?1 and ?{MAX_PARAMETERS}"),
                hint: "number the placeholders from ?1, or write ? for each".to_owned(),
            }));
        }
        found.count = found.count.max(number);
        found.places.push(Placeholder {
            start: token.start,
            end: token.end,
            number,
        });
    }
    Ok(found)
}
