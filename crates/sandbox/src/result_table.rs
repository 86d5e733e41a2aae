//! Keeps results: a small one is returned directly, a large one goes into a table of the session
//! and the reply refers to it.
//!
//! | result | table |
//! | --- | --- |
//! | array of objects | a row for each, a column for each key |
//! | any other array | `position`, `value` |
//! | object | `key`, `value` |
//! | anything else, or values too large for a row | `part`, `text`: pieces, in order |
//!
//! The table holds the whole result, or there is an error; no part of a result is dropped.

use base::CommonError;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::limits::{
    MAX_EXECUTION_RESULT_BYTES, MAX_INLINE_RESULT_BYTES, MAX_INLINE_RESULT_RECORDS,
    RESULT_PIECE_CHARACTERS,
};
use base::entries::Entries;
use base::{Error, Result};
use database::Database;
use session::Session;
use session::bulk::{Destination, Format, Load, LoadRequest};
use session::inspect;
use session::limits::{MAX_BOUND_BYTES, SAMPLE_TEXT_CHARACTERS};

/// The number of bytes that are passed to a load at a time.
const FEED_BYTES: usize = 1024 * 1024;

/// A result in its reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResultReply {
    /// The JSON text itself.
    Inline(String),
    /// A reference to the table that holds it.
    Staged(String),
}

/// Keeps a result within the default limit.
///
/// # Errors
/// The errors of [`keep_within`].
pub fn keep<D: Database>(
    session: &Session<'_, D>,
    execution_id: &str,
    text: String,
) -> Result<ResultReply> {
    keep_within(session, execution_id, text, MAX_INLINE_RESULT_BYTES)
}

/// Keeps a result: returns it directly, or writes a table if it has more than `max_inline_bytes` or
/// many records.
///
/// # Errors
/// [`CommonError::InvalidBody`] for text that is not JSON, [`CommonError::PayloadTooLarge`] for a
/// result that is too large for a table, and the errors of the engine.
pub fn keep_within<D: Database>(
    session: &Session<'_, D>,
    execution_id: &str,
    text: String,
    max_inline_bytes: usize,
) -> Result<ResultReply> {
    // The isolate has already refused a result of this size, unless the result was forged.
    if text.len() > MAX_EXECUTION_RESULT_BYTES {
        return Err(Error::from(CommonError::PayloadTooLarge {
            limit_bytes: MAX_EXECUTION_RESULT_BYTES as u64,
        }));
    }
    let shape = Shape::read(&text)?;
    let many = matches!(&shape, Shape::Records(count) if *count > MAX_INLINE_RESULT_RECORDS);
    if text.len() <= max_inline_bytes && !many {
        return Ok(ResultReply::Inline(text));
    }
    if session.scope.is_some() {
        return Err(session::scope::refused("a table for a large result"));
    }
    let table = format!(
        "result_{}",
        execution_id.chars().take(8).collect::<String>()
    );
    let rows = write(session, &table, &text, shape)?;
    receipt(session, &table, rows).map(ResultReply::Staged)
}

enum Shape<'a> {
    /// An array of this many objects.
    Records(usize),
    List(Vec<&'a RawValue>),
    Object(Entries<&'a RawValue, &'a RawValue>),
    Other,
}

impl<'a> Shape<'a> {
    /// Parses the text to its end, so that the reply is valid JSON whatever a program has forged.
    fn read(text: &'a str) -> Result<Self> {
        let broken =
            |error: serde_json::Error| Error::body(format!("the result is not JSON: {error}"));
        match text.trim_start().as_bytes().first() {
            Some(b'[') => {
                let items: Vec<&RawValue> = serde_json::from_str(text).map_err(broken)?;
                let records = !items.is_empty() && items.iter().all(|item| is_record(item.get()));
                Ok(if records {
                    Self::Records(items.len())
                } else {
                    Self::List(items)
                })
            }
            Some(b'{') => serde_json::from_str(text).map(Self::Object).map_err(broken),
            _ => {
                let _checked: &RawValue = serde_json::from_str(text).map_err(broken)?;
                Ok(Self::Other)
            }
        }
    }
}

