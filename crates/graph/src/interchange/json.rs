//! Our own JSON: `{nodes, edges}` as the routes of a graph accept and return it.
//!
//! The responses of `getGraphState` and `exportGraph` are accepted as well: `{success, data:
//! {nodes, edges, metadata}}`. Metadata and the times of items are ignored, because an import has
//! its own version and times.

use base::known::{self, Given};
use base::{Error, Result};
use serde_json::value::RawValue;

use super::collector::Collector;
use super::lists;
use crate::drafts;
use crate::model::Drafts;

const WHAT: &str = "a JSON object {\"nodes\": […], \"edges\": […]}";

/// The fields of a graph.
const GRAPH: &[&str] = &["nodes", "edges", "metadata"];

/// The fields of a response that contains a graph.
const RESPONSE: &[&str] = &["success", "data", "nextCursor", "version", "metadata"];

/// Parses a graph.
pub(super) fn read(text: &str) -> Result<Drafts> {
    let fields = lists::document(text, WHAT)?;
    let Some((_, data)) = fields.iter().find(|(name, _)| name == "data") else {
        return graph(&fields);
    };
    known::check(Given::Field, names(&fields), RESPONSE)?;
    let cursor = fields.iter().find(|(name, _)| name == "nextCursor");
    if cursor.is_some_and(|(_, cursor)| cursor.get() != "null") {
        return Err(Error::invalid_with_hint(
            "this is only one page of a graph: its nextCursor refers to the next page",
            "import the result of exportGraph; to import only this page, remove nextCursor",
        ));
    }
    graph(&lists::document(data.get(), WHAT)?)
}

fn names<'f>(fields: &'f [(String, &RawValue)]) -> impl Iterator<Item = &'f str> {
    fields.iter().map(|(name, _)| name.as_str())
}

fn graph(fields: &[(String, &RawValue)]) -> Result<Drafts> {
    known::check(Given::Field, names(fields), GRAPH)?;
    let list = |wanted: &str| fields.iter().find(|(name, _)| name == wanted);
    if list("nodes").is_none() && list("edges").is_none() {
        return Err(Error::invalid_with_hint(
            "there are neither nodes nor edges",
            format!("send {WHAT}"),
        ));
    }
    let mut collector = Collector::default();
    if let Some((name, raw)) = list("nodes") {
        for item in lists::items(name, raw)? {
            collector.node(drafts::node(item))?;
        }
    }
    if let Some((name, raw)) = list("edges") {
        for item in lists::items(name, raw)? {
            collector.edge(drafts::edge(item))?;
        }
    }
    collector.finish()
}
