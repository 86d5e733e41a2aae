//! The command against a workspace on real SQLite behind a small HTTP server, and against a hostile
//! server.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test stops at its first surprise; clippy.toml allows this in test functions, and here the helpers may, too"
)]

mod applying;
mod hostile;
mod listing;
mod server;
mod syncing;
mod watching;
mod world;
