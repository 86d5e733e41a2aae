//! The responses of the chat completions API: chunks of a stream, or one JSON text.

use serde::Deserialize;
use serde_json::Value;

use crate::completion::StopReason;
use crate::error::{ModelError, Refuser};
use crate::exchange::{Flow, error_in, not_described, parse_event};
use crate::gathering::{ResponseCollector, ResponseEnd};

/// The data of the event that ends a stream.
const DONE: &str = "[DONE]";

/// A chunk, or a whole completion.
#[derive(Deserialize)]
struct Chunk {
    model: Option<String>,
    #[serde(default)]
    choices: Option<Vec<Choice>>,
    usage: Option<Tokens>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    index: u32,
    /// The message in a chunk of a stream.
    delta: Option<Said>,
    /// The message in a whole completion.
    message: Option<Said>,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Said {
    content: Option<Content>,
    refusal: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<Part>),
}

#[derive(Deserialize)]
struct Part {
    text: Option<String>,
}

#[derive(Deserialize)]
struct Tokens {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
}

/// Adds the content of one event.
pub(crate) fn event(data: &str, gathered: &mut ResponseCollector<'_>) -> Result<Flow, ModelError> {
    if data.trim() == DONE {
        // Some endpoints send the end without a reason.
        if !gathered.has_ended() {
            gathered.end(ResponseEnd::With(StopReason::End));
        }
        return Ok(Flow::Done);
    }
    put_in(data, gathered)?;
    Ok(Flow::More)
}

/// Adds the content of a whole completion.
pub(crate) fn whole(json: &str, gathered: &mut ResponseCollector<'_>) -> Result<(), ModelError> {
    let had_choices = put_in(json, gathered)?;
    if had_choices {
        Ok(())
    } else {
        Err(not_described(json))
    }
}

/// Adds the content of a chunk. Returns true if it had choices: some events have none, but a
/// completion must have them.
fn put_in(json: &str, gathered: &mut ResponseCollector<'_>) -> Result<bool, ModelError> {
    let value: Value = parse_event(json)?;
    if let Some(error) = error_in(&value) {
        return Err(error);
    }
    let chunk: Chunk = parse_event(json)?;
    gathered.name_model(chunk.model.as_deref().unwrap_or_default());
    if let Some(tokens) = &chunk.usage {
        gathered.count(tokens.prompt_tokens, tokens.completion_tokens);
    }
    let had_choices = chunk.choices.is_some();
    let choices = chunk.choices.unwrap_or_default();
    for choice in choices.into_iter().filter(|choice| choice.index == 0) {
        for said in [choice.delta, choice.message].into_iter().flatten() {
            match said.content {
                Some(Content::Text(text)) => gathered.add_text(&text)?,
                Some(Content::Parts(parts)) => {
                    for text in parts.into_iter().filter_map(|part| part.text) {
                        gathered.add_text(&text)?;
                    }
                }
                None => {}
            }
            gathered.add_refusal(said.refusal.as_deref().unwrap_or_default())?;
        }
        if let Some(reason) = choice.finish_reason.as_deref() {
            gathered.end(ended(reason));
        }
    }
    Ok(had_choices)
}

fn ended(reason: &str) -> ResponseEnd {
    match reason {
        "stop" => ResponseEnd::With(StopReason::End),
        "length" => ResponseEnd::With(StopReason::MaxTokens),
        "content_filter" => ResponseEnd::Refused(Refuser::Filter),
        _ => ResponseEnd::With(StopReason::Other),
    }
}
