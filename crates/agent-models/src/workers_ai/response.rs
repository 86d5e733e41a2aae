//! The responses of models of Workers AI: `{"response":"…"}` as a stream or a whole, or a chat
//! completion in the form of OpenAI. With a schema, `response` is the object itself.

use serde::Deserialize;
use serde_json::Value;

use crate::completion::StopReason;
use crate::error::ModelError;
use crate::exchange::{Flow, error_in, not_described, parse_event, too_large_whole};
use crate::gathering::{ResponseCollector, ResponseEnd};
use crate::limits::MAX_MODEL_MESSAGE_BYTES;
use crate::openai;

#[derive(Deserialize)]
struct Said {
    response: Option<Value>,
    usage: Option<Tokens>,
}

#[derive(Deserialize)]
struct Tokens {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
}

/// Adds the content of one event.
pub(super) fn event(data: &str, gathered: &mut ResponseCollector<'_>) -> Result<Flow, ModelError> {
    // The event that ends a stream is the same in both forms.
    if !data.trim_start().starts_with('{') || has_choices(data)? {
        return openai::read_event(data, gathered);
    }
    put_in(data, gathered)?;
    Ok(Flow::More)
}

/// Adds the content of a response that is not a stream.
pub(super) fn whole(json: &str, gathered: &mut ResponseCollector<'_>) -> Result<(), ModelError> {
    if has_choices(json)? {
        return openai::read_whole(json, gathered);
    }
    if !put_in(json, gathered)? {
        return Err(not_described(json));
    }
    gathered.end(ResponseEnd::With(StopReason::End));
    Ok(())
}

/// Returns the text if it is not longer than the limit.
pub(super) fn check_size(json: String) -> Result<String, ModelError> {
    if json.len() > MAX_MODEL_MESSAGE_BYTES {
        return Err(too_large_whole());
    }
    Ok(json)
}

fn has_choices(json: &str) -> Result<bool, ModelError> {
    let value: Value = parse_event(json)?;
    match error_in(&value) {
        Some(error) => Err(error),
        None => Ok(value.get("choices").is_some()),
    }
}

/// Adds the content of an event or response. Returns true if it has a response.
fn put_in(json: &str, gathered: &mut ResponseCollector<'_>) -> Result<bool, ModelError> {
    let said: Said = parse_event(json)?;
    if let Some(tokens) = &said.usage {
        gathered.count(tokens.prompt_tokens, tokens.completion_tokens);
    }
    match said.response {
        None => return Ok(false),
        Some(Value::String(text)) => gathered.add_text(&text)?,
        Some(object @ Value::Object(_)) => gathered.add_tool_json(&object.to_string())?,
        // Some models write a token of digits as a number.
        Some(number @ Value::Number(_)) => gathered.add_text(&number.to_string())?,
        Some(_) => return Err(not_described(json)),
    }
    Ok(true)
}
