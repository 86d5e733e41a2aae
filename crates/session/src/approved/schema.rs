//! What tables there are, as a model is told: columns, keys, and some values of each column.
//!
//! Rows are read through the gate, as a caller's own statements, so that a scope holds here too. Each read has a limit, and all counts
//! together have one; of a table that a scope does not let through only the name is told.

use std::collections::HashSet;

use base::entries::Entries;
use base::{Result, text};
use database::{Bind, Cell, Counters, Cursor as _, Database, DatabaseExt as _, Statement};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use sql::RowShape;
use sql::compose::quote_identifier;
use sql::value::{finish, row_expression};

use super::request::SchemaRequest;
use super::scope::{Scope, reviewed};
use crate::inspect::{self, Table, TableColumn, TableKind};
use crate::limits::{
    SCHEMA_COUNTED_ROWS, SCHEMA_DISTINCT_ROWS, SCHEMA_DISTINCT_VALUES, SCHEMA_SAMPLE_ROWS,
    SCHEMA_SAMPLES, SCHEMA_VALUE_BYTES, SCHEMA_VALUE_CHARACTERS, TABLE_COUNTED_ROWS,
};
use crate::{Answer, Session};

const REFERENCES: &str = "SELECT key.\"from\", key.\"table\", key.\"to\" FROM pragma_foreign_key_list(?) AS key ORDER BY key.id, key.seq";

/// The tables and views, by name.
///
/// # Errors
/// The engine's, or what the gate says of the scope.
pub(super) fn read<D: Database>(
    session: &Session<'_, D>,
    request: &SchemaRequest,
) -> Result<Answer> {
    let names = inspect::list_tables(session.db)?;
    let mut reader = Reader {
        session,
        scope: request.scope.as_ref(),
        left_to_count: SCHEMA_COUNTED_ROWS,
        hidden: Vec::new(),
    };
    let mut tables: Vec<String> = Vec::new();
    let mut bytes = 0_usize;
    let mut passed = 0_usize;
    for (name, _) in &names {
        if tables.len() + reader.hidden.len() >= request.max_tables || bytes >= request.max_bytes {
            break;
        }
        let described = reader.table(name)?.map(|table| table.to_string());
        if let Some(table) = described {
            if bytes.saturating_add(table.len()) > request.max_bytes && !tables.is_empty() {
                break;
            }
            bytes = bytes.saturating_add(table.len());
            tables.push(table);
        }
        passed += 1;
    }
    let list = format!("[{}]", tables.join(","));
    let more = names.len().saturating_sub(passed);
    let mut answer = Answer::new(Value::Null, Counters::default())
        .with_json("tables", list)
        .with("more", more);
    if !reader.hidden.is_empty() {
        answer = answer.with("hidden", reader.hidden);
    }
    Ok(answer)
}

struct Reader<'a, D: Database> {
    session: &'a Session<'a, D>,
    scope: Option<&'a Scope>,
    /// Rows that may still be counted.
    left_to_count: u64,
    /// Tables that the scope hides: by name, so that their owner learns what they lack.
    hidden: Vec<String>,
}

/// What was read of the columns of a table: values by column.
type Samples = Vec<Vec<Box<RawValue>>>;

