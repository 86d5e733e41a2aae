//! Threads on real SQLite with the limits and refusals of workerd.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at its first surprise; clippy.toml allows this in test functions, and here the helpers may, too"
)]

mod crashes;
mod decisions;
mod flow;
mod machine;
mod memory;
mod requests;
mod stored;
mod world;
