//! Parameters that a server also wants as HTTP headers: `x-mcp-header` of MCP 2026-07-28, "Custom
//! Headers from Tool Parameters".
//!
//! A tool whose annotations break the rules is not offered at all: [`validate`] checks a schema
//! when tools are listed, and [`headers`] reads the values of a call. A value cannot end a header
//! or begin another, because everything except plain ASCII is sent as Base64.

use std::collections::HashSet;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use crate::limits::{MAX_PARAMETER_HEADER_BYTES, MAX_TOOL_SCHEMA_DEPTH};

/// The keyword of the annotation.
const ANNOTATION: &str = "x-mcp-header";
/// The prefix of the names of such headers.
const PREFIX: &str = "Mcp-Param-";
/// The marks before and after a value in Base64.
pub(crate) const SENTINEL: (&str, &str) = ("=?base64?", "?=");
/// The largest integer that JavaScript represents exactly, `Number.MAX_SAFE_INTEGER`.
const SAFE_INTEGER: i64 = (1 << 53) - 1;
/// Keywords whose value is data, so that an annotation inside does not count.
const DATA: [&str; 5] = ["default", "examples", "example", "enum", "const"];

/// Checks that the annotations of a schema follow the rules.
///
/// # Errors
/// The broken rule, in words, for the log. The tool must not be offered.
pub fn validate(schema: &Value) -> Result<(), String> {
    let mut names = HashSet::new();
    let mut found = Vec::new();
    annotated(schema, &mut Vec::new(), MAX_TOOL_SCHEMA_DEPTH, &mut found);
    for (_, annotation, property) in &found {
        let Some(name) = annotation.as_str() else {
            return Err(format!("{ANNOTATION} must be a string"));
        };
        if name.is_empty() || !name.bytes().all(is_token_byte) {
            return Err(format!(
                "{ANNOTATION} {name:?} is not a valid name of a header"
            ));
        }
        if !names.insert(name.to_ascii_lowercase()) {
            return Err(format!("{ANNOTATION} {name:?} is given twice"));
        }
        if !is_primitive(property) {
            return Err(format!(
                "{ANNOTATION} {name:?} must be on a string, an integer or a boolean"
            ));
        }
    }
    let reachable = found.len();
    let mut everywhere = 0;
    count(
        schema,
        MAX_TOOL_SCHEMA_DEPTH,
        Position::Schema,
        &mut everywhere,
    )?;
    if everywhere > reachable {
        return Err(format!(
            "{ANNOTATION} must be on a property that is reached from the root through properties only"
        ));
    }
    Ok(())
}

/// Returns the headers of a call: names and encoded values. A parameter that is absent or null has
/// no header.
///
/// # Errors
/// The value that a header cannot carry, in words.
pub fn headers(schema: &Value, arguments: &Value) -> Result<Vec<(String, String)>, String> {
    let mut found = Vec::new();
    annotated(schema, &mut Vec::new(), MAX_TOOL_SCHEMA_DEPTH, &mut found);
    let mut headers = Vec::new();
    for (path, annotation, _) in found {
        let Some(name) = annotation.as_str() else {
            continue;
        };
        let value = path
            .iter()
            .try_fold(arguments, |value, key| value.get(*key));
        let text = match value {
            None | Some(Value::Null) => continue,
            Some(value) => as_text(value)
                .ok_or_else(|| format!("{} cannot be sent as the header {PREFIX}{name}: it must be a string, a boolean or an integer within ±(2^53 − 1)", path.join(".")))?,
        };
        let value = encode_value(&text);
        if value.len() > MAX_PARAMETER_HEADER_BYTES {
            return Err(format!(
                "{} is too long for the header {PREFIX}{name}: {} bytes, the limit is {MAX_PARAMETER_HEADER_BYTES}",
                path.join("."),
                value.len()
            ));
        }
        headers.push((format!("{PREFIX}{name}"), value));
    }
    Ok(headers)
}

