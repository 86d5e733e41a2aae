//! Reads the fields of `MODEL`, and describes mistakes in terms of JSON. Error messages do not show
//! values, because any of them may be a key.

use std::ops::RangeInclusive;

use base::entries::Entries;
use base::nearest;
use serde_json::Value;

use super::{MODEL_API_KEY, Read};
use crate::accounting::MICRODOLLARS;
use crate::limits::MAX_MODEL_DOLLARS;

/// The names of all fields, in the order of the documentation.
pub const NAMES: &[&str] = &[
    "provider",
    "baseUrl",
    "model",
    "maxOutputTokens",
    "timeoutMs",
    "firstByteMs",
    "stallMs",
    "inputPricePerMillion",
    "outputPricePerMillion",
    "budgetPerDay",
];

/// The end of an error message: the expected form of the variable.
const EXAMPLE: &str = r#"a JSON object such as {"provider":"openai","model":"gpt-5-mini"}"#;

/// Parts of field names that suggest a key.
const KEY_WORDS: [&str; 4] = ["key", "token", "secret", "password"];

/// The fields with their names.
pub(super) struct Fields(Vec<(String, Value)>);

impl Fields {
    /// Parses an object that has only known fields, each at most once.
    pub(super) fn read(text: &str) -> Read<Self> {
        let whole: Value = serde_json::from_str(text)
            .map_err(|error| format!("is not JSON: {error}; it must be {EXAMPLE}"))?;
        let entries: Entries<String, Value> = serde_json::from_str(text)
            .map_err(|_| format!("is {}; it must be {EXAMPLE}", kind_of(&whole)))?;
        let entries = entries.0;
        for (number, (name, _)) in (1..).zip(&entries) {
            if !NAMES.contains(&name.as_str()) {
                return Err(unknown(number, name));
            }
            if entries.iter().filter(|(other, _)| other == name).count() > 1 {
                return Err(format!("has the field {name} twice"));
            }
        }
        // A field with the value null counts as absent.
        let given = entries.into_iter().filter(|(_, value)| !value.is_null());
        Ok(Self(given.collect()))
    }

    /// Returns the names of the given fields.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// Returns true if a field is given.
    pub(super) fn has(&self, name: &str) -> bool {
        self.value(name).is_some()
    }

    /// Returns the text of a field.
    pub(super) fn text(&self, name: &str) -> Read<Option<String>> {
        match self.value(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.trim().to_owned())),
            Some(other) => Err(wrong(name, "a text", other)),
        }
    }

    /// Returns the whole number of a field, which must be within the bounds.
    pub(super) fn whole_number(
        &self,
        name: &str,
        bounds: RangeInclusive<u64>,
    ) -> Read<Option<u64>> {
        let Some(value) = self.value(name) else {
            return Ok(None);
        };
        match value.as_u64() {
            Some(number) if bounds.contains(&number) => Ok(Some(number)),
            _ => Err(wrong(
                name,
                &format!("a whole number from {} to {}", bounds.start(), bounds.end()),
                value,
            )),
        }
    }

    /// Returns the amount of a field in microdollars; the field itself is in dollars.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "at most a million dollars, which are 10^12 microdollars"
    )]
    pub(super) fn dollars(&self, name: &str) -> Read<Option<u64>> {
        let Some(value) = self.value(name) else {
            return Ok(None);
        };
        match value.as_f64() {
            Some(dollars) if (0.0..=MAX_MODEL_DOLLARS as f64).contains(&dollars) => {
                Ok(Some((dollars * MICRODOLLARS as f64).round() as u64))
            }
            _ => Err(wrong(
                name,
                &format!("a number of dollars from 0 to {MAX_MODEL_DOLLARS}"),
                value,
            )),
        }
    }

    fn value(&self, name: &str) -> Option<&Value> {
        let (_, value) = self.0.iter().find(|(known, _)| known == name)?;
        Some(value)
    }
}

/// Returns the name of the kind of a value.
fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn wrong(name: &str, wanted: &str, got: &Value) -> String {
    match got {
        // A number is not secret, and shows the mistake.
        Value::Number(number) => {
            format!("must have in the field {name} {wanted}, not {number}")
        }
        other => format!(
            "must have in the field {name} {wanted}, not {}",
            kind_of(other)
        ),
    }
}

/// Describes an unknown field. The name is shown only if it is similar to a known one, because
/// somebody may have written a key in the place of a name.
fn unknown(number: usize, name: &str) -> String {
    if let Some(near) = nearest(name, NAMES.iter().copied()).first() {
        let name = base::text::first(name, base::limits::MAX_NAME_CHARACTERS);
        return format!("has the unknown field {name:?}; did you mean `{near}`?");
    }
    let lower = name.to_ascii_lowercase();
    if KEY_WORDS.iter().any(|word| lower.contains(word)) {
        return format!(
            "has a field for a key, field {number}: put the key into the secret {MODEL_API_KEY}"
        );
    }
    format!(
        "has an unknown field, field {number}; the fields are {}",
        NAMES.join(", ")
    )
}
