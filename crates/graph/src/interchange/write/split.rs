//! Splits `data` into fields that become attributes of their own, and the rest, which stays one
//! JSON object.

use std::collections::HashSet;

use base::entries::Entries;
use base::{Error, Result};
use serde_json::value::RawValue;

use super::json::push_field;
use crate::limits::MAX_FLAT_ATTRIBUTES;

/// The parts of `data`.
#[derive(Debug)]
pub(super) struct Split<'d> {
    /// Fields that become attributes, in their order.
    pub(super) flat: Vec<(String, &'d RawValue)>,
    /// The JSON object of the other fields. An empty object is kept as well: without it, data would
    /// have the default of its type.
    pub(super) rest: Option<String>,
}

impl<'d> Split<'d> {
    /// Splits data. If it has a duplicate field or too many fields, all stay in the object.
    ///
    /// # Errors
    /// [`base::CommonError::Internal`] if it is not a JSON object.
    pub(super) fn parse(data: &'d str, is_flat: impl Fn(&str, &RawValue) -> bool) -> Result<Self> {
        let Entries(entries) = serde_json::from_str::<Entries<String, &'d RawValue>>(data)
            .map_err(|error| Error::internal(format!("data is not a JSON object: {error}")))?;
        if entries.is_empty() || entries.len() > MAX_FLAT_ATTRIBUTES || is_repeated(&entries) {
            return Ok(Self {
                flat: Vec::new(),
                rest: Some(data.to_owned()),
            });
        }
        let (flat, rest): (Vec<_>, Vec<_>) = entries
            .into_iter()
            .partition(|(name, value)| is_flat(name, value));
        let rest = match (flat.is_empty(), rest.is_empty()) {
            (_, true) => None,
            (true, false) => Some(data.to_owned()),
            (false, false) => Some(object(&rest)),
        };
        Ok(Self { flat, rest })
    }
}

fn is_repeated(entries: &[(String, &RawValue)]) -> bool {
    let mut names = HashSet::with_capacity(entries.len());
    !entries.iter().all(|(name, _)| names.insert(name.as_str()))
}

fn object(fields: &[(String, &RawValue)]) -> String {
    let mut text = String::from("{");
    for (name, value) in fields {
        if text.len() > 1 {
            text.push(',');
        }
        push_field(&mut text, name, value.get());
    }
    text.push('}');
    text
}
