//! The Model Context Protocol over Streamable HTTP: a client, and the server side in `server/`.
//!
//! The client speaks both protocol versions: the stateless one of 2026-07-28, and the one of 2025
//! with `initialize` and a session id. Contents:
//!
//! - `protocol` builds requests, `message` reads messages, `rpc_error` reads errors.
//! - `stream` reads an event stream up to the response; `exchange` reads the response to one
//!   request, as described by `expected`; `failure` has the reasons of failure.
//! - `connection` keeps the knowledge about a server; `era` detects its protocol version.
//! - `client/` handles versions, retries and timeouts, with `handshake` for sessions and
//!   `resumption` for interrupted streams.
//! - `listing` and `call` are the two requests, `tool` the description of a tool,
//!   `parameter_headers` the arguments that are sent as headers, `authorization/` the access
//!   tokens.
//!
//! Everything that a server sends is limited in bytes and in time before it is used, and is treated
//! as a claim of that server: it can fail the call that it answers, and nothing else.

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
