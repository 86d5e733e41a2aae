//! A knowledge graph: nodes and edges in SQLite, with a history in which every step can be undone.
//!
//! The type of an operation's arguments declares it, beside its handler (`operations`, `reading`,
//! `search`, `analysis`, `layouts`). `dispatch` lists the operations, and [`handler`] returns the
//! function of one, which reads or changes the graph and returns a [`Reply`]. `kinds` and
//! `list_kinds` have the kinds of arguments. Below the operations, `store` keeps present and past
//! in tables. [`model`] has nodes and edges, [`drafts`] parses those that callers add, [`network`]
//! loads the graph for algorithms, [`changes`] reports each step to readers, and `limits` has the
//! bounds.
//!
//! A request is one transaction and at most one step: its rows, their past, its row of the history
//! and all counters commit together.

/// Builds the path of a route of graphs.
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
mod item_changes;
mod kinds;
mod labels;
mod layouts;
pub mod limits;
mod list_items;
mod list_kinds;
pub mod live;
pub mod mapping;
mod memory;
pub mod model;
pub mod network;
mod operations;
pub mod query;
pub mod readers;
mod reading;
mod reply;
mod run;
mod search;
mod store;
pub mod tables;
pub mod telling;
mod tools;

pub use dispatch::{
    Handler, Id, NAMES, OPERATIONS, ObjectOperation, SERVER, definitions, find, handler, inlined,
};
pub use error::{GraphError, Issue, ItemList, NodeName, codes};
pub use labels::resolved;
pub use memory::Memory;
pub use operations::conflicts::{Mode, OnConflict};
pub use operations::import::import;
pub use reading::export::{EdgeRow, NodeRow, edges_after, nodes_after};
pub use reply::Reply;
pub use store::find::resolve_node;
pub use store::head::Head;
pub use store::temporal::Tally;

use database::Database;

include!(concat!(env!("OUT_DIR"), "/migrations.rs"));
include!(concat!(env!("OUT_DIR"), "/example_graphs.rs"));

/// The settings of a deployment for its graphs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// The number of steps that the history keeps; at least one.
    pub history_steps: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            history_steps: limits::DEFAULT_GRAPH_HISTORY_STEPS,
        }
    }
}

/// A graph, with the context of a request.
#[derive(Debug)]
pub struct Graph<'a, D: Database> {
    /// The database of the graph.
    pub db: &'a D,
    /// The settings of the deployment.
    pub settings: &'a Settings,
    /// The time of the request, in milliseconds since 1970.
    pub now_ms: u64,
    /// The conversation to which the graph belongs.
    pub conversation: &'a str,
    /// The caller, as the history names it.
    pub actor: &'a str,
    /// The memory of the instance that serves the database.
    pub memory: &'a Memory,
}

/// Returns true if the graph was ever written to. A graph that was only read does not exist.
///
/// # Errors
/// Errors of the engine.
pub fn exists<D: Database>(db: &D) -> base::Result<bool> {
    Head::load(db).map(|head| head.created_at.is_some())
}

/// Returns the entry of this graph in a list of graphs.
///
/// # Errors
/// Errors of the engine.
pub fn summary<D: Database>(graph: &Graph<'_, D>) -> base::Result<serde_json::Value> {
    operations::project::summary(graph)
}

/// Parses the arguments of the operation that deletes the graph. Returns the version that the graph
/// must have, if the request names one.
///
/// # Errors
/// [`base::CommonError::InvalidArgument`] for any other argument.
pub fn deleted_version(arguments: &str) -> base::Result<Option<u64>> {
    use ::operation::arguments::Arguments;
    Ok(operations::project::DeleteGraph::parse(arguments)?.if_version)
}
