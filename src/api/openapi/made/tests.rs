//! Comparisons of the OpenAPI document with the tables that it is made from.

use base::Code;

use super::*;
use session::NAMES as OPERATIONS;

/// The document that the Worker serves. `make openapi` writes it.
const SERVED: &str = include_str!("../document.json");

fn parsed() -> Value {
    serde_json::from_str(&document()).unwrap()
}

#[test]
fn the_document_that_is_served_is_up_to_date() {
    let made = document();
    if std::env::var_os("CODEMODE_WRITE_OPENAPI").is_some() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/src/api/openapi/document.json");
        std::fs::write(file, &made).unwrap();
    } else {
        // Not `assert_eq!`, which would print two whole documents.
        assert!(made == SERVED, "`make openapi` writes it again");
    }
}

#[test]
fn every_route_is_described_with_an_answer() {
    let document = parsed();
    for entry in routes() {
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
            entry.body != BodyLimit::None,
            "{} {}",
            entry.method,
            entry.path
        );
    }
}

#[test]
fn every_code_is_described_where_it_can_be_answered() {
    let document = parsed();
    let listed = &document["components"]["schemas"]["ErrorCode"]["enum"];
    let mut described = std::collections::BTreeSet::new();
    for entry in routes() {
        let responses =
            &document["paths"][entry.path][entry.method.to_ascii_lowercase()]["responses"];
        for code in codes() {
            let named = responses[status_of(code.kind).to_string()]["description"]
                .as_str()
                .unwrap_or_default();
            if named.split(", ").any(|named| named == code.name) {
                described.insert(code.name);
            }
        }
        let takes_a_body = entry.body != BodyLimit::None;
        assert_eq!(
            responses["413"]["description"]
                .as_str()
                .is_some_and(|codes| codes.contains("PAYLOAD_TOO_LARGE")),
            takes_a_body,
            "{} {}",
            entry.method,
            entry.path
        );
        let needs_a_token = entry.access == Access::Tenant;
        assert_eq!(
            responses["401"].is_object(),
            needs_a_token,
            "{} {}",
            entry.method,
            entry.path
        );
    }
    // These codes occur in the `error` of a thread's state, because the caller has the response
    // before they can happen.
    let of_threads = [
        agent::codes::BAD_WRITING,
        agent::codes::STEP_FAILED,
        session::codes::STATEMENT_CHANGED,
    ];
    let of_threads = agent_models::codes::ALL.iter().chain(&of_threads);
    // These codes occur only in results and errors of MCP, which has a status of its own.
    let of_mcp = [
        session::codes::CONFIRMATION_INVALID,
        session::codes::TOO_MANY_WATCHERS,
        // No route runs approved statements; objects request them from a session.
        session::codes::STATEMENT_CHANGED,
        session::codes::UNDO_CONFLICT,
        session::codes::UNDO_UNAVAILABLE,
        session::codes::APPROVAL_NOT_FOUND,
    ];
    let of_mcp: Vec<&str> = mcp_product::codes::ALL
        .iter()
        .chain(&of_mcp)
        .chain(of_threads)
        .map(|code| code.name)
        .collect();
    for Code { name, .. } in codes() {
        assert!(listed.as_array().unwrap().contains(&json!(name)), "{name}");
        assert!(
            described.contains(name) != (of_mcp.contains(&name) || name == "METHOD_NOT_ALLOWED"),
            "{name}"
        );
    }
    assert!(
        document["info"]["description"]
            .as_str()
            .unwrap()
            .contains("METHOD_NOT_ALLOWED")
    );
}

#[test]
fn the_parts_name_only_codes_and_routes_that_exist() {
    let parts: Value = serde_json::from_str(PARTS).unwrap();
    let described = parts["routes"].as_object().unwrap();
    let lists = described
        .values()
        .map(|part| &part["errors"])
        .chain(parts["commonErrors"].as_object().unwrap().values());
    for code in lists.flat_map(|list| list.as_array().unwrap()) {
        assert!(codes().any(|known| code == known.name), "{code}");
    }
    for name in described.keys() {
        assert!(routes().any(|entry| entry.name == name), "{name}");
    }
}

