//! The routes of graphs in the OpenAPI document. Their shapes come from the table of operations;
//! only the codes of errors are written by hand.

use serde_json::{Map, Value, json};

use super::json::{COMPONENTS, components, content, member};
use crate::api::graph_request;
use crate::api::routes::{BodyLimit, Entry, GraphTask};
use graph::{Id, OPERATIONS};
use operation::declaration::Declaration;

/// The codes that any route of a graph can fail with.
const ERRORS: &[&str] = &["SQL_ERROR", "BUSY"];

/// The codes that a route that changes the graph can fail with.
const WRITE_ERRORS: &[&str] = &[
    "TOO_BIG",
    "VERSION_CONFLICT",
    "ALREADY_EXISTS",
    "NODE_NOT_FOUND",
    "EDGE_NOT_FOUND",
    "INVALID_ITEMS",
    "GRAPH_FULL",
    "CONSTRAINT_FAILED",
];

/// The codes that a caller's SQL can fail with.
const SQL_ERRORS: &[&str] = &[
    "SQL_BLOCKED",
    "NO_SUCH_FUNCTION",
    "NO_SUCH_TABLE",
    "NO_SUCH_COLUMN",
    "DATATYPE_MISMATCH",
    "TOO_BIG",
    "SYNTAX_ERROR",
    "PARAMETER_COUNT",
    "QUERY_TOO_EXPENSIVE",
];

/// The media types of files that can be imported.
const FILES: &[(&str, &str)] = &[
    (
        "application/json",
        "JSON of this API, node-link JSON of NetworkX, or JSON of Cytoscape.",
    ),
    ("application/graphml+xml", "GraphML."),
    (
        "text/csv",
        "Edges: a line of column names with source and target, then one line an edge.",
    ),
];

/// Returns the operation of a route, or `None` for a route that is not one operation.
fn operation(task: GraphTask) -> Option<&'static Declaration> {
    match task {
        GraphTask::Operation(id) => Some(id.declaration()),
        GraphTask::Operate | GraphTask::Import | GraphTask::Export | GraphTask::Events => None,
    }
}

/// Returns the name of the operation in the document.
pub(super) fn operation_id(entry: &Entry, task: GraphTask) -> String {
    match (task, operation(task)) {
        (GraphTask::Operation(Id::ApplyForceLayout), _) => "applyLayout".to_owned(),
        (_, Some(operation)) => format!(
            "{}{}",
            operation.name,
            if operation.name == "query" {
                "Graph"
            } else {
                ""
            }
        ),
        _ => entry.name.to_owned(),
    }
}

/// Returns the codes that a route can fail with.
pub(super) fn errors(entry: &Entry, task: GraphTask) -> Vec<&'static str> {
    let mut codes = ERRORS.to_vec();
    if entry.body != BodyLimit::None {
        codes.extend(["INVALID_BODY", "PAYLOAD_TOO_LARGE"]);
    }
    let reads_only = operation(task).is_some_and(|operation| operation.effect.read_only);
    if !reads_only && !matches!(task, GraphTask::Events | GraphTask::Export) {
        codes.extend(WRITE_ERRORS);
    }
    let own: &[&str] = match task {
        GraphTask::Operation(id) => id.declaration().errors,
        GraphTask::Export => &["TOO_LARGE"],
        GraphTask::Events => &["TOO_MANY_READERS"],
        GraphTask::Import => &["UNSUPPORTED_MEDIA_TYPE"],
        GraphTask::Operate => &[
            "NOTHING_TO_UNDO",
            "NOTHING_TO_REDO",
            "VERSION_NOT_FOUND",
            "AMBIGUOUS_NODE",
            "TOO_LARGE",
        ],
    };
    codes.extend(own);
    if matches!(
        task,
        GraphTask::Operate
            | GraphTask::Operation(Id::Query | Id::ImportFromQuery | Id::ExportToSession)
    ) {
        codes.extend(SQL_ERRORS);
    }
    codes
}

