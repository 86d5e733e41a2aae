//! The list of a graph's operations. The type of an operation's arguments declares everything else
//! about it, beside its handler.

use ::operation::arguments::Arguments;
use ::operation::shape::{self, Field, References, Shape, object};
use base::Result;
use database::Database;
use serde_json::{Map, Value};

use crate::analysis::bridges::FindBridges;
use crate::analysis::centrality::FindCentrality;
use crate::analysis::communities::DetectCommunities;
use crate::analysis::paths::FindPath;
use crate::analysis::structure::AnalyzeStructure;
use crate::files::{ExportGraph, ImportGraph};
use crate::from_rows::ImportFromQuery;
use crate::layouts::{
    ApplyCircularLayout, ApplyForceLayout, ApplyGridLayout, ApplyHierarchicalLayout,
    OptimizePositions,
};
use crate::operations::bulk_edges::{AddMultipleEdges, UpdateMultipleEdges};
use crate::operations::bulk_nodes::{AddMultipleNodes, UpdateMultipleNodes};
use crate::operations::edges::{AddEdge, GetEdge, RemoveEdge, UpdateEdge};
use crate::operations::history::{GetHistory, Redo, Restore, Undo};
use crate::operations::import::AddMockData;
use crate::operations::merge::MergeNodes;
use crate::operations::nodes::{AddNode, GetNode, RemoveNode, UpdateNode};
use crate::operations::project::{DeleteGraph, GetGraph, InitGraph};
use crate::operations::remove::{DeleteNodesByType, RemoveMultiple};
use crate::query::Query;
use crate::reading::diff::Diff;
use crate::reading::neighbors::GetNeighbors;
use crate::reading::state::{GetGraphState, GetVersion};
use crate::run::Operation;
use crate::search::{FilterByType, SearchNodes};
use crate::tables::ExportToSession;
use crate::{Graph, Reply};

/// A function that parses the arguments of an operation from the text of a JSON object, and runs
/// it.
pub type Handler<D> = fn(&Graph<'_, D>, &str) -> Result<Reply>;

/// An operation that needs more than the graph. The object of the graph runs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectOperation {
    /// The import of rows, which are read from a session.
    ImportFromQuery,
    /// The export to tables, which are written to a session.
    ExportToSession,
    /// The SQL query, which needs the gate.
    Query,
    /// The deletion of the graph, which deletes the object.
    DeleteGraph,
}

/// Defines the list of operations. A route without an id must come before one that would take its
/// last part for an id.
macro_rules! operations {
    ($($place:ident $name:ident,)*) => {
        ::operation::list! { $($name,)* }

        /// Returns the handler of an operation, or an error with the operation if it needs more
        /// than the graph.
        ///
        /// # Errors
        /// [`ObjectOperation`] for an operation that needs more than the graph.
        pub fn handler<D: Database>(id: Id) -> std::result::Result<Handler<D>, ObjectOperation> {
            match id {
                $(Id::$name => operations!(@$place $name),)*
            }
        }
    };
    (@own $name:ident) => { Ok(|graph, arguments| $name::parse(arguments)?.run(graph)) };
    (@beyond $name:ident) => { Err(ObjectOperation::$name) };
}

operations! {
    own InitGraph,
    own GetGraph,
    beyond DeleteGraph,
    own AddNode,
    own AddEdge,
    own UpdateMultipleNodes,
    own UpdateMultipleEdges,
    own DeleteNodesByType,
    own RemoveNode,
    own RemoveEdge,
    own GetGraphState,
    own GetNode,
    own GetEdge,
    own GetNeighbors,
    own UpdateNode,
    own UpdateEdge,
    own AddMultipleNodes,
    own AddMultipleEdges,
    own RemoveMultiple,
    own MergeNodes,
    own ImportGraph,
    own ExportGraph,
    beyond ImportFromQuery,
    beyond ExportToSession,
    beyond Query,
    own AddMockData,
    own Undo,
    own Redo,
    own GetHistory,
    own GetVersion,
    own Diff,
    own Restore,
    own AnalyzeStructure,
    own FindCentrality,
    own DetectCommunities,
    own FindPath,
    own FindBridges,
    own SearchNodes,
    own FilterByType,
    own ApplyForceLayout,
    own ApplyHierarchicalLayout,
    own ApplyCircularLayout,
    own ApplyGridLayout,
    own OptimizePositions,
}

/// The name of the operations' server in `calls` of a program.
pub const SERVER: &str = "graph";

/// Returns the objects that schemas refer to, by name, as an object of JSON Schemas.
pub fn definitions() -> Value {
    let mut named = Map::new();
    for field in OPERATIONS.iter().flat_map(|(_, declared)| declared.fields) {
        if let Some(definition) = field.shape.definition() {
            let schema = object(definition.fields, References::Kept);
            named.insert(definition.name.to_owned(), schema);
        }
    }
    let written = serde_json::from_str(include_str!("definitions.json"));
    named.extend(written.unwrap_or_else(|_| Map::new()));
    Value::Object(named)
}

/// Returns the schema of an argument without references.
pub fn inlined(field: &Field) -> Value {
    let schema = field.schema(References::Inlined);
    let is_written = matches!(field.shape, Shape::Json(text) if text.contains("$ref"));
    if !is_written {
        return schema;
    }
    let known = ::operation::definitions(&definitions().to_string());
    shape::inlined(&schema, &known)
}
