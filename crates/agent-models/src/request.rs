//! Requests to a model.

use base::{CommonError, Error, Result};
use serde_json::{Map, Value};

use crate::limits::{MAX_MODEL_MESSAGES, MAX_MODEL_OUTPUT_TOKENS, MAX_MODEL_REQUEST_BYTES};

/// Characters of the name of a structure: OpenAI and Anthropic both accept 64 letters, digits, `_`
/// and `-`.
const MAX_STRUCTURE_NAME_CHARACTERS: usize = 64;

/// The author of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The user.
    User,
    /// The model.
    Assistant,
}

impl Role {
    /// Returns the name that every provider uses.
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The author.
    pub role: Role,
    /// The text.
    pub text: String,
}

impl Message {
    /// Returns a message of the user.
    pub fn user(text: impl Into<String>) -> Self {
        Self {
            role: Role::User,
            text: text.into(),
        }
    }

    /// Returns a message of the model.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self {
            role: Role::Assistant,
            text: text.into(),
        }
    }
}

/// The JSON object that a response must contain.
#[derive(Debug, Clone, PartialEq)]
pub struct Structure {
    name: String,
    description: String,
    schema: Map<String, Value>,
    streamed_field: Option<String>,
    or_words: bool,
}

impl Structure {
    /// Returns a structure with a name, such as `query`, and a JSON Schema. The description
    /// explains the object to the model.
    ///
    /// # Errors
    /// [`CommonError::InvalidArgument`] for a name that providers do not accept, and for a schema
    /// that does not describe an object.
    pub fn new(name: &str, description: &str, schema: Value) -> Result<Self> {
        let is_name = (1..=MAX_STRUCTURE_NAME_CHARACTERS).contains(&name.len())
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
        if !is_name {
            return Err(Error::invalid(format!(
                "the name of a structure must have 1 to {MAX_STRUCTURE_NAME_CHARACTERS} letters, digits, _ and -"
            )));
        }
        let Value::Object(schema) = schema else {
            return Err(Error::invalid(
                "the schema of a structure must be an object",
            ));
        };
        if schema.get("type").and_then(Value::as_str) != Some("object") {
            return Err(Error::invalid(
                "the schema of a structure must have the type \"object\"",
            ));
        }
        Ok(Self {
            name: name.to_owned(),
            description: description.to_owned(),
            schema,
            streamed_field: None,
            or_words: false,
        })
    }

    /// Returns the structure with a text field, at the top level of the object, that is streamed as
    /// it arrives.
    #[must_use]
    pub fn streaming(mut self, field: &str) -> Self {
        self.streamed_field = Some(field.to_owned());
        self
    }

    /// Returns the structure with permission for plain text: a whole response without an object is
    /// then no failure, and the caller reads its text.
    #[must_use]
    pub fn or_words(mut self) -> Self {
        self.or_words = true;
        self
    }

    /// Returns true if a response without an object is no failure.
    pub(crate) fn takes_words(&self) -> bool {
        self.or_words
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the description for the model.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Returns the JSON Schema.
    pub fn schema(&self) -> &Map<String, Value> {
        &self.schema
    }

    /// Returns the JSON Schema as text.
    pub fn schema_text(&self) -> String {
        serde_json::to_string(&self.schema).unwrap_or_default()
    }

    /// Returns the name of the field that is streamed as it arrives.
    pub fn streamed_field(&self) -> Option<&str> {
        self.streamed_field.as_deref()
    }

    /// Returns true if the schema follows the rules of OpenAI's strict mode: each object lists all
    /// its properties as required and allows no others.
    pub fn is_strict(&self) -> bool {
        if !has_strict_object(&self.schema) {
            return false;
        }
        let mut open: Vec<&Value> = self.schema.values().collect();
        while let Some(value) = open.pop() {
            match value {
                Value::Object(fields) => {
                    if !has_strict_object(fields) {
                        return false;
                    }
                    open.extend(fields.values());
                }
                Value::Array(items) => open.extend(items),
                _ => {}
            }
        }
        true
    }
}

/// Returns true if this part of a schema follows the rules, or does not describe an object.
fn has_strict_object(part: &Map<String, Value>) -> bool {
    let is_object = part.get("type").and_then(Value::as_str) == Some("object");
    if !is_object {
        return true;
    }
    let empty = Map::new();
    let properties = part.get("properties").and_then(Value::as_object);
    let required = part.get("required").and_then(Value::as_array);
    let is_required = |name: &String| {
        required.is_some_and(|names| names.iter().any(|known| known.as_str() == Some(name)))
    };
    part.get("additionalProperties") == Some(&Value::Bool(false))
        && properties.unwrap_or(&empty).keys().all(is_required)
}

/// A request: a system text, the conversation, and the structure of the response. The temperature
/// is always 0.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelRequest {
    system: String,
    messages: Vec<Message>,
    structure: Option<Structure>,
    max_output_tokens: u32,
}

