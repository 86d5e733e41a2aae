//! The knowledge graph of one conversation as a server of the Model Context Protocol.
//!
//! Contents: `product` is the [`mcp::server::Service`], `table` the tools as data, `call` what a call does, `page` the pages of nodes, edges and
//! steps that fit into a result, `labels` what nodes are called, `texts` and `analyses` the words of results, `failure` those of errors,
//! `resources`, `prompts` and `completion` the other things that a client can list, `backend` is the port to the object of the graph.
//!
//! What a tool does is one operation of the graph's object, which checks it as it checks a request over HTTP, and names nodes by id or by label.
//! A change goes into the one graph of the conversation; nothing else is made of it.

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

/// Who makes the changes of tools, as the history of the graph has it.
pub const ACTOR: &str = "mcp";

/// What the caller of an endpoint may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Everything.
    Full,
    /// What changes nothing.
    ReadOnly,
}

/// What holds for the requests to the endpoint of a graph.
#[derive(Debug, Clone)]
pub struct GraphTerms {
    /// The conversation whose graph it is.
    pub conversation: String,
    /// What its caller may do.
    pub access: Access,
    /// Tokens of one result.
    pub max_tokens: usize,
}
