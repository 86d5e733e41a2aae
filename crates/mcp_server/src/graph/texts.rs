//! The words of results. They name nodes by their labels, because a model reads them and people read what it says. Those of analyses are in
//! [`super::analyses`].

use serde_json::Value;

use super::analyses;
use super::labels::{Labels, named};
use super::page::{Kind, Page};
use crate::results::at;

pub(super) fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    at(value, name).as_str().unwrap_or_default()
}

pub(super) fn count(value: &Value, name: &str) -> u64 {
    at(value, name).as_u64().unwrap_or_default()
}

/// `1 node`, `2 nodes`.
pub(super) fn counted(number: u64, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}

/// The words for what a tool did. `body` is the response of the object.
pub fn of_tool(tool: &str, body: &Value, labels: &Labels) -> String {
    let data = at(body, "data");
    match tool {
        "addNode" => added_node(body, data),
        "addEdge" => added_edge(body, data, labels),
        "removeNode" => format!(
            "Removed node '{}' and its connected edges from the graph.",
            named(text(data, "label"))
        ),
        "removeEdge" => format!("Removed edge connecting {}.", ends(data, labels, "to")),
        "updateNode" => match at(body, "changed") == false {
            false => format!("Updated node '{}'.", named(text(data, "label"))),
            true => format!("Node '{}' is unchanged.", named(text(data, "label"))),
        },
        "updateEdge" => match at(body, "changed") == false {
            false => format!("Updated edge from {}.", with_label(data, labels)),
            true => format!("Edge from {} is unchanged.", with_label(data, labels)),
        },
        "addMultipleNodes" => bulk(body, "node"),
        "addMultipleEdges" => bulk(body, "edge"),
        "importFromJSON" | "importFromQuery" => imported(body),
        "undo" => stepped("Undid", body, data),
        "redo" => stepped("Redid", body, data),
        "findCentrality" => analyses::central(data),
        "detectCommunities" => analyses::communities(data),
        "findPath" => analyses::paths(data),
        "analyzeStructure" => analyses::structure(data),
        _ => moved(data),
    }
}

fn added_node(body: &Value, data: &Value) -> String {
    let (label, kind) = (named(text(data, "label")), named(text(data, "type")));
    if at(body, "created") == false {
        return format!("Updated node '{label}' ({kind}) in the graph.");
    }
    format!("Added node '{label}' ({kind}) to the graph.")
}

/// What to add where other nodes have the label of a new one.
pub fn namesakes(others: u64, node: &Value) -> String {
    if others == 0 {
        return String::new();
    }
    let have = if others == 1 { "has" } else { "have" };
    format!(
        "\nNote: {} {have} this label, too. Name this one by its id, {}.",
        counted(others, "other node"),
        named(text(node, "id"))
    )
}

/// `'TP53' to 'Type 2 Diabetes'`.
fn ends(edge: &Value, labels: &Labels, between: &str) -> String {
    format!(
        "'{}' {between} '{}'",
        labels.of(at(edge, "source")),
        labels.of(at(edge, "target"))
    )
}

fn with_label(edge: &Value, labels: &Labels) -> String {
    let ends = ends(edge, labels, "to");
    match text(edge, "label") {
        "" => ends,
        label => format!("{ends} with label '{}'", named(label)),
    }
}

fn added_edge(body: &Value, data: &Value, labels: &Labels) -> String {
    let edge = with_label(data, labels);
    if at(body, "created") == false {
        return format!("The edge from {edge} exists already.");
    }
    format!("Added edge from {edge}.")
}

fn bulk(body: &Value, what: &str) -> String {
    let mut words = format!(
        "Added {} to the graph",
        counted(count(body, "created"), what)
    );
    for (name, done) in [("updated", "updated"), ("skipped", "already there")] {
        match count(body, name) {
            0 => {}
            number => words.push_str(&format!(", {number} {done}")),
        }
    }
    words.push('.');
    words
}

