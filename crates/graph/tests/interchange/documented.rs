//! The examples of `docs/graph-formats.md`.

use graph::interchange::{Format, detect, read};
use graph::mapping::Mapping;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::support::lines;

/// Returns the code blocks in a part of the page.
fn blocks(text: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut open: Option<String> = None;
    for line in text.lines() {
        match (&mut open, line.starts_with("```")) {
            (None, true) => open = Some(String::new()),
            (Some(_), true) => blocks.extend(open.take()),
            (Some(block), false) => {
                block.push_str(line);
                block.push('\n');
            }
            (None, false) => {}
        }
    }
    blocks
}

/// Returns the formats, and the rows of a query.
fn parts() -> (Vec<String>, Vec<String>) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/graph-formats.md");
    let page = std::fs::read_to_string(path).unwrap();
    let (formats, rows) = page.split_once("## Rows of a query").unwrap();
    (blocks(formats), blocks(rows))
}

/// Returns the lines of a graph. A node without a type has the type `other`.
fn expected(json: &str) -> Vec<String> {
    lines(&read(Format::Json, json).unwrap())
}

#[test]
fn files_of_the_page_become_the_graphs_of_the_page() {
    let (blocks, _) = parts();
    let mut formats = Vec::new();
    for example in blocks.chunks(2) {
        let format = detect(None, &example[0]).unwrap();
        formats.push(format);
        let found = lines(&read(format, &example[0]).unwrap());
        assert_eq!(found, expected(&example[1]), "{}", example[0]);
    }
    assert_eq!(formats, Format::ALL[1..]);
}

#[test]
fn rows_of_the_page_become_the_graph_of_the_page() {
    #[derive(Deserialize)]
    struct Result<'a> {
        columns: Vec<&'a str>,
        #[serde(borrow)]
        rows: Vec<&'a RawValue>,
    }
    #[derive(Deserialize)]
    struct Parts<'a> {
        #[serde(borrow)]
        nodes: &'a RawValue,
        #[serde(borrow)]
        edges: &'a RawValue,
    }
    let (_, blocks) = parts();
    let [result, mapping, graph] = blocks.as_slice() else {
        panic!("{} blocks", blocks.len());
    };
    let result: Result<'_> = serde_json::from_str(result).unwrap();
    let mapping: Parts<'_> = serde_json::from_str(mapping).unwrap();
    let mapping = Mapping::parse(Some(mapping.nodes), Some(mapping.edges)).unwrap();
    let mut rows = mapping.bind(&result.columns).unwrap();
    for row in result.rows {
        rows.row(row.get()).unwrap();
    }
    let mapped = rows.finish().unwrap();
    assert_eq!(lines(&mapped.drafts), expected(graph));
    assert_eq!((mapped.skipped_nodes, mapped.skipped_edges), (1, 1));
}
