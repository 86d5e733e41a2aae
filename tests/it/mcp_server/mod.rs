//! The product as an MCP server, over sessions on real SQLite, and the stored state of a client
//! with a session.

mod confirmations;
mod graph;
mod hints;
mod results;
mod store;
mod world;
