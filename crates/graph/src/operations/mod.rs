//! The operations by name, each with its handler.

pub(crate) mod bulk_edges;
pub(crate) mod bulk_nodes;
mod changes_of_data;
mod edges;
mod history;
pub(crate) mod import;
mod nodes;
mod plan;
mod project;
mod remove;
mod words;

use base::{Error, Result, nearest};
use database::Database;

use crate::reading::{diff, neighbors, state};
use crate::{Graph, Reply, search};

type Handler<D> = fn(&Graph<'_, D>, &str) -> Result<Reply>;

/// The names of the operations that [`dispatch`] runs.
pub const OPERATIONS: &[&str] = &[
    "initGraph",
    "getGraph",
    "getGraphState",
    "addNode",
    "getNode",
    "updateNode",
    "removeNode",
    "getNeighbors",
    "addMultipleNodes",
    "updateMultipleNodes",
    "deleteNodesByType",
    "addEdge",
    "getEdge",
    "updateEdge",
    "removeEdge",
    "addMultipleEdges",
    "updateMultipleEdges",
    "removeMultiple",
    "undo",
    "redo",
    "getHistory",
    "getVersion",
    "diff",
    "restore",
    "searchNodes",
    "filterByType",
    "addMockData",
];

fn handler<D: Database>(name: &str) -> Option<Handler<D>> {
    Some(match name {
        "initGraph" => project::init,
        "getGraph" => project::get,
        "getGraphState" => state::present,
        "getVersion" => state::version,
        "diff" => diff::diff,
        "getNeighbors" => neighbors::neighbors,
        "searchNodes" => search::search_nodes,
        "filterByType" => search::filter_by_type,
        "addNode" => nodes::add,
        "getNode" => nodes::get,
        "updateNode" => nodes::update,
        "removeNode" => nodes::remove,
        "addMultipleNodes" => bulk_nodes::add,
        "updateMultipleNodes" => bulk_nodes::update,
        "addEdge" => edges::add,
        "getEdge" => edges::get,
        "updateEdge" => edges::update,
        "removeEdge" => edges::remove,
        "addMultipleEdges" => bulk_edges::add,
        "updateMultipleEdges" => bulk_edges::update,
        "deleteNodesByType" => remove::by_type,
        "removeMultiple" => remove::multiple,
        "addMockData" => import::example,
        "undo" => history::undo,
        "redo" => history::redo,
        "restore" => history::restore,
        "getHistory" => history::list,
        _ => return None,
    })
}

/// Runs an operation. `arguments` is a JSON object.
///
/// # Errors
/// [`base::CommonError::InvalidArgument`] for a name or a field that is not known and a value that is not usable, what the operation says of itself,
/// and the engine's errors. Nothing is changed then.
pub fn dispatch<D: Database>(
    graph: &Graph<'_, D>,
    operation: &str,
    arguments: &str,
) -> Result<Reply> {
    match handler(operation) {
        Some(handler) => handler(graph, arguments),
        None => Err(unknown(operation)),
    }
}

fn unknown(operation: &str) -> Error {
    let shown = base::text::first(operation, base::limits::MAX_NAME_CHARACTERS);
    let message = format!("there is no operation {shown:?}");
    match nearest(operation, OPERATIONS.iter().copied()).first() {
        Some(near) => Error::invalid_with_hint(message, format!("did you mean `{near}`?")),
        None => Error::invalid(message),
    }
}
