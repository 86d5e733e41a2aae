//! `GET /api/openapi.json`: OpenAPI 3.1, made from the routes, the status table and the schemas of `openapi_parts.json`.
//!
//! Paths, methods, statuses and codes cannot drift from the code, because they are the code's own tables. The shapes of bodies are
//! written by hand in the parts file, by endpoint.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::api::routes::{Access, Body, Entry, ROUTES};
use crate::api::status::STATUSES;

const PARTS: &str = include_str!("openapi_parts.json");

/// Statuses of routes without authentication, beside success: a page that may not call, a fault, and no answer in time.
const PUBLIC_STATUSES: &[u16] = &[403, 500, 504];

/// The document as JSON text.
pub fn document() -> String {
    let parts: Value = serde_json::from_str(PARTS).unwrap_or_default();
    let mut paths = Map::new();
    for entry in ROUTES {
        let item = paths
            .entry(entry.path)
            .or_insert_with(|| json!({ "parameters": path_parameters(entry) }));
        if let Value::Object(item) = item {
            item.insert(entry.method.to_ascii_lowercase(), operation(entry, &parts));
        }
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Code Mode Database",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "A session database for AI agents: SQLite behind a SQL gate.",
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "servers": [{ "url": "/" }],
        "security": [{ "bearer": [] }, { "header": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "bearer": { "type": "http", "scheme": "bearer" },
                "header": { "type": "apiKey", "in": "header", "name": "x-codemode-token" },
            },
            "parameters": member(&parts, "parameters"),
            "schemas": schemas(&parts),
        },
    })
    .to_string()
}

fn member(value: &Value, name: &str) -> Value {
    value.get(name).cloned().unwrap_or_default()
}

fn schemas(parts: &Value) -> Value {
    let mut schemas = member(parts, "schemas");
    let codes: Vec<&str> = STATUSES.iter().map(|(code, _)| *code).collect();
    if let Value::Object(schemas) = &mut schemas {
        schemas.insert(
            "ErrorCode".to_owned(),
            json!({ "type": "string", "enum": codes }),
        );
    }
    schemas
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
    let part = member(
        &member(parts, "endpoints"),
        &format!("{:?}", entry.endpoint),
    );
    let names = member(&part, "parameters");
    let parameters: Vec<Value> = names
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(reference)
        .collect();
    let mut operation = json!({
        "operationId": member(&part, "operationId"),
        "summary": entry.summary,
        "parameters": parameters,
        "responses": responses(entry, &part),
    });
    if let Value::Object(fields) = &mut operation {
        if entry.body != Body::None {
            fields.insert(
                "requestBody".to_owned(),
                json!({ "required": true, "content": content(&member(&part, "request")) }),
            );
        }
        if entry.access == Access::Public {
            fields.insert("security".to_owned(), json!([]));
        }
    }
    operation
}

/// `{"media/type": schema}` as OpenAPI's content.
fn content(media: &Value) -> Value {
    let types = media.as_object().into_iter().flatten();
    types
        .map(|(name, schema)| (name.clone(), json!({ "schema": schema })))
        .collect::<Map<_, _>>()
        .into()
}

fn responses(entry: &Entry, part: &Value) -> Value {
    let mut by_status: BTreeMap<u16, Vec<&str>> = BTreeMap::new();
    for (code, status) in STATUSES {
        if entry.access == Access::Tenant || PUBLIC_STATUSES.contains(status) {
            by_status.entry(*status).or_default().push(code);
        }
    }
    let failures = by_status.into_iter().map(|(status, codes)| {
        let schema = json!({ "$ref": "#/components/schemas/Failure" });
        (status.to_string(), json!({ "description": codes.join(", "), "content": { "application/json": { "schema": schema } } }))
    });
    let success = json!({ "description": "Success", "content": content(&member(part, "success")) });
    std::iter::once(("200".to_owned(), success))
        .chain(failures)
        .collect::<Map<_, _>>()
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed() -> Value {
        serde_json::from_str(&document()).unwrap()
    }

    #[test]
    fn every_route_is_described_with_an_answer() {
        let document = parsed();
        for entry in ROUTES {
            let operation = &document["paths"][entry.path][entry.method.to_ascii_lowercase()];
            assert!(
                operation["operationId"].is_string(),
                "{} {}",
                entry.method,
                entry.path
            );
            assert!(
                !operation["responses"]["200"]["content"]
                    .as_object()
                    .unwrap()
                    .is_empty(),
                "{} {}",
                entry.method,
                entry.path
            );
            assert_eq!(
                operation["requestBody"].is_object(),
                entry.body != Body::None,
                "{} {}",
                entry.method,
                entry.path
            );
        }
    }

    #[test]
    fn every_status_and_code_is_described() {
        let document = parsed();
        let responses = &document["paths"]["/api/codemode/sessions/{session}"]["post"]["responses"];
        let codes = document["components"]["schemas"]["ErrorCode"]["enum"]
            .as_array()
            .unwrap();
        for (code, status) in STATUSES {
            assert!(
                responses[status.to_string()]["description"]
                    .as_str()
                    .unwrap()
                    .contains(code),
                "{code}"
            );
            assert!(codes.contains(&json!(code)), "{code}");
        }
    }

    #[test]
    fn every_reference_leads_somewhere() {
        let document = parsed();
        let mut pending = vec![&document];
        let mut references = 0;
        while let Some(value) = pending.pop() {
            match value {
                Value::Object(fields) => {
                    if let Some(target) = fields.get("$ref").and_then(Value::as_str) {
                        references += 1;
                        assert!(
                            document.pointer(target.trim_start_matches('#')).is_some(),
                            "{target}"
                        );
                    }
                    pending.extend(fields.values());
                }
                Value::Array(items) => pending.extend(items),
                _ => {}
            }
        }
        assert!(references > 30);
    }

    #[test]
    fn every_operation_has_its_schema() {
        let text = document();
        for operation in [
            "exec",
            "query",
            "batchInsert",
            "createTable",
            "saveState",
            "getState",
            "getMetrics",
            "getColumns",
            "hasColumn",
            "getTables",
            "describeTable",
            "findColumn",
        ] {
            assert!(text.contains(&format!("\"{operation}\"")), "{operation}");
        }
    }
}
