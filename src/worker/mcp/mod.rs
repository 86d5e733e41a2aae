//! The MCP server over HTTP: `front` takes requests and serves those of the stateless version, `exchange` decides between one JSON text and an
//! event stream, `service` is what is served to a caller, `backend` is its way to sessions and servers, `graph_backend` to graphs, `code_backend` to
//! code workspaces,
//! `default_session` names the session of a caller that names none. Requests of clients with a session go on to [`super::mcp_session`].

pub mod backend;
mod code_backend;
pub mod default_session;
pub mod exchange;
pub mod front;
mod graph_backend;
pub mod service;
