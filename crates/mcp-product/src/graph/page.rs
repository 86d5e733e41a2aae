//! Pages of nodes and edges, of found nodes, and of steps, with as many items as fit into a result,
//! which contains each item twice: as text and as JSON.
//!
//! An item stays the JSON text that the object wrote, so that 64-bit integers remain exact. An item
//! that would take a large part of a result loses its `data` and is marked as truncated. If fewer
//! items fit than the object returned, the page is requested again with that number, so that its
//! cursor is the object's own.

use base::entries::Fields;
use base::{Error, Result};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::results::at;
use crate::results::tokens::{cut, estimate};
use graph::telling::{Labels, named, node_line, text};
use operation::declaration::Pages;

/// Tokens of the parts around the items: counts, cursor, names of fields, the graph.
const FRAME_TOKENS: usize = 500;

/// Tokens of an item in addition to its line and its JSON.
const ITEM_TOKENS: usize = 4;

/// The share of a page's tokens that one item with its data may take, as a divisor. It lets a few
/// nodes with long texts fit on a page.
const PARTS_OF_AN_ITEM: usize = 4;

/// Tokens that remain of a label that is too long.
const LABEL_TOKENS: usize = 100;

/// An item of a page.
#[derive(Debug)]
pub struct Item {
    /// JSON text.
    raw: String,
    /// The same as a value.
    value: Value,
    is_edge: bool,
}

/// A page returned by the object.
#[derive(Debug)]
pub struct Page {
    kind: Pages,
    /// The items; edges come last.
    items: Vec<Item>,
    /// The members of `data` beside the lists, if `data` is an object.
    within: Vec<(String, String)>,
    /// The members of the response beside `data`.
    around: Vec<(String, String)>,
}

type Members = Fields<Box<RawValue>>;

fn unreadable(error: &serde_json::Error) -> Error {
    Error::internal(format!("the page of the graph cannot be read: {error}"))
}

fn read<'r, T: serde::Deserialize<'r>>(raw: &'r str) -> Result<T> {
    serde_json::from_str(raw).map_err(|error| unreadable(&error))
}

impl Page {
    /// Parses the members of a response.
    ///
    /// # Errors
    /// `INTERNAL` if they are not a page.
    pub fn read(kind: Pages, members: &str) -> Result<Self> {
        let Fields(fields) = read::<Members>(&format!("{{{members}}}"))?;
        let mut page = Self {
            kind,
            items: Vec::new(),
            within: Vec::new(),
            around: Vec::new(),
        };
        let mut edges = Vec::new();
        for (name, raw) in fields {
            match (name.as_str(), kind) {
                ("data", Pages::State) => {
                    let Fields(lists) = read::<Members>(raw.get())?;
                    for (name, raw) in lists {
                        match name.as_str() {
                            "nodes" => page.items = items(&raw, false)?,
                            "edges" => edges = items(&raw, true)?,
                            _ => page.within.push((name, raw.get().to_owned())),
                        }
                    }
                }
                ("data", _) => page.items = items(&raw, false)?,
                _ => page.around.push((name, raw.get().to_owned())),
            }
        }
        page.items.append(&mut edges);
        Ok(page)
    }

    /// Returns the number of items.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns the nodes or the steps.
    pub fn nodes(&self) -> impl Iterator<Item = &Value> {
        self.items
            .iter()
            .filter(|item| !item.is_edge)
            .map(|item| &item.value)
    }

    /// Returns the edges.
    pub fn edges(&self) -> impl Iterator<Item = &Value> {
        self.items
            .iter()
            .filter(|item| item.is_edge)
            .map(|item| &item.value)
    }

    /// Returns a member beside the lists.
    pub fn member(&self, name: &str) -> Value {
        let mut members = self.within.iter().chain(&self.around);
        let found = members.find(|(known, _)| known == name);
        found
            .and_then(|(_, raw)| serde_json::from_str(raw).ok())
            .unwrap_or_default()
    }

    /// Shortens items that are too long, and returns the number of items that fit into the tokens.
    pub fn fit(&mut self, labels: &Labels, max_tokens: usize) -> usize {
        let mut left = max_tokens.saturating_sub(FRAME_TOKENS);
        let most = left / PARTS_OF_AN_ITEM;
        let mut count = 0;
        for item in &mut self.items {
            let mut cost = item.tokens(self.kind, labels);
            if cost > most {
                item.shorten();
                cost = item.tokens(self.kind, labels);
            }
            let Some(rest) = left.checked_sub(cost) else {
                break;
            };
            left = rest;
            count += 1;
        }
        count
    }

    /// Renders a line for each node or step, and a line for each edge.
    pub fn lines(&self, labels: &Labels) -> (Vec<String>, Vec<String>) {
        let of = |edges: bool| {
            let items = self.items.iter().filter(|item| item.is_edge == edges);
            items.map(|item| item.line(self.kind, labels)).collect()
        };
        (of(false), of(true))
    }

