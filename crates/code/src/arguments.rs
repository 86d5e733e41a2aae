//! The arguments of an operation: one JSON object whose fields are known.

use std::ops::RangeInclusive;

use base::known::{Given, check};
use base::{Error, Result};
use serde_json::{Map, Value};

use crate::AsOf;
use crate::limits::MAX_ARGUMENT_DEPTH;
use crate::model::ItemKind;
use crate::project::{FilePath, PathPattern};

/// The fields of a request, or of an object in it.
#[derive(Debug, Clone)]
pub(crate) struct Arguments {
    fields: Map<String, Value>,
    /// How errors name the object, with a dot behind; empty for the request itself.
    within: String,
}

impl Arguments {
    /// Reads an object that has no other fields than these.
    ///
    /// # Errors
    /// [`base::CommonError::InvalidArgument`] for anything else, with the nearest field.
    pub fn parse(arguments: &str, known: &[&str]) -> Result<Self> {
        if base::json::is_deeper_than(arguments, MAX_ARGUMENT_DEPTH) {
            return Err(Error::invalid("the arguments nest too deep"));
        }
        let value = serde_json::from_str(arguments)
            .map_err(|error| Error::invalid(format!("the arguments are no JSON: {error}")))?;
        Self::of(value, String::new(), known)
    }

    /// An object in a list of the request.
    pub fn of(value: Value, within: String, known: &[&str]) -> Result<Self> {
        let Value::Object(fields) = value else {
            let what = if within.is_empty() {
                "the arguments"
            } else {
                within.trim_end_matches('.')
            };
            return Err(Error::invalid(format!("{what} must be a JSON object")));
        };
        check(Given::Field, fields.keys().map(String::as_str), known)?;
        Ok(Self { fields, within })
    }

    /// The error of a field.
    pub fn wrong(&self, field: &str, wanted: &str) -> Error {
        Error::invalid(format!("{}{field} must be {wanted}", self.within))
    }

    fn value(&self, field: &str) -> Option<&Value> {
        self.fields.get(field).filter(|value| !value.is_null())
    }

    /// Whether a field is there.
    pub fn has(&self, field: &str) -> bool {
        self.value(field).is_some()
    }

