//! What a schema reads of a table, as statements of a caller's kind, and how it is told.

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

/// What was read of the columns of a table: values by column.
pub(crate) type Samples = Vec<Vec<Box<RawValue>>>;

/// A statement that reads the first rows, each as one JSON text. A long value is read as NULL.
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

/// The rows of that statement, by column.
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

/// A statement that reads all values of a text column, or one too many.
pub(crate) fn distinct_text(table: &str, column: &str) -> String {
    let (table, column) = (quote_identifier(table), quote_identifier(column));
    format!(
        "SELECT DISTINCT value FROM (SELECT CASE WHEN octet_length({column}) > {SCHEMA_VALUE_BYTES} THEN zeroblob(1) ELSE {column} END \
         AS value FROM {table} LIMIT {}) WHERE value IS NOT NULL LIMIT {}",
        SCHEMA_DISTINCT_ROWS + 1,
        SCHEMA_DISTINCT_VALUES + 1
    )
}

/// The values that statement found; `None` where there are many, or long ones.
pub(crate) fn read_distinct(rows: Vec<Vec<Cell>>) -> Option<Vec<String>> {
    if rows.len() > SCHEMA_DISTINCT_VALUES {
        return None;
    }
    let cells = rows.into_iter().filter_map(|row| row.into_iter().next());
    let values: Option<Vec<String>> = cells
        .map(|cell| match cell {
            Cell::Text(text) if text.chars().count() <= SCHEMA_VALUE_CHARACTERS => Some(text),
            _ => None,
        })
        .collect();
    values.map(|mut values| {
        values.sort_unstable();
        values
    })
}

/// A statement that counts the rows of a table, up to one more than `most`.
pub(crate) fn count_text(table: &str, most: u64) -> String {
    format!(
        "SELECT count(*) FROM (SELECT 1 FROM {} LIMIT {})",
        quote_identifier(table),
        most.saturating_add(1)
    )
}

/// The sample values of one column, long texts cut.
pub(crate) fn shown(samples: &[Box<RawValue>]) -> Vec<Value> {
    samples
        .iter()
        .map(|value| shown_value(value.get()))
        .collect()
}

/// Whether they are texts.
pub(crate) fn are_texts(shown: &[Value]) -> bool {
    shown.iter().any(Value::is_string)
        && shown
            .iter()
            .all(|value| value.is_string() || value.is_null())
}

/// A column as a model is told.
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

/// A view as a model is told: nothing is read of it, because that would run it.
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

/// A value, a long text cut.
fn shown_value(json: &str) -> Value {
    match serde_json::from_str(json).unwrap_or_default() {
        Value::String(value) => Value::from(text::cut(&value, SCHEMA_VALUE_CHARACTERS)),
        other => other,
    }
}
