//! The graph on real SQLite with the limits and refusals of workerd.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at its first surprise; clippy.toml allows this in test functions, and here the helpers may, too"
)]

mod bulk;
mod dice;
mod faults;
mod growth;
mod history;
mod items;
mod merge;
mod parallel;
mod random;
mod reading;
mod statements;
mod world;