    /// A text, if it is there.
    pub fn text(&self, field: &str) -> Result<Option<&str>> {
        match self.value(field) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.wrong(field, "a text")),
        }
    }

    /// A text that must be there.
    pub fn required(&self, field: &str) -> Result<&str> {
        self.text(field)?.ok_or_else(|| self.missing(field))
    }

    /// That a field is missing.
    pub fn missing(&self, field: &str) -> Error {
        Error::invalid(format!("{}{field} is missing", self.within))
    }

    /// A whole number within its bounds, if it is there.
    pub fn number(&self, field: &str, bounds: RangeInclusive<u64>) -> Result<Option<u64>> {
        let wanted = || format!("a whole number from {} to {}", bounds.start(), bounds.end());
        match self.value(field) {
            None => Ok(None),
            Some(value) => match value.as_u64() {
                Some(number) if bounds.contains(&number) => Ok(Some(number)),
                _ => Err(self.wrong(field, &wanted())),
            },
        }
    }

    /// True or false; false where it is not there.
    pub fn flag(&self, field: &str) -> Result<bool> {
        match self.value(field) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(self.wrong(field, "true or false")),
        }
    }

    /// A share from 0 to 1, if it is there.
    pub fn share(&self, field: &str) -> Result<Option<f64>> {
        match self.value(field) {
            None => Ok(None),
            Some(value) => match value.as_f64() {
                Some(share) if (0.0..=1.0).contains(&share) => Ok(Some(share)),
                _ => Err(self.wrong(field, "a number from 0 to 1")),
            },
        }
    }

    /// One of some words, if it is there.
    ///
    /// # Errors
    /// [`base::CommonError::InvalidArgument`] for another one, with the nearest.
    pub fn word(&self, field: &str, words: &[&'static str]) -> Result<Option<&'static str>> {
        let Some(word) = self.text(field)? else {
            return Ok(None);
        };
        match words.iter().find(|known| **known == word) {
            Some(known) => Ok(Some(known)),
            None => Err(no_such_word(
                format!(
                    "{}{field} has no value {:?}",
                    self.within,
                    base::text::cut(word, SHOWN_CHARACTERS)
                ),
                word,
                words,
            )),
        }
    }

    /// A list, if it is there.
    pub fn list(&self, field: &str) -> Result<Option<&[Value]>> {
        match self.value(field) {
            None => Ok(None),
            Some(Value::Array(list)) => Ok(Some(list)),
            Some(_) => Err(self.wrong(field, "a list")),
        }
    }

    /// A list by value, if it is there: what is in it may be most of the request.
    pub fn take_list(&mut self, field: &str) -> Result<Option<Vec<Value>>> {
        self.list(field)?;
        match self.fields.get_mut(field).map(Value::take) {
            Some(Value::Array(list)) => Ok(Some(list)),
            _ => Ok(None),
        }
    }

    /// A text by value, if it is there.
    pub fn take_text(&mut self, field: &str) -> Result<Option<String>> {
        self.text(field)?;
        match self.fields.get_mut(field).map(Value::take) {
            Some(Value::String(text)) => Ok(Some(text)),
            _ => Ok(None),
        }
    }

    /// The path of a file, however people write it, which must be there.
    pub fn path(&self, field: &str, root: &str) -> Result<FilePath> {
        FilePath::parse_given(self.required(field)?, root)
    }

    /// The files that a field names.
    pub fn files(&self, field: &str) -> Result<Option<PathPattern>> {
        self.text(field)?.map(PathPattern::parse).transpose()
    }

    /// `asOf`: a version, or a time in ISO 8601.
    pub fn as_of(&self) -> Result<AsOf> {
        let wanted = "a version, or a time such as 2026-11-25T12:00:00Z";
        match self.value("asOf") {
            None => Ok(AsOf::Now),
            Some(Value::Number(_)) => {
                let version = self.number("asOf", 0..=LARGEST_NUMBER)?;
                Ok(version.map_or(AsOf::Now, AsOf::Version))
            }
            Some(Value::String(text)) => match (text.parse(), base::time::from_iso8601(text)) {
                (Ok(version), _) => Ok(AsOf::Version(version)),
                (Err(_), Some(time_ms)) => Ok(AsOf::Time(time_ms)),
                (Err(_), None) => Err(self.wrong("asOf", wanted)),
            },
            Some(_) => Err(self.wrong("asOf", wanted)),
        }
    }

    /// A kind of item, if it is there.
    pub fn kind(&self, field: &str) -> Result<Option<ItemKind>> {
        self.text(field)?.map(parse_kind).transpose()
    }
}

/// Whole numbers that JavaScript has exactly.
const LARGEST_NUMBER: u64 = crate::store::rows::OPEN;

/// Reads a kind of item.
///
/// # Errors
/// [`base::CommonError::InvalidArgument`] for any other word.
pub(crate) fn parse_kind(word: &str) -> Result<ItemKind> {
    ItemKind::of(word)
        .filter(|kind| *kind != ItemKind::Chunk)
        .ok_or_else(|| {
            let words: Vec<&str> = ItemKind::ALL
                .iter()
                .filter(|kind| **kind != ItemKind::Chunk)
                .map(|kind| kind.word())
                .collect();
            let shown = base::text::cut(word, SHOWN_CHARACTERS);
            no_such_word(format!("Unsupported node_type: {shown}"), word, &words)
        })
}

fn no_such_word(message: String, word: &str, words: &[&str]) -> Error {
    let near = base::nearest(word, words.iter().copied());
    let hint =
        base::did_you_mean(&near).unwrap_or_else(|| format!("it is one of {}", words.join(", ")));
    Error::invalid_with_hint(message, hint)
}

/// Characters of a word that an error shows.
pub(crate) const SHOWN_CHARACTERS: usize = 40;
