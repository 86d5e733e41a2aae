//! The command against a workspace on real SQLite, behind a small HTTP server, and against a server that does harm.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at its first surprise; clippy.toml allows this in test functions, and here the helpers may, too"
)]

/// The adaptor of the host's tests names the crate at the root, which this one stands in for: it needs no more of it than these two.
extern crate self as codemode_database;
pub use base;
pub use database;

mod applying;
mod hostile;
mod listing;
mod server;
mod support;
mod syncing;
mod watching;
mod world;
