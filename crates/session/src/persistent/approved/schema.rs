//! The persistent tables as they are described to a model, in the form of [`crate::approved`], with
//! a few round trips over the network for all tables.

use std::collections::HashMap;

use base::{Error, Result};
use database::{Cell, Counters};
use serde_json::{Value, json};
use sql_gate::compose::{Part, compose};
use sql_gate::{Bound, Parameters};
use sql_scope::{Tables, review_stored};

use super::super::Persistent;
use super::super::catalog::Catalog;
use super::super::remote::{Outcome, RemoteDatabase};
use crate::Reply;
use crate::approved::SchemaRequest;
use crate::approved::samples::{
    Samples, are_texts, column_json, count_text, distinct_text, read_distinct, read_samples,
    samples_text, shown, view_json,
};
use crate::inspect::{Table, TableKind};
use crate::limits::{
    MAX_CATALOG_COLUMNS, PERSISTENT_SCHEMA_COLUMNS, PERSISTENT_SCHEMA_TABLES, SCHEMA_COUNTED_ROWS,
    TABLE_COUNTED_ROWS,
};

/// The number of statements that read each table: one for its first rows, one for their number.
const READS_OF_A_TABLE: usize = 2;

/// A table whose rows are visible.
struct VisibleTable<'c> {
    table: &'c Table,
    samples: Samples,
    row_count: Option<u64>,
}

/// Foreign keys, by table: the column, and the column that it refers to.
type References = HashMap<String, Vec<(String, Value)>>;

/// Reads the schema. Returns the members of the response.
///
/// # Errors
/// The database's, or the gate's refusal of the scope.
pub(super) async fn read<R: RemoteDatabase>(
    persistent: &Persistent<'_, R>,
    request: &SchemaRequest,
) -> Result<String> {
    let catalog = persistent.catalog().await?;
    let stored = persistent.scope_tables(&catalog).await?;
    let most = request.max_tables.min(PERSISTENT_SCHEMA_TABLES);
    let mut hidden: Vec<&str> = Vec::new();
    let mut views: Vec<&Table> = Vec::new();
    let mut readable: Vec<(&Table, Bound, Bound)> = Vec::new();
    let counted = TABLE_COUNTED_ROWS.min(SCHEMA_COUNTED_ROWS / (most as u64).max(1));
    let mut passed = 0_usize;
    for table in catalog.all() {
        if readable.len() + hidden.len() + views.len() >= most {
            break;
        }
        passed += 1;
        if table.kind == TableKind::View {
            // A statement under a scope cannot read views.
            if persistent.scope.is_none() {
                views.push(table);
            }
            continue;
        }
        let reads = persistent
            .reviewed(&samples_text(table), &stored, &Parameters::None)
            .and_then(|samples| {
                Ok((
                    samples,
                    persistent.reviewed(
                        &count_text(&table.name, counted),
                        &stored,
                        &Parameters::None,
                    )?,
                ))
            });
        match reads {
            Ok((samples, count)) => readable.push((table, samples, count)),
            Err(error) if persistent.scope.is_some() && error.code() == "SQL_BLOCKED" => {
                hidden.push(&table.name);
            }
            Err(error) => return Err(error),
        }
    }
    let seen = persistent.read_rows_of(readable, counted).await?;
    let distinct = persistent.distinct_values(&seen, &stored).await?;
    let references = persistent.references(&catalog).await?;
    let described = seen
        .iter()
        .map(|seen| described(seen, &distinct, &references));
    let mut tables: Vec<String> = Vec::new();
    let mut bytes = 0_usize;
    for table in described.chain(views.iter().map(|view| view_json(view))) {
        let text = table.to_string();
        if bytes.saturating_add(text.len()) > request.max_bytes && !tables.is_empty() {
            passed = passed.saturating_sub(1);
            continue;
        }
        bytes = bytes.saturating_add(text.len());
        tables.push(text);
    }
    let more = catalog.all().count().saturating_sub(passed);
    let mut reply = Reply::new(Value::Null, Counters::default())
        .with_json("tables", format!("[{}]", tables.join(",")))
        .with("more", more);
    if !hidden.is_empty() {
        reply = reply.with("hidden", hidden);
    }
    Ok(reply.members())
}

fn described(
    seen: &VisibleTable<'_>,
    distinct: &HashMap<(String, String), Vec<String>>,
    references: &References,
) -> Value {
    let table = seen.table;
    let keys = references.get(&table.name);
    let columns = table.columns.iter().filter(|column| !column.info.hidden);
    let columns: Vec<Value> = columns
        .zip(&seen.samples)
        .map(|(column, samples)| {
            let name = &column.info.name;
            let reference = keys
                .into_iter()
                .flatten()
                .find(|(from, _)| from.eq_ignore_ascii_case(name))
                .map(|(_, reference)| reference.clone());
            let values = distinct.get(&(table.name.clone(), name.clone()));
            column_json(column, shown(samples), reference, values.cloned())
        })
        .collect();
    json!({ "name": table.name, "rowCount": seen.row_count, "columns": columns })
}