fn imported(body: &Value) -> String {
    let (nodes, edges) = (at(body, "nodes"), at(body, "edges"));
    let mut words = format!(
        "Imported {} and {}",
        counted(count(nodes, "created"), "node"),
        counted(count(edges, "created"), "edge")
    );
    if let Some(rows) = at(body, "rows").as_u64() {
        words.push_str(&format!(" from {}", counted(rows, "row")));
    }
    for (name, done) in [("updated", "updated"), ("skipped", "already there")] {
        let parts: Vec<String> = [(nodes, "node"), (edges, "edge")]
            .into_iter()
            .map(|(list, what)| (count(list, name), what))
            .filter(|(number, _)| *number > 0)
            .map(|(number, what)| counted(number, what))
            .collect();
        if !parts.is_empty() {
            words.push_str(&format!(", {} {done}", parts.join(" and ")));
        }
    }
    words.push('.');
    for notice in at(body, "notices").as_array().into_iter().flatten() {
        words.push_str(&format!("\nNote: {}.", notice.as_str().unwrap_or_default()));
    }
    words
}

fn stepped(done: &str, body: &Value, data: &Value) -> String {
    let metadata = at(body, "metadata");
    let mut words = format!("{done}: {}.", named(text(data, "description")));
    if metadata.is_object() {
        words.push_str(&format!(
            " The graph has {} and {}.",
            counted(count(metadata, "nodeCount"), "node"),
            counted(count(metadata, "edgeCount"), "edge")
        ));
    }
    words
}

fn moved(data: &Value) -> String {
    let mut words = format!("Moved {}.", counted(count(data, "moved"), "node"));
    let crossings = |name: &str| at(data, name).as_u64();
    if let (Some(before), Some(after)) = (crossings("crossingsBefore"), crossings("crossingsAfter"))
    {
        words.push_str(&format!(
            " Crossings of edges: {before} before, {after} now."
        ));
    }
    words
}

/// The words for a page.
pub fn of_page(kind: Kind, page: &Page, labels: &Labels) -> String {
    let (first, edges) = page.lines(labels);
    let mut words = match kind {
        Kind::State => state(page, &first, &edges),
        Kind::Nodes if first.is_empty() => "No node was found.".to_owned(),
        Kind::Nodes => format!(
            "{}:\n{}",
            counted(first.len() as u64, "node"),
            first.join("\n")
        ),
        Kind::Steps if first.is_empty() => "The graph has no history yet.".to_owned(),
        Kind::Steps => format!("Steps, newest first:\n{}", first.join("\n")),
    };
    if let Some(cursor) = page.member("nextCursor").as_str() {
        words.push_str(&format!(
            "\n\nThere is more: repeat the call with \"cursor\": {}",
            Value::from(cursor)
        ));
    }
    words
}

