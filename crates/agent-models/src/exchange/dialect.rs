//! The dialects of endpoints. Endpoints call themselves compatible, but each rejects something: a
//! schema, the temperature, the name of a field.
//!
//! A new dialect only ever leaves out a part of the previous one or replaces it by the next
//! alternative, and never goes back, so the search for the right one ends. The result is remembered
//! for the endpoint; if it is lost, the next search costs one more request.

use std::cell::Cell;

/// The ways of asking for a structured response, from the best to the last resort.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Form {
    /// The schema is in the field that the protocol has for it.
    #[default]
    Schema,
    /// The protocol asks for any JSON object, and the system text describes the schema.
    AnyObject,
    /// Only the system text describes the schema.
    Words,
}

/// The field with the limit of output tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum TokenField {
    /// `max_tokens`, which nearly all endpoints accept.
    #[default]
    MaxTokens,
    /// `max_completion_tokens`, which OpenAI requires for its reasoning models.
    MaxCompletionTokens,
}

/// The state of a part that is sent unless an endpoint rejects it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Part {
    /// The request contains the part.
    #[default]
    Sent,
    /// The request leaves the part out.
    LeftOut,
}

/// The form of a request that an endpoint accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Dialect {
    pub(crate) form: Form,
    pub(crate) token_field: TokenField,
    pub(crate) temperature: Part,
    /// `stream_options`, which asks for the token counts of a stream.
    pub(crate) stream_options: Part,
}

impl Dialect {
    pub(crate) fn has_temperature(self) -> bool {
        self.temperature == Part::Sent
    }

    pub(crate) fn has_stream_options(self) -> bool {
        self.stream_options == Part::Sent
    }

    /// Returns the dialect without the part that the message of a rejection names.
    pub(crate) fn without_named_part(self, words: &str) -> Option<Self> {
        if self.has_temperature() && words.contains("temperature") {
            return Some(Self {
                temperature: Part::LeftOut,
                ..self
            });
        }
        if self.has_stream_options() && words.contains("stream_options") {
            return Some(Self {
                stream_options: Part::LeftOut,
                ..self
            });
        }
        if self.token_field == TokenField::MaxTokens && words.contains("max_completion_tokens") {
            return Some(Self {
                token_field: TokenField::MaxCompletionTokens,
                ..self
            });
        }
        None
    }

    /// Returns the dialect with another form.
    pub(crate) fn with_form(self, form: Form) -> Self {
        Self { form, ..self }
    }
}

/// The facts learned about an endpoint. The caller keeps them in memory as long as it likes.
#[derive(Debug, Default)]
pub struct EndpointMemory {
    dialect: Cell<Dialect>,
    /// True if responses begin with thoughts.
    thinks: Cell<bool>,
}

impl EndpointMemory {
    pub(crate) fn dialect(&self) -> Dialect {
        self.dialect.get()
    }

    pub(crate) fn thinks(&self) -> bool {
        self.thinks.get()
    }

    /// Records that the endpoint sent thoughts before a response.
    pub(crate) fn remember_thoughts(&self) {
        self.thinks.set(true);
    }

    /// Records that the endpoint accepted a request in this dialect.
    pub(crate) fn remember(&self, dialect: Dialect) {
        self.dialect.set(dialect);
    }
}
