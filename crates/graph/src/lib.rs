//! A knowledge graph: nodes and edges in SQLite, every step of which can be undone.
//!
//! [`dispatch`] runs an operation: it reads the arguments (`arguments`), changes or reads the graph (`operations`, `reading`, `search`) and
//! makes a [`Reply`]. Below them `store` keeps present and past in tables. [`model`] says what nodes and edges are, [`drafts`] reads what callers
//! want to become one, [`network`] hands the graph to whoever computes with it, [`changes`] tells readers what each step did, and `limits` says how
//! much of each there may be.
//!
//! A request is one transaction and at most one step: its rows, their past, the row of the history and all counters commit together.

mod arguments;
pub mod changes;
pub mod drafts;
mod error;
mod ids;
pub mod limits;
pub mod model;
pub mod network;
mod operations;
mod reading;
mod reply;
mod search;
mod store;

pub use error::{GraphError, Issue, ItemList, NodeName, codes};
pub use operations::import::{Mode, OnConflict, import};
pub use operations::{OPERATIONS, dispatch};
pub use reading::export::{EdgeRow, NodeRow, edges_after, nodes_after};
pub use reply::Reply;
pub use store::find::resolve_node;
pub use store::head::Head;
pub use store::temporal::Tally;

use database::Database;

include!(concat!(env!("OUT_DIR"), "/migrations.rs"));
include!(concat!(env!("OUT_DIR"), "/example_graphs.rs"));

/// What a deployment may change of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// Steps that the history keeps; at least one.
    pub history_steps: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            history_steps: limits::DEFAULT_HISTORY_STEPS,
        }
    }
}

/// A graph, and on whose behalf it is used.
#[derive(Debug)]
pub struct Graph<'a, D: Database> {
    /// Where it is.
    pub db: &'a D,
    /// What the deployment wants.
    pub settings: &'a Settings,
    /// Milliseconds since 1970.
    pub now_ms: u64,
    /// The conversation that it belongs to.
    pub conversation: &'a str,
    /// Who asks, as the history names it.
    pub actor: &'a str,
}
