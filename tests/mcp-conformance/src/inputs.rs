//! What a client responds to what it was asked. A response that does not fit counts as none, so that the client is asked again.

use mcp::server::{InputRequest, Inputs};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// What a person did with a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Filled it in.
    Accept,
    /// Said no.
    Decline,
    /// Closed it.
    Cancel,
}

impl Action {
    /// As the protocol writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::Decline => "decline",
            Self::Cancel => "cancel",
        }
    }
}

/// A form that came back.
#[derive(Debug, Deserialize)]
#[serde(expecting = "an object")]
pub struct Form {
    /// What was done with it.
    pub action: Action,
    /// The fields.
    #[serde(default)]
    pub content: Map<String, Value>,
}

/// A field of a form that came back.
pub enum Field {
    /// The text in it.
    Filled(String),
    /// Nobody filled in the form.
    Refused(Action),
    /// The client must be asked.
    Missing,
}

/// The form with this key.
pub fn form(inputs: &Inputs, key: &str) -> Option<Form> {
    serde_json::from_str(inputs.responses.get(key)?.get()).ok()
}

/// A field of text in the form with this key.
pub fn field(inputs: &Inputs, key: &str, name: &str) -> Field {
    match form(inputs, key) {
        None => Field::Missing,
        Some(form) if form.action != Action::Accept => Field::Refused(form.action),
        Some(form) => match form.content.get(name).and_then(Value::as_str) {
            Some(text) => Field::Filled(text.to_owned()),
            None => Field::Missing,
        },
    }
}

/// The text of the message with this key: a model wrote it.
pub fn message(inputs: &Inputs, key: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Message {
        content: Content,
    }
    // 2025-11-25 allows several blocks.
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Content {
        Several(Vec<Block>),
        One(Block),
    }
    #[derive(Deserialize)]
    struct Block {
        #[serde(default)]
        text: Option<String>,
    }
    let message: Message = serde_json::from_str(inputs.responses.get(key)?.get()).ok()?;
    match message.content {
        Content::One(block) => block.text,
        Content::Several(blocks) => blocks.into_iter().find_map(|block| block.text),
    }
}

/// The URIs of the roots with this key.
pub fn roots(inputs: &Inputs, key: &str) -> Option<Vec<String>> {
    #[derive(Deserialize)]
    struct Roots {
        roots: Vec<Root>,
    }
    #[derive(Deserialize)]
    struct Root {
        uri: String,
    }
    let roots: Roots = serde_json::from_str(inputs.responses.get(key)?.get()).ok()?;
    Some(roots.roots.into_iter().map(|root| root.uri).collect())
}

/// Asks a person to fill in a form.
pub fn ask_form(message: &str, properties: Value, required: &[&str]) -> InputRequest {
    InputRequest {
        method: "elicitation/create",
        params: Some(json!({
            "message": message,
            "requestedSchema": { "type": "object", "properties": properties, "required": required },
        })),
    }
}

/// Asks a person for one text.
pub fn ask_text(message: &str, field: &str) -> InputRequest {
    ask_form(message, json!({ field: { "type": "string" } }), &[field])
}

/// Asks a model.
pub fn ask_model(prompt: &str, max_tokens: u32) -> InputRequest {
    InputRequest {
        method: "sampling/createMessage",
        params: Some(json!({
            "messages": [{ "role": "user", "content": { "type": "text", "text": prompt } }],
            "maxTokens": max_tokens,
        })),
    }
}

/// Asks for the roots.
pub fn ask_roots() -> InputRequest {
    InputRequest {
        method: "roots/list",
        params: Some(json!({})),
    }
}
