//! Real SQLite on the host, with the limits, refusals and error texts of SQLite in a Durable
//! Object.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at its first surprise"
)]

pub mod analytic;
pub mod authorizer;
mod calls;
pub mod corpus;
mod decoder;
pub mod engine_error;
pub mod estimate;
pub mod faulty;
pub mod host;
pub mod processor_time;
mod stand;
pub mod steps;

use serde_json::Value;
use session::Reply;

pub use calls::{call, database, fail, operation, with};
pub use decoder::text_decoder;
pub use faulty::{Fault, FaultyDatabase};
pub use host::HostDatabase;
pub use processor_time::ProcessorTime;
pub use stand::{NOW_MS, Stand};

/// Returns the fields of a reply, with the mark of a success.
pub fn body(answer: &Reply) -> Value {
    let text = format!("{{{}}}", answer.members());
    let mut body: Value =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    body["success"] = true.into();
    body
}
