//! The server side of the Model Context Protocol over Streamable HTTP: the stateless version, and
//! the older versions with sessions.
//!
//! Contents: `rpc` reads and writes messages, `caller` describes the client, `headers` compares the
//! headers with the body, `ask` reads a request, `talk` sends notifications before the result,
//! `service` is the interface of a product, `respond` makes the response to a request, `session`
//! stores the state of a client with a session.
//!
//! This module knows nothing of HTTP except header names, header values and the status of a
//! [`Fault`]. A service is written as if each call were independent: it returns the questions for
//! the client, and is called again with the responses. For a client with a session, `respond` asks
//! these questions while the request is open.

pub mod ask;
pub mod caller;
pub mod headers;
pub mod respond;
pub mod rpc;
pub mod service;
pub mod session;
pub mod talk;

pub use ask::{Filter, Inputs, ServiceRequest};
pub use caller::{Caller, Capabilities, Introduction, Meta, Version};
pub use headers::Headers;
pub use rpc::{Fault, Incoming, RequestId};
pub use service::{Cache, Change, Description, InputRequest, Outcome, Request, Scope, Service};
pub use talk::{ChannelEvent, ClientChannel, LogLevel};
