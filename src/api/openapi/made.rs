//! Makes the OpenAPI document from the routes, the status table, the table of operations and the
//! schemas of `parts.json`.
//!
//! Paths, methods, statuses and codes cannot drift from the code, because they are the code's own
//! tables. The shapes of bodies, and the codes that each endpoint can return, are written by hand
//! in the parts file. `tests/worker/openapi.test.mjs` compares them with a running Worker.
//!
//! `METHOD_NOT_ALLOWED` and the preflight response of `OPTIONS` belong to no operation, so the
//! description of the whole document names them.

use std::collections::BTreeMap;
use std::fmt::Debug;

use serde_json::{Map, Value, json};

use operation::declaration::Declaration;

use super::graph;
use super::json::{COMPONENTS, components, content, member};
use crate::api::routes::{
    Access, BodyLimit, CodeTask, Entry, IndexTask, ServedBy, SessionTask, routes,
};
use crate::api::status::{codes, status_of};
use sandbox::failure::CODES;

const PARTS: &str = include_str!("parts.json");

const DESCRIPTION: &str = "A session database for AI agents, SQLite behind a SQL gate, and a sandbox for the programs that use it. A method that a path does not list gets 405 \
     METHOD_NOT_ALLOWED, OPTIONS with the preflight response for pages in a browser, HEAD as GET without the body, and a path that is not listed with 404 NOT_FOUND. \
     A header x-codemode-auth-{server} of a request that may call servers is passed through to that server, if its configuration allows it.";

/// Makes the document as JSON text, with a line for each path and each schema, so that a diff shows
/// the place of a change.
pub fn document() -> String {
    let parts: Value = serde_json::from_str(PARTS).unwrap();
    let mut paths = Map::new();
    for entry in routes() {
        let item = paths
            .entry(entry.path)
            .or_insert_with(|| json!({ "parameters": path_parameters(entry) }));
        if let Value::Object(item) = item {
            item.insert(entry.method.to_ascii_lowercase(), operation(entry, &parts));
        }
    }
    let head = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Code Mode Database",
            "version": env!("CARGO_PKG_VERSION"),
            "description": DESCRIPTION,
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "servers": [{ "url": "/" }],
        "security": [{ "bearer": [] }, { "header": [] }],
    });
    let security_schemes = json!({
        "bearer": { "type": "http", "scheme": "bearer" },
        "header": { "type": "apiKey", "in": "header", "name": "x-codemode-token" },
    });
    format!(
        "{},\n\"paths\":{},\n\"components\":{{\"securitySchemes\":{security_schemes},\n\"parameters\":{},\n\"schemas\":{}}}}}\n",
        head.to_string().trim_end_matches('}'),
        lines(&paths.into()),
        lines(&member(&parts, "parameters")),
        lines(&schemas(&parts)),
    )
}

/// Renders an object with a line for each member.
fn lines(object: &Value) -> String {
    let members = object.as_object().into_iter().flatten();
    let lines: Vec<String> = members
        .map(|(name, value)| format!("\n{}:{value}", json!(name)))
        .collect();
    format!("{{{}}}", lines.join(","))
}

fn schemas(parts: &Value) -> Value {
    let mut schemas = member(parts, "schemas");
    let codes: Vec<&str> = codes().map(|code| code.name).collect();
    if let Value::Object(schemas) = &mut schemas {
        schemas.insert(
            "ErrorCode".to_owned(),
            json!({ "type": "string", "enum": codes }),
        );
        schemas.insert("ExecutionCode".to_owned(), execution_code());
        if let Value::Object(shared) = components(operation::DEFINITIONS) {
            schemas.extend(shared);
        }
        schemas.extend(operation_schemas(
            session::DEFINITIONS,
            session::OPERATIONS,
            "",
        ));
        schemas.extend(operation_schemas(code::DEFINITIONS, code::OPERATIONS, CODE));
        schemas.extend(graph::schemas());
    }
    schemas
}

/// The prefix of the schemas of code workspace operations.
const CODE: &str = "Code";

