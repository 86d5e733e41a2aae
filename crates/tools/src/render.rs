//! Renders tools and their schemas for results.

use serde_json::{Value, json};

use super::arguments::Issue;
use super::request::SearchRequest;
use super::search::Hit;
use crate::limits::{MAX_AVAILABLE_TOOLS, MAX_ERROR_SCHEMA_BYTES};
use mcp::Tool;

/// Renders a tool for lists.
pub(super) fn described(tool: &Tool) -> Value {
    let mut fields = json!({
        "name": tool.name, "description": tool.description, "inputSchema": tool.input_schema,
    });
    if let Some(fields) = fields.as_object_mut() {
        if let Some(title) = &tool.title {
            fields.insert("title".to_owned(), title.as_str().into());
        }
        if let Some(schema) = &tool.output_schema {
            fields.insert("outputSchema".to_owned(), schema.clone());
        }
    }
    fields
}

/// Renders one page of the hits of a search, as the fields of a result; `unavailable` are the
/// servers that could not be asked.
pub(super) fn page_of(hits: &[Hit<'_>], request: &SearchRequest, unavailable: Vec<Value>) -> Value {
    let shown = hits.iter().skip(request.offset).take(request.limit);
    let page: Vec<Value> = shown.map(|hit| summary_of(hit.server, hit.tool)).collect();
    let next = request.offset.saturating_add(page.len());
    json!({
        "tools": page, "total": hits.len(),
        "nextOffset": (next < hits.len()).then_some(next),
        "unavailable": unavailable,
    })
}

/// Renders a tool for a search: its description, and the names of its parameters.
fn summary_of(server: &str, tool: &Tool) -> Value {
    let parameters: Vec<&String> = tool
        .input_schema
        .get("properties")
        .and_then(Value::as_object)
        .map(|properties| properties.keys().collect())
        .unwrap_or_default();
    json!({ "server": server, "name": tool.name, "description": tool.description, "parameters": parameters })
}

/// Renders the schema for an error. A large schema is reduced to the parameters that are required
/// or that an issue names.
pub(super) fn shown_schema(schema: &Value, issues: &[Issue]) -> Value {
    if schema.to_string().len() <= MAX_ERROR_SCHEMA_BYTES {
        return schema.clone();
    }
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let is_named = |name: &str| {
        required.contains(&name)
            || issues.iter().any(|issue| {
                issue.path.split(['.', '[']).next() == Some(name)
                    || issue.suggestions.iter().any(|near| near == name)
            })
    };
    let mut room = MAX_ERROR_SCHEMA_BYTES;
    let mut shown = serde_json::Map::new();
    for (name, parameter) in schema
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .filter(|(name, _)| is_named(name))
    {
        let bytes = name.len() + parameter.to_string().len();
        if bytes <= room {
            room -= bytes;
            shown.insert(name.clone(), parameter.clone());
        }
    }
    json!({
        "type": "object", "properties": shown, "required": required.iter().take(MAX_AVAILABLE_TOOLS).collect::<Vec<_>>(),
        "$comment": "cut: describe the tool to see all of its parameters",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_schema_is_shown_whole_and_a_large_one_as_far_as_it_matters() {
        let issue = Issue {
            path: "filters.year[2]".to_owned(),
            message: String::new(),
            suggestions: vec!["limit".to_owned()],
        };
        let small = json!({ "type": "object", "properties": { "a": {} } });
        assert_eq!(shown_schema(&small, &[]), small);
        let mut properties = serde_json::Map::new();
        for number in 0..900 {
            properties.insert(
                format!("p{number}"),
                json!({ "description": "x".repeat(100) }),
            );
        }
        for name in ["query", "filters", "limit"] {
            properties.insert(name.to_owned(), json!({ "type": "string" }));
        }
        let large = json!({ "type": "object", "properties": properties, "required": ["query"] });
        let shown = shown_schema(&large, &[issue]);
        let names: Vec<&String> = shown["properties"].as_object().unwrap().keys().collect();
        assert_eq!(names, ["query", "filters", "limit"]);
        assert!(shown.to_string().len() < 500);
    }
}
