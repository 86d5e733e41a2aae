//! One code workspace as a server of the Model Context Protocol.
//!
//! Contents: `product` is the [`mcp::server::Service`], `table` the operations as tools, `call` what a call does, `decision` asks a person before files
//! change, `fit` makes what an operation returns fit into a result, `texts` has the words of results, `resources`, `prompts` and `completion` are the other
//! things that a client can list, `backend` is the port to the object of the workspace.
//!
//! What a tool does is one operation of the workspace's object, which checks it as it checks a request over HTTP. A model proposes edits; what they
//! write is decided by a person, unless the deployment lets models decide.

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

/// Who makes the changes of tools, as the history of the workspace has it.
pub const ACTOR: &str = "mcp";

/// Who makes those that the user of a client has approved in a form.
pub const USER: &str = "mcp-user";

/// What holds for the requests to the endpoint of a workspace.
#[derive(Debug, Clone)]
pub struct CodeTerms {
    /// The workspace.
    pub workspace: String,
    /// What its caller may do.
    pub access: Access,
    /// The session whose object keeps what a confirmation is checked with.
    pub session: String,
    /// Tokens of one result.
    pub max_tokens: usize,
    /// Whether a model may decide where its client cannot ask its user: on proposals, and on files that would be overwritten or deleted.
    pub model_may_decide: bool,
}
