//! Texts for the responses of tools. They name nodes by their labels, because models read these
//! texts and quote them to people.

mod analyses;
mod labels;

pub use analyses::{central, communities, paths, structure};
pub use labels::{Labels, named};

use serde_json::Value;

/// A function that returns the name of the node with an id.
type Name<'n> = &'n dyn Fn(&Value) -> String;

/// Returns a member of an object; null if it is absent.
pub fn at<'v>(object: &'v Value, name: &str) -> &'v Value {
    object.get(name).unwrap_or(&Value::Null)
}

/// Returns a member that is a text; empty if it is absent.
pub fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    at(value, name).as_str().unwrap_or_default()
}

/// Returns a member that is a count; 0 if it is absent.
pub fn count(value: &Value, name: &str) -> u64 {
    at(value, name).as_u64().unwrap_or_default()
}

/// Returns `1 node` or `2 nodes`.
pub fn counted(number: u64, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}

/// Returns the line of a node: `TP53 (gene)`, followed by the id if another node has the same
/// label.
pub fn node_line(node: &Value, labels: &Labels) -> String {
    let label = text(node, "label");
    let line = format!("{} ({})", named(label), named(text(node, "type")));
    if labels.is_shared(label) {
        return format!("{line} {}", named(text(node, "id")));
    }
    line
}

/// Returns the text for an added node.
pub fn added_node(body: &Value, _name: Name<'_>) -> String {
    let data = at(body, "data");
    let (label, kind) = (named(text(data, "label")), named(text(data, "type")));
    if at(body, "created") == false {
        return format!("Updated node '{label}' ({kind}) in the graph.");
    }
    format!("Added node '{label}' ({kind}) to the graph.")
}

/// Returns the text for a removed node.
pub fn removed_node(body: &Value, _name: Name<'_>) -> String {
    format!(
        "Removed node '{}' and its connected edges from the graph.",
        named(text(at(body, "data"), "label"))
    )
}

/// Returns the text for a changed node.
pub fn updated_node(body: &Value, _name: Name<'_>) -> String {
    let label = named(text(at(body, "data"), "label"));
    if at(body, "changed") == false {
        return format!("Node '{label}' is unchanged.");
    }
    format!("Updated node '{label}'.")
}

/// Returns the text for an added edge.
pub fn added_edge(body: &Value, name: Name<'_>) -> String {
    let edge = with_label(at(body, "data"), name);
    if at(body, "created") == false {
        return format!("The edge from {edge} exists already.");
    }
    format!("Added edge from {edge}.")
}

/// Returns the text for a removed edge.
pub fn removed_edge(body: &Value, name: Name<'_>) -> String {
    format!("Removed edge connecting {}.", ends(at(body, "data"), name))
}

/// Returns the text for a changed edge.
pub fn updated_edge(body: &Value, name: Name<'_>) -> String {
    let edge = with_label(at(body, "data"), name);
    if at(body, "changed") == false {
        return format!("Edge from {edge} is unchanged.");
    }
    format!("Updated edge from {edge}.")
}

/// Returns the text for added nodes.
pub fn added_nodes(body: &Value, _name: Name<'_>) -> String {
    bulk(body, "node")
}

/// Returns the text for added edges.
pub fn added_edges(body: &Value, _name: Name<'_>) -> String {
    bulk(body, "edge")
}

/// Returns the text for an undone step.
pub fn undid(body: &Value, _name: Name<'_>) -> String {
    stepped("Undid", body)
}

/// Returns the text for a redone step.
pub fn redid(body: &Value, _name: Name<'_>) -> String {
    stepped("Redid", body)
}

/// Returns `'TP53' to 'Type 2 Diabetes'`.
fn ends(edge: &Value, name: Name<'_>) -> String {
    format!(
        "'{}' to '{}'",
        name(at(edge, "source")),
        name(at(edge, "target"))
    )
}

fn with_label(edge: &Value, name: Name<'_>) -> String {
    let ends = ends(edge, name);
    match text(edge, "label") {
        "" => ends,
        label => format!("{ends} with label '{}'", named(label)),
    }
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

/// Returns the text for an import.
pub fn imported(body: &Value, _name: Name<'_>) -> String {
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

fn stepped(done: &str, body: &Value) -> String {
    let data = at(body, "data");
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

/// Returns the text for the nodes that a layout moved.
pub fn moved(body: &Value, _name: Name<'_>) -> String {
    let data = at(body, "data");
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

    /// Returns the text of a tool's result.
    pub(super) fn of_tool(name: &str, body: &Value, labels: &Labels) -> String {
        use operation::declaration::{Text, Tool};
        let is_it = |declared: &operation::declaration::Declaration, tool: &Tool| {
            tool.name.unwrap_or(declared.name) == name
        };
        let words = crate::OPERATIONS
            .iter()
            .find_map(|(_, declared)| match declared.tool {
                Some(tool) if is_it(declared, &tool) => Some(tool.text),
                _ => None,
            });
        match words {
            Some(Text::Words(words)) => words(body, &|id| labels.of(id)),
            _ => panic!("{name} has no words"),
        }
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
}
