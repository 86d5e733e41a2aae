//! Values, types and places in words, cut to a readable length. Texts of others stand in quotation marks and escaped.

use base::text::cut;
use boon::{InstanceToken, Type};
use serde_json::Value;

use crate::limits::{MAX_SHOWN_PATH_CHARACTERS, MAX_SHOWN_VALUES};
use mcp::limits::MAX_SHOWN_VALUE_CHARACTERS;

/// `the text "5"`, `the number 5`, `a list of 3`, `an object`.
pub(super) fn value(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => format!("the text {}", quoted(text)),
        Value::Array(items) if items.is_empty() => "an empty list".to_owned(),
        Value::Array(items) => format!("a list of {}", items.len()),
        Value::Object(_) => "an object".to_owned(),
    }
}

/// What a value must be.
pub(super) fn kind(kind: Type) -> &'static str {
    match kind {
        Type::Null => "null",
        Type::Boolean => "true or false",
        Type::Number => "a number",
        Type::Integer => "an integer",
        Type::String => "a string",
        Type::Array => "a list",
        Type::Object => "an object",
    }
}

/// `a, b or c`.
pub(super) fn either(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [only] => only.clone(),
        [rest @ .., last] => format!("{} or {last}", rest.join(", ")),
    }
}

/// Allowed values, the first of them.
pub(super) fn choices<'a>(values: impl ExactSizeIterator<Item = &'a Value>) -> String {
    let more = values.len().saturating_sub(MAX_SHOWN_VALUES);
    let mut shown: Vec<String> = values.take(MAX_SHOWN_VALUES).map(literal).collect();
    if more > 0 {
        shown.push(format!("{more} more"));
    }
    either(&shown)
}

/// Names, the first of them.
pub(super) fn names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    let mut shown: Vec<String> = names
        .iter()
        .take(MAX_SHOWN_VALUES)
        .map(|name| bare(name))
        .collect();
    if names.len() > MAX_SHOWN_VALUES {
        shown.push(format!("{} more", names.len() - MAX_SHOWN_VALUES));
    }
    shown.join(", ")
}

/// A value as JSON, cut.
pub(super) fn literal(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        Value::Array(_) | Value::Object(_) => cut(&value.to_string(), MAX_SHOWN_VALUE_CHARACTERS),
        other => other.to_string(),
    }
}

/// A text in quotation marks, escaped and cut.
pub(super) fn quoted(text: &str) -> String {
    let short = cut(text, MAX_SHOWN_VALUE_CHARACTERS);
    Value::String(short).to_string()
}

/// A name as it is where that cannot be misread, in quotation marks otherwise.
pub(super) fn bare(name: &str) -> String {
    if is_plain(name) && name.len() <= MAX_SHOWN_VALUE_CHARACTERS {
        name.to_owned()
    } else {
        quoted(name)
    }
}

/// `filters.years[2]`.
pub(super) fn path(tokens: &[InstanceToken<'_>]) -> String {
    let mut text = String::new();
    for token in tokens {
        match token {
            InstanceToken::Prop(name) => push_name(&mut text, name),
            InstanceToken::Item(number) => text.push_str(&format!("[{number}]")),
        }
    }
    cut(&text, MAX_SHOWN_PATH_CHARACTERS)
}

/// One step of a path as it is.
pub(super) fn name(token: &InstanceToken<'_>) -> String {
    match token {
        InstanceToken::Prop(name) => name.to_string(),
        InstanceToken::Item(number) => number.to_string(),
    }
}

/// The path of an entry of what lies at `path`.
pub(super) fn path_of(path: &str, name: &str) -> String {
    let mut text = path.to_owned();
    push_name(&mut text, name);
    cut(&text, MAX_SHOWN_PATH_CHARACTERS)
}

fn push_name(text: &mut String, name: &str) {
    if !is_plain(name) {
        text.push_str(&format!("[{}]", quoted(name)));
    } else if text.is_empty() {
        text.push_str(name);
    } else {
        text.push('.');
        text.push_str(name);
    }
}

fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && name
            .chars()
            .all(|character| character.is_alphanumeric() || "_-$@/:".contains(character))
}
