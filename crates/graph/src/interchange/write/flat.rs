//! Node-link JSON and Cytoscape JSON, in which all attributes of an item are in one object.
//!
//! NetworkX loads both (`node_link_graph`, `cytoscape_graph`) as a directed multigraph whose keys
//! are the ids of edges. Times are left out: they would come back as data.

use std::fmt::Write;

use base::Result;
use serde_json::Value;

use super::json::{push_field, push_fields};
use super::renames::ORIGINAL_ID;
use super::split::Split;
use super::survey::Survey;
use super::{EdgeRow, NodeRow};
use crate::interchange::json_text;

/// Names that a field of data cannot have in node-link JSON.
const NODE_LINK_NODE: &[&str] = &[
    "id", "label", "type", "x", "y", "position", "pinned", "data",
];
const NODE_LINK_EDGE: &[&str] = &["id", "source", "target", "key", "label", "type", "data"];

/// Names that a field of data cannot have in Cytoscape JSON, where `parent` makes a compound node,
/// and `source` an edge.
const CYTOSCAPE_NODE: &[&str] = &[
    "id", "label", "type", "name", "value", "parent", "source", "target", "x", "y", "position",
    "pinned", "classes", "data",
];
const CYTOSCAPE_EDGE: &[&str] = &[
    ORIGINAL_ID,
    "id",
    "source",
    "target",
    "key",
    "label",
    "type",
    "classes",
    "data",
];

pub(super) fn begin_node_link(out: &mut String) {
    out.push_str("{\"directed\":true,\"multigraph\":true,\"graph\":{},\n\"nodes\":[\n");
}

pub(super) fn begin_cytoscape(out: &mut String) {
    out.push_str(
        "{\"directed\":true,\"multigraph\":true,\"data\":{},\n\"elements\":{\"nodes\":[\n",
    );
}

pub(super) fn node_link_node(node: &NodeRow<'_>, out: &mut String) -> Result<()> {
    push_fields(
        out,
        &[("id", node.id), ("label", node.label), ("type", node.kind)],
    );
    let _ = write!(
        out,
        ",\"x\":{},\"y\":{}",
        Value::from(node.x),
        Value::from(node.y)
    );
    if node.pinned {
        out.push_str(",\"pinned\":true");
    }
    push_data(out, node.data, NODE_LINK_NODE)
}

pub(super) fn node_link_edge(edge: &EdgeRow<'_>, out: &mut String) -> Result<()> {
    push_edge(out, edge);
    push_data(out, edge.data, NODE_LINK_EDGE)
}

pub(super) fn cytoscape_node(node: &NodeRow<'_>, out: &mut String) -> Result<()> {
    out.push_str("{\"data\":");
    push_fields(
        out,
        &[
            ("id", node.id),
            // NetworkX reads the id from `value` and the label from `name`; Cytoscape reads the
            // label from `name` as well.
            ("value", node.id),
            ("name", node.label),
            ("label", node.label),
            ("type", node.kind),
        ],
    );
    push_data(out, node.data, CYTOSCAPE_NODE)?;
    let _ = write!(
        out,
        ",\"position\":{{\"x\":{},\"y\":{}}}",
        Value::from(node.x),
        Value::from(node.y)
    );
    if node.pinned {
        out.push_str(",\"locked\":true");
    }
    out.push('}');
    Ok(())
}

pub(super) fn cytoscape_edge(survey: &Survey, edge: &EdgeRow<'_>, out: &mut String) -> Result<()> {
    out.push_str("{\"data\":");
    match survey.renames().of(edge.id) {
        None => push_edge(out, edge),
        Some(id) => {
            push_edge(out, &EdgeRow { id, ..*edge });
            out.push(',');
            push_field(out, ORIGINAL_ID, &json_text(edge.id));
        }
    }
    push_data(out, edge.data, CYTOSCAPE_EDGE)?;
    out.push('}');
    Ok(())
}

fn push_edge(out: &mut String, edge: &EdgeRow<'_>) {
    push_fields(
        out,
        &[
            ("id", edge.id),
            ("source", edge.source),
            ("target", edge.target),
            ("key", edge.id),
            ("label", edge.label),
            ("type", edge.kind),
        ],
    );
}

/// Writes the fields of data, and the end of the object.
fn push_data(out: &mut String, data: &str, taken: &[&str]) -> Result<()> {
    let split = Split::parse(data, |name, _| !taken.contains(&name))?;
    for (name, value) in &split.flat {
        out.push(',');
        push_field(out, name, value.get());
    }
    if let Some(rest) = &split.rest {
        out.push(',');
        push_field(out, "data", rest);
    }
    out.push('}');
    Ok(())
}