fn state(page: &Page, nodes: &[String], edges: &[String]) -> String {
    let metadata = page.member("metadata");
    let mut words = format!(
        "Current graph has {} and {}.",
        counted(count(&metadata, "nodeCount"), "node"),
        counted(count(&metadata, "edgeCount"), "edge")
    );
    for (heading, lines) in [("Nodes", nodes), ("Edges", edges)] {
        if !lines.is_empty() {
            words.push_str(&format!("\n\n{heading}:\n{}", lines.join("\n")));
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn labels() -> Labels {
        let mut labels = Labels::default();
        labels.learn(&[
            json!({"id": "a", "label": "TP53"}),
            json!({"id": "b", "label": "Type 2 Diabetes"}),
        ]);
        labels
    }

    fn check(tool: &str, body: Value, words: &str) {
        assert_eq!(of_tool(tool, &body, &labels()), words, "{tool}");
    }

    #[test]
    fn changes_are_said_with_labels() {
        let node = json!({"id": "a", "label": "TP53", "type": "gene"});
        let edge = json!({"id": "e", "source": "a", "target": "b", "label": "associated_with"});
        let bare = json!({"id": "e", "source": "a", "target": "b", "label": ""});
        check(
            "addNode",
            json!({"data": node, "created": true}),
            "Added node 'TP53' (gene) to the graph.",
        );
        check(
            "removeNode",
            json!({"data": node, "removedEdges": 2}),
            "Removed node 'TP53' and its connected edges from the graph.",
        );
        check(
            "updateNode",
            json!({"data": node, "changed": true}),
            "Updated node 'TP53'.",
        );
        check(
            "updateNode",
            json!({"data": node, "changed": false}),
            "Node 'TP53' is unchanged.",
        );
        check(
            "addEdge",
            json!({"data": edge, "created": true}),
            "Added edge from 'TP53' to 'Type 2 Diabetes' with label 'associated_with'.",
        );
        check(
            "addEdge",
            json!({"data": bare, "created": true}),
            "Added edge from 'TP53' to 'Type 2 Diabetes'.",
        );
        check(
            "addEdge",
            json!({"data": bare, "created": false}),
            "The edge from 'TP53' to 'Type 2 Diabetes' exists already.",
        );
        check(
            "removeEdge",
            json!({"data": edge}),
            "Removed edge connecting 'TP53' to 'Type 2 Diabetes'.",
        );
        check(
            "updateEdge",
            json!({"data": edge, "changed": true}),
            "Updated edge from 'TP53' to 'Type 2 Diabetes' with label 'associated_with'.",
        );
        assert_eq!(namesakes(0, &node), "");
        assert_eq!(
            namesakes(1, &node),
            "\nNote: 1 other node has this label, too. Name this one by its id, a."
        );
    }

    #[test]
    fn counts_are_said() {
        check(
            "addMultipleNodes",
            json!({"created": 1, "updated": 0, "skipped": 2, "total": 3}),
            "Added 1 node to the graph, 2 already there.",
        );
        check(
            "addMultipleEdges",
            json!({"created": 5, "skipped": 0, "total": 5}),
            "Added 5 edges to the graph.",
        );
        check(
            "importFromJSON",
            json!({"nodes": {"created": 8, "updated": 1, "skipped": 0}, "edges": {"created": 10, "skipped": 2}}),
            "Imported 8 nodes and 10 edges, 1 node updated, 2 edges already there.",
        );
        check(
            "importFromQuery",
            json!({"rows": 12, "nodes": {"created": 1}, "edges": {"created": 0}}),
            "Imported 1 node and 0 edges from 12 rows.",
        );
        check(
            "undo",
            json!({"data": {"description": "Added node: TP53"}, "metadata": {"nodeCount": 7, "edgeCount": 1}}),
            "Undid: Added node: TP53. The graph has 7 nodes and 1 edge.",
        );
        check(
            "redo",
            json!({"data": {"description": "Added node: TP53"}}),
            "Redid: Added node: TP53.",
        );
        check(
            "applyForceLayout",
            json!({"data": {"moved": 34}}),
            "Moved 34 nodes.",
        );
        check(
            "optimizePositions",
            json!({"data": {"moved": 3, "crossingsBefore": 12, "crossingsAfter": 3}}),
            "Moved 3 nodes. Crossings of edges: 12 before, 3 now.",
        );
    }

    #[test]
    fn a_page_has_its_totals_and_the_next_cursor() {
        let members = r#""data":{"nodes":[{"id":"a","label":"TP53","type":"gene"}],"edges":[{"source":"a","target":"b","label":"x"}],"metadata":{"nodeCount":8,"edgeCount":10}},"nextCursor":"c\"1""#;
        let page = Page::read(Kind::State, members).unwrap();
        assert_eq!(
            of_page(Kind::State, &page, &labels()),
            "Current graph has 8 nodes and 10 edges.\n\nNodes:\n- TP53 (gene)\n\nEdges:\n- TP53 -> Type 2 Diabetes (x)\n\nThere is more: repeat the call with \"cursor\": \"c\\\"1\""
        );
        let empty = Page::read(Kind::Nodes, r#""data":[],"nextCursor":null"#).unwrap();
        assert_eq!(
            of_page(Kind::Nodes, &empty, &labels()),
            "No node was found."
        );
    }
}
