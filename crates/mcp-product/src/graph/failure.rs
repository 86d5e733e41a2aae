//! Renders errors for a model: the problem in words, and the names to use instead.

use serde_json::Value;

use crate::results::at;
use graph::telling::named;

/// Number of candidates, suggestions or issues in a text; the structured content has all of them.
const MAX_SHOWN: usize = 20;

/// Renders an error.
pub fn text(error: &Value) -> String {
    let field = |name: &str| at(error, name).as_str().unwrap_or_default();
    let id = at(error, "id").as_str();
    match (field("code"), id) {
        ("NODE_NOT_FOUND", Some(id)) => not_found("Node", id, error),
        ("EDGE_NOT_FOUND", Some(id)) => not_found("Edge", id, error),
        _ => {
            let mut text = format!("Error: {}", sentence(field("message")));
            for line in candidates(error).chain(issues(error)).take(MAX_SHOWN) {
                text.push('\n');
                text.push_str(&line);
            }
            if !field("hint").is_empty() {
                text.push_str("\nHint: ");
                text.push_str(field("hint"));
            }
            text
        }
    }
}

fn not_found(what: &str, id: &str, error: &Value) -> String {
    let mut text = format!("Error: {what} '{}' not found in the graph.", named(id));
    let suggestions: Vec<String> = list(error, "suggestions")
        .filter_map(|found| found.as_str().or_else(|| at(found, "label").as_str()))
        .map(|found| format!("'{}'", named(found)))
        .take(MAX_SHOWN)
        .collect();
    if !suggestions.is_empty() {
        text.push_str(&format!("\nDid you mean {}?", suggestions.join(" or ")));
    }
    text
}

fn list<'v>(error: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
    at(error, name).as_array().into_iter().flatten()
}

/// Lists the nodes that share a label.
fn candidates(error: &Value) -> impl Iterator<Item = String> {
    list(error, "candidates").map(|node| {
        let field = |name: &str| named(at(node, name).as_str().unwrap_or_default());
        format!("- {} ({}) {}", field("label"), field("type"), field("id"))
    })
}

/// Lists the problems of items in a list.
fn issues(error: &Value) -> impl Iterator<Item = String> {
    list(error, "issues").map(|issue| {
        let field = |name: &str| at(issue, name).as_str().unwrap_or_default();
        format!(
            "- {}[{}]: {}",
            field("list"),
            at(issue, "index"),
            named(field("message"))
        )
    })
}

fn sentence(message: &str) -> String {
    let ends = message.ends_with(['.', '?', '!']);
    format!("{message}{}", if ends { "" } else { "." })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_error_says_what_to_name_instead() {
        for (error, words) in [
            (
                json!({"code": "NODE_NOT_FOUND", "message": "there is no node \"XYZ\"", "id": "XYZ", "suggestions": []}),
                "Error: Node 'XYZ' not found in the graph.",
            ),
            (
                json!({"code": "NODE_NOT_FOUND", "message": "-", "hint": "-", "id": "TP35", "suggestions": ["TP53", {"id": "x", "label": "TP73"}]}),
                "Error: Node 'TP35' not found in the graph.\nDid you mean 'TP53' or 'TP73'?",
            ),
            (
                json!({"code": "EDGE_NOT_FOUND", "message": "-", "id": "e"}),
                "Error: Edge 'e' not found in the graph.",
            ),
            (
                json!({"code": "AMBIGUOUS_NODE", "message": "2 nodes are called TP53", "hint": "name one by its id",
                    "candidates": [{"id": "NCBIGene:7157", "label": "TP53", "type": "gene"}, {"id": "p", "label": "TP53", "type": "protein"}]}),
                "Error: 2 nodes are called TP53.\n- TP53 (gene) NCBIGene:7157\n- TP53 (protein) p\nHint: name one by its id",
            ),
            (
                json!({"code": "NODE_NOT_FOUND", "message": "2 items cannot be used", "issues": [{"list": "edges", "index": 3, "message": "there is no node \"X\""}]}),
                "Error: 2 items cannot be used.\n- edges[3]: there is no node \"X\"",
            ),
        ] {
            assert_eq!(text(&error), words);
        }
    }
}
