//! The fields of an operation's body. Each is kept as JSON text until it is read.

use base::CommonError;
use std::borrow::Cow;
use std::collections::HashMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use base::entries;
use base::known::{self, Given};
use base::{Error, Result};

/// A JSON object with unread values.
pub(super) struct Fields<'a>(HashMap<String, &'a RawValue>);

impl<'a> Fields<'a> {
    /// Parses the fields of a body. A duplicate field is refused, because the caller may mean
    /// either of the two.
    pub(super) fn parse(body: &'a str) -> Result<Self> {
        let fields: entries::Fields<&'a RawValue> =
            serde_json::from_str(body).map_err(|error| CommonError::InvalidBody {
                message: format!("the body is not a usable JSON object: {error}"),
                hint: Some(
                    r#"send an object such as {"operation":"query","sql":"SELECT 1"}"#.to_owned(),
                ),
            })?;
        Ok(Self(fields.0.into_iter().collect()))
    }

    /// Refuses any field that is not one of these.
    pub(super) fn only(&self, known: &[&str]) -> Result<()> {
        // If there are several, always report the same one.
        let first = self
            .0
            .keys()
            .map(String::as_str)
            .filter(|name| !known.contains(name))
            .min();
        known::check(Given::Field, first, known)
    }

    /// Returns the JSON text of a required field.
    pub(super) fn raw(&self, name: &str) -> Result<&'a RawValue> {
        self.0
            .get(name)
            .copied()
            .ok_or_else(|| Error::invalid(format!("the field {name} is missing")))
    }

    /// Reads a required field as a type.
    pub(super) fn read<T: Deserialize<'a>>(&self, name: &str) -> Result<T> {
        serde_json::from_str(self.raw(name)?.get())
            .map_err(|_| Error::invalid(format!("the field {name} has an invalid value")))
    }

    /// Returns the JSON text of a field that may be absent or null.
    pub(super) fn optional(&self, name: &str) -> Option<&'a str> {
        let text = self.0.get(name)?.get();
        (text != "null").then_some(text)
    }

    /// Returns a required text.
    pub(super) fn string(&self, name: &str) -> Result<Cow<'a, str>> {
        read_text(name, self.raw(name)?)
    }

    /// Returns a text that may be absent or null.
    pub(super) fn optional_string(&self, name: &str) -> Result<Option<Cow<'a, str>>> {
        match self.0.get(name) {
            None => Ok(None),
            Some(raw) if raw.get() == "null" => Ok(None),
            Some(raw) => read_text(name, raw).map(Some),
        }
    }
}

/// A text. It borrows from the body if it has no escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

fn read_text<'a>(name: &str, raw: &'a RawValue) -> Result<Cow<'a, str>> {
    let text: Text<'a> = serde_json::from_str(raw.get())
        .map_err(|_| Error::invalid(format!("the field {name} must be a text")))?;
    Ok(text.0)
}
