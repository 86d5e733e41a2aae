//! The input of the binding.

use serde_json::{Map, Value, json};

use crate::exchange::{Dialect, Form};
use crate::openai::messages;
use crate::request::ModelRequest;

/// Returns the input as JSON text.
pub(super) fn render(request: &ModelRequest, max_output_tokens: u32, dialect: Dialect) -> String {
    let mut input = Map::new();
    input.insert("messages".to_owned(), messages(request, dialect.form));
    input.insert("stream".to_owned(), streams(request, dialect).into());
    input.insert("max_tokens".to_owned(), max_output_tokens.into());
    input.insert("temperature".to_owned(), 0.into());
    if let Some(structure) = request.structure()
        && dialect.form == Form::Schema
    {
        input.insert(
            "response_format".to_owned(),
            json!({ "type": "json_schema", "json_schema": structure.schema() }),
        );
    }
    Value::Object(input).to_string()
}

/// Returns true if the response is a stream: the platform does not stream responses with a schema.
pub(super) fn streams(request: &ModelRequest, dialect: Dialect) -> bool {
    request.structure().is_none() || dialect.form != Form::Schema
}