impl ModelRequest {
    /// Returns a request for at most this number of output tokens.
    ///
    /// # Errors
    /// [`CommonError::InvalidArgument`] if the conversation does not begin and end with the user,
    /// or if a message is blank; [`CommonError::TooBig`] if it has more messages or bytes than
    /// providers read.
    pub fn new(system: &str, messages: Vec<Message>, max_output_tokens: u32) -> Result<Self> {
        let is_of_user =
            |message: Option<&Message>| message.is_some_and(|message| message.role == Role::User);
        if !is_of_user(messages.first()) || !is_of_user(messages.last()) {
            return Err(Error::invalid(
                "the conversation must begin and end with a message of the user",
            ));
        }
        if messages
            .iter()
            .any(|message| message.text.trim().is_empty())
        {
            return Err(Error::invalid("a message of the conversation is blank"));
        }
        if messages.len() > MAX_MODEL_MESSAGES {
            return Err(too_big(format!(
                "the conversation has {} messages, the limit is {MAX_MODEL_MESSAGES}",
                messages.len()
            )));
        }
        let bytes = messages
            .iter()
            .map(|message| message.text.len())
            .fold(system.len(), usize::saturating_add);
        if bytes > MAX_MODEL_REQUEST_BYTES {
            return Err(too_big(format!(
                "the conversation has {bytes} bytes, the limit is {MAX_MODEL_REQUEST_BYTES}"
            )));
        }
        Ok(Self {
            system: system.to_owned(),
            messages,
            structure: None,
            max_output_tokens: max_output_tokens.clamp(1, MAX_MODEL_OUTPUT_TOKENS),
        })
    }

    /// Returns the request with a JSON object as the expected response.
    #[must_use]
    pub fn structured(mut self, structure: Structure) -> Self {
        self.structure = Some(structure);
        self
    }

    /// Returns the instructions before the conversation; may be empty.
    pub fn system(&self) -> &str {
        &self.system
    }

    /// Returns the conversation.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Returns the structure of the response.
    pub fn structure(&self) -> Option<&Structure> {
        self.structure.as_ref()
    }

    /// Returns the maximum number of tokens of the response.
    pub fn max_output_tokens(&self) -> u32 {
        self.max_output_tokens
    }

    /// Returns the system text with the schema in words, for a provider that accepts no schema.
    pub(crate) fn system_with_schema(&self) -> String {
        let Some(structure) = &self.structure else {
            return self.system.clone();
        };
        let break_before = if self.system.is_empty() { "" } else { "\n\n" };
        format!(
            "{}{break_before}Respond with one JSON object and nothing else: no prose, no code fence. The object follows this JSON Schema:\n{}",
            self.system,
            structure.schema_text()
        )
    }
}

fn too_big(message: String) -> Error {
    CommonError::TooBig {
        message,
        hint: "send fewer or shorter messages".to_owned(),
    }
    .into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn structure(schema: Value) -> Structure {
        Structure::new("query", "A query", schema).unwrap()
    }

    #[test]
    fn a_schema_is_strict_where_each_object_is_closed_and_complete() {
        let closed = |properties: Value, required: Value| json!({"type":"object","properties":properties,"required":required,"additionalProperties":false});
        let inner = closed(json!({"b":{"type":"string"}}), json!(["b"]));
        for (schema, strict) in [
            (closed(json!({}), json!([])), true),
            (closed(json!({"a":inner}), json!(["a"])), true),
            (
                closed(
                    json!({"a":{"type":"array","items":{"anyOf":[inner]}}}),
                    json!(["a"]),
                ),
                true,
            ),
            (closed(json!({"a":{"type":"string"}}), json!([])), false),
            (json!({"type":"object"}), false),
            (
                closed(
                    json!({"a":{"type":"array","items":[{"type":"object"}]}}),
                    json!(["a"]),
                ),
                false,
            ),
        ] {
            assert_eq!(structure(schema.clone()).is_strict(), strict, "{schema}");
        }
    }

    #[test]
    fn unusable_structures_and_conversations_are_refused() {
        for (name, schema) in [
            ("", json!({"type":"object"})),
            ("a b", json!({"type":"object"})),
            ("a", json!({"type":"array"})),
            ("a", json!([])),
        ] {
            assert!(Structure::new(name, "", schema).is_err(), "{name:?}");
        }
        let long = || Message::user("x".repeat(MAX_MODEL_REQUEST_BYTES));
        for (messages, code) in [
            (vec![], "INVALID_ARGUMENT"),
            (vec![Message::assistant("a")], "INVALID_ARGUMENT"),
            (
                vec![Message::user("a"), Message::assistant("b")],
                "INVALID_ARGUMENT",
            ),
            (vec![Message::user(" \n")], "INVALID_ARGUMENT"),
            (vec![long()], "TOO_BIG"),
            (vec![Message::user("a"); MAX_MODEL_MESSAGES + 1], "TOO_BIG"),
        ] {
            let error = ModelRequest::new("s", messages, 10).unwrap_err();
            assert_eq!(error.code(), code);
        }
    }

    #[test]
    fn output_tokens_are_clamped_and_the_schema_is_told_in_words() {
        let request = ModelRequest::new("", vec![Message::user("a")], 0).unwrap();
        assert_eq!(request.max_output_tokens(), 1);
        assert_eq!(request.system_with_schema(), "");
        let request = request.structured(structure(json!({"type":"object"})));
        assert!(
            request
                .system_with_schema()
                .starts_with("Respond with one JSON object")
        );
        assert!(
            request
                .system_with_schema()
                .ends_with("{\"type\":\"object\"}")
        );
    }
}
