//! The MCP server over HTTP.
//!
//! `front` receives requests and serves those of the stateless version, `exchange` decides between
//! one JSON text and an event stream, and `service` chooses the service for a caller. `backend`
//! reaches sessions and servers, with `object_events` for their streams, `graph_backend` reaches
//! graphs, and `code_backend` code workspaces. `default_session` names the session of a caller that
//! names none. Requests of clients with a session are passed on to [`super::mcp_session`].

pub mod backend;
mod code_backend;
pub mod default_session;
pub mod exchange;
pub mod front;
mod graph_backend;
mod object_events;
pub mod service;
