//! Code Mode Database: a database for AI agents to think in, as a Cloudflare Worker.
//!
//! The map of the crate. Every folder's `mod.rs` is its contents page and its only door; ARCHITECTURE.md says what may
//! depend on what. `worker` is the one place that names the platform, so everything else runs in host tests.

pub mod api;
pub mod config;
pub mod database;
mod entries;
pub mod error;
pub mod graphql;
mod known;
pub mod limits;
pub mod mcp;
mod percent;
pub mod sandbox;
pub mod schema;
pub mod session;
pub mod sql;
pub mod tools;

#[cfg(target_arch = "wasm32")]
pub mod worker;
