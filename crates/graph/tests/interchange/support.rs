//! Drafts as lines of text, for comparison in tests.

use base::Error;
use graph::interchange::{Format, read};
use graph::model::{DEFAULT_NODE_TYPE, Drafts, EdgeDraft, NodeDraft};

/// Returns the content of a file of `files/`.
pub(crate) fn file(name: &str) -> String {
    let path = format!(
        "{}/tests/interchange/files/{name}",
        env!("CARGO_MANIFEST_DIR")
    );
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns `id | label | type | data | x,y | pinned`, with `-` for absent fields.
pub(crate) fn node_line(node: &NodeDraft) -> String {
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    [
        or_dash(node.id.clone()),
        node.label.clone(),
        match node.kind.as_str() {
            "" => DEFAULT_NODE_TYPE.to_owned(),
            kind => kind.to_owned(),
        },
        or_dash(node.data.as_ref().map(|data| data.text().to_owned())),
        or_dash(node.position.map(|at| format!("{},{}", at.x, at.y))),
        or_dash(node.pinned.map(|pinned| pinned.to_string())),
    ]
    .join(" | ")
}

/// Returns `id | source | target | label | type | data`.
pub(crate) fn edge_line(edge: &EdgeDraft) -> String {
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    [
        or_dash(edge.id.clone()),
        edge.source.clone(),
        edge.target.clone(),
        edge.label.clone(),
        edge.kind.clone(),
        or_dash(edge.data.as_ref().map(|data| data.text().to_owned())),
    ]
    .join(" | ")
}

/// Returns the lines of all nodes, then of all edges.
pub(crate) fn lines(drafts: &Drafts) -> Vec<String> {
    let nodes = drafts.nodes.iter().map(node_line);
    nodes.chain(drafts.edges.iter().map(edge_line)).collect()
}

/// Asserts that a text of this format has these nodes and edges.
#[track_caller]
pub(crate) fn check(format: Format, text: &str, expected: &[&str]) {
    match read(format, text) {
        Ok(drafts) => assert_eq!(lines(&drafts), expected, "{text}"),
        Err(error) => panic!("{text}\n{:?}", error.to_json()),
    }
}

/// Returns the error for a text of this format.
#[track_caller]
pub(crate) fn fails(format: Format, text: &str) -> Error {
    match read(format, text) {
        Err(error) => error,
        Ok(drafts) => panic!("{:.200} was read: {:.300}", text, lines(&drafts).join("\n")),
    }
}

/// Returns the issues of an error: `nodes[3] CODE message`.
pub(crate) fn issues(error: &Error) -> Vec<String> {
    let details = error.details();
    let listed = details["issues"].as_array().unwrap();
    listed
        .iter()
        .map(|issue| {
            format!(
                "{}[{}] {} {}",
                issue["list"].as_str().unwrap(),
                issue["index"],
                issue["code"].as_str().unwrap(),
                issue["message"].as_str().unwrap()
            )
        })
        .collect()
}
