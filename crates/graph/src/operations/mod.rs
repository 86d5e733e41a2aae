//! The operations that change the graph or read single nodes and edges, each with its handler.

pub(crate) mod bulk_edges;
pub(crate) mod bulk_nodes;
mod changes_of_data;
pub(crate) mod conflicts;
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