/// Returns the parameters of a route, except those of its path.
pub(super) fn parameters(entry: &Entry, task: GraphTask) -> Vec<Value> {
    let schema = operation(task).map_or(Value::Null, input);
    let mut parameters: Vec<Value> = entry
        .parameters
        .iter()
        .map(|name| parameter(name, task, &schema))
        .collect();
    let is_change = schema.pointer("/properties/ifVersion").is_some()
        || matches!(task, GraphTask::Import | GraphTask::Operate);
    if entry.method != "GET" && is_change {
        parameters.push(json!({
            "name": "If-Match", "in": "header", "required": false, "example": "0",
            "description": "The version that the graph must have, or nothing is changed.",
            "schema": { "type": "string", "pattern": "^[0-9]{1,15}$" },
        }));
    }
    if entry.method != "GET" {
        parameters.push(json!({
            "name": "x-codemode-actor", "in": "header", "required": false, "example": "person",
            "description": "The author of the change, for the history.",
            "schema": { "type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$" },
        }));
    }
    if task == GraphTask::Events {
        parameters.push(json!({
            "name": "Last-Event-ID", "in": "header", "required": false,
            "description": "The version that the reader has. The parameter after does the same.",
            "schema": { "type": "string", "pattern": "^[0-9]{1,15}$" },
        }));
    }
    parameters
}

fn parameter(name: &str, task: GraphTask, input: &Value) -> Value {
    let argument = if name == "q" { "query" } else { name };
    let formats = json!({
        "enum": ["json", "node-link", "cytoscape", "graphml", "csv"],
        "description": if task == GraphTask::Export { "The format." } else { "The format; detected if left out." },
    });
    let mut schema = match (name, task) {
        ("format", _) => formats,
        ("formulas", _) => {
            json!({ "enum": ["keep", "escape"], "default": "keep", "description": "The handling of texts in a CSV that a spreadsheet would read as formulas: escape puts an apostrophe in front of them." })
        }
        ("onConflict", _) => {
            json!({ "enum": ["error", "ignore", "replace"], "default": "error", "description": "The handling of an id that exists." })
        }
        ("mode", _) => {
            json!({ "enum": ["merge", "replace"], "default": "merge", "description": "replace removes what the graph has." })
        }
        ("after", _) => {
            json!({ "type": "integer", "minimum": 0, "description": "The version that the reader has." })
        }
        _ => input
            .pointer(&format!("/properties/{argument}"))
            .cloned()
            .unwrap_or_default(),
    };
    let required = input["required"]
        .as_array()
        .is_some_and(|required| required.iter().any(|wanted| wanted == argument));
    let description = schema
        .as_object_mut()
        .and_then(|fields| fields.remove("description"));
    json!({
        "name": name, "in": "query", "required": required,
        "description": description.unwrap_or_default(), "schema": schema,
    })
}

/// Returns the schema of an operation's arguments.
fn input(operation: &Declaration) -> Value {
    components(&operation.input().to_string())
}

/// Returns the body that a route takes.
pub(super) fn body(entry: &Entry, task: GraphTask) -> Value {
    let (media, examples) = match task {
        GraphTask::Import => (
            FILES
                .iter()
                .map(|(name, meaning)| {
                    let schema = if *name == "application/json" {
                        json!({ "type": "object", "description": meaning })
                    } else {
                        json!({ "type": "string", "description": meaning })
                    };
                    ((*name).to_owned(), schema)
                })
                .collect::<Map<_, _>>()
                .into(),
            json!({
                "application/json": { "ours": { "nodes": [{ "id": "CHEBI:6801", "label": "Metformin", "type": "drug" }], "edges": [] } },
                "text/csv": { "edges": "source,target,label\nMetformin,AMPK,activates\n" },
                "application/graphml+xml": { "graphml": "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\"><graph edgedefault=\"directed\"><node id=\"a\"/></graph></graphml>" },
            }),
        ),
        GraphTask::Operate => (
            json!({ "application/json": { "$ref": format!("{COMPONENTS}GraphOperation") } }),
            json!({ "application/json": { "getGraphState": { "operation": "getGraphState", "limit": 10 } } }),
        ),
        GraphTask::Operation(Id::ApplyForceLayout) => (
            json!({ "application/json": { "$ref": format!("{COMPONENTS}GraphLayout") } }),
            json!({ "application/json": { "grid": { "algorithm": "grid", "preview": true } } }),
        ),
        _ => {
            let Some(operation) = operation(task) else {
                return Value::Null;
            };
            let mut schema = input(operation);
            let outside = ["ifVersion"]
                .into_iter()
                .chain(entry.parameters.iter().copied());
            let in_path = entry.path.contains("{id}").then_some("id");
            for name in outside.chain(in_path) {
                leave_out(&mut schema, name);
            }
            let examples = operation.examples.iter().map(|(name, text)| {
                let example = serde_json::from_str(text).unwrap_or_default();
                ((*name).to_owned(), example)
            });
            let examples = examples.collect();
            (
                json!({ "application/json": schema }),
                json!({ "application/json": Value::Object(examples) }),
            )
        }
    };
    json!({ "required": !is_empty_allowed(task), "content": content(&media, &examples) })
}

