//! Routes that the object of a knowledge graph serves. Most of them are one operation each, whose
//! arguments are in the path, the query string and the body (`api/graph_request.rs`).

use super::{Access, BodyLimit, Entry, ServedBy, Wait};
use ::graph::{Id, OPERATIONS};
use operation::declaration::{Body, Route};

/// The work that the object of a graph does for a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GraphTask {
    /// Runs the operation that the body names.
    Operate,
    /// Runs this operation.
    Operation(Id),
    /// Imports the file that is the body.
    Import,
    /// Exports the graph as a file.
    Export,
    /// Streams each change as it is committed.
    Events,
}

macro_rules! graph {
    ($path:literal) => {
        concat!("/api/graph/{conversationId}", $path)
    };
}

/// The routes that are not one operation.
const OWN: [Entry; 5] = [
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
    Entry {
        name: "graphevents",
        path: graph!("/events"),
        place: ServedBy::Graph(GraphTask::Events),
        summary: "Each change as it is committed, as server-sent events",
        parameters: &["after"],
        ..READ
    },
    Entry {
        name: "layout",
        method: "POST",
        path: graph!("/layout"),
        // The body names the layout; this one is only a placeholder.
        place: ServedBy::Graph(GraphTask::Operation(Id::ApplyForceLayout)),
        summary: "Move nodes to the positions of a layout",
        body: BodyLimit::Request,
        wait: Wait::Load,
        ..READ
    },
];

/// The members that most of these routes have in common.
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

/// The routes. A path without parameters must precede one that would take its last part for an id.
pub(super) const ROUTES: &[Entry] = &routes();

/// The number of routes.
const COUNT: usize = OWN.len() + operations_with_a_route();

#[expect(
    clippy::indexing_slicing,
    reason = "it runs in the compiler, which stops where it would panic"
)]
const fn operations_with_a_route() -> usize {
    let (mut at, mut count) = (0, 0);
    while at < OPERATIONS.len() {
        if OPERATIONS[at].1.route.is_some() {
            count += 1;
        }
        at += 1;
    }
    count
}

#[expect(
    clippy::indexing_slicing,
    reason = "it runs in the compiler, which stops where it would panic"
)]
const fn routes() -> [Entry; COUNT] {
    let mut routes = [const { READ }; COUNT];
    let mut filled = 0;
    while filled < OWN.len() {
        routes[filled] = OWN[filled];
        filled += 1;
    }
    let mut at = 0;
    while at < OPERATIONS.len() {
        let (id, declared) = &OPERATIONS[at];
        if let Some(route) = declared.route {
            routes[filled] = entry(*id, route);
            filled += 1;
        }
        at += 1;
    }
    routes
}

/// Returns the route of an operation. An operation that needs a body may take as long as a load.
const fn entry(id: Id, route: Route) -> Entry {
    let reads = matches!(route.method.as_bytes(), b"GET");
    Entry {
        name: route.name,
        method: route.method,
        path: route.path,
        place: ServedBy::Graph(GraphTask::Operation(id)),
        summary: route.summary,
        body: match route.body {
            Body::None => BodyLimit::None,
            Body::Request => BodyLimit::Request,
            Body::Batch => BodyLimit::Batch,
        },
        access: Access::Tenant,
        wait: if reads { Wait::Query } else { Wait::Load },
        parameters: route.parameters,
    }
}
