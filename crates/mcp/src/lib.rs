//! The Model Context Protocol, as a client speaks it over Streamable HTTP.
//!
//! Both protocol versions: the stateless one of 2026-07-28, and the one of 2025 with `initialize` and a session id. Contents: `protocol` is
//! what is sent, `message` what comes, `stream` an event stream until its response, `resumption` one that is taken up again, `exchange` one request
//! and its response, `failure` why there is no response, `connection` what is known of a server, `era` what its words say of it, `handshake`
//! sessions, `client` protocol versions, retries and time, `listing` and `call` the two things that are asked for, `tool` what a server describes,
//! `parameter_headers` arguments that travel as headers.
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
