//! Lists and objects of JSON whose length a file controls: each is checked against a limit before
//! it is in memory.

use std::collections::HashSet;
use std::fmt;

use base::entries::Fields;
use base::{CommonError, Error, Result};
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::collector::too_many_items;
use crate::limits::{MAX_ATTRIBUTES, MAX_ITEMS};
use crate::list_items::ListItems;

/// Returns the fields of the whole document.
///
/// # Errors
/// [`CommonError::InvalidBody`] if it is not a JSON object.
pub(super) fn document<'a>(text: &'a str, what: &str) -> Result<Vec<(String, &'a RawValue)>> {
    let fields: Fields<&RawValue> =
        serde_json::from_str(text).map_err(|error| no_json(text, what, &error))?;
    Ok(fields.0)
}

/// Returns the error for a text that is not the expected JSON.
pub(super) fn no_json(text: &str, what: &str, error: &serde_json::Error) -> Error {
    let hint = match word_at(text, error.line(), error.column()) {
        Some(word) => format!("JSON has no {word}: write null"),
        None => format!("send {what}"),
    };
    Error::from(CommonError::InvalidBody {
        message: format!("the text is not {what}: {error}"),
        hint: Some(hint),
    })
}

/// The bytes of a word such as `-Infinity` that a reader may have read before it stops: a minus,
/// and the first letter.
const BYTES_READ: usize = 2;

/// Returns the number at the position where a reader stopped, if Python writes it but JSON does not
/// have it.
fn word_at(text: &str, line: usize, column: usize) -> Option<&'static str> {
    let line = text.lines().nth(line.checked_sub(1)?)?;
    let near = line.as_bytes().get(column.saturating_sub(BYTES_READ)..)?;
    (0..=BYTES_READ).find_map(|skipped| {
        let rest = near.get(skipped..)?;
        ["NaN", "Infinity"]
            .into_iter()
            .find(|word| rest.starts_with(word.as_bytes()))
    })
}

/// Returns the items of a list, each as its own text.
///
/// # Errors
/// [`CommonError::InvalidBody`] if the value is not a list, [`CommonError::TooBig`] for more than
/// [`MAX_ITEMS`].
pub(super) fn items<'a>(name: &str, raw: &'a RawValue) -> Result<Vec<&'a RawValue>> {
    let items: ListItems<'a> = serde_json::from_str(raw.get())
        .map_err(|_| Error::body(format!("{name} must be a list")))?;
    if items.0.len() > MAX_ITEMS {
        return Err(too_many_items());
    }
    Ok(items.0)
}

/// Returns the names and values of an object, in their order. Each name occurs once.
///
/// # Errors
/// [`CommonError::InvalidArgument`] that names `what`, if the value is not an object, has a
/// duplicate name, or has more than [`MAX_ATTRIBUTES`].
pub(crate) fn object<'a>(what: &str, raw: &'a RawValue) -> Result<Vec<(String, &'a RawValue)>> {
    let entries: Attributes<'a> = serde_json::from_str(raw.get())
        .map_err(|error| Error::invalid(format!("{what} must be an object: {error}")))?;
    Ok(entries.0)
}

struct Attributes<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Attributes<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(AttributesVisitor).map(Self)
    }
}

struct AttributesVisitor;

impl<'de> Visitor<'de> for AttributesVisitor {
    type Value = Vec<(String, &'de RawValue)>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries: Vec<(String, &'de RawValue)> = Vec::new();
        while let Some(entry) = map.next_entry()? {
            if entries.len() == MAX_ATTRIBUTES {
                let problem = format!("it has more than {MAX_ATTRIBUTES} attributes");
                return Err(A::Error::custom(problem));
            }
            entries.push(entry);
        }
        match repeated(entries.iter().map(|(name, _)| name.as_str())) {
            None => Ok(entries),
            Some(name) => Err(A::Error::custom(format!(
                "duplicate name {}",
                super::shown(name)
            ))),
        }
    }
}

/// Returns the first duplicate name.
pub(crate) fn repeated<'n>(names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let mut seen = HashSet::with_capacity(names.size_hint().0);
    let mut names = names;
    names.find(|name| !seen.insert(*name))
}
