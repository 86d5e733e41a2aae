//! The body of a request for a chat completion.

use serde_json::{Map, Value, json};

use crate::exchange::{Dialect, Form, TokenField};
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
    body.insert("messages".to_owned(), messages(request, dialect.form));
    body.insert("stream".to_owned(), true.into());
    if dialect.has_stream_options() {
        body.insert(
            "stream_options".to_owned(),
            json!({ "include_usage": true }),
        );
    }
    let token_field = match dialect.token_field {
        TokenField::MaxTokens => "max_tokens",
        TokenField::MaxCompletionTokens => "max_completion_tokens",
    };
    body.insert(token_field.to_owned(), max_output_tokens.into());
    if dialect.has_temperature() {
        body.insert("temperature".to_owned(), 0.into());
    }
    if let Some(format) = response_format(request, dialect.form) {
        body.insert("response_format".to_owned(), format);
    }
    Value::Object(body).to_string()
}

/// Returns the conversation, with the system text as its first message.
pub(crate) fn messages(request: &ModelRequest, form: Form) -> Value {
    let system = match form {
        Form::Schema => request.system().to_owned(),
        Form::AnyObject | Form::Words => request.system_with_schema(),
    };
    let system = (!system.is_empty()).then(|| json!({ "role": "system", "content": system }));
    let said = request
        .messages()
        .iter()
        .map(|message| json!({ "role": message.role.name(), "content": message.text }));
    Value::Array(system.into_iter().chain(said).collect())
}

fn response_format(request: &ModelRequest, form: Form) -> Option<Value> {
    let structure = request.structure()?;
    match form {
        Form::Schema => Some(json!({
            "type": "json_schema",
            "json_schema": {
                "name": structure.name(),
                "description": structure.description(),
                "schema": structure.schema(),
                "strict": structure.is_strict(),
            },
        })),
        Form::AnyObject => Some(json!({ "type": "json_object" })),
        Form::Words => None,
    }
}
