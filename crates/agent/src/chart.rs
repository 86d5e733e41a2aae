//! Charts of results, made from the shape of the result alone, without a model. A chart is a
//! Vega-Lite specification without data, whose data set is named `rows`. It uses this subset: marks
//! `bar` and `line`; encodings `x`, `y`, `color` and `xOffset` with `field`, `type` and `title`,
//! and the sort of `x`.
//!
//! * one column of names and one of numbers: bars, in the order of the result
//! * one column of times and one of numbers: a line
//! * one column of names or times, one of names, one of numbers: grouped bars, or a line for each
//!   name
//!
//! A result of one row, of many points, or of another shape has no chart, because a table shows it
//! better.

use serde_json::{Map, Value, json};

use crate::limits::{MAX_CHART_POINTS, MAX_CHART_SERIES};

const SCHEMA: &str = "https://vega.github.io/schema/vega-lite/v5.json";

/// The kind of values in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ColumnKind {
    Number,
    Time,
    Name,
}

impl ColumnKind {
    fn vega(self) -> &'static str {
        match self {
            Self::Number => "quantitative",
            Self::Time => "temporal",
            Self::Name => "nominal",
        }
    }
}

/// Returns the chart of the rows, or `None` if a chart does not fit their shape.
pub fn of(columns: &[String], rows: &[Map<String, Value>]) -> Option<Value> {
    if rows.len() < 2 || rows.len() > MAX_CHART_POINTS {
        return None;
    }
    let kinds: Vec<ColumnKind> = columns
        .iter()
        .map(|column| kind_of(column, rows))
        .collect::<Option<_>>()?;
    match (columns, kinds.as_slice()) {
        ([x, y], [across, ColumnKind::Number]) if *across != ColumnKind::Number => {
            is_key(&[x], rows).then(|| simple(x, *across, y))
        }
        ([x, series, y], [across, ColumnKind::Name, ColumnKind::Number])
            if *across != ColumnKind::Number =>
        {
            let names = distinct(series, rows);
            (names <= MAX_CHART_SERIES && is_key(&[x, series], rows))
                .then(|| grouped(x, *across, series, y))
        }
        _ => None,
    }
}

fn simple(x: &str, across: ColumnKind, y: &str) -> Value {
    json!({
        "$schema": SCHEMA,
        "data": { "name": "rows" },
        "mark": if across == ColumnKind::Time { "line" } else { "bar" },
        "encoding": { "x": position(x, across), "y": position(y, ColumnKind::Number) },
    })
}

fn grouped(x: &str, across: ColumnKind, series: &str, y: &str) -> Value {
    let mut encoding = json!({
        "x": position(x, across),
        "y": position(y, ColumnKind::Number),
        "color": { "field": field(series), "type": "nominal", "title": series },
    });
    if across != ColumnKind::Time
        && let Some(fields) = encoding.as_object_mut()
    {
        fields.insert("xOffset".to_owned(), json!({ "field": field(series) }));
    }
    json!({
        "$schema": SCHEMA,
        "data": { "name": "rows" },
        "mark": if across == ColumnKind::Time { "line" } else { "bar" },
        "encoding": encoding,
    })
}

fn position(column: &str, kind: ColumnKind) -> Value {
    let mut channel = json!({ "field": field(column), "type": kind.vega(), "title": column });
    if kind == ColumnKind::Name
        && let Some(fields) = channel.as_object_mut()
    {
        // The rows are already in the order that the statement asked for.
        fields.insert("sort".to_owned(), Value::Null);
    }
    channel
}

