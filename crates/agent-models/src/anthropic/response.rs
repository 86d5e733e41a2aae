//! The responses of the Messages API: events of a stream, or one message. Events and blocks of
//! unknown kinds are ignored, as the API requires of its clients.

use serde::Deserialize;
use serde_json::Value;

use crate::completion::StopReason;
use crate::error::{ModelError, Refuser};
use crate::exchange::{Flow, error_in, parse_event, unavailable};
use crate::gathering::{ResponseCollector, ResponseEnd};

/// An event of a stream. Its fields depend on its kind.
#[derive(Deserialize)]
struct Event {
    #[serde(rename = "type")]
    kind: String,
    message: Option<Message>,
    content_block: Option<Block>,
    delta: Option<Delta>,
    usage: Option<Tokens>,
}

#[derive(Deserialize)]
struct Message {
    model: Option<String>,
    #[serde(default)]
    content: Vec<Block>,
    stop_reason: Option<String>,
    usage: Option<Tokens>,
}

#[derive(Deserialize)]
struct Block {
    #[serde(rename = "type")]
    kind: String,
    text: Option<String>,
    input: Option<Value>,
}

#[derive(Deserialize)]
struct Delta {
    text: Option<String>,
    partial_json: Option<String>,
    stop_reason: Option<String>,
}

#[derive(Deserialize)]
struct Tokens {
    input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

impl Tokens {
    /// Counts tokens from the cache as input, because the model has read them, too.
    fn put_in(&self, gathered: &mut ResponseCollector<'_>) {
        let cached = [
            self.cache_creation_input_tokens,
            self.cache_read_input_tokens,
        ];
        let cached = cached.into_iter().flatten().fold(0, u64::saturating_add);
        let input = self
            .input_tokens
            .map(|tokens| tokens.saturating_add(cached));
        gathered.count(input, self.output_tokens);
    }
}

/// Adds the content of one event.
pub(super) fn event(data: &str, gathered: &mut ResponseCollector<'_>) -> Result<Flow, ModelError> {
    let event: Event = parse_event(data)?;
    match event.kind.as_str() {
        "message_start" => {
            if let Some(message) = event.message {
                head(&message, gathered);
            }
        }
        "content_block_start" => {
            if let Some(block) = event.content_block {
                match block.kind.as_str() {
                    // The input of the tool follows in pieces.
                    "tool_use" => gathered.add_tool_json("")?,
                    "text" => gathered.add_text(block.text.as_deref().unwrap_or_default())?,
                    _ => {}
                }
            }
        }
        "content_block_delta" => {
            if let Some(delta) = event.delta {
                gathered.add_text(delta.text.as_deref().unwrap_or_default())?;
                if let Some(json) = &delta.partial_json {
                    gathered.add_tool_json(json)?;
                }
            }
        }
        "message_delta" => {
            if let Some(tokens) = &event.usage {
                tokens.put_in(gathered);
            }
            let reason = event.delta.and_then(|delta| delta.stop_reason);
            if let Some(reason) = reason {
                gathered.end(ended(&reason));
            }
        }
        "message_stop" => return Ok(Flow::Done),
        "error" => {
            let told = error_in(&parse_event(data)?);
            return Err(told.unwrap_or_else(|| unavailable("the provider reports a failure")));
        }
        _ => {}
    }
    Ok(Flow::More)
}

/// Adds the content of a whole message.
pub(super) fn whole(json: &str, gathered: &mut ResponseCollector<'_>) -> Result<(), ModelError> {
    let value: Value = parse_event(json)?;
    if let Some(error) = error_in(&value) {
        return Err(error);
    }
    let message: Message = parse_event(json)?;
    head(&message, gathered);
    for block in &message.content {
        match (block.kind.as_str(), &block.input) {
            ("tool_use", Some(input)) => gathered.add_tool_json(&input.to_string())?,
            ("text", _) => gathered.add_text(block.text.as_deref().unwrap_or_default())?,
            _ => {}
        }
    }
    Ok(())
}

fn head(message: &Message, gathered: &mut ResponseCollector<'_>) {
    gathered.name_model(message.model.as_deref().unwrap_or_default());
    if let Some(tokens) = &message.usage {
        tokens.put_in(gathered);
    }
    if let Some(reason) = &message.stop_reason {
        gathered.end(ended(reason));
    }
}

fn ended(reason: &str) -> ResponseEnd {
    match reason {
        // The call of the forced tool is the response.
        "end_turn" | "stop_sequence" | "tool_use" => ResponseEnd::With(StopReason::End),
        "max_tokens" | "model_context_window_exceeded" => ResponseEnd::With(StopReason::MaxTokens),
        "refusal" => ResponseEnd::Refused(Refuser::Model),
        _ => ResponseEnd::With(StopReason::Other),
    }
}
