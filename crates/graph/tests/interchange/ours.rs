//! The committed `ours.*` files equal the output of the writers. `CODEMODE_UPDATE_FILES=1` writes
//! them; `check.py` loads them in other programs.

use graph::interchange::{EdgeRow, Format, NodeRow, read, write};

use crate::support::{file, lines};

const TIME: &str = "2026-01-02T03:04:05.678Z";

fn node<'a>(
    id: &'a str,
    label: &'a str,
    kind: &'a str,
    data: &'a str,
    at: (f64, f64),
) -> NodeRow<'a> {
    NodeRow {
        id,
        label,
        kind,
        data,
        x: at.0,
        y: at.1,
        pinned: false,
        created_at: TIME,
        updated_at: TIME,
    }
}

fn edge<'a>(id: &'a str, ends: (&'a str, &'a str), label: &'a str, data: &'a str) -> EdgeRow<'a> {
    EdgeRow {
        id,
        source: ends.0,
        target: ends.1,
        label,
        kind: "biological",
        data,
        created_at: TIME,
        updated_at: TIME,
    }
}

/// Returns a graph with names beyond ASCII, attributes of every type, parallel edges and a
/// self-loop.
fn graph() -> (Vec<NodeRow<'static>>, Vec<EdgeRow<'static>>) {
    let (gene, disease, drug) = ("NCBIGene:7157", "MONDO:0005148", "CHEBI/50924 %😀");
    let nodes = vec![
        node(
            gene,
            "TP53",
            "gene",
            r#"{"hits":12,"score":0.5,"essential":true,"name":"tumor protein"}"#,
            (-150.0, -100.5),
        ),
        NodeRow {
            pinned: true,
            ..node(
                disease,
                "Type 2 Diabetes",
                "disease",
                r#"{"synonyms":["T2D","a <b> & \"c\""],"hits":3}"#,
                (0.0, 0.25),
            )
        },
        node(drug, "Sorafenib\nTosylate", "drug", "{}", (1e9, 3.0)),
    ];
    let edges = vec![
        edge(
            "edge_1",
            (gene, disease),
            "associated_with",
            r#"{"weight":0.25,"source":"curated"}"#,
        ),
        edge(
            "edge_2",
            (gene, disease),
            "measured, twice",
            r#"{"weight":4}"#,
        ),
        edge("edge_3", (drug, drug), "", "{}"),
    ];
    (nodes, edges)
}

/// Returns edges that differ only in their ids or their data, and edges with the ids of nodes.
fn parallel() -> (Vec<NodeRow<'static>>, Vec<EdgeRow<'static>>) {
    let named = |id: &'static str| node(id, id, "gene", "{}", (0.0, 0.0));
    let edges = vec![
        edge("e1", ("a", "b"), "cites", r#"{"weight":0.5}"#),
        edge("e2", ("a", "b"), "cites", r#"{"weight":0.5}"#),
        edge("a", ("a", "b"), "cites", r#"{"weight":2.5}"#),
        edge("0", ("a", "b"), "cites", "{}"),
        edge("b", ("b", "a"), "", r#"{"weight":1.5}"#),
        edge("1", ("b", "b"), "", "{}"),
    ];
    (vec![named("a"), named("b")], edges)
}

#[test]
fn the_committed_files_are_what_is_written() {
    check_files("ours", &graph());
    check_files("ours-parallel", &parallel());
}

fn check_files(name: &str, (nodes, edges): &(Vec<NodeRow<'_>>, Vec<EdgeRow<'_>>)) {
    for (format, ending) in [
        (Format::Json, "json"),
        (Format::NodeLink, "node-link.json"),
        (Format::Cytoscape, "cyjs"),
        (Format::GraphMl, "graphml"),
        (Format::Csv, "csv"),
    ] {
        let name = format!("{name}.{ending}");
        let text = write(format, nodes, edges).unwrap();
        if std::env::var_os("CODEMODE_UPDATE_FILES").is_some() {
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/interchange/files");
            std::fs::write(format!("{folder}/{name}"), &text).unwrap();
        }
        assert_eq!(text, file(&name), "{name}");
    }
}

#[test]
fn the_committed_files_of_ours_are_one_graph() {
    let json = lines(&read(Format::Json, &file("ours.json")).unwrap());
    assert_eq!(json.len(), 6);
    let ends = |line: &String| line.split(" | ").take(3).collect::<Vec<_>>().join(" | ");
    for (format, name) in [
        (Format::NodeLink, "ours.node-link.json"),
        (Format::Cytoscape, "ours.cyjs"),
        (Format::GraphMl, "ours.graphml"),
    ] {
        let found = lines(&read(format, &file(name)).unwrap());
        assert_eq!(
            found.iter().map(ends).collect::<Vec<_>>(),
            json.iter().map(ends).collect::<Vec<_>>(),
            "{name}"
        );
    }
}

/// Returns a line with the fields of its data sorted.
fn sorted(line: &str) -> String {
    let data = line
        .split(" | ")
        .find(|part| part.starts_with('{'))
        .unwrap_or("{}");
    let mut fields: Vec<String> =
        serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(data)
            .unwrap()
            .into_iter()
            .map(|(name, value)| match value.as_f64() {
                // Python writes the integers of a column of doubles with a fraction.
                Some(number) => format!("{name}:{number}"),
                None => format!("{name}:{value}"),
            })
            .collect();
    fields.sort();
    line.replace(data, &fields.join(","))
}

#[test]
fn what_networkx_writes_of_our_files_is_the_same_graph() {
    for (format, ours, theirs) in [
        (
            Format::NodeLink,
            "ours.node-link.json",
            "networkx-of-ours.node-link.json",
        ),
        (Format::GraphMl, "ours.graphml", "networkx-of-ours.graphml"),
    ] {
        let graph = |name: &str| -> Vec<String> {
            let lines = lines(&read(format, &file(name)).unwrap());
            lines.iter().map(|line| sorted(line)).collect()
        };
        let expected = graph(ours);
        assert!(
            expected[1].contains("true") && expected.len() == 6,
            "{expected:?}"
        );
        assert_eq!(graph(theirs), expected, "{theirs}");
    }
}
