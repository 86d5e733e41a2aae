//! Column matching, mappings and the checks of `build.rs`, through the public interface.
#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "a test stops at its first surprise; clippy.toml allows this in test functions, and here the helpers may, too"
)]

mod abbreviations;
mod corpus;
mod embedded;
mod find_column;
mod mappings;
mod reach;
