//! The Model Context Protocol, as a server speaks it over Streamable HTTP: the stateless version, and the older ones with sessions.
//!
//! Contents: `rpc` messages and their frames, `caller` what a client says of itself, `headers` what they must repeat of the body, `ask` what a
//! request asks, `talk` what a call tells before its result, `service` what serves requests, `respond` from a request to the text of its
//! response, `session` what is stored of a client with a session.
//!
//! Nothing here knows HTTP but names and values of headers and the status of a [`Fault`]. A service is written once, as if each of its calls
//! stood for itself: it returns what it must ask the client, and is called again with the responses. `respond` asks the client of a session
//! while its request is open.

pub mod ask;
pub mod caller;
pub mod headers;
pub mod respond;
pub mod rpc;
pub mod service;
pub mod session;
pub mod talk;

pub use ask::{Ask, Filter, Inputs};
pub use caller::{Caller, Capabilities, Introduction, Meta, Version};
pub use headers::Headers;
pub use rpc::{Fault, Incoming, RequestId};
pub use service::{Cache, Change, Description, InputRequest, Outcome, Request, Scope, Service};
pub use talk::{LogLevel, Talk, Told};
