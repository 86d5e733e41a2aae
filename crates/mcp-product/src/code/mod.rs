//! One code workspace as a server of the Model Context Protocol.
//!
//! Contents: `product` is the [`mcp::server::Service`], `table` lists the operations as tools,
//! `call` runs a call, `decision` asks a person before files change, `fit` limits the size of
//! results, `texts` renders results as text, `resources`, `prompts` and `completion` are the other
//! lists of the protocol, `backend` is the interface to the object of the workspace.
//!
//! Each tool is one operation of the workspace's object, which checks it like a request over HTTP.
//! A model proposes edits; a person decides about them, unless the deployment lets models decide.

pub mod backend;
mod call;
mod completion;
mod decision;
mod fit;
mod product;
mod prompts;
mod resources;
pub mod table;
mod texts;

use crate::graph::Access;

pub use product::CodeProduct;
pub use resources::uri_of;

/// The actor of changes by tools, in the history of the workspace.
pub const ACTOR: &str = "mcp";

/// The actor of changes that the user of a client has approved in a form.
pub const USER: &str = "mcp-user";

/// The settings of requests to the endpoint of a workspace.
#[derive(Debug, Clone)]
pub struct CodeTerms {
    /// The workspace.
    pub workspace: String,
    /// The access of the caller.
    pub access: Access,
    /// The session whose object stores the data for checking confirmations.
    pub session: String,
    /// The limit of a result in tokens.
    pub max_tokens: usize,
    /// True if a model may decide on proposals, and on files that would be overwritten or deleted,
    /// if its client cannot ask its user.
    pub model_may_decide: bool,
}
