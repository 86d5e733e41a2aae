//! What is asked of other servers over HTTP, and what is read of their responses: no protocol above it.
//!
//! `transport` is what the platform must be able to do, `response_budget` how much of responses may be held at a time, `sse` events from bytes, `event_stream` events to send,
//! `retry_after` when to ask again, `address` where requests may go, `accept` which form a client would rather have, `secrets` redacts ours.

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