impl<R: RemoteDatabase> Persistent<'_, R> {
    /// Reviews a statement like one of the caller, behind the walls that apply here.
    pub(super) fn reviewed(
        &self,
        text: &str,
        stored: &Tables,
        parameters: &Parameters,
    ) -> Result<Bound> {
        let reviewed = match self.scope {
            None => sql_scope::tenant::review(text, &self.policy(), &self.tenant)?,
            Some(scope) => review_stored(text, &self.policy(), &self.tenant, scope, stored)?,
        };
        let bound = reviewed.bind(parameters)?;
        sql_scope::tenant::verify(bound.sql(), &self.tenant)?;
        Ok(bound)
    }

    async fn read_rows_of<'c>(
        &self,
        readable: Vec<(&'c Table, Bound, Bound)>,
        counted: u64,
    ) -> Result<Vec<VisibleTable<'c>>> {
        let statements: Vec<Bound> = readable
            .iter()
            .flat_map(|(_, samples, count)| [samples.clone(), count.clone()])
            .collect();
        let outcomes = self.own_batch(&statements).await?;
        let mut outcomes = outcomes.into_iter();
        let mut seen = Vec::with_capacity(statements.len() / READS_OF_A_TABLE);
        for (table, _, _) in readable {
            let samples = outcomes.next().unwrap_or_default();
            let count = outcomes.next().and_then(Outcome::into_first_cell);
            let count = count.map(|cell| cell.as_count());
            seen.push(VisibleTable {
                table,
                samples: read_samples(table, samples.rows),
                row_count: count.filter(|rows| *rows <= counted),
            });
        }
        Ok(seen)
    }

    /// Returns the values of text columns with few different values, by table and column.
    async fn distinct_values(
        &self,
        seen: &[VisibleTable<'_>],
        stored: &Tables,
    ) -> Result<HashMap<(String, String), Vec<String>>> {
        let mut of: Vec<(String, String)> = Vec::new();
        let mut statements = Vec::new();
        for seen in seen {
            let columns = seen.table.columns.iter();
            let columns = columns.filter(|column| !column.info.hidden);
            for (column, samples) in columns.zip(&seen.samples) {
                if of.len() < PERSISTENT_SCHEMA_COLUMNS && are_texts(&shown(samples)) {
                    let name = &column.info.name;
                    let text = distinct_text(&seen.table.name, name);
                    statements.push(self.reviewed(&text, stored, &Parameters::None)?);
                    of.push((seen.table.name.clone(), name.clone()));
                }
            }
        }
        let outcomes = self.own_batch(&statements).await?;
        let found = of.into_iter().zip(outcomes);
        Ok(found
            .filter_map(|(of, outcome)| Some((of, read_distinct(outcome.rows)?)))
            .collect())
    }

    /// Returns the foreign keys of the tenant's tables.
    async fn references(&self, catalog: &Catalog) -> Result<References> {
        let query = compose(
            &[
                Part::Sql(
                    "SELECT s.name AS stored, key.\"from\" AS source, key.\"table\" AS target, key.\"to\" AS known FROM sqlite_schema AS s, \
                           pragma_foreign_key_list(s.name) AS key WHERE s.type = 'table' AND substr(s.name, 1, ",
                ),
                Part::Number(self.tenant.prefix().len() as u64),
                Part::Sql(") = "),
                Part::Text(self.tenant.prefix()),
                Part::Sql(" ORDER BY s.name, key.id, key.seq LIMIT "),
                Part::Number(MAX_CATALOG_COLUMNS),
            ],
            Vec::new(),
        );
        let outcomes = self.own_batch(&[query]).await?;
        let mut found = References::new();
        for row in outcomes.into_iter().flat_map(|outcome| outcome.rows) {
            let mut cells = row.into_iter();
            let mut next = || cells.next().unwrap_or(Cell::Null);
            let (table, from, target, to) = (
                next().into_text(),
                next().into_text(),
                next().into_text(),
                next(),
            );
            let logical = |name: &str| self.tenant.logical(name).map(str::to_owned);
            let (Some(table), Some(target)) = (logical(&table), logical(&target)) else {
                continue;
            };
            // A foreign key without a column refers to the primary key.
            let to = match to {
                Cell::Text(column) => Some(column),
                Cell::Null | Cell::Number(_) | Cell::Blob(_) => {
                    catalog.find(&target).and_then(|table| {
                        let mut key = table.visible().filter(|info| info.primary_key > 0);
                        key.next().map(|info| info.name.clone())
                    })
                }
            };
            let reference = json!({ "table": target, "column": to });
            found.entry(table).or_default().push((from, reference));
        }
        Ok(found)
    }

    pub(super) async fn own_batch(&self, statements: &[Bound]) -> Result<Vec<Outcome>> {
        if statements.is_empty() {
            return Ok(Vec::new());
        }
        let outcomes = self.remote.batch(statements).await;
        outcomes.map_err(|error| -> Error { self.own_failure(&error) })
    }
}
