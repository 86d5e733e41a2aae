//! Reads a client's responses to questions. A response that does not fit counts as none, so that
//! the client is asked again.

use mcp::server::{InputRequest, Inputs};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// A person's action on a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// The person filled it in.
    Accept,
    /// The person declined.
    Decline,
    /// The person closed it.
    Cancel,
}

impl Action {
    /// Returns the name in the protocol.
    pub fn name(self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::Decline => "decline",
            Self::Cancel => "cancel",
        }
    }
}

/// The client's response to a form.
#[derive(Debug, Deserialize)]
#[serde(expecting = "an object")]
pub struct Form {
    /// The action of the person.
    pub action: Action,
    /// The fields.
    #[serde(default)]
    pub content: Map<String, Value>,
}

/// A field in the response to a form.
pub enum Field {
    /// The text in the field.
    Filled(String),
    /// Nobody filled in the form.
    Refused(Action),
    /// There is no response, so the client must be asked.
    Missing,
}

/// Returns the response to the form with this key.
pub fn form(inputs: &Inputs, key: &str) -> Option<Form> {
    serde_json::from_str(inputs.responses.get(key)?.get()).ok()
}

/// Returns a text field of the form with this key.
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

/// Returns the text of the message with this key, which a model wrote.
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

/// Returns the URIs of the roots with this key.
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

/// Makes a request that a person fills in a form.
pub fn ask_form(message: &str, properties: Value, required: &[&str]) -> InputRequest {
    InputRequest {
        method: "elicitation/create",
        params: Some(json!({
            "message": message,
            "requestedSchema": { "type": "object", "properties": properties, "required": required },
        })),
    }
}

/// Makes a request to a person for one text.
pub fn ask_text(message: &str, field: &str) -> InputRequest {
    ask_form(message, json!({ field: { "type": "string" } }), &[field])
}

/// Makes a request to a model.
pub fn ask_model(prompt: &str, max_tokens: u32) -> InputRequest {
    InputRequest {
        method: "sampling/createMessage",
        params: Some(json!({
            "messages": [{ "role": "user", "content": { "type": "text", "text": prompt } }],
            "maxTokens": max_tokens,
        })),
    }
}

/// Makes a request for the roots.
pub fn ask_roots() -> InputRequest {
    InputRequest {
        method: "roots/list",
        params: Some(json!({})),
    }
}
