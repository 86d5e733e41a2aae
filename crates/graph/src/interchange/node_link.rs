//! Node-link JSON: `{directed, multigraph, graph, nodes: [{id, …}], links: [{source, target, key,
//! …}]}`. The list of edges is called `links` or `edges`.
//!
//! Written by NetworkX (`node_link_data`) and read by d3. If no node has an id, as in files for d3
//! before version 4, a node's id is its index, by which the links refer to it. The direction of the
//! graph, and the attributes of the graph itself, are not kept.

use base::known::{self, Given};
use base::{Error, Result};
use serde_json::value::RawValue;

use super::attributes::{self, Around, Attributes};
use super::collector::Collector;
use super::lists;
use crate::model::{Drafts, EdgeDraft, NodeDraft};

const WHAT: &str = "node-link JSON {\"nodes\": […], \"links\": […]}";

const FIELDS: &[&str] = &["directed", "multigraph", "graph", "nodes", "links", "edges"];

/// The attributes that may be the label of an edge.
const EDGE_LABELS: &[&str] = &["label", "name"];

/// Parses a graph.
pub(super) fn read(text: &str) -> Result<Drafts> {
    let fields = lists::document(text, WHAT)?;
    known::check(
        Given::Field,
        fields.iter().map(|(name, _)| name.as_str()),
        FIELDS,
    )?;
    let list = |wanted: &str| -> Result<Option<Vec<&RawValue>>> {
        let found = fields.iter().find(|(name, _)| name == wanted);
        found.map(|(_, raw)| lists::items(wanted, raw)).transpose()
    };
    let nodes = list("nodes")?.ok_or_else(|| {
        Error::invalid_with_hint("the field nodes is missing", format!("send {WHAT}"))
    })?;
    let edges = match (list("links")?, list("edges")?) {
        (Some(_), Some(_)) => {
            return Err(Error::invalid(
                "the graph has both links and edges: send only one of them",
            ));
        }
        (links, edges) => links.or(edges).unwrap_or_default(),
    };
    let mut collector = Collector::default();
    let named = nodes.iter().any(|raw| {
        lists::object("a node", raw)
            .is_ok_and(|entries| entries.iter().any(|(name, _)| name == "id"))
    });
    for (index, raw) in nodes.into_iter().enumerate() {
        collector.node(node(raw, (!named).then_some(index)))?;
    }
    for raw in edges {
        collector.edge(edge(raw))?;
    }
    collector.finish()
}

fn node(raw: &RawValue, index: Option<usize>) -> Result<NodeDraft> {
    let mut attributes = Attributes::of_object(lists::object("a node", raw)?);
    let id = match index {
        Some(index) => index.to_string(),
        None => attributes
            .take_id("id")?
            .ok_or_else(|| Error::invalid("the field id is missing"))?,
    };
    let around = Around {
        id: Some(id),
        ..Around::default()
    };
    attributes::node(attributes, around)
}

fn edge(raw: &RawValue) -> Result<EdgeDraft> {
    let mut attributes = Attributes::of_object(lists::object("an edge", raw)?);
    let ends = (attributes.take_id("source")?, attributes.take_id("target")?);
    let id = attributes.take_id("id")?;
    attributes.take_repeated_id(id.as_deref());
    attributes::edge(attributes, id, ends, EDGE_LABELS)
}
