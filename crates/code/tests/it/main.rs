//! Questions to a code workspace, on real SQLite with the limits and refusals of workerd.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test stops at its first surprise; clippy.toml allows this in test functions, and here the helpers may, too"
)]

mod context;
mod vectors;
mod world;