/// Escapes the name of a column for Vega-Lite, which reads dots and brackets as a path into an
/// object.
fn field(column: &str) -> String {
    let mut escaped = String::with_capacity(column.len());
    for character in column.chars() {
        if matches!(character, '.' | '[' | ']' | '\\' | '\'' | '"') {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

/// Returns the kind of the values of a column, or `None` if they are of different kinds, of a kind
/// that charts do not use, or all null.
fn kind_of(column: &str, rows: &[Map<String, Value>]) -> Option<ColumnKind> {
    let mut found = None;
    for value in rows.iter().filter_map(|row| row.get(column)) {
        let kind = match value {
            Value::Null => continue,
            Value::Number(_) => ColumnKind::Number,
            Value::String(text) if is_date(text) => ColumnKind::Time,
            Value::String(_) => ColumnKind::Name,
            Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
        };
        match (found, kind) {
            (None, kind) => found = Some(kind),
            (Some(before), kind) if before == kind => {}
            (Some(ColumnKind::Time), ColumnKind::Name)
            | (Some(ColumnKind::Name), ColumnKind::Time) => {
                found = Some(ColumnKind::Name);
            }
            _ => return None,
        }
    }
    found
}

/// Returns true for `2024-03` and `2024-03-01`, with or without a time after it.
fn is_date(text: &str) -> bool {
    let date = text.split(['T', ' ']).next().unwrap_or_default();
    let mut parts = date.split('-');
    let digits = |part: Option<&str>, length: usize| {
        part.is_some_and(|part| {
            part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    digits(parts.next(), 4)
        && digits(parts.next(), 2)
        && parts.next().is_none_or(|day| digits(Some(day), 2))
        && parts.next().is_none()
}

/// Returns true if no two rows have the same values in these columns. Of two bars at the same
/// position, one would hide the other.
fn is_key(columns: &[&String], rows: &[Map<String, Value>]) -> bool {
    let mut seen = std::collections::HashSet::new();
    rows.iter().all(|row| {
        let key: Vec<String> = columns
            .iter()
            .map(|column| row.get(*column).map_or_else(String::new, Value::to_string))
            .collect();
        seen.insert(key)
    })
}

fn distinct(column: &str, rows: &[Map<String, Value>]) -> usize {
    let values: std::collections::HashSet<String> = rows
        .iter()
        .filter_map(|row| row.get(column))
        .map(Value::to_string)
        .collect();
    values.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(columns: &[&str], values: &[&[Value]]) -> (Vec<String>, Vec<Map<String, Value>>) {
        let names: Vec<String> = columns.iter().map(|name| (*name).to_owned()).collect();
        let rows = values
            .iter()
            .map(|row| names.iter().cloned().zip(row.iter().cloned()).collect())
            .collect();
        (names, rows)
    }

    fn chart(columns: &[&str], values: &[&[Value]]) -> Option<Value> {
        let (columns, rows) = rows(columns, values);
        of(&columns, &rows)
    }

    #[test]
    fn names_with_numbers_are_bars_in_the_order_of_the_result() {
        let chart = chart(
            &["city", "orders"],
            &[&[json!("Oslo"), json!(4)], &[json!("Bergen"), json!(2)]],
        )
        .expect("a chart");
        assert_eq!(chart["mark"], "bar");
        assert_eq!(chart["encoding"]["x"]["field"], "city");
        assert_eq!(chart["encoding"]["x"]["sort"], Value::Null);
        assert_eq!(chart["encoding"]["y"]["type"], "quantitative");
    }

    #[test]
    fn times_with_numbers_are_a_line() {
        let chart = chart(
            &["month", "mm"],
            &[
                &[json!("2024-01"), json!(4.5)],
                &[json!("2024-02"), json!(2)],
            ],
        )
        .expect("a chart");
        assert_eq!(chart["mark"], "line");
        assert_eq!(chart["encoding"]["x"]["type"], "temporal");
    }

    #[test]
    fn a_second_column_of_names_makes_series() {
        let chart = chart(
            &["year", "kind", "n"],
            &[
                &[json!("a"), json!("x"), json!(1)],
                &[json!("a"), json!("y"), json!(2)],
            ],
        )
        .expect("a chart");
        assert_eq!(chart["encoding"]["color"]["field"], "kind");
        assert_eq!(chart["encoding"]["xOffset"]["field"], "kind");
    }

    #[test]
    fn other_shapes_have_no_chart() {
        assert_eq!(chart(&["n"], &[&[json!(1)], &[json!(2)]]), None);
        assert_eq!(
            chart(&["a", "b"], &[&[json!("x"), json!(1)]]),
            None,
            "one row"
        );
        assert_eq!(
            chart(&["a", "b"], &[&[json!(1), json!(1)], &[json!(2), json!(1)]]),
            None,
            "two columns of numbers"
        );
        assert_eq!(
            chart(
                &["a", "b"],
                &[&[json!("x"), json!(1)], &[json!("x"), json!(2)]]
            ),
            None,
            "two bars in one position"
        );
        assert_eq!(
            chart(
                &["a", "b"],
                &[&[json!("x"), json!("1")], &[json!("y"), json!(2)]]
            ),
            None,
            "a column of texts and numbers"
        );
        assert_eq!(
            chart(
                &["a", "b"],
                &[&[json!("x"), Value::Null], &[json!("y"), Value::Null]]
            ),
            None
        );
    }

    #[test]
    fn a_name_with_dots_is_no_path_into_an_object() {
        let chart = chart(
            &["a.b[0]", "n"],
            &[&[json!("x"), json!(1)], &[json!("y"), json!(2)]],
        )
        .expect("a chart");
        assert_eq!(chart["encoding"]["x"]["field"], "a\\.b\\[0\\]");
        assert_eq!(chart["encoding"]["x"]["title"], "a.b[0]");
    }

    #[test]
    fn a_date_has_the_form_of_one() {
        for text in [
            "2024-03",
            "2024-03-01",
            "2024-03-01T10:00:00Z",
            "2024-03-01 10:00",
        ] {
            assert!(is_date(text), "{text}");
        }
        for text in [
            "2024",
            "24-03-01",
            "2024-3-1",
            "2024-03-01-02",
            "",
            "abcd-ef",
        ] {
            assert!(!is_date(text), "{text}");
        }
    }
}
