//! The errors of a file before its first node is parsed.

use base::{Code, Problem};
use serde_json::{Value, json};

use super::Format;

/// The code of this module. Loads of data into a session have the same code with the same meaning.
mod codes {
    base::codes! {
        UNSUPPORTED_MEDIA_TYPE: UnsupportedForm,
    }
}

/// An error of a file as a whole.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InterchangeError {
    /// The Content-Type is not that of a graph format.
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
