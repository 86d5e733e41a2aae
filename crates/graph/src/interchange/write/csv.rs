//! CSV of edges. Nodes, their labels, types, data and positions are not in it.

use base::Result;

use super::EdgeRow;
use super::split::Split;
use super::survey::{Survey, ValueType};
use crate::interchange::attributes::text_of;

/// The columns in front of those of data, and `data` for what has no column.
const COLUMNS: &[&str] = &["source", "target", "label", "type", "id", "data"];

pub(super) fn begin(survey: &Survey, out: &mut String) {
    let attributes = survey.edges().attributes().map(|(_, name, _)| name);
    push_row(out, COLUMNS.iter().copied().chain(attributes));
}

pub(super) fn edge(survey: &Survey, edge: &EdgeRow<'_>, out: &mut String) -> Result<()> {
    let fields = survey.edges();
    let split = Split::parse(edge.data, |name, _| fields.get(name).is_some())?;
    // An edge without data and one with empty data are the same.
    let rest = split.rest.filter(|rest| !is_empty(rest));
    let own = [edge.source, edge.target, edge.label, edge.kind, edge.id];
    let mut values = vec![None; fields.count()];
    for (name, value) in &split.flat {
        if let Some((index, value_type)) = fields.get(name)
            && let Some(found) = values.get_mut(index)
        {
            *found = match value_type {
                ValueType::Text => text_of(value.get()),
                _ => Some(value.get().to_owned()),
            };
        }
    }
    let attributes = fields.attributes().map(|(index, _, _)| {
        let value = values.get(index).and_then(Option::as_deref);
        value.unwrap_or_default()
    });
    let row = own.into_iter().chain([rest.as_deref().unwrap_or_default()]);
    push_row(out, row.chain(attributes));
    Ok(())
}

fn is_empty(object: &str) -> bool {
    let inner = object.trim_start_matches('{').trim_end_matches('}');
    inner.trim().is_empty()
}

fn push_row<'f>(out: &mut String, fields: impl Iterator<Item = &'f str>) {
    for (index, field) in fields.enumerate() {
        if index > 0 {
            out.push(',');
        }
        if field.contains([',', '"', '\r', '\n', '\t', ';', '|']) {
            out.push('"');
            out.push_str(&field.replace('"', "\"\""));
            out.push('"');
        } else {
            out.push_str(field);
        }
    }
    // What RFC 4180 ends lines with.
    out.push_str("\r\n");
}
