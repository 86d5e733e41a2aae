//! The host tests, as one binary: pure logic, and storage code on real SQLite with the limits and
//! refusals of workerd.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at its first surprise; clippy.toml allows this in test functions, and here the helpers may, too"
)]

mod contract;
mod docs;
mod index;
mod mcp;
mod mcp_server;
mod servers;
mod tools;
