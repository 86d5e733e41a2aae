//! The body of a request for a message.

use serde_json::{Map, Value, json};

use crate::exchange::{Dialect, Form};
use crate::request::ModelRequest;

/// Returns the body as text.
pub(super) fn render(
    request: &ModelRequest,
    model: &str,
    max_output_tokens: u32,
    dialect: Dialect,
) -> String {
    let mut body = Map::new();
    body.insert("model".to_owned(), model.into());
    body.insert("max_tokens".to_owned(), max_output_tokens.into());
    let system = match dialect.form {
        Form::Schema => request.system().to_owned(),
        Form::AnyObject | Form::Words => request.system_with_schema(),
    };
    if !system.is_empty() {
        body.insert("system".to_owned(), system.into());
    }
    let messages = request
        .messages()
        .iter()
        .map(|message| json!({ "role": message.role.name(), "content": message.text }))
        .collect();
    body.insert("messages".to_owned(), Value::Array(messages));
    body.insert("stream".to_owned(), true.into());
    if dialect.has_temperature() {
        body.insert("temperature".to_owned(), 0.into());
    }
    if let Some(structure) = request.structure()
        && dialect.form == Form::Schema
    {
        let tool = json!({
            "name": structure.name(),
            "description": structure.description(),
            "input_schema": structure.schema(),
        });
        body.insert("tools".to_owned(), json!([tool]));
        body.insert(
            "tool_choice".to_owned(),
            json!({ "type": "tool", "name": structure.name(), "disable_parallel_tool_use": true }),
        );
    }
    Value::Object(body).to_string()
}