/// Returns the names of the headers that a schema asks for.
pub fn names(schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    annotated(schema, &mut Vec::new(), MAX_TOOL_SCHEMA_DEPTH, &mut found);
    let annotations = found.iter().filter_map(|(_, name, _)| name.as_str());
    annotations.map(|name| format!("{PREFIX}{name}")).collect()
}

/// Encodes a value for a header: unchanged, or in Base64 between markers if it is not plain ASCII,
/// begins or ends with white space, or looks encoded. The same rule applies to `Mcp-Name`.
pub fn encode_value(value: &str) -> String {
    let plain = value
        .bytes()
        .all(|byte| matches!(byte, b'\t' | b' '..=b'~'));
    let padded = value.starts_with([' ', '\t']) || value.ends_with([' ', '\t']);
    let looks_encoded = value.starts_with(SENTINEL.0) && value.ends_with(SENTINEL.1);
    if plain && !padded && !looks_encoded {
        value.to_owned()
    } else {
        format!("{}{}{}", SENTINEL.0, STANDARD.encode(value), SENTINEL.1)
    }
}

type Annotated<'a> = (Vec<&'a str>, &'a Value, &'a Map<String, Value>);

/// Collects annotated properties that are reached from the root by `properties` alone, with their
/// path.
fn annotated<'a>(
    schema: &'a Value,
    path: &mut Vec<&'a str>,
    depth: usize,
    found: &mut Vec<Annotated<'a>>,
) {
    let (Some(below), Some(properties)) = (
        depth.checked_sub(1),
        schema.get("properties").and_then(Value::as_object),
    ) else {
        return;
    };
    for (name, property) in properties {
        path.push(name);
        if let Some(keywords) = property.as_object() {
            if let Some(annotation) = keywords.get(ANNOTATION) {
                found.push((path.clone(), annotation, keywords));
            }
            annotated(property, path, below, found);
        }
        path.pop();
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Position {
    Schema,
    Names,
}

/// Counts the annotations anywhere in a schema.
fn count(value: &Value, depth: usize, position: Position, found: &mut usize) -> Result<(), String> {
    let below = match (value, depth.checked_sub(1)) {
        (Value::Array(_) | Value::Object(_), None) => {
            return Err(format!(
                "the schema nests deeper than {MAX_TOOL_SCHEMA_DEPTH} levels"
            ));
        }
        (_, below) => below.unwrap_or(0),
    };
    match value {
        Value::Array(items) => items
            .iter()
            .try_for_each(|item| count(item, below, Position::Schema, found)),
        Value::Object(entries) => entries.iter().try_for_each(|(key, item)| {
            if position == Position::Names {
                return count(item, below, Position::Schema, found);
            }
            match key.as_str() {
                ANNOTATION => {
                    *found += 1;
                    Ok(())
                }
                key if DATA.contains(&key) => Ok(()),
                "properties" | "patternProperties" | "$defs" | "definitions"
                | "dependentSchemas" => count(item, below, Position::Names, found),
                _ => count(item, below, Position::Schema, found),
            }
        }),
        _ => Ok(()),
    }
}

fn is_primitive(property: &Map<String, Value>) -> bool {
    let primitive = |name: &Value| matches!(name.as_str(), Some("string" | "integer" | "boolean"));
    match property.get("type") {
        Some(Value::Array(names)) => {
            names.iter().any(primitive)
                && names
                    .iter()
                    .all(|name| primitive(name) || name.as_str() == Some("null"))
        }
        Some(name) => primitive(name),
        None => false,
    }
}

/// Returns a value as the text of its header. A number such as `42.0` counts as an integer.
fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Number(number) => {
            let integer = number.as_i64().or_else(|| {
                let float = number.as_f64()?;
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "a whole number in the range that is checked below"
                )]
                (float.fract() == 0.0 && float.abs() < 9.1e15).then_some(float as i64)
            })?;
            (integer.unsigned_abs() <= SAFE_INTEGER.unsigned_abs()).then(|| integer.to_string())
        }
        _ => None,
    }
}

/// Returns true for a `tchar` of RFC 9110, section 5.6.2.
fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}
