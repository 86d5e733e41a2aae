//! Real SQLite on the host, with the limits, refusals and error texts of SQLite in a Durable Object.

pub mod authorizer;
mod decoder;
pub mod engine_error;
pub mod estimate;
pub mod faulty;
pub mod host;
mod stand;
pub mod steps;

use codemode_database::api::envelope;
use codemode_database::session::Answer;
use serde_json::Value;

pub use decoder::text_decoder;
pub use faulty::{Fault, FaultyDatabase};
pub use host::HostDatabase;
pub use stand::{NOW_MS, Stand};

/// The response that is made of what an operation returned.
pub fn body(answer: &Answer) -> Value {
    let text = envelope::answered(answer);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}
