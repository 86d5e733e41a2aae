//! The product as a server of the Model Context Protocol.
//!
//! Contents: `product` is the [`mcp::server::Service`]; `endpoint` and `profile` map a URL to a
//! part of the product; `terms` has the settings of a caller; `table` declares the tools as data,
//! with the shared arguments in `argument`; `schema` adapts schemas to hosts; `tools/` runs the
//! tools; `results/` renders results and limits their size; `resources`, `prompts` and `completion`
//! are the other lists of the protocol; `confirmation` asks before something is deleted; `backend`
//! is the interface to sessions and servers. `graph/` and `code/` are other services: the knowledge
//! graph of a conversation, and a code workspace.
//!
//! This crate does not read or write a database. Each tool sends a request that the session's
//! object also serves over HTTP, so that all checks of that API apply. The responses are JSON text,
//! of which only the rows for a result are parsed.

pub mod argument;
pub mod backend;
pub mod code;
mod completion;
pub mod confirmation;
mod endpoint;
pub mod error;
mod form;
pub mod graph;
pub mod limits;
mod product;
mod profile;
mod prompts;
mod resources;
pub mod results;
pub mod schema;
mod sessions;
pub mod table;
mod terms;
pub mod tools;

pub use code::{CodeProduct, CodeTerms};
pub use endpoint::Endpoint;
pub use error::{McpServerError, codes};
pub use graph::{GraphProduct, GraphTerms};
pub use product::Product;
pub use profile::Profile;
pub use terms::Terms;
