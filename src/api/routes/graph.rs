//! Routes that the object of a knowledge graph serves. Most are one operation each: what stands in the path, the query string and the body are
//! its arguments (`api/graph_request.rs`).

use super::{Access, BodyLimit, Entry, ServedBy, Wait};
use ::graph::Id;

/// What the object of a graph does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GraphTask {
    /// The operation that the body names.
    Operate,
    /// One operation.
    Operation(Id),
    /// An import whose body is the file itself.
    Import,
    /// An export as a file.
    Export,
    /// The changes, as they are committed.
    Events,
}

macro_rules! graph {
    ($path:literal) => {
        concat!("/api/graph/{conversationId}", $path)
    };
}

const PAGE: &[&str] = &["limit", "cursor"];
const STATE: &[&str] = &["limit", "cursor", "type"];

/// The routes. A path without parameters stands before one that would take its last part for an id.
pub(super) const ROUTES: &[Entry] = &[
    Entry {
        name: "graphoperate",
        method: "POST",
        path: graph!(""),
        place: ServedBy::Graph(GraphTask::Operate),
        summary: "Run one operation on the graph, by name",
        body: BodyLimit::Batch,
        wait: Wait::Load,
        ..READ
    },
    read(
        "getgraph",
        graph!(""),
        Id::GetGraph,
        "Name, version and size of the graph",
        &[],
    ),
    write(
        "deletegraph",
        "DELETE",
        graph!(""),
        Id::DeleteGraph,
        "Delete the graph and its history",
        BodyLimit::None,
    ),
    write(
        "initgraph",
        "POST",
        graph!("/init"),
        Id::InitGraph,
        "Make the graph, or name it",
        BodyLimit::Request,
    ),
    read(
        "graphstate",
        graph!("/state"),
        Id::GetGraphState,
        "Nodes and edges, page by page",
        STATE,
    ),
    Entry {
        parameters: &["upsert"],
        ..write(
            "addnode",
            "POST",
            graph!("/nodes"),
            Id::AddNode,
            "Add a node",
            BodyLimit::Request,
        )
    },
    write(
        "addnodes",
        "POST",
        graph!("/nodes/bulk"),
        Id::AddMultipleNodes,
        "Add nodes, all or nothing",
        BodyLimit::Batch,
    ),
    write(
        "updatenodes",
        "PUT",
        graph!("/nodes/bulk-update"),
        Id::UpdateMultipleNodes,
        "Update nodes, all or nothing",
        BodyLimit::Batch,
    ),
    write(
        "deletenodesbytype",
        "DELETE",
        graph!("/nodes/by-type"),
        Id::DeleteNodesByType,
        "Remove the nodes of some types with their edges",
        BodyLimit::Request,
    ),
    read(
        "getnode",
        graph!("/nodes/{id}"),
        Id::GetNode,
        "One node",
        &[],
    ),
    write(
        "updatenode",
        "PUT",
        graph!("/nodes/{id}"),
        Id::UpdateNode,
        "Update a node",
        BodyLimit::Request,
    ),
    write(
        "removenode",
        "DELETE",
        graph!("/nodes/{id}"),
        Id::RemoveNode,
        "Remove a node with its edges",
        BodyLimit::None,
    ),
    read(
        "neighbors",
        graph!("/nodes/{id}/neighbors"),
        Id::GetNeighbors,
        "The nodes around a node",
        &["depth", "direction", "type", "limit"],
    ),
    write(
        "addedge",
        "POST",
        graph!("/edges"),
        Id::AddEdge,
        "Add an edge",
        BodyLimit::Request,
    ),
    write(
        "addedges",
        "POST",
        graph!("/edges/bulk"),
        Id::AddMultipleEdges,
        "Add edges, all or nothing",
        BodyLimit::Batch,
    ),
    write(
        "updateedges",
        "PUT",
        graph!("/edges/bulk-update"),
        Id::UpdateMultipleEdges,
        "Update edges, all or nothing",
        BodyLimit::Batch,
    ),
    read(
        "getedge",
        graph!("/edges/{id}"),
        Id::GetEdge,
        "One edge",
        &[],
    ),
    write(
        "updateedge",
        "PUT",
        graph!("/edges/{id}"),
        Id::UpdateEdge,
        "Update an edge",
        BodyLimit::Request,
    ),
    write(
        "removeedge",
        "DELETE",
        graph!("/edges/{id}"),
        Id::RemoveEdge,
        "Remove an edge",
        BodyLimit::None,
    ),
    write(
        "removemultiple",
        "POST",
        graph!("/remove"),
        Id::RemoveMultiple,
        "Remove nodes and edges, as one step",
        BodyLimit::Batch,
    ),
    Entry {
        name: "importgraph",
        method: "POST",
        path: graph!("/import"),
        place: ServedBy::Graph(GraphTask::Import),
        summary: "Import a file, all or nothing",
        body: BodyLimit::Batch,
        wait: Wait::Load,
        parameters: &["format", "onConflict", "mode"],
        ..READ
    },
    Entry {
        name: "exportgraph",
        path: graph!("/export"),
        place: ServedBy::Graph(GraphTask::Export),
        summary: "The whole graph as a file",
        parameters: &["format", "formulas"],
        ..READ
    },
    write(
        "importfromquery",
        "POST",
        graph!("/import-from-query"),
        Id::ImportFromQuery,
        "Make nodes and edges of a session's rows",
        BodyLimit::Request,
    ),
    write(
        "exporttosession",
        "POST",
        graph!("/export-to-session"),
        Id::ExportToSession,
        "Write the graph into tables of a session",
        BodyLimit::Request,
    ),
    write(
        "querygraph",
        "POST",
        graph!("/query"),
        Id::Query,
        "Run a SELECT over the tables nodes and edges",
        BodyLimit::Request,
    ),
    write(
        "undo",
        "POST",
        graph!("/undo"),
        Id::Undo,
        "Undo the last step",
        BodyLimit::Request,
    ),
    write(
        "redo",
        "POST",
        graph!("/redo"),
        Id::Redo,
        "Do the last undone step again",
        BodyLimit::Request,
    ),
    read(
        "history",
        graph!("/history"),
        Id::GetHistory,
        "The steps, newest first",
        PAGE,
    ),
    read(
        "graphversion",
        graph!("/history/{version}"),
        Id::GetVersion,
        "The graph as it was at a version",
        STATE,
    ),
    read(
        "diff",
        graph!("/diff"),
        Id::Diff,
        "What differs between two versions",
        &["from", "to", "limit", "cursor"],
    ),
    write(
        "restore",
        "POST",
        graph!("/restore"),
        Id::Restore,
        "Make the graph what it was at a version",
        BodyLimit::Request,
    ),
    Entry {
        name: "graphevents",
        path: graph!("/events"),
        place: ServedBy::Graph(GraphTask::Events),
        summary: "Each change as it is committed, as server-sent events",
        parameters: &["after"],
        ..READ
    },
    write(
        "mockdata",
        "POST",
        graph!("/mock-data"),
        Id::AddMockData,
        "Add a small example graph",
        BodyLimit::Request,
    ),
    read(
        "searchnodes",
        graph!("/search"),
        Id::SearchNodes,
        "Nodes by words, type or attribute",
        &["q", "type", "attribute", "value", "limit", "cursor"],
    ),
    read(
        "analysis",
        graph!("/analysis"),
        Id::AnalyzeStructure,
        "The structure of the graph in numbers",
        &["directed"],
    ),
    read(
        "centrality",
        graph!("/centrality"),
        Id::FindCentrality,
        "The most central nodes",
        &["measure", "directed", "weight", "limit"],
    ),
    read(
        "communities",
        graph!("/communities"),
        Id::DetectCommunities,
        "Groups of nodes, by Leiden",
        &["resolution", "seed", "weight", "limit"],
    ),
    read(
        "path",
        graph!("/path"),
        Id::FindPath,
        "Shortest paths between two nodes",
        &["from", "to", "directed", "weight", "k", "all"],
    ),
    read(
        "bridges",
        graph!("/bridges"),
        Id::FindBridges,
        "Edges and nodes that hold parts together",
        &[],
    ),
    Entry {
        name: "layout",
        method: "POST",
        path: graph!("/layout"),
        // Which layout it is stands in the body.
        place: ServedBy::Graph(GraphTask::Operation(Id::ApplyForceLayout)),
        summary: "Move nodes to where a layout has them",
        body: BodyLimit::Request,
        wait: Wait::Load,
        ..READ
    },
];

/// What most of them have in common.
const READ: Entry = Entry {
    name: "",
    method: "GET",
    path: "",
    place: ServedBy::Graph(GraphTask::Operate),
    summary: "",
    body: BodyLimit::None,
    access: Access::Tenant,
    wait: Wait::Query,
    parameters: &[],
};

const fn read(
    name: &'static str,
    path: &'static str,
    operation: Id,
    summary: &'static str,
    parameters: &'static [&'static str],
) -> Entry {
    Entry {
        name,
        path,
        place: ServedBy::Graph(GraphTask::Operation(operation)),
        summary,
        parameters,
        ..READ
    }
}

const fn write(
    name: &'static str,
    method: &'static str,
    path: &'static str,
    operation: Id,
    summary: &'static str,
    body: BodyLimit,
) -> Entry {
    Entry {
        name,
        method,
        path,
        place: ServedBy::Graph(GraphTask::Operation(operation)),
        summary,
        body,
        wait: Wait::Load,
        ..READ
    }
}
