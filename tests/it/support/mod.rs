//! Real SQLite on the host, with the limits, refusals and error texts of SQLite in a Durable Object.

pub mod authorizer;
pub mod engine_error;
pub mod estimate;
pub mod faulty;
pub mod host;
pub mod steps;

pub use faulty::{Fault, FaultyDatabase};
pub use host::HostDatabase;
