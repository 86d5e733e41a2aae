//! Values, types and paths in words, cut to a readable length. Text from outside is quoted and
//! escaped.

use base::text::cut;
use serde_json::Value;

use crate::limits::{MAX_SHOWN_PATH_CHARACTERS, MAX_SHOWN_VALUES};
use mcp::limits::MAX_SHOWN_VALUE_CHARACTERS;
use session::limits::MAX_JSON_DEPTH;

/// The path from the arguments to a value in them.
#[derive(Clone, Copy)]
pub(super) enum Place<'p> {
    Whole,
    Name(&'p Place<'p>, &'p str),
    Item(&'p Place<'p>, usize),
}

impl Place<'_> {
    /// Returns the path as text: `filters.years[2]`.
    pub(super) fn text(&self) -> String {
        cut(&self.steps(), MAX_SHOWN_PATH_CHARACTERS)
    }

    /// Returns the number of steps.
    pub(super) fn level(&self) -> usize {
        match self {
            Place::Whole => 0,
            Place::Name(above, _) | Place::Item(above, _) => above.level() + 1,
        }
    }

    /// Renders the whole path. The depth of arguments is limited.
    fn steps(&self) -> String {
        let (above, name) = match self {
            Place::Whole => return String::new(),
            Place::Item(above, number) => return format!("{}[{number}]", above.steps()),
            Place::Name(above, name) => (above.steps(), cut(name, MAX_SHOWN_PATH_CHARACTERS)),
        };
        match (is_plain(&name), above.as_str()) {
            (false, _) => format!("{above}[{}]", quoted(&name)),
            (true, "") => name,
            (true, _) => format!("{above}.{name}"),
        }
    }
}

/// Returns the message for arguments that nest too deep.
pub(super) fn too_deep() -> String {
    format!("must not nest deeper than {MAX_JSON_DEPTH} levels")
}

/// Describes a value: `the text "5"`, `the number 5`, `a list of 3`, `an object`.
pub(super) fn value(value: &Value) -> String {
    match value {
        Value::Null | Value::Bool(_) => value.to_string(),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => format!("the text {}", quoted(text)),
        Value::Array(items) if items.is_empty() => "an empty list".to_owned(),
        Value::Array(items) => format!("a list of {}", items.len()),
        Value::Object(_) => "an object".to_owned(),
    }
}

/// Returns true if a value has a type of JSON Schema.
pub(super) fn is_kind(value: &Value, name: &str) -> bool {
    match value {
        Value::Null => name == "null",
        Value::Bool(_) => name == "boolean",
        Value::Number(number) => {
            let is_whole = !number.is_f64() || number.as_f64().is_some_and(|n| n.fract() == 0.0);
            name == "number" || name == "integer" && is_whole
        }
        Value::String(_) => name == "string",
        Value::Array(_) => name == "array",
        Value::Object(_) => name == "object",
    }
}

/// Returns the value in the notation of a wanted type: `5` for `"5"`, `["a"]` for `"a"`. It is only
/// a suggestion and never replaces the value.
pub(super) fn rewritten(got: &Value, wanted: &[&str]) -> Option<String> {
    let wants = |kind: &str| wanted.contains(&kind);
    match got {
        Value::String(text) => {
            let is_meant = |read: &Value| match read {
                Value::Number(_) | Value::Bool(_) => wanted.iter().any(|name| is_kind(read, name)),
                _ => false,
            };
            match serde_json::from_str(text.trim()) {
                Ok(read) if is_meant(&read) => Some(text.trim().to_owned()),
                _ => wants("array").then(|| format!("[{}]", quoted(text))),
            }
        }
        Value::Number(_) | Value::Bool(_) if wants("string") => Some(format!("\"{got}\"")),
        Value::Number(_) | Value::Bool(_) if wants("array") => Some(format!("[{got}]")),
        _ => None,
    }
}

/// Returns the words for a type of JSON Schema, or `None` for an unknown type.
pub(super) fn kind(name: &str) -> Option<&'static str> {
    Some(match name {
        "null" => "null",
        "boolean" => "true or false",
        "number" => "a number",
        "integer" => "an integer",
        "string" => "a string",
        "array" => "a list",
        "object" => "an object",
        _ => return None,
    })
}

/// Joins parts as `a, b or c`.
pub(super) fn either(parts: &[String]) -> String {
    match parts {
        [rest @ .., last] if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        few => few.concat(),
    }
}

/// Shows the first of several things, and the number of the others.
pub(super) fn first<T>(
    things: impl Iterator<Item = T> + Clone,
    show: impl Fn(T) -> String,
) -> Vec<String> {
    let more = things.clone().skip(MAX_SHOWN_VALUES).count();
    let more = (more > 0).then(|| format!("{more} more"));
    let shown = things.take(MAX_SHOWN_VALUES).map(show);
    shown.chain(more).collect()
}

/// Returns a value as JSON, cut.
pub(super) fn literal(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        other => cut(&other.to_string(), MAX_SHOWN_VALUE_CHARACTERS),
    }
}

/// Returns a text in quotation marks, escaped and cut.
pub(super) fn quoted(text: &str) -> String {
    Value::String(cut(text, MAX_SHOWN_VALUE_CHARACTERS)).to_string()
}

/// Returns a name unchanged if it cannot be misread, and in quotation marks otherwise.
pub(super) fn bare(name: &str) -> String {
    if is_plain(name) && name.len() <= MAX_SHOWN_VALUE_CHARACTERS {
        name.to_owned()
    } else {
        quoted(name)
    }
}

fn is_plain(name: &str) -> bool {
    let is_plain = |character: char| character.is_alphanumeric() || "_-$@/:".contains(character);
    !name.is_empty() && name.chars().all(is_plain)
}