/// Returns the schemas of operations: the request of each, and the schemas that requests and
/// responses refer to.
fn operation_schemas<I: Debug>(
    definitions: &str,
    operations: &[(I, Declaration)],
    prefix: &str,
) -> Map<String, Value> {
    let mut schemas = match components(definitions) {
        Value::Object(definitions) => definitions,
        _ => Map::new(),
    };
    let mut requests = Vec::new();
    let mut responses = Vec::new();
    let mut mapping = Map::new();
    for (id, operation) in operations {
        // The request of `hasColumn` is `HasColumnOperation`.
        let name = format!("{prefix}{id:?}Operation");
        let reference = format!("{COMPONENTS}{name}");
        requests.push(json!({ "$ref": reference }));
        mapping.insert(operation.name.to_owned(), reference.into());
        for response in operation.output {
            let response = json!({ "$ref": format!("{COMPONENTS}{response}") });
            if !responses.contains(&response) {
                responses.push(response);
            }
        }
        schemas.insert(name, request_schema(operation));
    }
    schemas.insert(
        format!("{prefix}Operation"),
        json!({ "oneOf": requests, "discriminator": { "propertyName": "operation", "mapping": mapping } }),
    );
    schemas.insert(
        format!("{prefix}OperationAnswer"),
        json!({ "description": "By operation.", "anyOf": responses }),
    );
    schemas
}

/// Returns the schema of a request: the operation's input and its name.
fn request_schema(operation: &Declaration) -> Value {
    let mut schema = components(&operation.input().to_string());
    let mut required = vec![json!("operation")];
    if let Some(fields) = schema.get("required").and_then(Value::as_array) {
        required.extend(fields.iter().cloned());
    }
    let mut properties = Map::new();
    properties.insert("operation".to_owned(), json!({ "const": operation.name }));
    if let Value::Object(fields) = member(&schema, "properties") {
        properties.extend(fields);
    }
    if let Some(Value::Array(samples)) = schema.get_mut("examples") {
        for sample in samples {
            *sample = request(operation.name, sample.take());
        }
    }
    if let Value::Object(schema) = &mut schema {
        schema.insert("title".to_owned(), operation.title.into());
        schema.insert("description".to_owned(), operation.description().into());
        schema.insert("required".to_owned(), required.into());
        schema.insert("properties".to_owned(), properties.into());
    }
    schema
}

/// Returns arguments with the name of their operation in front.
fn request(operation: &str, arguments: Value) -> Value {
    let mut request = Map::new();
    request.insert("operation".to_owned(), operation.into());
    if let Value::Object(arguments) = arguments {
        request.extend(arguments);
    }
    Value::Object(request)
}

/// Returns requests of operations by name, as examples of the route that takes all of them.
fn operation_examples<I>(operations: &[(I, Declaration)]) -> Value {
    let named = operations.iter().map(|(_, operation)| operation);
    let examples = named.flat_map(|operation| {
        operation.examples.iter().map(|(name, text)| {
            let arguments = serde_json::from_str(text).unwrap_or_default();
            ((*name).to_owned(), request(operation.name, arguments))
        })
    });
    Value::Object(examples.collect())
}

/// Returns the schema of a failed run's code. It is no enumeration, because a program can give its
/// own errors any code.
fn execution_code() -> Value {
    let own: Vec<&str> = CODES.iter().map(|(code, _)| *code).collect();
    let description = format!(
        "{}, or the code of the helper that failed, as in ErrorCode.",
        own.join(", ")
    );
    json!({ "type": "string", "description": description })
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/parameters/{name}") })
}

fn path_parameters(entry: &Entry) -> Vec<Value> {
    let named = entry
        .path
        .split('/')
        .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    named.map(reference).collect()
}

fn operation(entry: &Entry, parts: &Value) -> Value {
    let part = member(&member(parts, "routes"), entry.name);
    let names = member(&part, "parameters");
    let mut parameters: Vec<Value> = names
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(reference)
        .collect();
    let mut id = member(&part, "operationId");
    if let ServedBy::Graph(task) = entry.place {
        parameters.extend(graph::parameters(entry, task));
        id = graph::operation_id(entry, task).into();
    }
    let mut operation = json!({
        "operationId": id,
        "tags": [tag(entry)],
        "summary": entry.summary,
        "parameters": parameters,
        "responses": responses(entry, parts, &part),
    });
    if let Value::Object(fields) = &mut operation {
        if entry.body != BodyLimit::None {
            let body = match entry.place {
                ServedBy::Graph(task) => graph::body(entry, task),
                _ => {
                    json!({ "required": true, "content": content(&member(&part, "request"), &examples(entry, &part)) })
                }
            };
            fields.insert("requestBody".to_owned(), body);
        }
        if entry.access == Access::Public {
            fields.insert("security".to_owned(), json!([]));
        }
    }
    operation
}

