//! Code Mode Database: a database for AI agents to think in, as a Cloudflare Worker.
//!
//! Each layer is a crate under `crates/`; ARCHITECTURE.md describes them. This crate is the Worker:
//! `api` is HTTP as pure functions of strings, `config` reads the environment, and only `worker`
//! calls the platform, so everything else runs in host tests.

pub mod api;
pub mod config;
pub mod limits;

#[cfg(target_arch = "wasm32")]
pub mod worker;
