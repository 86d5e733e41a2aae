//! The Model Context Protocol, as a client speaks it over Streamable HTTP.
//!
//! Both protocol versions: the stateless one of 2026-07-28, and the one of 2025 with `initialize` and a session id. Contents: `transport` is what the
//! platform must be able to do, `readings` how much of responses may be held at a time, `protocol` what is sent, `message` what comes, `sse`
//! events from bytes, `stream` an event stream until its response, `resumption` one that is taken up again, `secrets` redacts ours,
//! `exchange` one request and its response, `retry_after` when to ask again, `failure` why there is no response, `connection` what is known of a
//! server, `era` what its words say of it, `handshake` sessions, `client` protocol versions, retries and time, `listing` and `call` the two things
//! that are asked for.
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
pub mod limits;
pub mod listing;
mod message;
pub mod parameter_headers;
mod protocol;
mod resumption;
mod stream;
pub mod tool;

pub use client::{Client, Connection, Era};
pub use failure::Failure;
pub use message::{Message, Progress};
pub use protocol::{HEADER_MISMATCH, MISSING_CAPABILITY};
pub use tool::Tool;
