//! The parameters of the tools, and the check of arguments: their names, the required ones, and
//! their types.

use serde_json::{Map, Value, json};

use super::catalog::Tool;
use crate::outcome::not_known;

/// Returns the JSON Schema of a tool's parameters.
pub fn input(tool: Tool) -> Value {
    match tool {
        Tool::Sampling => one_text("prompt", "What the model is asked"),
        Tool::Elicitation => one_text("message", "What the user reads"),
        Tool::Schema => many_keywords(),
        Tool::Headers => json!({
            "type": "object",
            "properties": {
                "region": { "type": "string", "description": "A text", "x-mcp-header": "Region" },
                "count": { "type": "integer", "description": "A whole number", "x-mcp-header": "Count" },
                "verbose": { "type": "boolean", "description": "Yes or no", "x-mcp-header": "Verbose" },
                "note": { "type": "string", "description": "A text that is sent in the body alone" },
            },
            "required": ["region"],
            "additionalProperties": false,
        }),
        Tool::SimpleText
        | Tool::Image
        | Tool::Audio
        | Tool::Resource
        | Tool::Mixed
        | Tool::Failure
        | Tool::Logging
        | Tool::LogLine
        | Tool::Progress
        | Tool::Reconnection
        | Tool::Defaults
        | Tool::Choices
        | Tool::MissingCapability
        | Tool::StreamingForm
        | Tool::Trigger(_)
        | Tool::Revise
        | Tool::Changing
        | Tool::InputName
        | Tool::InputModel
        | Tool::InputRoots
        | Tool::InputState
        | Tool::InputTampered
        | Tool::InputSeveral
        | Tool::InputRounds
        | Tool::InputCapabilities => {
            json!({ "type": "object", "properties": {}, "additionalProperties": false })
        }
    }
}

fn one_text(name: &str, description: &str) -> Value {
    json!({
        "type": "object",
        "properties": { name: { "type": "string", "description": description } },
        "required": [name],
        "additionalProperties": false,
    })
}

/// Returns a schema with the keywords that the suites look for: `$schema`, `$defs`, `$anchor`,
/// `allOf`, `anyOf`, `if`, `then`, `else` and `additionalProperties`.
fn many_keywords() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "postal",
                "type": "object",
                "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
            },
        },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contact": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" },
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contact": { "const": "phone" } }, "required": ["contact"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    })
}

/// Checks names and types of arguments.
///
/// # Errors
/// A message about the first wrong argument.
pub fn check(schema: &Value, arguments: &Map<String, Value>) -> Result<(), String> {
    let nothing = Map::new();
    let properties = schema.get("properties").and_then(Value::as_object);
    let properties = properties.unwrap_or(&nothing);
    for (name, value) in arguments {
        let Some(property) = properties.get(name) else {
            let known = properties.keys().map(String::as_str);
            return Err(not_known("parameter", name, known));
        };
        let wanted = property.get("type").and_then(Value::as_str);
        if wanted.is_some_and(|wanted| !is_of_type(value, wanted)) {
            let wanted = wanted.unwrap_or_default();
            return Err(format!(
                "the parameter `{name}` must be of the type {wanted}"
            ));
        }
    }
    let required = schema.get("required").and_then(Value::as_array);
    let mut required = required.into_iter().flatten().filter_map(Value::as_str);
    match required.find(|name| !arguments.contains_key(*name)) {
        Some(name) => Err(format!("the parameter `{name}` is missing")),
        None => Ok(()),
    }
}

fn is_of_type(value: &Value, wanted: &str) -> bool {
    match wanted {
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.as_f64().is_some_and(|number| number.fract() == 0.0),
        _ => true,
    }
}
