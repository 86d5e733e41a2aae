//! The only module that calls the platform: the front Worker, the Durable Objects, and the adaptors
//! between them and the crates.
//!
//! * [`entry`] receives a request: it routes, authenticates, passes the request on to an object,
//!   and responds in any case. `front` serves requests that need no object, `pages` the console.
//! * [`object`] is the base of every object; [`session`], [`mod@graph`], [`mod@agent`],
//!   [`mod@code`] and [`tenant_index`] are the classes, which `addresses` names; `notes` are the
//!   objects' reports to the index.
//! * [`storage`] is the [`database::Database`] of workerd, `d1` the database that all tenants
//!   share.
//! * [`bindings`] holds every JavaScript signature, `received` and `body` read requests, `reply`
//!   and `pieces` make responses, `telemetry` writes the log line.
//! * `mcp` is the MCP server, [`mcp_session`] the object of a client with a session.
//! * `servers` reaches other servers, `oauth` verifies access tokens. Programs run in
//!   `session/isolate`.

mod addresses;
pub mod agent;
pub mod bindings;
mod body;
pub mod code;
mod d1;
pub mod entry;
#[cfg(feature = "fault-injection")]
mod faults;
mod front;
pub mod graph;
mod instance;
mod mcp;
pub mod mcp_session;
mod notes;
mod oauth;
pub mod object;
mod pages;
mod pieces;
mod received;
mod reply;
mod servers;
pub mod session;
#[cfg(feature = "fault-injection")]
mod statement_fault;
pub mod storage;
mod telemetry;
pub mod tenant_index;
