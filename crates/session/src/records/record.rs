//! Reads one JSON record: its keys, and each value as JSON text.
//!
//! serde_json checks the whole record (grammar, depth, numbers); no value is decoded unless it must
//! be changed for SQLite.

use std::borrow::Cow;
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::hex;
use crate::readings::Kinds;
use base::{CommonError, Error, Result};

/// Calls `field` with each key and value of a record.
///
/// # Errors
/// [`base::CommonError::InvalidBody`] if the record is not a JSON object; any error of `field`.
pub(super) fn read<'a>(
    record: &'a str,
    number: u64,
    field: &mut dyn FnMut(&str, &'a str) -> Result<()>,
) -> Result<()> {
    let mut failure = None;
    let mut deserializer = serde_json::Deserializer::from_str(record);
    let outcome = deserializer.deserialize_map(Fields {
        field,
        failure: &mut failure,
    });
    match (failure, outcome.and_then(|()| deserializer.end())) {
        (Some(error), _) => Err(error),
        (None, Ok(())) => Ok(()),
        (None, Err(error)) => {
            let message = format!("record {number} is not valid JSON: {error}");
            let is_word = ["NaN", "Infinity", "None", "undefined"]
                .iter()
                .any(|word| record.contains(word));
            Err(match is_word {
                true => Error::from(CommonError::InvalidBody {
                    message,
                    hint: Some(
                        "NaN, Infinity, None and undefined are not JSON: send null".to_owned(),
                    ),
                }),
                false => Error::body(message),
            })
        }
    }
}

struct Fields<'f, 'a> {
    field: &'f mut dyn FnMut(&str, &'a str) -> Result<()>,
    failure: &'f mut Option<Error>,
}

/// A key. It borrows from the text if the text has no escapes.
#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'a> Visitor<'a> for Fields<'_, 'a> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON object")
    }

    fn visit_map<M: MapAccess<'a>>(self, mut map: M) -> Result<(), M::Error> {
        while let Some(Key(key)) = map.next_key::<Key<'a>>()? {
            let value = map.next_value::<&'a RawValue>()?;
            if let Err(error) = (self.field)(&key, value.get()) {
                *self.failure = Some(error);
                return Err(serde::de::Error::custom("stopped"));
            }
        }
        Ok(())
    }
}

/// Appends a value in the form that the insert reads, and returns its kinds.
///
/// Scalars are copied. A nested object or array becomes a text with its JSON, so that an object in
/// a row is always one of our marks: `{"b":"<hex>"}` is a blob.
///
/// # Errors
/// [`base::CommonError::InvalidBody`] for a value that SQLite cannot represent.
pub(crate) fn append_value(value: &str, out: &mut String) -> Result<Kinds, String> {
    match value.as_bytes().first() {
        Some(b'"') => {
            check_surrogates(value)?;
            out.push_str(value);
            Ok(Kinds::TEXT)
        }
        Some(b't') => {
            out.push('1');
            Ok(Kinds::INTEGER)
        }
        Some(b'f') => {
            out.push('0');
            Ok(Kinds::INTEGER)
        }
        Some(b'n') => {
            out.push_str("null");
            Ok(Kinds::NOTHING)
        }
        Some(b'{') if value.contains("\"$blob\"") || value.contains("\"$real\"") => {
            append_marked(value, out)
        }
        Some(b'{' | b'[') => {
            append_text(value, out);
            Ok(Kinds::TEXT)
        }
        _ => {
            let kinds = Kinds::of_number(value)
                .ok_or_else(|| format!("has a number beyond 64 bits, {value}: send it as text"))?;
            if kinds == Kinds::REAL && !is_held(value) {
                return Err(format!(
                    "has a number beyond the range of a double, {value}: send it as text"
                ));
            }
            out.push_str(value);
            Ok(kinds)
        }
    }
}

/// Returns true if a number is neither too large nor too small for a double.
fn is_held(value: &str) -> bool {
    let is_short = value.len() < 300 && !value.contains(['e', 'E']);
    is_short
        || value.parse::<f64>().is_ok_and(|number| {
            let mantissa = value.split(['e', 'E']).next().unwrap_or_default();
            number.is_finite() && (number != 0.0 || !mantissa.contains(|c| matches!(c, '1'..='9')))
        })
}

/// Appends the blob or infinity that the object stands for. An object without such a mark is
/// ordinary data.
fn append_marked(value: &str, out: &mut String) -> Result<Kinds, String> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    enum Marked<'a> {
        #[serde(rename = "$blob", borrow)]
        Blob(Cow<'a, str>),
        #[serde(rename = "$real")]
        Real(Cow<'a, str>),
    }
    match serde_json::from_str(value) {
        Ok(Marked::Blob(base64)) => {
            let bytes = STANDARD
                .decode(&*base64)
                .map_err(|_| r#"has a $blob that is not base64 with padding"#.to_owned())?;
            out.push_str("{\"b\":\"");
            hex::append(&bytes, out);
            out.push_str("\"}");
            Ok(Kinds::BLOB)
        }
        Ok(Marked::Real(real)) => {
            // SQLite reads an exponent beyond the range as an infinity.
            out.push_str(match &*real {
                "Infinity" => "9e999",
                "-Infinity" => "-9e999",
                _ => return Err("has a $real that is neither Infinity nor -Infinity; SQLite has no NaN, send null".to_owned()),
            });
            Ok(Kinds::REAL)
        }
        Err(_) => {
            append_text(value, out);
            Ok(Kinds::TEXT)
        }
    }
}

/// Appends `text` as a JSON string.
pub(crate) fn append_text(text: &str, out: &mut String) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = rest
        .bytes()
        .position(|byte| byte < 0x20 || byte == b'"' || byte == b'\\')
    {
        let (plain, from) = rest.split_at(at);
        out.push_str(plain);
        let mut characters = from.chars();
        match characters.next() {
            Some('"') => out.push_str("\\\""),
            Some('\\') => out.push_str("\\\\"),
            Some('\n') => out.push_str("\\n"),
            Some('\r') => out.push_str("\\r"),
            Some('\t') => out.push_str("\\t"),
            Some(control) => {
                out.push_str("\\u00");
                out.push(if u32::from(control) < 16 { '0' } else { '1' });
                out.push(char::from_digit(u32::from(control) & 15, 16).unwrap_or('0'));
            }
            None => {}
        }
        rest = characters.as_str();
    }
    out.push_str(rest);
    out.push('"');
}

/// Rejects half of a surrogate pair: SQLite would store bytes that are not UTF-8.
fn check_surrogates(value: &str) -> Result<(), String> {
    if !value.contains("\\u") {
        return Ok(());
    }
    serde_json::from_str::<Cow<'_, str>>(value)
        .map(|_| ())
        .map_err(|_| "has a text with half a surrogate pair".to_owned())
}
