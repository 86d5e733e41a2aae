//! Tools of other servers: which there are, how they are called, and what becomes of their results.
//!
//! `server` reads the setting, `catalog` remembers the lists, `gateway` finds and calls. Before a call
//! `arguments` are checked against the tool's schema; after it `content` finds the data, `unfold` and `binary` read JSON and bytes in its texts, and `outcome` makes data, explanations or tables of the result. `document` is the GraphQL among arguments, `own` are the session's operations as tools, `host` those that the caller of a program runs itself. `declarations` and
//! `search` are how a model learns what there is, `request` reads what callers ask, `error` is what can go wrong.

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
