//! The knowledge graph of one conversation as a server of the Model Context Protocol.
//!
//! Contents: `product` is the [`mcp::server::Service`], `table` lists the tools, `call` runs a
//! call, `page` fits pages of nodes, edges and steps into a result, `labels` looks up the labels of
//! nodes, `texts` and `failure` render results and errors as text, `resources`, `prompts` and
//! `completion` are the other lists of the protocol, `backend` is the interface to the object of
//! the graph.
//!
//! Each tool is one operation of the graph's object, which checks it like a request over HTTP, and
//! accepts nodes by id or by label. All changes are made to the one graph of the conversation;
//! there are no copies.

pub mod backend;
mod call;
mod completion;
mod failure;
mod labels;
mod page;
mod product;
mod prompts;
mod resources;
pub mod table;
mod texts;

pub use product::GraphProduct;
pub use resources::uri_of;

/// The actor of changes by tools, in the history of the graph.
pub const ACTOR: &str = "mcp";

/// The access that the caller of an endpoint has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// All operations.
    Full,
    /// Only operations that change nothing.
    ReadOnly,
}

/// The settings of requests to the endpoint of a graph.
#[derive(Debug, Clone)]
pub struct GraphTerms {
    /// The conversation to which the graph belongs.
    pub conversation: String,
    /// The access of the caller.
    pub access: Access,
    /// The limit of a result in tokens.
    pub max_tokens: usize,
}