    /// Renders the members as JSON text.
    pub fn members(&self) -> String {
        let list = |edges: bool| {
            let items = self.items.iter().filter(|item| item.is_edge == edges);
            let texts: Vec<&str> = items.map(|item| item.raw.as_str()).collect();
            format!("[{}]", texts.join(","))
        };
        let data = match self.kind {
            Pages::State => {
                let mut data = format!(r#"{{"nodes":{},"edges":{}"#, list(false), list(true));
                push_members(&mut data, &self.within);
                data.push('}');
                data
            }
            Pages::Nodes | Pages::Steps => list(false),
        };
        let mut members = format!(r#""data":{data}"#);
        push_members(&mut members, &self.around);
        members
    }
}

fn push_members(text: &mut String, members: &[(String, String)]) {
    for (name, raw) in members {
        text.push_str(&format!(",{}:{raw}", Value::from(name.as_str())));
    }
}

fn items(raw: &RawValue, is_edge: bool) -> Result<Vec<Item>> {
    let list: Vec<&RawValue> = read(raw.get())?;
    list.into_iter()
        .map(|raw| {
            Ok(Item {
                raw: raw.get().to_owned(),
                value: read(raw.get())?,
                is_edge,
            })
        })
        .collect()
}

impl Item {
    fn tokens(&self, kind: Pages, labels: &Labels) -> usize {
        estimate(&self.line(kind, labels)) + estimate(&self.raw) + ITEM_TOKENS
    }

    /// Removes the data and cuts the texts.
    fn shorten(&mut self) {
        if let Some(fields) = self.value.as_object_mut() {
            // A step has a description instead of data.
            fields.shift_remove("data");
            for name in ["label", "type", "description"] {
                if let Some(Value::String(text)) = fields.get_mut(name) {
                    *text = cut(text, LABEL_TOKENS);
                }
            }
            fields.insert("truncated".to_owned(), true.into());
        }
        self.raw = self.value.to_string();
    }

    fn line(&self, kind: Pages, labels: &Labels) -> String {
        match (kind, self.is_edge) {
            (Pages::Steps, _) => step(&self.value),
            (_, false) => format!("- {}", node_line(&self.value, labels)),
            (_, true) => edge(&self.value, labels),
        }
    }
}

/// Renders an edge: `TP53 -> Type 2 Diabetes (associated_with)`.
fn edge(value: &Value, labels: &Labels) -> String {
    let ends = format!(
        "- {} -> {}",
        labels.of(at(value, "source")),
        labels.of(at(value, "target"))
    );
    match text(value, "label") {
        "" => ends,
        label => format!("{ends} ({})", named(label)),
    }
}

/// Renders a step: `12 Added node: TP53 (mcp, 2026-11-23T18:52:22Z)`.
fn step(value: &Value) -> String {
    let undone = if at(value, "undone") == true {
        ", undone"
    } else {
        ""
    };
    format!(
        "- {} {} ({}, {}{undone})",
        at(value, "version"),
        named(text(value, "description")),
        text(value, "actor"),
        text(value, "createdAt")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const STATE: &str = r#""data":{"nodes":[{"id":"a","label":"TP53","type":"gene","data":{"n":9007199254740993}},{"id":"b","label":"T2D","type":"disease","data":{}}],"edges":[{"id":"e","source":"a","target":"b","label":"","type":""}],"metadata":{"nodeCount":2}},"nextCursor":null"#;

    fn labels(page: &Page) -> Labels {
        let mut labels = Labels::default();
        labels.learn(page.nodes());
        labels
    }

    #[test]
    fn a_page_that_fits_stays_as_it_was_written() {
        let mut page = Page::read(Pages::State, STATE).unwrap();
        let labels = labels(&page);
        assert_eq!((page.fit(&labels, 10_000), page.len()), (3, 3));
        assert_eq!(page.members(), STATE);
        assert_eq!(page.member("metadata"), json!({"nodeCount": 2}));
        let (nodes, edges) = page.lines(&labels);
        assert_eq!(
            (nodes[0].as_str(), edges[0].as_str()),
            ("- TP53 (gene)", "- TP53 -> T2D")
        );
    }

    #[test]
    fn items_that_do_not_fit_are_counted_and_long_ones_lose_their_data() {
        let node = |label: &str, data: &str| json!({"id": label, "label": label, "type": "gene", "data": {"text": data}});
        let many: Vec<Value> = (0..500)
            .map(|at| node(&format!("n{at}"), "some words"))
            .collect();
        let members = format!(r#""data":{},"nextCursor":null"#, json!(many));
        let mut page = Page::read(Pages::Nodes, &members).unwrap();
        let fits = page.fit(&Labels::default(), 3_000);
        assert!(fits > 20 && fits < 200, "{fits}");

        let long = vec![
            node(&"label ".repeat(600), &"word ".repeat(20_000)),
            node("short", ""),
        ];
        let members = format!(r#""data":{},"nextCursor":null"#, json!(long));
        let mut page = Page::read(Pages::Nodes, &members).unwrap();
        // The id of a node is never cut; here it has the maximum length.
        assert_eq!(page.fit(&Labels::default(), 8_000), 2);
        let shown: Value = serde_json::from_str(&format!("{{{}}}", page.members())).unwrap();
        assert_eq!(
            (&shown["data"][0]["truncated"], &shown["data"][0]["data"]),
            (&json!(true), &Value::Null)
        );
        assert_eq!(shown["data"][1], long[1]);
    }

    #[test]
    fn a_step_is_a_line() {
        let members = r#""data":[{"version":7,"description":"Added node: TP53","actor":"mcp","createdAt":"t","undone":true}]"#;
        let page = Page::read(Pages::Steps, members).unwrap();
        assert_eq!(
            page.lines(&Labels::default()).0,
            ["- 7 Added node: TP53 (mcp, t, undone)"]
        );
        assert!(Page::read(Pages::Steps, r#""data":5"#).is_err());
    }
}
