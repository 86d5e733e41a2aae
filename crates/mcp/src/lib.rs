//! The Model Context Protocol over Streamable HTTP: a client, and in `server/` the other side.
//!
//! The client speaks both protocol versions: the stateless one of 2026-07-28, and the one of 2025 with `initialize` and a session id. Contents: `protocol` is
//! what is sent, `message` what comes, `rpc_error` its errors, `stream` an event stream until its response, `exchange` one request and its response, of which `expected` is
//! known before, `failure` why there is no response, `connection` what is known of a server, `era` what its words say of it, `client/` protocol
//! versions, retries and time, with `handshake` for sessions and `resumption` for streams that are taken up again, `listing` and `call` the two things that are asked for, `tool` what a server describes,
//! `parameter_headers` arguments that travel as headers, `authorization/` access tokens.
//!
//! Whatever a server sends is bounded in bytes and in time before it is believed, and only in what it claims: it can fail the call that it
//! answers, and nothing else.

pub mod authorization;
pub mod call;
pub mod client;
mod connection;
mod era;
mod exchange;
mod expected;
mod failure;
pub mod limits;
pub mod listing;
mod message;
pub mod parameter_headers;
mod protocol;
mod rpc_error;
pub mod server;
mod stream;
pub mod tool;

pub use client::{Client, Connection, Era};
pub use failure::Failure;
pub use message::{Message, Progress};
pub use protocol::{HEADER_MISMATCH, MISSING_CAPABILITY, MODERN_VERSION};
pub use rpc_error::NO_CODE;
pub use tool::Tool;
