//! What changes the graph, and reads single nodes and edges: a handler for each operation.

pub(crate) mod bulk_edges;
pub(crate) mod bulk_nodes;
mod changes_of_data;
mod edge_plan;
pub(crate) mod edges;
pub(crate) mod history;
pub(crate) mod import;
pub(crate) mod merge;
pub(crate) mod nodes;
mod plan;
pub(crate) mod project;
pub(crate) mod remove;
mod words;
