//! Renders pages, and notes about nodes that share a label, as text. The texts of other results are
//! declared with their operations.

use graph::telling::{Labels, count, counted, named, text};
use operation::declaration::Pages;
use serde_json::Value;

use super::page::Page;

/// Returns the sentence about other nodes that have the label of a new one.
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

/// Renders a page.
pub fn of_page(kind: Pages, page: &Page, labels: &Labels) -> String {
    let (first, edges) = page.lines(labels);
    let mut words = match kind {
        Pages::State => state(page, &first, &edges),
        Pages::Nodes if first.is_empty() => "No node was found.".to_owned(),
        Pages::Nodes => format!(
            "{}:\n{}",
            counted(first.len() as u64, "node"),
            first.join("\n")
        ),
        Pages::Steps if first.is_empty() => "The graph has no history yet.".to_owned(),
        Pages::Steps => format!("Steps, newest first:\n{}", first.join("\n")),
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

    #[test]
    fn namesakes_are_told() {
        let node = json!({"id": "a", "label": "TP53", "type": "gene"});
        assert_eq!(namesakes(0, &node), "");
        assert_eq!(
            namesakes(1, &node),
            "\nNote: 1 other node has this label, too. Name this one by its id, a."
        );
    }

    #[test]
    fn a_page_has_its_totals_and_the_next_cursor() {
        let members = r#""data":{"nodes":[{"id":"a","label":"TP53","type":"gene"}],"edges":[{"source":"a","target":"b","label":"x"}],"metadata":{"nodeCount":8,"edgeCount":10}},"nextCursor":"c\"1""#;
        let page = Page::read(Pages::State, members).unwrap();
        assert_eq!(
            of_page(Pages::State, &page, &labels()),
            "Current graph has 8 nodes and 10 edges.\n\nNodes:\n- TP53 (gene)\n\nEdges:\n- TP53 -> Type 2 Diabetes (x)\n\nThere is more: repeat the call with \"cursor\": \"c\\\"1\""
        );
        let empty = Page::read(Pages::Nodes, r#""data":[],"nextCursor":null"#).unwrap();
        assert_eq!(
            of_page(Pages::Nodes, &empty, &labels()),
            "No node was found."
        );
    }
}
