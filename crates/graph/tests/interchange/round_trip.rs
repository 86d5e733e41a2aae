//! Files that are written are read back as the same graph.

use base::entries::Entries;
use graph::interchange::{EdgeRow, Format, NodeRow, read, write};
use graph::model::Data;
use serde_json::value::RawValue;

use crate::random::Random;

const TIME: &str = "2026-01-02T03:04:05.678Z";

struct Node {
    id: String,
    label: String,
    kind: String,
    data: String,
    x: f64,
    y: f64,
    pinned: bool,
}

struct Edge {
    id: String,
    source: String,
    target: String,
    label: String,
    kind: String,
    data: String,
}

fn graph(seed: u64) -> (Vec<Node>, Vec<Edge>) {
    let mut random = Random(seed);
    let nodes: Vec<Node> = (0..1 + random.below(8))
        .map(|number| Node {
            id: random.id("n", number),
            label: format!("{}l", random.label()),
            kind: format!("{}t", random.label()),
            data: random.data(),
            x: random.coordinate(),
            y: random.coordinate(),
            pinned: random.below(4) == 0,
        })
        .collect();
    let edges = (0..random.below(10))
        .map(|number| Edge {
            id: random.id("e", number),
            source: nodes[random.below(nodes.len())].id.clone(),
            target: nodes[random.below(nodes.len())].id.clone(),
            label: random.label(),
            kind: random.label(),
            data: random.data(),
        })
        .collect();
    (nodes, edges)
}

fn rows<'a>(nodes: &'a [Node], edges: &'a [Edge]) -> (Vec<NodeRow<'a>>, Vec<EdgeRow<'a>>) {
    let nodes = nodes.iter().map(|node| NodeRow {
        id: &node.id,
        label: &node.label,
        kind: &node.kind,
        data: &node.data,
        x: node.x,
        y: node.y,
        pinned: node.pinned,
        created_at: TIME,
        updated_at: TIME,
    });
    let edges = edges.iter().map(|edge| EdgeRow {
        id: &edge.id,
        source: &edge.source,
        target: &edge.target,
        label: &edge.label,
        kind: &edge.kind,
        data: &edge.data,
        created_at: TIME,
        updated_at: TIME,
    });
    (nodes.collect(), edges.collect())
}

/// Returns the fields of data by name, with the exact text of numbers, objects and lists. Texts are
/// compared without regard to escapes.
fn fields(data: &str) -> Vec<(String, String)> {
    let Entries(entries) = serde_json::from_str::<Entries<String, &RawValue>>(data).unwrap();
    let mut fields: Vec<(String, String)> = entries
        .into_iter()
        .map(|(name, raw)| {
            let text = serde_json::from_str::<String>(raw.get());
            let value = text.map_or_else(|_| raw.get().to_owned(), |text| format!("{text:?}"));
            let value = value.replace('\u{fffe}', "\\ufffe");
            (name, value.replace('\u{ffff}', "\\uffff"))
        })
        .collect();
    fields.sort();
    fields
}

fn draft_fields(data: Option<&Data>) -> Vec<(String, String)> {
    fields(data.map_or("{}", Data::text))
}

/// Returns a label or type as this format represents it.
fn carried(format: Format, text: &str) -> String {
    let lost = |c: char| {
        (c < ' ' && !matches!(c, '\t' | '\n' | '\r')) || matches!(c, '\u{fffe}' | '\u{ffff}')
    };
    match format {
        Format::GraphMl => text
            .chars()
            .map(|c| if lost(c) { '\u{fffd}' } else { c })
            .collect(),
        _ => text.to_owned(),
    }
}

fn check(format: Format, seed: u64) {
    let (nodes, edges) = graph(seed);
    check_graph(format, seed, &nodes, &edges);
}

fn check_graph(format: Format, seed: u64, nodes: &[Node], edges: &[Edge]) {
    let (node_rows, edge_rows) = rows(nodes, edges);
    let text = match write(format, &node_rows, &edge_rows) {
        Ok(text) => text,
        Err(error) => {
            let ids = nodes
                .iter()
                .map(|node| &node.id)
                .chain(edges.iter().map(|edge| &edge.id));
            let lost = ids
                .filter(|id| id.contains(['\u{fffe}', '\u{ffff}']))
                .count();
            assert!(
                format == Format::GraphMl && lost > 0,
                "{format:?} {seed}: {error}"
            );
            return;
        }
    };
    let context = format!("{format:?}, seed {seed}:\n{text}");
    let drafts = read(format, &text).unwrap_or_else(|error| panic!("{error}\n{context}"));
    if format.lists_nodes() {
        assert_eq!(drafts.nodes.len(), nodes.len(), "{context}");
        for (node, draft) in nodes.iter().zip(&drafts.nodes) {
            assert_eq!(draft.id.as_ref(), Some(&node.id), "{context}");
            assert_eq!(draft.label, carried(format, &node.label), "{context}");
            assert_eq!(draft.kind, carried(format, &node.kind), "{context}");
            // Without data, the node would get the data of its type.
            assert!(draft.data.is_some(), "{context}");
            assert_eq!(
                draft_fields(draft.data.as_ref()),
                fields(&node.data),
                "{context}"
            );
            let position = draft.position.unwrap();
            assert!(position.x == node.x && position.y == node.y, "{context}");
            assert_eq!(draft.pinned.unwrap_or_default(), node.pinned, "{context}");
        }
    }
    assert_eq!(drafts.edges.len(), edges.len(), "{context}");
    for (edge, draft) in edges.iter().zip(&drafts.edges) {
        assert_eq!(draft.id.as_ref(), Some(&edge.id), "{context}");
        assert_eq!(
            (&draft.source, &draft.target),
            (&edge.source, &edge.target),
            "{context}"
        );
        assert_eq!(draft.label, carried(format, &edge.label), "{context}");
        assert_eq!(draft.kind, carried(format, &edge.kind), "{context}");
        assert_eq!(
            draft_fields(draft.data.as_ref()),
            fields(&edge.data),
            "{context}"
        );
    }
}

