//! The operations of a graph, each with its handler.

use ::operations::graph::Id;
use base::Result;
use database::Database;

use crate::operations::{bulk_edges, bulk_nodes, edges, history, import, nodes, project, remove};
use crate::reading::{diff, neighbors, state};
use crate::{Graph, Reply, analysis, files, layouts, search};

/// Runs an operation. `arguments` is a JSON object.
///
/// # Errors
/// [`base::CommonError::InvalidArgument`] for a field that is not known and a value that is not usable, what the operation says of itself, and the
/// engine's errors. Nothing is changed then. [`base::CommonError::Internal`] for what needs more than the graph: a session, the gate, the object.
pub fn dispatch<D: Database>(graph: &Graph<'_, D>, id: Id, arguments: &str) -> Result<Reply> {
    let handler = match id {
        Id::InitGraph => project::init,
        Id::GetGraph => project::get,
        Id::GetGraphState => state::present,
        Id::GetVersion => state::version,
        Id::Diff => diff::diff,
        Id::GetNeighbors => neighbors::neighbors,
        Id::SearchNodes => search::search_nodes,
        Id::FilterByType => search::filter_by_type,
        Id::AddNode => nodes::add,
        Id::GetNode => nodes::get,
        Id::UpdateNode => nodes::update,
        Id::RemoveNode => nodes::remove,
        Id::AddMultipleNodes => bulk_nodes::add,
        Id::UpdateMultipleNodes => bulk_nodes::update,
        Id::AddEdge => edges::add,
        Id::GetEdge => edges::get,
        Id::UpdateEdge => edges::update,
        Id::RemoveEdge => edges::remove,
        Id::AddMultipleEdges => bulk_edges::add,
        Id::UpdateMultipleEdges => bulk_edges::update,
        Id::DeleteNodesByType => remove::by_type,
        Id::RemoveMultiple => remove::multiple,
        Id::ImportGraph => files::import_graph,
        Id::ExportGraph => files::export_graph,
        Id::AddMockData => import::example,
        Id::Undo => history::undo,
        Id::Redo => history::redo,
        Id::Restore => history::restore,
        Id::GetHistory => history::list,
        Id::AnalyzeStructure => analysis::structure,
        Id::FindCentrality => analysis::centrality,
        Id::DetectCommunities => analysis::communities,
        Id::FindPath => analysis::path,
        Id::FindBridges => analysis::bridges,
        Id::ApplyForceLayout => layouts::by_force,
        Id::ApplyHierarchicalLayout => layouts::by_hierarchy,
        Id::ApplyCircularLayout => layouts::on_circle,
        Id::ApplyGridLayout => layouts::on_grid,
        Id::OptimizePositions => layouts::optimize,
        Id::ImportFromQuery | Id::ExportToSession | Id::Query | Id::DeleteGraph => {
            return Err(base::Error::internal(format!(
                "{id:?} needs more than the graph"
            )));
        }
    };
    handler(graph, arguments)
}
