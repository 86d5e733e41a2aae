//! The tables of a session as they are described to a model: columns, keys, and some values of each
//! column.
//!
//! Rows are read through the gate, like statements of the caller, so that a scope applies here too.
//! Limits apply to each read, to all counts together, and to the work of computed columns. If the
//! scope does not admit a table, the response only has its name.

use base::Result;
use database::{Bind, Cell, Counters, Cursor as _, Database, DatabaseExt as _};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use sql_cost::Meter;

use super::request::SchemaRequest;
use super::samples::{
    Samples, are_texts, column_json, count_text, distinct_text, read_distinct, read_samples,
    samples_text, shown, view_json,
};
use super::scope::{Scope, reviewed};
use crate::error::affordable;
use crate::inspect::{self, Table, TableColumn, TableKind};
use crate::limits::{SCHEMA_COUNTED_ROWS, SCHEMA_DISTINCT_ROWS, TABLE_COUNTED_ROWS};
use crate::{Reply, Session};

/// The notice for a table whose values were not read.
const TOO_MUCH: &str = "values are left out, because computing its columns would take too long";

const REFERENCES: &str = "SELECT key.\"from\", key.\"table\", key.\"to\" FROM pragma_foreign_key_list(?) AS key ORDER BY key.id, key.seq";

/// Returns the tables and views, by name.
///
/// # Errors
/// The engine's, or the gate's refusal of the scope.
pub(super) fn read<D: Database>(
    session: &Session<'_, D>,
    request: &SchemaRequest,
) -> Result<Reply> {
    let names = inspect::list_tables(session.db)?;
    let mut reader = Reader {
        session,
        scope: request.scope.as_ref(),
        meter: session.meter(),
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
    let mut reply = Reply::new(Value::Null, Counters::default())
        .with_json("tables", list)
        .with("more", more);
    if !reader.hidden.is_empty() {
        reply = reply.with("hidden", reader.hidden);
    }
    Ok(reply)
}

struct Reader<'a, D: Database> {
    session: &'a Session<'a, D>,
    scope: Option<&'a Scope>,
    /// The meter for all tables together.
    meter: Meter<'a>,
    /// The number of rows that may still be counted.
    left_to_count: u64,
    /// The names of tables that the scope does not admit, so that their owner learns that they lack
    /// the scope's column.
    hidden: Vec<String>,
}

impl<D: Database> Reader<'_, D> {
    /// Returns one table or view; `None` if it cannot be described, or if the scope does not admit
    /// it.
    fn table(&mut self, name: &str) -> Result<Option<Value>> {
        let Ok(table) = inspect::load_table(self.session.db, name) else {
            return Ok(None);
        };
        if table.kind == TableKind::View {
            // A statement under a scope cannot read views.
            if self.scope.is_some() {
                return Ok(None);
            }
            return Ok(Some(view_json(&table)));
        }
        let (samples, too_much) = match affordable(self.samples(&table)) {
            Ok((Some(samples), _)) => (samples, false),
            Ok((None, _)) => (vec![Vec::new(); table.visible().count()], true),
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
        let (rows, _) = affordable(self.row_count(&table))?;
        let mut described =
            json!({ "name": table.name, "rowCount": rows.flatten(), "columns": columns });
        if let (true, Some(fields)) = (too_much, described.as_object_mut()) {
            fields.insert("notice".to_owned(), TOO_MUCH.into());
        }
        Ok(Some(described))
    }

    fn column(
        &self,
        table: &Table,
        column: &TableColumn,
        samples: &[Box<RawValue>],
        references: &[(String, Value)],
    ) -> Result<Value> {
        let name = &column.info.name;
        let reference = references
            .iter()
            .find(|(from, _)| from.eq_ignore_ascii_case(name))
            .map(|(_, reference)| reference.clone());
        let shown = shown(samples);
        let distinct = if are_texts(&shown) {
            let (rows, _) = affordable(self.rows(table, &distinct_text(&table.name, name)))?;
            rows.and_then(read_distinct)
        } else {
            None
        };
        Ok(column_json(column, shown, reference, distinct))
    }

    fn samples(&self, table: &Table) -> Result<Samples> {
        let rows = self.rows(table, &samples_text(table))?;
        Ok(read_samples(table, rows))
    }

    /// Counts the rows of a table; `None` if there are too many.
    fn row_count(&mut self, table: &Table) -> Result<Option<u64>> {
        let most = TABLE_COUNTED_ROWS.min(self.left_to_count);
        let rows = self.rows(table, &count_text(&table.name, most))?;
        let count = rows.first().and_then(|row| row.first());
        let count = count.map_or(0, Cell::as_count);
        self.left_to_count = self.left_to_count.saturating_sub(count);
        Ok((count <= most).then_some(count))
    }

    /// Returns the columns with a foreign key, each with the column that it refers to.
    fn references(&self, table: &str) -> Result<Vec<(String, Value)>> {
        let db = self.session.db;
        let mut found = Vec::new();
        for row in db.rows(REFERENCES, &[Bind::text(table)])? {
            let mut cells = row.into_iter();
            let mut next = || cells.next().unwrap_or(Cell::Null);
            let (from, to_table, to) = (next().into_text(), next().into_text(), next());
            // A foreign key without a column refers to the primary key.
            let to = match to {
                Cell::Text(column) => Some(column),
                Cell::Null | Cell::Number(_) | Cell::Blob(_) => {
                    inspect::load_table(db, &to_table).ok().and_then(|table| {
                        let mut key = table.visible().filter(|info| info.primary_key > 0);
                        key.next().map(|info| info.name.clone())
                    })
                }
            };
            found.push((from, json!({ "table": to_table, "column": to })));
        }
        Ok(found)
    }

    /// Returns the rows of a statement on one table, reviewed like a statement of the caller.
    fn rows(&self, table: &Table, text: &str) -> Result<Vec<Vec<Cell>>> {
        let db = self.session.db;
        let reviewed = reviewed(db, text, &self.session.policy(), self.scope)?;
        let bound = reviewed.bind(&sql_gate::Parameters::None)?;
        let fail = |error| sql_gate::explain::explain(db, &error, &bound);
        let mut cursor = self.meter.open(db, &table.name, &bound)?;
        let mut rows = Vec::new();
        while rows.len() <= SCHEMA_DISTINCT_ROWS
            && let Some(row) = cursor.next().map_err(fail)?
        {
            rows.push(row);
        }
        Ok(rows)
    }
}