/// Returns true if the body may be left out, because all arguments of the operation are optional.
fn is_empty_allowed(task: GraphTask) -> bool {
    operation(task).is_some_and(|operation| {
        task != GraphTask::Operation(Id::ApplyForceLayout)
            && input(operation).get("required").is_none()
    })
}

fn leave_out(schema: &mut Value, name: &str) {
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.remove(name);
    }
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.retain(|wanted| wanted != name);
    }
    if schema["required"].as_array().is_some_and(Vec::is_empty)
        && let Some(fields) = schema.as_object_mut()
    {
        fields.remove("required");
    }
}

/// Returns the content of a route's successful response.
pub(super) fn success(task: GraphTask) -> Value {
    let named =
        |name: &str| json!({ "application/json": { "$ref": format!("{COMPONENTS}{name}") } });
    match task {
        GraphTask::Events => {
            json!({ "text/event-stream": { "type": "string", "description": "Events ready, change, reset and deleted; the id of one is a version." } })
        }
        GraphTask::Export => json!({
            "application/json": { "type": "object" },
            "application/graphml+xml": { "type": "string" },
            "text/csv": { "type": "string" },
        }),
        GraphTask::Import => named("ImportAnswer"),
        GraphTask::Operate => named("GraphAnswer"),
        GraphTask::Operation(Id::ApplyForceLayout) => named("LayoutAnswer"),
        GraphTask::Operation(_) => {
            let output = operation(task).and_then(|operation| operation.output.first());
            named(output.copied().unwrap_or("GraphAnswer"))
        }
    }
}

/// Returns true if a route can respond 201.
pub(super) fn creates(task: GraphTask) -> bool {
    matches!(task, GraphTask::Operation(Id::AddNode | Id::AddEdge))
}

/// Returns the schemas of the operations of graphs.
pub(super) fn schemas() -> Map<String, Value> {
    let mut schemas = match components(&graph::definitions().to_string()) {
        Value::Object(definitions) => definitions,
        _ => Map::new(),
    };
    let mut requests = Vec::new();
    let mut layouts = Vec::new();
    for (id, operation) in OPERATIONS {
        requests.push(named(operation, "operation", operation.name));
        if let Some(algorithm) = graph_request::algorithm(*id) {
            let mut layout = named(operation, "algorithm", algorithm);
            leave_out(&mut layout, "ifVersion");
            layouts.push(layout);
        }
    }
    schemas.insert("GraphOperation".to_owned(), json!({ "oneOf": requests }));
    schemas.insert("GraphLayout".to_owned(), json!({ "oneOf": layouts }));
    schemas
}

/// Returns the schema of an operation's arguments with one more field, which names the operation.
fn named(operation: &Declaration, field: &str, name: &str) -> Value {
    let mut schema = input(operation);
    let mut required = vec![json!(field)];
    if let Value::Array(fields) = member(&schema, "required") {
        required.extend(fields);
    }
    let mut properties = Map::new();
    properties.insert(field.to_owned(), json!({ "const": name }));
    if let Value::Object(fields) = member(&schema, "properties") {
        properties.extend(fields);
    }
    if let Value::Object(fields) = &mut schema {
        fields.insert("title".to_owned(), operation.title.into());
        fields.insert("required".to_owned(), required.into());
        fields.insert("properties".to_owned(), properties.into());
    }
    schema
}
