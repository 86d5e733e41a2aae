//! Makes SQL expressions with which SQLite itself renders result values as JSON text.
//!
//! SQLite prints 64-bit integers exactly, and reals so that they read back the same. Two kinds of
//! value need care: a blob, which SQLite would print as JSON if its bytes happen to be JSONB, so
//! the type of every value is checked first; and an infinity, which SQLite prints as `9.0e+999`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::compose::quote_text;

/// The shape of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RowShape {
    /// `{"name":value,…}`
    #[default]
    Object,
    /// `[value,…]`
    Array,
}

/// Arguments of one function call: D1 allows 32, SQLite in a Durable Object 127. Longer lists are
/// joined in groups of this size.
const MAX_CALL_ARGUMENTS: usize = 30;

/// Returns the SQL expression that makes a row of JSON text from `values`, which are SQL
/// expressions, under `names`.
pub fn row_expression(values: &[String], names: &[String], shape: RowShape) -> String {
    match shape {
        RowShape::Array if values.len() <= MAX_CALL_ARGUMENTS => {
            let items: Vec<String> = values.iter().map(|value| exact(value)).collect();
            format!("json_array({})", items.join(","))
        }
        RowShape::Array => format!(
            "'['||{}||']'",
            joined(values.iter().map(|value| exact_text(value)).collect())
        ),
        RowShape::Object if 2 * values.len() <= MAX_CALL_ARGUMENTS => {
            let items: Vec<String> = values
                .iter()
                .zip(names)
                .map(|(value, name)| format!("{},{}", quote_text(name), exact(value)))
                .collect();
            format!("json_object({})", items.join(","))
        }
        RowShape::Object => {
            let label =
                |name: &String| quote_text(&format!("{}:", serde_json::Value::from(name.as_str())));
            let members = values
                .iter()
                .zip(names)
                .map(|(value, name)| format!("{}||({})", label(name), exact_text(value)));
            format!("'{{'||{}||'}}'", joined(members.collect()))
        }
    }
}

/// Returns the SQL expression that joins texts, none of them NULL, with commas.
pub fn joined(mut texts: Vec<String>) -> String {
    while texts.len() >= MAX_CALL_ARGUMENTS {
        texts = texts
            .chunks(MAX_CALL_ARGUMENTS - 1)
            .map(|group| format!("concat_ws(',',{})", group.join(",")))
            .collect();
    }
    format!("concat_ws(',',{})", texts.join(","))
}

/// Returns a value as an argument of a JSON function.
fn exact(value: &str) -> String {
    format!(
        "CASE WHEN typeof({value})='blob' THEN json_object('$blob',hex({value})) ELSE {value} END"
    )
}

/// Returns a value as JSON text.
fn exact_text(value: &str) -> String {
    format!(
        "CASE WHEN typeof({value})='blob' THEN json_object('$blob',hex({value})) ELSE json_quote({value}) END"
    )
}

/// Makes names unique: `a`, `a_2`, `a_3`. A name that is already taken is skipped.
pub fn distinct_names(names: Vec<String>) -> Vec<String> {
    let mut seen: std::collections::HashSet<String> =
        std::collections::HashSet::with_capacity(names.len());
    let all: std::collections::HashSet<String> = names.iter().cloned().collect();
    names
        .into_iter()
        .map(|name| {
            if seen.insert(name.clone()) {
                return name;
            }
            let mut number = 2_u32;
            loop {
                let candidate = format!("{name}_{number}");
                if !all.contains(&candidate) && seen.insert(candidate.clone()) {
                    return candidate;
                }
                number += 1;
            }
        })
        .collect()
}

const BLOB_MARK: &str = "{\"$blob\":\"";
const INFINITY: &str = "9.0e+999";

/// The texts in which [`finish`] may have something to do.
pub const UNFINISHED: [&str; 2] = [BLOB_MARK, INFINITY];

/// Converts the text that SQLite printed into the wire form: hexadecimal blobs into base64,
/// infinities into `{"$real":…}`.
///
/// An unescaped `{"$blob":"` cannot occur inside a JSON string, so finding it needs no parser. An
/// infinity can only be recognised by following the quotes, which is done only if the text contains
/// `9.0e+999` at all.
pub fn finish(text: String) -> String {
    let text = if text.contains(BLOB_MARK) {
        blobs_to_base64(&text)
    } else {
        text
    };
    if text.contains(INFINITY) {
        mark_infinities(&text)
    } else {
        text
    }
}

fn blobs_to_base64(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once(BLOB_MARK) {
        result.push_str(before);
        result.push_str(BLOB_MARK);
        let (hex, after) = behind.split_once('"').unwrap_or((behind, ""));
        match const_hex::decode(hex) {
            Ok(bytes) => STANDARD.encode_string(bytes, &mut result),
            // SQLite's hex() returns nothing but pairs of digits, so this text does not come from
            // it.
            Err(_) => result.push_str(hex),
        }
        result.push('"');
        rest = after;
    }
    result.push_str(rest);
    result
}

fn mark_infinities(text: &str) -> String {
    let mut result = String::with_capacity(text.len() + 64);
    let mut rest = text;
    // Copies the text outside of strings up to the next quote, then the string up to its closing
    // quote, and so on.
    loop {
        let (outside, from_quote) = match rest.find('"') {
            Some(at) => rest.split_at(at),
            None => (rest, ""),
        };
        result.push_str(
            &outside
                .replace("-9.0e+999", "{\"$real\":\"-Infinity\"}")
                .replace(INFINITY, "{\"$real\":\"Infinity\"}"),
        );
        if from_quote.is_empty() {
            return result;
        }
        let (string, after) = from_quote.split_at(end_of_string(from_quote));
        result.push_str(string);
        rest = after;
    }
}

/// Returns the length of the JSON string at the beginning of `text`, quotes included.
fn end_of_string(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}
