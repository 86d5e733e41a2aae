//! What endpoints take. They call themselves compatible, and each rejects something: a schema, the temperature, the name of a field.
//!
//! A dialect only ever loses parts, so looking for the right one ends. It is remembered with the endpoint; losing it costs a request.

use std::cell::Cell;

/// How a structured response is asked for, from the best to the last resort.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Form {
    /// With the schema, in the field of the protocol.
    #[default]
    Schema,
    /// As any JSON object; the schema is told in words.
    AnyObject,
    /// In words alone.
    Words,
}

/// The field with the limit of output tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum TokenField {
    /// `max_tokens`, which nearly all take.
    #[default]
    MaxTokens,
    /// `max_completion_tokens`, which OpenAI's models that reason insist on.
    MaxCompletionTokens,
}

/// A part that is sent unless an endpoint rejects it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Part {
    /// It is sent.
    #[default]
    Sent,
    /// It is left out.
    LeftOut,
}

/// The request as an endpoint takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Dialect {
    pub(crate) form: Form,
    pub(crate) token_field: TokenField,
    pub(crate) temperature: Part,
    /// `stream_options`, which asks for the tokens of a stream.
    pub(crate) stream_options: Part,
}

impl Dialect {
    pub(crate) fn has_temperature(self) -> bool {
        self.temperature == Part::Sent
    }

    pub(crate) fn has_stream_options(self) -> bool {
        self.stream_options == Part::Sent
    }

    /// The dialect without the part that the words of a rejection name.
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

    /// The dialect with another form.
    pub(crate) fn with_form(self, form: Form) -> Self {
        Self { form, ..self }
    }
}

/// What is known of an endpoint. The caller keeps it with the instance, as long as it likes.
#[derive(Debug, Default)]
pub struct Memory {
    dialect: Cell<Dialect>,
    /// Whether responses have thoughts in front of them.
    thinks: Cell<bool>,
}

impl Memory {
    pub(crate) fn dialect(&self) -> Dialect {
        self.dialect.get()
    }

    pub(crate) fn thinks(&self) -> bool {
        self.thinks.get()
    }

    /// The endpoint sent thoughts in front of a response.
    pub(crate) fn remember_thoughts(&self) {
        self.thinks.set(true);
    }

    /// The endpoint took a request in this dialect.
    pub(crate) fn remember(&self, dialect: Dialect) {
        self.dialect.set(dialect);
    }
}
