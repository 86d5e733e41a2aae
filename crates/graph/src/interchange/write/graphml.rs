//! GraphML that NetworkX, igraph, Gephi and Cytoscape load: a directed graph with a key for each
//! attribute.
//!
//! XML cannot contain most control characters. In `data` they are escaped as in JSON; in labels and
//! types each becomes U+FFFD.

use std::fmt::Write;

use base::Result;
use serde_json::Value;

use super::graphml_keys::{EDGE_KEYS, NODE_KEYS};
use super::split::Split;
use super::survey::{Fields, Survey, ValueType};
use super::xml_text::is_xml_character;
use super::{EdgeRow, NodeRow};
use crate::interchange::attributes::text_of;

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" \
xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" \
xsi:schemaLocation=\"http://graphml.graphdrawing.org/xmlns \
http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd\">\n";

pub(super) fn begin(survey: &Survey, out: &mut String) {
    out.push_str(HEAD);
    for (of, keys, fields, prefix) in [
        ("node", NODE_KEYS, survey.nodes(), 'n'),
        ("edge", EDGE_KEYS, survey.edges(), 'e'),
    ] {
        for key in keys {
            push_key(out, key.id, of, key.name, key.r#type);
        }
        for (index, name, value_type) in fields.attributes() {
            let r#type = match value_type {
                ValueType::Boolean => "boolean",
                ValueType::Integer => "long",
                ValueType::Number => "double",
                ValueType::Text => "string",
            };
            push_key(out, &format!("{prefix}{index}"), of, name, r#type);
        }
    }
    out.push_str("<graph id=\"G\" edgedefault=\"directed\">\n");
}

fn push_key(out: &mut String, id: &str, of: &str, name: &str, r#type: &str) {
    let name = escaped(name);
    // Writing to a String cannot fail.
    let _ = writeln!(
        out,
        "<key id=\"{id}\" for=\"{of}\" attr.name=\"{name}\" attr.type=\"{type}\"/>"
    );
}

pub(super) fn node(survey: &Survey, node: &NodeRow<'_>, out: &mut String) -> Result<()> {
    let _ = write!(out, "<node id=\"{}\">", escaped(node.id));
    push_value(out, "label", node.label);
    push_value(out, "type", node.kind);
    push_value(out, "x", &Value::from(node.x).to_string());
    push_value(out, "y", &Value::from(node.y).to_string());
    if node.pinned {
        push_value(out, "pinned", "true");
    }
    push_data(out, survey.nodes(), node.data, ('n', "data"))?;
    out.push_str("</node>\n");
    Ok(())
}

pub(super) fn edge(survey: &Survey, edge: &EdgeRow<'_>, out: &mut String) -> Result<()> {
    let _ = write!(
        out,
        "<edge id=\"{}\" source=\"{}\" target=\"{}\">",
        escaped(edge.id),
        escaped(edge.source),
        escaped(edge.target)
    );
    push_value(out, "edge_label", edge.label);
    push_value(out, "edge_type", edge.kind);
    push_data(out, survey.edges(), edge.data, ('e', "edge_data"))?;
    out.push_str("</edge>\n");
    Ok(())
}

fn push_data(
    out: &mut String,
    fields: &Fields,
    data: &str,
    (prefix, rest_key): (char, &str),
) -> Result<()> {
    let split = Split::parse(data, |name, _| fields.get(name).is_some())?;
    for (name, value) in &split.flat {
        let Some((index, value_type)) = fields.get(name) else {
            continue;
        };
        let text = match value_type {
            ValueType::Text => text_of(value.get()).unwrap_or_default(),
            ValueType::Boolean | ValueType::Integer | ValueType::Number => value.get().to_owned(),
        };
        push_value(out, &format!("{prefix}{index}"), &text);
    }
    if let Some(rest) = &split.rest {
        push_value(out, rest_key, &carried_by_json(rest));
    }
    Ok(())
}

fn push_value(out: &mut String, key: &str, text: &str) {
    let _ = write!(out, "<data key=\"{key}\">{}</data>", escaped(text));
}

/// Returns JSON in which U+FFFE and U+FFFF are escaped: JSON does not need it, but XML cannot
/// contain them.
fn carried_by_json(json: &str) -> String {
    json.replace('\u{fffe}', "\\ufffe")
        .replace('\u{ffff}', "\\uffff")
}

/// Escapes a text for content and attributes. Line ends and tabs become character references,
/// because readers would change them.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' | '\u{85}' | '\u{2028}' => {
                let _ = write!(out, "&#{};", u32::from(character));
            }
            other if is_xml_character(other) => out.push(other),
            _ => out.push('\u{fffd}'),
        }
    }
    out
}
