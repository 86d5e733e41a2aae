//! HTTP requests to other servers and their responses, without any protocol above HTTP.
//!
//! `transport` is the interface to the platform, `response_budget` limits the memory for responses,
//! `sse` and `named_events` read event streams, `event_stream` writes them, `retry_after` parses
//! `Retry-After`, `address` checks URLs, `accept` negotiates content types, `secrets` redacts our
//! secrets.

pub mod accept;
pub mod address;
pub mod event_stream;
pub mod limits;
pub mod named_events;
pub mod response_budget;
pub mod retry_after;
pub mod secrets;
pub mod sse;
pub mod transport;

pub use secrets::Secrets;
