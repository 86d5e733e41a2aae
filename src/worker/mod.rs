//! The only place that names the platform: the front Worker, the Durable Object, and the adaptors between them and the crate.
//!
//! * [`entry`] takes a request in: route, authenticate, pass on to the object, and response in any case.
//!   `front` serves what needs no object, `pages` the console.
//! * [`object`] is what every object stands on; [`session`], [`mod@graph`], [`mod@agent`], [`mod@code`] and [`tenant_index`] are the classes, which `addresses` names; `notes`
//!   tell the index of them.
//! * [`storage`] is the [`database::Database`] of workerd, `d1` its database of all tenants.
//! * [`bindings`] holds every JavaScript signature, `received` and `body` read requests, `reply` and `pieces` make responses,
//!   `telemetry` writes the log line.
//! * `mcp` is the MCP server, [`mcp_session`] the object of a client with a session.
//! * `servers` reaches other servers, `oauth` verifies access tokens. Programs run in `session/isolate`.

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
