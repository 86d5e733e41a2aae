//! Tools of other servers: their discovery, their calls, and the processing of their results.
//!
//! - `server` reads the environment variable, `catalog` stores the lists of tools, `gateway` finds
//!   and calls tools.
//! - Before a call, `arguments` checks the arguments against the tool's schema.
//! - After a call, `content` finds the data, `unfold` and `binary` decode JSON and bytes in its
//!   strings, and `outcome` turns the result into data, explanations or tables.
//! - `document` finds the GraphQL document among arguments, `own` offers the session's operations
//!   as tools, `host` the tools that the caller of a program runs itself.
//! - `declarations` and `search` show a model the available tools, `request` reads requests,
//!   `error` has the errors.

pub mod arguments;
mod binary;
pub mod catalog;
mod content;
pub mod declarations;
pub mod document;
pub mod error;
pub mod gateway;
pub mod host;
pub mod limits;
pub mod outcome;
pub mod own;
mod render;
pub mod request;
pub mod search;
pub mod server;
mod unfold;

pub use error::{Reason, ToolError, codes};
pub use server::Server;
