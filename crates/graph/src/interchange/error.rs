//! What can go wrong with a file before its first node is read.

use base::{Code, Problem};
use serde_json::{Value, json};

use super::Format;

/// The code has the name of the one of loads, which means the same.
mod codes {
    base::codes! {
        UNSUPPORTED_MEDIA_TYPE: UnsupportedForm,
    }
}

/// What goes wrong with a file as a whole.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InterchangeError {
    /// Its Content-Type is none of a graph.
    #[error("cannot read a graph of type {media_type}")]
    UnsupportedMediaType {
        /// The type given, without its parameters.
        media_type: String,
    },
}

impl Problem for InterchangeError {
    fn code(&self) -> Code {
        match self {
            Self::UnsupportedMediaType { .. } => codes::UNSUPPORTED_MEDIA_TYPE,
        }
    }

    fn hint(&self) -> Option<String> {
        Some(format!(
            "send application/json, application/graphml+xml or text/csv, or name the format: {}",
            Format::ALL.map(Format::name).join(", ")
        ))
    }

    fn details(&self) -> Value {
        json!({ "formats": Format::ALL.map(Format::name) })
    }
}