#[test]
fn the_description_has_the_limits_of_the_code() {
    let document = parsed();
    let schemas = &document["components"]["schemas"];
    assert_eq!(
        schemas["ExecOperation"]["properties"]["sql"]["maxLength"],
        sql_gate::limits::MAX_SQL_BYTES
    );
    assert_eq!(
        schemas["Parameters"]["anyOf"][0]["maxItems"],
        sql_gate::limits::MAX_PARAMETERS
    );
    assert_eq!(
        schemas["GetStateOperation"]["properties"]["key"]["maxLength"],
        session::limits::MAX_STATE_KEY_CHARACTERS
    );
    assert_eq!(
        schemas["TableDescription"]["properties"]["sampleRows"]["maxItems"],
        session::limits::SAMPLE_ROWS
    );
    assert_eq!(
        schemas["Metrics"]["properties"]["executionLogs"]["maxItems"],
        session::limits::SHOWN_EXECUTION_LOGS
    );
    for name in ["session", "promptSession"] {
        let session = &document["components"]["parameters"][name]["schema"];
        assert_eq!(session["maxLength"], base::limits::MAX_NAME_CHARACTERS);
    }
    assert_eq!(
        schemas["Program"]["properties"]["session"]["maxLength"],
        base::limits::MAX_NAME_CHARACTERS
    );
    assert_eq!(
        schemas["Program"]["properties"]["timeoutMs"]["maximum"],
        sandbox::limits::MAX_EXECUTION_TIMEOUT_MS
    );
    // One more line says how many were dropped.
    assert_eq!(
        schemas["ExecutionLogs"]["maxItems"],
        sandbox::limits::MAX_EXECUTION_LOG_ENTRIES + 1
    );
    assert_eq!(
        schemas["ExecutionCalls"]["maxItems"],
        sandbox::limits::MAX_EXECUTION_CALLS
    );
    let limit = &document["components"]["parameters"]["limit"]["schema"];
    assert_eq!(limit["maximum"], session::limits::MAX_LISTED_EXECUTIONS);
    assert_eq!(limit["default"], session::limits::DEFAULT_LISTED_EXECUTIONS);
    assert_eq!(
        schemas["Executions"]["properties"]["executions"]["maxItems"],
        session::limits::MAX_LISTED_EXECUTIONS
    );
    assert_eq!(
        schemas["KeptLogs"]["maxItems"],
        session::limits::MAX_KEPT_OUTPUT_ENTRIES
    );
}

#[test]
fn the_categories_and_levels_of_a_run_are_those_of_the_code() {
    let schemas = parsed()["components"]["schemas"].clone();
    let categories = &schemas["ExecutionError"]["properties"]["category"]["enum"];
    for (code, category) in CODES {
        assert!(
            categories
                .as_array()
                .unwrap()
                .contains(&json!(category.name())),
            "{code}"
        );
    }
    let levels = &schemas["ExecutionLogEntry"]["properties"]["level"]["enum"];
    assert_eq!(*levels, json!(sandbox::report::LEVELS));
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
    let document = parsed();
    let operation = &document["components"]["schemas"]["Operation"];
    let mapping = operation["discriminator"]["mapping"].as_object().unwrap();
    let mut named: Vec<&str> = mapping.keys().map(String::as_str).collect();
    let mut known = OPERATIONS.to_vec();
    named.sort_unstable();
    known.sort_unstable();
    assert_eq!(named, known);
    for (name, target) in mapping {
        let schema = document
            .pointer(target.as_str().unwrap().trim_start_matches('#'))
            .unwrap();
        assert_eq!(schema["properties"]["operation"]["const"], json!(name));
        assert!(
            operation["oneOf"]
                .as_array()
                .unwrap()
                .contains(&json!({ "$ref": target })),
            "{name}"
        );
    }
}
