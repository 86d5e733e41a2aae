//! The product as a server of the Model Context Protocol.
//!
//! Contents: `product` is the [`mcp::server::Service`], `endpoint` and `profile` which part of it a URL names, `terms` what holds for a caller, `table` its tools as data with the `argument`s that they share, `schema` the form of schemas that hosts take, `tools/` what they do, `results/` what their results
//! look like and how large they may be, `resources`, `prompts` and `completion` the other things that a client can list, `confirmation` asks
//! before something is deleted, `backend` is the port to sessions and servers. `graph/` and `code/` are other services: the knowledge graph of a
//! conversation, and a code workspace.
//!
//! Nothing here reads or writes a database: what a tool does is a request that the session's object would serve over HTTP, too, so that
//! every check of that contract stands here. What comes back is JSON text, of which only the rows that go into a result are taken apart.

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
