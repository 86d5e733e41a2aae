//! The fields of an entry, with errors in terms of JSON. No error shows a value, because any value
//! may be a key that should have been a secret.

use serde_json::value::RawValue;
use serde_json::{Number, Value};

use super::{Read, headers};
use base::entries::Entries;
use base::nearest;

/// The allowed fields of an object in the environment variable.
pub(super) struct Shape {
    /// The name of the object in errors.
    pub(super) name: &'static str,
    /// All allowed fields.
    pub(super) fields: &'static [&'static str],
    /// The required fields, in words.
    pub(super) needed: &'static str,
}

/// The fields of an entry.
pub(super) const ENTRY: Shape = Shape {
    name: "entry",
    fields: &[
        "name",
        "url",
        "headers",
        "auth",
        "passThrough",
        "kind",
        "mappings",
        "timeoutMs",
        "tenants",
    ],
    needed: "name and url",
};

/// An entry or an object inside it, as fields by name.
pub(super) struct Fields<'a> {
    shape: &'static Shape,
    entries: Vec<(String, &'a RawValue)>,
}

impl<'a> Fields<'a> {
    /// Reads an object that has only known fields, each at most once.
    pub(super) fn read(entry: &'a RawValue, shape: &'static Shape) -> Read<Self> {
        let entries: Entries<String, &'a RawValue> =
            serde_json::from_str(entry.get()).map_err(|_| {
                let kind = kind_of(&value_of(entry));
                format!("an {} must be an object, not {kind}", shape.name)
            })?;
        let entries = entries.0;
        for (number, (name, _)) in (1..).zip(&entries) {
            if !shape.fields.contains(&name.as_str()) {
                return Err(unknown(shape, number, name));
            }
            if entries.iter().filter(|(other, _)| other == name).count() > 1 {
                return Err(format!("duplicate field {name}"));
            }
        }
        Ok(Self { shape, entries })
    }

    /// Returns a string that is required.
    pub(super) fn required_text(&self, name: &str) -> Read<String> {
        self.text(name)?.ok_or_else(|| {
            format!(
                "the field {name} is missing; {} are required",
                self.shape.needed
            )
        })
    }

    /// Returns a string, if present.
    pub(super) fn text(&self, name: &str) -> Read<Option<String>> {
        match self.value(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(wrong(name, "a text", &other)),
        }
    }

    /// Returns a number, if present; `wanted` describes the valid numbers.
    pub(super) fn number(&self, name: &str, wanted: &str) -> Read<Option<Number>> {
        match self.value(name) {
            None => Ok(None),
            Some(Value::Number(number)) => Ok(Some(number)),
            Some(other) => Err(wrong(name, wanted, &other)),
        }
    }

    /// Returns a list of strings, if present.
    pub(super) fn texts(&self, name: &str) -> Read<Option<Vec<String>>> {
        let items = match self.value(name) {
            None => return Ok(None),
            Some(Value::Array(items)) => items,
            Some(other) => return Err(wrong(name, "a list of texts", &other)),
        };
        (1..)
            .zip(items)
            .map(|(number, item)| match item {
                Value::String(text) => Ok(text),
                other => Err(wrong(&format!("{name}, item {number},"), "a text", &other)),
            })
            .collect::<Read<Vec<String>>>()
            .map(Some)
    }

    /// Returns the headers as written.
    pub(super) fn headers(&self) -> Read<Vec<(String, String)>> {
        let Some(raw) = self.raw("headers") else {
            return Ok(Vec::new());
        };
        let headers: Entries<String, Value> = serde_json::from_str(raw.get())
            .map_err(|_| wrong("headers", "an object of texts", &value_of(raw)))?;
        headers
            .0
            .into_iter()
            .map(|(name, value)| match value {
                Value::String(text) => Ok((name, text)),
                other => {
                    let place = format!("headers, {:?},", headers::token(&name));
                    Err(wrong(&place, "a text", &other))
                }
            })
            .collect()
    }

    /// Returns an object inside this one, if present.
    pub(super) fn object(&self, name: &str, shape: &'static Shape) -> Read<Option<Self>> {
        let raw = self.raw(name);
        raw.map(|raw| Self::read(raw, shape)).transpose()
    }

    /// Returns the JSON text of a field; `null` counts as absent.
    fn raw(&self, name: &str) -> Option<&'a RawValue> {
        let (_, raw) = self.entries.iter().find(|(known, _)| known == name)?;
        (raw.get() != "null").then_some(*raw)
    }

    fn value(&self, name: &str) -> Option<Value> {
        self.raw(name).map(value_of)
    }
}

/// Names the type of a value.
pub(super) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn wrong(place: &str, wanted: &str, got: &Value) -> String {
    format!("the field {place} must be {wanted}, not {}", kind_of(got))
}

/// Describes an unknown field. Its name is shown only if it is similar to that of a known field,
/// because it may be a misplaced key.
fn unknown(shape: &Shape, number: usize, name: &str) -> String {
    let names = shape.fields.iter().copied();
    match nearest(name, names.clone()).first() {
        Some(near) => format!(
            "there is no field {}; did you mean `{near}`?",
            super::quoted(name)
        ),
        None => {
            let names: Vec<String> = names.map(|field| format!("`{field}`")).collect();
            format!(
                "field {number} is unknown; the fields are {}",
                names.join(", ")
            )
        }
    }
}

/// Parses a part of the variable, which succeeds because the whole has been parsed before.
fn value_of(raw: &RawValue) -> Value {
    serde_json::from_str(raw.get()).unwrap_or_default()
}
