//! The arguments of an operation: one JSON object whose fields are known.

use std::ops::RangeInclusive;

use base::{Error, Result, text};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::ItemList;
use crate::drafts::{self, Item, missing};
use crate::limits::MAX_LABEL_CHARACTERS;
use crate::model::check_id;

/// The fields of a request.
pub(crate) struct Arguments<'a>(pub Item<'a>);

impl<'a> Arguments<'a> {
    /// Reads an object that has no other fields than these.
    ///
    /// # Errors
    /// [`base::CommonError::InvalidArgument`] for anything else, with the nearest field.
    pub fn parse(arguments: &'a str, fields: &[&str]) -> Result<Self> {
        let raw: &RawValue = serde_json::from_str(arguments)
            .map_err(|error| Error::invalid(format!("the arguments are no JSON: {error}")))?;
        Item::parse("the arguments", raw, fields).map(Self)
    }

    /// A whole number within its bounds, or the default.
    pub fn number<T>(&self, field: &str, bounds: RangeInclusive<T>, default: T) -> Result<T>
    where
        T: Deserialize<'a> + PartialOrd + std::fmt::Display,
    {
        let wanted = format!("a whole number from {} to {}", bounds.start(), bounds.end());
        match self.0.read::<T>(field, &wanted)? {
            None => Ok(default),
            Some(number) if bounds.contains(&number) => Ok(number),
            Some(number) => Err(Error::invalid(format!(
                "{field} must be {wanted}, not {number}"
            ))),
        }
    }

    /// A version, if it is there.
    pub fn version(&self, field: &str) -> Result<Option<u64>> {
        self.0.read(field, "a version, which is a whole number")
    }

    /// The version that the graph must have.
    pub fn if_version(&self) -> Result<Option<u64>> {
        self.version("ifVersion")
    }

    /// True or false; false where it is not there.
    pub fn flag(&self, field: &str) -> Result<bool> {
        Ok(self.0.flag(field)?.unwrap_or(false))
    }

    /// An id, which must be there.
    pub fn id(&self, field: &'static str) -> Result<String> {
        let id = self.0.text(field)?.ok_or_else(|| missing(field))?;
        check_id(field, &id)?;
        Ok(id)
    }

    /// One of some words, each of which means something.
    pub fn word<T: Copy>(&self, field: &str, words: &[(&str, T)], default: T) -> Result<T> {
        let Some(given) = self.0.text(field)? else {
            return Ok(default);
        };
        let found = words.iter().find(|(word, _)| *word == given);
        found.map(|(_, meaning)| *meaning).ok_or_else(|| {
            let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            let shown = text::first(&given, MAX_LABEL_CHARACTERS);
            Error::invalid_with_hint(
                format!("{field} cannot be {shown:?}"),
                match base::nearest(&given, names.iter().copied()).first() {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("it is one of {}", names.join(", ")),
                },
            )
        })
    }

    /// Texts of a list, if it is there.
    pub fn texts(&self, field: &str) -> Result<Option<Vec<String>>> {
        self.0.read(field, "a list of texts")
    }

    /// The items of a list, which must be there.
    pub fn items(&self, list: ItemList) -> Result<Vec<&'a RawValue>> {
        let raw = self
            .0
            .raw(list.name())
            .ok_or_else(|| missing(list.name()))?;
        drafts::items(list, raw)
    }
}