#[test]
fn graphs_at_random_are_read_back_as_they_were_written() {
    for seed in 0..1_000 {
        for format in Format::ALL {
            check(format, seed);
        }
    }
}

/// The random graphs cover their purpose: fields of data become attributes of every type, beside
/// fields that do not.
#[test]
fn graphs_at_random_have_attributes_of_every_type() {
    let mut files = String::new();
    for seed in 0..300 {
        let (nodes, edges) = graph(seed);
        let (nodes, edges) = rows(&nodes, &edges);
        if let Ok(text) = write(Format::GraphMl, &nodes, &edges) {
            files.push_str(&text);
        }
    }
    for value_type in ["boolean", "long", "double", "string"] {
        let named = files.lines().any(|line| {
            (line.starts_with("<key id=\"n0\"") || line.starts_with("<key id=\"e0\""))
                && line.ends_with(&format!("attr.type=\"{value_type}\"/>"))
        });
        assert!(named, "{value_type}");
    }
    assert!(files.contains("<data key=\"edge_data\">") && files.contains("<data key=\"data\">"));
}

#[test]
fn an_empty_graph_is_written_and_read_in_each_format() {
    for format in Format::ALL {
        let text = write(format, &[], &[]).unwrap();
        let drafts = read(format, &text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert!(drafts.nodes.is_empty() && drafts.edges.is_empty());
    }
}

/// Readers take an attribute that repeats the id, the label or an end for the item's own.
#[test]
fn data_that_repeats_the_item_is_kept() {
    let (mut nodes, mut edges) = graph(0);
    for node in &mut nodes {
        let (id, label) = (json(&node.id), json(&node.label));
        node.data = format!(
            r#"{{"id":{id},"value":{id},"name":{label},"key":{id},"label":{label},"position":{{"x":1,"y":2}}}}"#
        );
    }
    for edge in &mut edges {
        let (id, source) = (json(&edge.id), json(&edge.source));
        edge.data = format!(
            r#"{{"id":{id},"key":{id},"source":{source},"from":{source},"name":{id},"interaction":{id}}}"#
        );
    }
    for format in Format::ALL {
        check_graph(format, 0, &nodes, &edges);
    }
}

fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Cytoscape.js has one table of ids, so it does not show an edge that has the id of a node.
#[test]
fn edges_with_ids_of_nodes_have_others_in_cytoscape_and_come_back() {
    let node = |id: &str| Node {
        id: id.to_owned(),
        label: id.to_owned(),
        kind: "other".to_owned(),
        data: "{}".to_owned(),
        x: 0.0,
        y: 0.0,
        pinned: false,
    };
    let edge = |id: &str, data: &str| Edge {
        id: id.to_owned(),
        source: "a".to_owned(),
        target: "b".to_owned(),
        label: String::new(),
        kind: String::new(),
        data: data.to_owned(),
    };
    let long = "x".repeat(512);
    let nodes = ["a", "b", "edge:a", "a:2", &long].map(node);
    let edges = [
        edge("a", r#"{"originalId":"b","weight":1}"#),
        edge("b", r#"{"key":"a"}"#),
        edge("edge:b", r#"{"originalId":"b"}"#),
        edge("edge:a", "{}"),
        edge("a:2", "{}"),
        edge("edge:a:2", "{}"),
        edge(&long, "{}"),
        edge("own", r#"{"originalId":7}"#),
    ];
    for format in Format::ALL {
        check_graph(format, 0, &nodes, &edges);
    }
    let (node_rows, edge_rows) = rows(&nodes, &edges);
    let text = write(Format::Cytoscape, &node_rows, &edge_rows).unwrap();
    let file: serde_json::Value = serde_json::from_str(&text).unwrap();
    let mut seen = std::collections::HashSet::new();
    for list in ["nodes", "edges"] {
        for element in file["elements"][list].as_array().unwrap() {
            let id = element["data"]["id"].as_str().unwrap();
            assert!(seen.insert(id), "{id} stands twice: {text}");
        }
    }
    // A foreign file may have such a field with another meaning.
    let foreign =
        r#"[{"data":{"id":"n"}},{"data":{"id":"e","source":"n","target":"n","originalId":"f"}}]"#;
    let drafts = read(Format::Cytoscape, foreign).unwrap();
    assert_eq!(
        crate::support::edge_line(&drafts.edges[0]),
        r#"e | n | n |  |  | {"originalId":"f"}"#
    );
}
