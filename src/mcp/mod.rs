//! The Model Context Protocol, as a client speaks it over Streamable HTTP.
//!
//! Both eras: the stateless one of 2026-07-28, and the one of 2025 with `initialize` and a session id. Contents: `transport` is what the
//! platform must be able to do, `protocol` the messages, `sse` the reader of event streams, `secrets` strikes out ours, `exchange` one request and its answer, `failure` why there is none, `connection`
//! what is known of a server, `era` what its words say of it, `handshake` sessions, `client` eras, repetitions and time, `listing` and `call` the two things that are asked for.
//!
//! Whatever a server sends is bounded in bytes and in time before it is believed, and only in what it claims: it can fail the call that it
//! answers, and nothing else.

pub mod call;
pub mod client;
mod connection;
mod era;
mod exchange;
mod failure;
mod handshake;
pub mod listing;
mod protocol;
pub mod secrets;
mod sse;
pub mod transport;

pub use client::{Client, Connection, Era};
pub use exchange::{Message, Progress};
pub use failure::Failure;
pub use protocol::{HEADER_MISMATCH, MISSING_CAPABILITY};
pub use secrets::Secrets;
