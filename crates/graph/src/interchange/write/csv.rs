//! CSV of edges. It does not contain nodes, nor their labels, types, data and positions.

use base::Result;
use base::formulas::Formulas;

use super::EdgeRow;
use super::split::Split;
use super::survey::{Survey, ValueType};
use crate::interchange::attributes::text_of;

/// The columns before those of data. `data` is for the fields that have no column.
const COLUMNS: &[&str] = &["source", "target", "label", "type", "id", "data"];

pub(super) fn begin(survey: &Survey, out: &mut String) {
    let attributes = survey.edges().attributes().map(|(_, name, _)| name);
    push_row(
        out,
        survey.formulas(),
        COLUMNS.iter().copied().chain(attributes),
    );
}

pub(super) fn edge(survey: &Survey, edge: &EdgeRow<'_>, out: &mut String) -> Result<()> {
    let fields = survey.edges();
    let split = Split::parse(edge.data, |name, _| fields.get(name).is_some())?;
    // Empty data is written like absent data.
    let rest = split.rest.filter(|rest| !is_empty(rest));
    let own = [edge.source, edge.target, edge.label, edge.kind, edge.id];
    let mut values = vec![None; fields.count()];
    for (name, value) in &split.flat {
        if let Some((index, value_type)) = fields.get(name)
            && let Some(found) = values.get_mut(index)
        {
            *found = match value_type {
                ValueType::Text => text_of(value.get()),
                ValueType::Boolean | ValueType::Integer | ValueType::Number => {
                    Some(value.get().to_owned())
                }
            };
        }
    }
    let attributes = fields.attributes().map(|(index, _, _)| {
        let value = values.get(index).and_then(Option::as_deref);
        value.unwrap_or_default()
    });
    let row = own.into_iter().chain([rest.as_deref().unwrap_or_default()]);
    push_row(out, survey.formulas(), row.chain(attributes));
    Ok(())
}

fn is_empty(object: &str) -> bool {
    let inner = object.trim_start_matches('{').trim_end_matches('}');
    inner.trim().is_empty()
}

fn push_row<'f>(out: &mut String, formulas: Formulas, fields: impl Iterator<Item = &'f str>) {
    for (index, field) in fields.enumerate() {
        if index > 0 {
            out.push(',');
        }
        let (field, is_escaped) = formulas.cell(field);
        if is_escaped || field.contains([',', '"', '\r', '\n', '\t', ';', '|']) {
            out.push('"');
            out.push_str(&field.replace('"', "\"\""));
            out.push('"');
        } else {
            out.push_str(&field);
        }
    }
    // RFC 4180 ends lines with CRLF.
    out.push_str("\r\n");
}

#[cfg(test)]
mod tests {
    use super::super::{EdgeRow, NodesWriter, Survey};
    use crate::interchange::Format;
    use base::formulas::Formulas;

    #[test]
    fn formulas_are_escaped_where_the_caller_wants_that() {
        let edge = EdgeRow {
            id: "e1",
            source: "=1+1",
            target: "b",
            label: "@x",
            kind: "-5",
            data: r#"{"=key":"+1+1","weight":-2}"#,
            created_at: "",
            updated_at: "",
        };
        for (formulas, wanted) in [
            (
                Formulas::Keep,
                "source,target,label,type,id,data,=key,weight\r\n=1+1,b,@x,-5,e1,,+1+1,-2\r\n",
            ),
            (
                Formulas::Escape,
                "source,target,label,type,id,data,\"'=key\",weight\r\n\"'=1+1\",b,\"'@x\",-5,e1,,\"'+1+1\",-2\r\n",
            ),
        ] {
            let mut survey = Survey::new(Format::Csv).with_formulas(formulas);
            survey.edge(&edge).unwrap();
            let mut text = String::new();
            let mut edges = NodesWriter::begin(survey, &mut text).edges(&mut text);
            edges.edge(&edge, &mut text).unwrap();
            edges.finish(&mut text);
            assert_eq!(text, wanted);
        }
    }
}
