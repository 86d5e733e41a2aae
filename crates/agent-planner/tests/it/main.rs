//! The planner on real SQLite: questions with their rows, and statements over schemas at random.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at its first surprise; clippy.toml allows this in test functions, and here the helpers may, too"
)]

mod amounts;
mod changes;
mod directions;
mod events;
mod everyday;
mod evidence;
mod exclusions;
mod firsts;
mod fitting;
mod keyless;
mod meanings;
mod numbers;
mod ordinary;
mod people;
mod properties;
mod questions;
mod roles;
mod strictly;
mod support;
mod targets;
mod truths;
mod unsaid;
mod values;
mod wording;
