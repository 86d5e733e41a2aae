//! A knowledge graph: nodes and edges in SQLite, every step of which can be undone.
//!
//! Each operation is declared by the type of its arguments, beside its handler (`operations`,
//! `reading`, `search`, `analysis`, `layouts`), and `dispatch` lists them: [`handler`] is the
//! function of one. It changes or reads the graph and makes a [`Reply`]. `kinds` has the values
//! that arguments may have. Below them `store` keeps present and past in tables. [`model`] has
//! nodes and edges, [`drafts`] reads those that callers want to add, [`network`] hands the graph to
//! algorithms, [`changes`] tells readers of each step, and `limits` has the bounds.
//!
//! A request is one transaction and at most one step: its rows, their past, the row of the history
//! and all counters commit together.

/// The path of a route of graphs.
macro_rules! path {
    ($path:literal) => {
        concat!("/api/graph/{conversationId}", $path)
    };
}

mod analysis;
pub mod changes;
mod dispatch;
pub mod drafts;
mod error;
pub mod files;
pub mod from_rows;
mod ids;
pub mod interchange;
mod kinds;
mod labels;
mod layouts;
pub mod limits;
mod list_items;
pub mod live;
pub mod mapping;
pub mod model;
pub mod network;
mod operations;
pub mod query;
pub mod readers;
mod reading;
mod reply;
mod search;
mod store;
pub mod tables;
pub mod telling;
mod tools;

pub use dispatch::{
    Beyond, Handler, Id, NAMES, OPERATIONS, SERVER, definitions, find, handler, inlined,
};
pub use error::{GraphError, Issue, ItemList, NodeName, codes};
pub use labels::resolved;
pub use operations::import::{Mode, OnConflict, import};
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
            history_steps: limits::DEFAULT_GRAPH_HISTORY_STEPS,
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

/// Returns true if anybody has written to the graph. One that was only looked at does not exist.
///
/// # Errors
/// The engine's.
pub fn exists<D: Database>(db: &D) -> base::Result<bool> {
    Head::load(db).map(|head| head.created_at.is_some())
}

/// What a list of graphs shows of this one.
///
/// # Errors
/// The engine's.
pub fn summary<D: Database>(graph: &Graph<'_, D>) -> base::Result<serde_json::Value> {
    operations::project::summary(graph)
}

/// Reads the arguments of the operation that deletes the graph: the version that it must have, if
/// the request is for one.
///
/// # Errors
/// [`base::CommonError::InvalidArgument`] for any other.
pub fn deleted_version(arguments: &str) -> base::Result<Option<u64>> {
    use ::operation::arguments::Arguments;
    Ok(operations::project::DeleteGraph::parse(arguments)?.if_version)
}
