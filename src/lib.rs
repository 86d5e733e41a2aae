//! Code Mode Database: a database for AI agents to think in, as a Cloudflare Worker.
//!
//! The map. Each layer is a crate under `crates/`, named here from the lowest to the highest; ARCHITECTURE.md says what they are. This
//! crate is the Worker: `api` is HTTP as pure functions of strings, `config` reads the environment, and `worker` is the one place that
//! names the platform, so everything else runs in host tests.

pub mod api;
pub mod config;
pub mod limits;

#[cfg(target_arch = "wasm32")]
pub mod worker;