/// Returns true if a value is an object with keys of its own: `{"$blob":…}` and `{"$real":…}` are
/// values.
fn is_record(json: &str) -> bool {
    json.starts_with('{') && !json.starts_with("{\"$blob\":") && !json.starts_with("{\"$real\":")
}

fn write<D: Database>(
    session: &Session<'_, D>,
    table: &str,
    text: &str,
    shape: Shape<'_>,
) -> Result<u64> {
    let fits = |value: &RawValue| value.get().len() <= MAX_BOUND_BYTES;
    match shape {
        Shape::Records(_) => {
            // Records with a hundred keys or more, or with keys that cannot name a column, are
            // stored as a list.
            load(session, table, std::iter::once(text.to_owned())).or_else(|_| {
                let items: Vec<&RawValue> = serde_json::from_str(text).unwrap_or_default();
                write(session, table, text, Shape::List(items))
            })
        }
        Shape::List(items) if !items.is_empty() && items.iter().all(|item| fits(item)) => {
            let lines = items.iter().enumerate().map(|(position, item)| {
                format!("{{\"position\":{position},\"value\":{}}}\n", item.get())
            });
            load(session, table, lines)
        }
        Shape::Object(entries) if entries.0.iter().all(|(_, value)| fits(value)) => {
            let lines = entries.0.iter().map(|(key, value)| {
                format!("{{\"key\":{},\"value\":{}}}\n", key.get(), value.get())
            });
            load(session, table, lines)
        }
        Shape::List(_) | Shape::Object(_) | Shape::Other => write_pieces(session, table, text),
    }
}

fn write_pieces<D: Database>(session: &Session<'_, D>, table: &str, text: &str) -> Result<u64> {
    // A text is cut as a text, because cutting its JSON could split an escape sequence.
    let decoded: Option<String> = serde_json::from_str(text).ok();
    let mut rest = decoded.as_deref().unwrap_or(text);
    let mut part = 0_u64;
    let pieces = std::iter::from_fn(|| {
        if rest.is_empty() {
            return None;
        }
        let end = rest
            .char_indices()
            .nth(RESULT_PIECE_CHARACTERS)
            .map_or(rest.len(), |(at, _)| at);
        let (piece, left) = rest.split_at(end);
        rest = left;
        part += 1;
        Some(format!("{}\n", json!({ "part": part, "text": piece })))
    });
    load(session, table, pieces)
}

/// Loads all pieces of text in one load.
fn load<D: Database>(
    session: &Session<'_, D>,
    table: &str,
    texts: impl Iterator<Item = String>,
) -> Result<u64> {
    let request = LoadRequest::new(table, Format::Json, Destination::Create);
    let mut load = Load::new(*session, request)?;
    for text in texts {
        for piece in text.as_bytes().chunks(FEED_BYTES) {
            load.feed(piece)?;
        }
    }
    let loaded = load.finish()?;
    let rows = loaded.get("rowsWritten").and_then(Value::as_u64);
    Ok(rows.unwrap_or(0))
}

fn receipt<D: Database>(session: &Session<'_, D>, table: &str, rows: u64) -> Result<String> {
    let described = inspect::describe_table(session, table)?;
    let sample = described.json("sampleRows").unwrap_or("[]");
    let mut sample: Value = serde_json::from_str(sample)
        .map_err(|error| Error::internal(format!("the sample is not JSON: {error}")))?;
    shorten(&mut sample);
    let columns: Vec<&Value> = described
        .get("columns")
        .and_then(Value::as_array)
        .map(|columns| {
            columns
                .iter()
                .filter_map(|column| column.get("name"))
                .collect()
        })
        .unwrap_or_default();
    Ok(json!({ "table": table, "rows": rows, "columns": columns, "sample": sample }).to_string())
}

/// Shortens the long texts of a sample; the table holds them in full.
fn shorten(sample: &mut Value) {
    let rows = sample.as_array_mut().into_iter().flatten();
    for value in rows
        .filter_map(Value::as_object_mut)
        .flat_map(|row| row.values_mut())
    {
        if let Value::String(text) = value {
            *text = base::text::cut(text, SAMPLE_TEXT_CHARACTERS);
        }
    }
}
