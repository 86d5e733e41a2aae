//! Our own JSON, in the form of a graph's routes.

use std::fmt::Write;

use serde_json::Value;

use super::{EdgeRow, NodeRow};
use crate::interchange::json_text;

pub(super) fn begin(out: &mut String) {
    out.push_str("{\"nodes\":[\n");
}

pub(super) fn node(node: &NodeRow<'_>, out: &mut String) {
    push_fields(
        out,
        &[("id", node.id), ("label", node.label), ("type", node.kind)],
    );
    // Writing to a String cannot fail.
    let _ = write!(
        out,
        ",\"data\":{},\"position\":{{\"x\":{},\"y\":{}}}",
        node.data,
        Value::from(node.x),
        Value::from(node.y)
    );
    if node.pinned {
        out.push_str(",\"pinned\":true");
    }
    push_times(out, node.created_at, node.updated_at);
}

pub(super) fn edge(edge: &EdgeRow<'_>, out: &mut String) {
    push_fields(
        out,
        &[
            ("id", edge.id),
            ("source", edge.source),
            ("target", edge.target),
            ("label", edge.label),
            ("type", edge.kind),
        ],
    );
    out.push_str(",\"data\":");
    out.push_str(edge.data);
    push_times(out, edge.created_at, edge.updated_at);
}

/// Writes `{"name":"text"` and so on: an object that is still open.
pub(super) fn push_fields(out: &mut String, fields: &[(&str, &str)]) {
    for (index, (name, text)) in fields.iter().enumerate() {
        out.push(if index == 0 { '{' } else { ',' });
        push_field(out, name, &json_text(text));
    }
}

/// Writes `"name":json`.
pub(super) fn push_field(out: &mut String, name: &str, json: &str) {
    out.push_str(&json_text(name));
    out.push(':');
    out.push_str(json);
}

fn push_times(out: &mut String, created_at: &str, updated_at: &str) {
    for (name, time) in [("createdAt", created_at), ("updatedAt", updated_at)] {
        out.push(',');
        push_field(out, name, &json_text(time));
    }
    out.push('}');
}