impl<D: Database> Reader<'_, D> {
    /// One table or view; `None` where it cannot be described, or the scope hides it.
    fn table(&mut self, name: &str) -> Result<Option<Value>> {
        let Ok(table) = inspect::load_table(self.session.db, name) else {
            return Ok(None);
        };
        if table.kind == TableKind::View {
            // A statement under a scope cannot read views.
            if self.scope.is_some() {
                return Ok(None);
            }
            let columns = table.visible();
            let columns: Vec<Value> = columns
                .map(|info| json!({ "name": info.name, "type": info.declared_type }))
                .collect();
            return Ok(Some(
                json!({ "name": table.name, "view": true, "rowCount": null, "columns": columns }),
            ));
        }
        let samples = match self.samples(&table) {
            Ok(samples) => samples,
            Err(error) if self.scope.is_some() && error.code() == "SQL_BLOCKED" => {
                self.hidden.push(table.name);
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        let references = self.references(&table.name)?;
        let shown = table.columns.iter().filter(|column| !column.info.hidden);
        let mut columns = Vec::new();
        for (column, samples) in shown.zip(&samples) {
            columns.push(self.column(&table, column, samples, &references)?);
        }
        Ok(Some(json!({
            "name": table.name, "rowCount": self.row_count(&table)?, "columns": columns,
        })))
    }

    fn column(
        &self,
        table: &Table,
        column: &TableColumn,
        samples: &[Box<RawValue>],
        references: &[(String, Value)],
    ) -> Result<Value> {
        let info = &column.info;
        let reference = references
            .iter()
            .find(|(from, _)| from.eq_ignore_ascii_case(&info.name))
            .map(|(_, reference)| reference.clone());
        let shown: Vec<Value> = samples
            .iter()
            .map(|value| shown_value(value.get()))
            .collect();
        let is_text = shown.iter().any(Value::is_string)
            && shown
                .iter()
                .all(|value| value.is_string() || value.is_null());
        let distinct = if is_text {
            self.distinct(table, &info.name)?
        } else {
            None
        };
        let mut seen = HashSet::new();
        let some: Vec<Value> = shown
            .into_iter()
            .filter(|value| !value.is_null() && seen.insert(value.to_string()))
            .take(SCHEMA_SAMPLES)
            .collect();
        Ok(json!({
            "name": info.name, "type": info.declared_type,
            "primaryKey": info.primary_key > 0, "notNull": info.not_null,
            "references": reference, "samples": some, "distinct": distinct,
        }))
    }

    /// The first rows, by column. A long value is read as NULL.
    fn samples(&self, table: &Table) -> Result<Samples> {
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
        let text = format!(
            "SELECT {row} FROM {} LIMIT {SCHEMA_SAMPLE_ROWS}",
            quote_identifier(&table.name)
        );
        let mut columns: Samples = names.iter().map(|_| Vec::new()).collect();
        for cells in self.rows(&text)? {
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
        Ok(columns)
    }

    /// All values of a text column; `None` where it has many, or long ones.
    fn distinct(&self, table: &Table, column: &str) -> Result<Option<Vec<String>>> {
        let (table, column) = (quote_identifier(&table.name), quote_identifier(column));
        let text = format!(
            "SELECT DISTINCT value FROM (SELECT CASE WHEN octet_length({column}) > {SCHEMA_VALUE_BYTES} THEN zeroblob(1) ELSE {column} END \
             AS value FROM {table} LIMIT {}) WHERE value IS NOT NULL LIMIT {}",
            SCHEMA_DISTINCT_ROWS + 1,
            SCHEMA_DISTINCT_VALUES + 1
        );
        let rows = self.rows(&text)?;
        if rows.len() > SCHEMA_DISTINCT_VALUES {
            return Ok(None);
        }
        let values: Option<Vec<String>> = rows
            .into_iter()
            .filter_map(|row| row.into_iter().next())
            .map(|cell| match cell {
                Cell::Text(text) if text.chars().count() <= SCHEMA_VALUE_CHARACTERS => Some(text),
                _ => None,
            })
            .collect();
        Ok(values.map(|mut values| {
            values.sort_unstable();
            values
        }))
    }

    /// How many rows; `None` where they are too many to be counted.
    fn row_count(&mut self, table: &Table) -> Result<Option<u64>> {
        let most = TABLE_COUNTED_ROWS.min(self.left_to_count);
        let text = format!(
            "SELECT count(*) FROM (SELECT 1 FROM {} LIMIT {})",
            quote_identifier(&table.name),
            most + 1
        );
        let rows = self.rows(&text)?;
        let count = rows.first().and_then(|row| row.first());
        let count = count.map_or(0, Cell::as_count);
        self.left_to_count = self.left_to_count.saturating_sub(count);
        Ok((count <= most).then_some(count))
    }

    /// The columns with a foreign key, with the column that each refers to.
    fn references(&self, table: &str) -> Result<Vec<(String, Value)>> {
        let db = self.session.db;
        let mut found = Vec::new();
        for row in db.rows(REFERENCES, &[Bind::text(table)])? {
            let mut cells = row.into_iter();
            let mut next = || cells.next().unwrap_or(Cell::Null);
            let (from, to_table, to) = (next().into_text(), next().into_text(), next());
            // Without a column the primary key is meant.
            let to = match to {
                Cell::Text(column) => Some(column),
                _ => inspect::load_table(db, &to_table).ok().and_then(|table| {
                    let mut key = table.visible().filter(|info| info.primary_key > 0);
                    key.next().map(|info| info.name.clone())
                }),
            };
            found.push((from, json!({ "table": to_table, "column": to })));
        }
        Ok(found)
    }

    /// The rows of a statement of a caller's kind.
    fn rows(&self, text: &str) -> Result<Vec<Vec<Cell>>> {
        let db = self.session.db;
        let reviewed = reviewed(db, text, &self.session.policy(), self.scope)?;
        let bound = reviewed.bind(&sql::Parameters::None)?;
        let fail = |error| sql::explain::explain(db, &error, &bound);
        let mut cursor = db
            .open(Statement::Reviewed(bound.reviewed()))
            .map_err(fail)?;
        let mut rows = Vec::new();
        while rows.len() <= SCHEMA_DISTINCT_ROWS
            && let Some(row) = cursor.next().map_err(fail)?
        {
            rows.push(row);
        }
        Ok(rows)
    }
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
