//! Makes the statements that read sample values of a table, and the JSON that describes the table
//! to a model.

use std::collections::HashSet;

use base::entries::Entries;
use base::text;
use database::Cell;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use sql_gate::RowShape;
use sql_gate::compose::quote_identifier;
use sql_gate::value::{finish, row_expression};

use crate::inspect::{Table, TableColumn};
use crate::limits::{
    SCHEMA_DISTINCT_ROWS, SCHEMA_DISTINCT_VALUES, SCHEMA_SAMPLE_ROWS, SCHEMA_SAMPLES,
    SCHEMA_VALUE_BYTES, SCHEMA_VALUE_CHARACTERS,
};

/// Sample values, by column.
pub(crate) type Samples = Vec<Vec<Box<RawValue>>>;

/// Returns a statement that reads the first rows, each as one JSON text. A long value is read as
/// NULL.
pub(crate) fn samples_text(table: &Table) -> String {
    let names = table.visible_names();
    let values: Vec<String> = names
        .iter()
        .map(|name| {
            let name = quote_identifier(name);
            format!(
                "CASE WHEN octet_length({name}) > {SCHEMA_VALUE_BYTES} THEN NULL WHEN typeof({name}) IN ('text', 'blob') \
                 THEN substr({name}, 1, {}) ELSE {name} END",
                SCHEMA_VALUE_CHARACTERS + 1
            )
        })
        .collect();
    let row = row_expression(&values, &numbered(names.len()), RowShape::Object);
    format!(
        "SELECT {row} FROM {} LIMIT {SCHEMA_SAMPLE_ROWS}",
        quote_identifier(&table.name)
    )
}

/// Returns the rows of that statement, by column.
pub(crate) fn read_samples(table: &Table, rows: Vec<Vec<Cell>>) -> Samples {
    let mut columns: Samples = table.visible_names().iter().map(|_| Vec::new()).collect();
    for cells in rows {
        let json = cells
            .into_iter()
            .next()
            .map_or_else(String::new, Cell::into_text);
        let json = finish(json);
        let Ok(row) = serde_json::from_str::<Entries<String, Box<RawValue>>>(&json) else {
            continue;
        };
        for (column, (_, value)) in columns.iter_mut().zip(row.0) {
            column.push(value);
        }
    }
    columns
}

/// Returns a statement that reads all different values of a text column, up to one more than is
/// shown.
pub(crate) fn distinct_text(table: &str, column: &str) -> String {
    let (table, column) = (quote_identifier(table), quote_identifier(column));
    format!(
        "SELECT DISTINCT value FROM (SELECT CASE WHEN octet_length({column}) > {SCHEMA_VALUE_BYTES} THEN zeroblob(1) ELSE {column} END \
         AS value FROM {table} LIMIT {}) WHERE value IS NOT NULL LIMIT {}",
        SCHEMA_DISTINCT_ROWS + 1,
        SCHEMA_DISTINCT_VALUES + 1
    )
}

/// Returns the values that this statement found; `None` if there are too many, or one is too long.
pub(crate) fn read_distinct(rows: Vec<Vec<Cell>>) -> Option<Vec<String>> {
    if rows.len() > SCHEMA_DISTINCT_VALUES {
        return None;
    }
    let cells = rows.into_iter().filter_map(|row| row.into_iter().next());
    let values: Option<Vec<String>> = cells
        .map(|cell| match cell {
            Cell::Text(text) if text.chars().count() <= SCHEMA_VALUE_CHARACTERS => Some(text),
            Cell::Null | Cell::Number(_) | Cell::Text(_) | Cell::Blob(_) => None,
        })
        .collect();
    values.map(|mut values| {
        values.sort_unstable();
        values
    })
}

/// Returns a statement that counts the rows of a table, up to one more than `most`.
pub(crate) fn count_text(table: &str, most: u64) -> String {
    format!(
        "SELECT count(*) FROM (SELECT 1 FROM {} LIMIT {})",
        quote_identifier(table),
        most.saturating_add(1)
    )
}

/// Returns the sample values of one column, with long texts cut.
pub(crate) fn shown(samples: &[Box<RawValue>]) -> Vec<Value> {
    samples
        .iter()
        .map(|value| shown_value(value.get()))
        .collect()
}

/// Returns true if the values are texts.
pub(crate) fn are_texts(shown: &[Value]) -> bool {
    shown.iter().any(Value::is_string)
        && shown
            .iter()
            .all(|value| value.is_string() || value.is_null())
}

/// Returns the description of a column for a model.
pub(crate) fn column_json(
    column: &TableColumn,
    shown: Vec<Value>,
    reference: Option<Value>,
    distinct: Option<Vec<String>>,
) -> Value {
    let info = &column.info;
    let mut seen = HashSet::new();
    let some: Vec<Value> = shown
        .into_iter()
        .filter(|value| !value.is_null() && seen.insert(value.to_string()))
        .take(SCHEMA_SAMPLES)
        .collect();
    json!({
        "name": info.name, "type": info.declared_type,
        "primaryKey": info.primary_key > 0, "notNull": info.not_null,
        "references": reference, "samples": some, "distinct": distinct,
    })
}

/// Returns the description of a view for a model. None of its rows are read, because that would run
/// the view.
pub(crate) fn view_json(table: &Table) -> Value {
    let columns: Vec<Value> = table
        .visible()
        .map(|info| json!({ "name": info.name, "type": info.declared_type }))
        .collect();
    json!({ "name": table.name, "view": true, "rowCount": null, "columns": columns })
}

fn numbered(count: usize) -> Vec<String> {
    (1..=count).map(|number| format!("c{number}")).collect()
}

/// Returns a value, with a long text cut.
fn shown_value(json: &str) -> Value {
    match serde_json::from_str(json).unwrap_or_default() {
        Value::String(value) => Value::from(text::cut(&value, SCHEMA_VALUE_CHARACTERS)),
        other => other,
    }
}