/// Returns example requests of a route, by media type and name.
fn examples(entry: &Entry, part: &Value) -> Value {
    match entry.place {
        ServedBy::Session {
            task: SessionTask::Operate,
            ..
        } => {
            json!({ "application/json": operation_examples(session::OPERATIONS) })
        }
        ServedBy::Code(CodeTask::Operate) => {
            json!({ "application/json": operation_examples(code::OPERATIONS) })
        }
        _ => member(part, "examples"),
    }
}

/// Returns the tag that groups a route.
fn tag(entry: &Entry) -> &'static str {
    match entry.place {
        ServedBy::Front(_) => "service",
        ServedBy::Session { .. } => "session",
        ServedBy::Graph(_) => "graph",
        ServedBy::Index(IndexTask::ListGraphs) => "graph",
        ServedBy::Agent(_)
        | ServedBy::Index(
            IndexTask::ListThreads | IndexTask::SearchMemory | IndexTask::Pin | IndexTask::Forget,
        ) => "agent",
        ServedBy::Code(_) | ServedBy::Index(IndexTask::ListWorkspaces) => "code",
        ServedBy::Index(_) => "sessions",
        ServedBy::Mcp => "mcp",
        ServedBy::Page(_) => "console",
    }
}

fn responses(entry: &Entry, parts: &Value, part: &Value) -> Value {
    let common = member(
        &member(parts, "commonErrors"),
        &format!("{:?}", entry.access),
    );
    let own = match entry.place {
        ServedBy::Graph(task) => json!(graph::errors(entry, task)),
        _ => member(part, "errors"),
    };
    let possible = |code: &str| {
        [&common, &own]
            .into_iter()
            .filter_map(Value::as_array)
            .flatten()
            .any(|named| named == code)
    };
    let mut by_status: BTreeMap<u16, Vec<&str>> = BTreeMap::new();
    for code in codes().filter(|code| possible(code.name)) {
        let status = status_of(code.kind);
        by_status.entry(status).or_default().push(code.name);
    }
    let failures = by_status
        .into_iter()
        .map(|(status, codes)| (status.to_string(), failure(entry, &codes)));
    let succeeds = match entry.place {
        ServedBy::Graph(task) => graph::success(task),
        _ => member(part, "success"),
    };
    let mut success =
        json!({ "description": "Success", "content": content(&succeeds, &Value::Null) });
    if let (Some(fields), headers @ Value::Object(_)) =
        (success.as_object_mut(), member(part, "headers"))
    {
        fields.insert("headers".to_owned(), headers);
    }
    let others = member(part, "responses");
    let others = others.as_object().into_iter().flatten();
    let others = others.map(|(status, response)| (status.clone(), response.clone()));
    let creates = matches!(entry.place, ServedBy::Graph(task) if graph::creates(task));
    let created = creates.then(|| ("201".to_owned(), success.clone()));
    std::iter::once(("200".to_owned(), success))
        .chain(created)
        .chain(failures)
        .chain(others)
        .collect::<Map<_, _>>()
        .into()
}

/// Returns the response for a failure with one of these codes. For an MCP client it is the data of
/// a JSON-RPC error.
fn failure(entry: &Entry, codes: &[&str]) -> Value {
    let code = json!({ "properties": { "code": { "enum": codes } } });
    let (shape, narrowed) = match entry.place {
        ServedBy::Mcp => {
            let data = json!({ "properties": { "data": code } });
            ("McpError", json!({ "properties": { "error": data } }))
        }
        _ => ("Failure", json!({ "properties": { "error": code } })),
    };
    let schema = json!({ "allOf": [{ "$ref": format!("{COMPONENTS}{shape}") }, narrowed] });
    json!({ "description": codes.join(", "), "content": { "application/json": { "schema": schema } } })
}

mod tests;
