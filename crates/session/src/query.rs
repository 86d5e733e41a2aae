//! exec, query and stream: the statements of a caller. `request` has their requests, `tables` has
//! createTable and dropTable.
//!
//! Each statement is reviewed, joined with its parameters and checked by the engine before it runs.
//! SQLite itself makes the JSON text of a result; it passes through here as one string and is never
//! read row by row, except if a statement cannot be wrapped (EXPLAIN QUERY PLAN).

mod request;
mod tables;
mod texts;

pub(super) use request::ROW_SEPARATOR;
pub use request::{Page, Request};
pub(super) use tables::{create_table_text, dropped_reply, existing_table};

use crate::error::is_too_big;
use serde_json::{Value, json};
use sql_gate::SqlError;

use std::rc::Rc;

use super::loaded;
use super::row_stream::RowStream;
use super::statement_cache::Description;
use super::{Reply, Session, Settings};
use base::{Error, Result};
use database::{
    Cell, Counters, Cursor, Database, DatabaseExt as _, EngineError, Statement, TextRows,
};
use sql_gate::{self, Bound, Policy, Reviewed, RowShape, StatementKind, catalog, explain};

/// A statement that has passed all checks.
pub(super) struct CheckedStatement {
    pub(super) bound: Bound,
    /// The notice about columns of texts that it reads as numbers.
    pub(super) texts: Option<String>,
}

/// Rows, as the JSON text of a list.
pub(super) struct Rows {
    pub(super) columns: Vec<String>,
    pub(super) list: String,
    pub(super) count: usize,
    pub(super) truncated: bool,
    pub(super) counters: Counters,
}

impl<D: Database> Session<'_, D> {
    fn check(&self, request: &Request) -> Result<CheckedStatement> {
        let policy = self.policy();
        let reviewed = self.reviewed(request, &policy)?;
        self.bound(&reviewed, request, &policy)
    }

    /// Joins a statement with its parameters, and lets the engine check it.
    fn bound(
        &self,
        reviewed: &Reviewed,
        request: &Request,
        policy: &Policy,
    ) -> Result<CheckedStatement> {
        let bound = reviewed.bind(&request.parameters)?;
        self.guard(&bound, policy)?;
        let texts = self.texts_as_numbers(reviewed, &bound, &request.parameters)?;
        Ok(CheckedStatement { bound, texts })
    }

    /// Returns the verdict on the statement, within the scope of the session or of the request.
    fn reviewed(&self, request: &Request, policy: &Policy) -> Result<Rc<Reviewed>> {
        let own = match (self.scope, &request.scope) {
            (Some(_), Some(_)) => {
                return Err(Error::invalid_with_hint(
                    "every call of this run has the scope of the run",
                    "leave the field scope out of the call",
                ));
            }
            (None, Some(asked)) => Some(asked.resolve(self.settings)?),
            (_, None) => None,
        };
        let reviewed = self.cache.review(&request.sql, policy)?;
        match self.scope.or(own.as_ref()) {
            None => Ok(reviewed),
            Some(scope) => {
                let known = Some(&self.cache.tables);
                let scoped = sql_scope::apply_knowing(self.db, &reviewed, scope, known)?;
                Ok(Rc::new(scoped))
            }
        }
    }

    /// Runs the checks that ask the engine. A read with a description has passed them before, and
    /// the schema has not changed since; only the estimate depends on the data, and it only matters
    /// for a join or in a large database.
    pub(crate) fn guard(&self, bound: &Bound, policy: &Policy) -> Result<()> {
        match self.cache.description(&bound.description_key()) {
            Some(known) if !known.may_multiply && !sql_cost::is_large(self.db) => Ok(()),
            _ => sql_cost::guard_counting(self.db, bound, policy, &self.cache.counts),
        }
    }

    /// Runs any statement.
    ///
    /// # Errors
    /// The gate's or the engine's.
    pub fn exec(&self, request: &Request) -> Result<Reply> {
        let checked = self.check(request)?;
        let bound = &checked.bound;
        request.page.check(bound.kind())?;
        match bound.kind() {
            StatementKind::Read | StatementKind::QueryPlan => {
                let rows = self.read(bound, request)?;
                Ok(checked.rows_reply(rows, Some(0)))
            }
            StatementKind::Write if bound.has_returning() => {
                let change = self.upcoming(bound);
                let rows = self.write_returning(bound, request)?;
                let changes = self.changes()?;
                self.tell(change.filter(|_| changes > 0 || rows.counters.rows_written > 0));
                Ok(checked.rows_reply(rows, Some(changes)))
            }
            StatementKind::Write => {
                let change = self.upcoming(bound);
                let (counters, changes) = self
                    .db
                    .write(Statement::Reviewed(bound.reviewed()))
                    .map_err(|error| explain::explain(self.db, &error, bound))?;
                self.tell(change.filter(|_| changes > 0 || counters.rows_written > 0));
                Ok(checked.counters_reply(counters, changes))
            }
            StatementKind::Schema => Ok(checked.counters_reply(self.define(bound)?, 0)),
        }
    }

    /// Runs a statement that only reads.
    ///
    /// # Errors
    /// The gate's or the engine's; `SQL_BLOCKED` for a statement that writes.
    pub fn query(&self, request: &Request) -> Result<Reply> {
        let checked = self.check_read(request)?;
        let rows = self.read(&checked.bound, request)?;
        Ok(checked.rows_reply(rows, None))
    }

    /// Returns the rows of a read as the JSON text of a list, and their cost.
    pub(super) fn rows_text(&self, request: &Request) -> Result<(String, Counters)> {
        let checked = self.check_read(request)?;
        let rows = self.read(&checked.bound, request)?;
        Ok((rows.list, rows.counters))
    }

    /// Starts a read whose rows are taken piece by piece.
    ///
    /// # Errors
    /// The gate's or the engine's; `SQL_BLOCKED` for a statement that writes.
    pub fn stream(&self, request: &Request) -> Result<RowStream<D::Cursor>> {
        let checked = self.check_read(request)?;
        let bound = &checked.bound;
        let fail = |error: EngineError| explain::explain(self.db, &error, bound);
        if bound.kind() == StatementKind::QueryPlan {
            return Err(blocked_operation(
                "stream only accepts SELECT",
                r#"use {"operation":"query"} for EXPLAIN QUERY PLAN"#,
            ));
        }
        let columns = self.describe(bound)?.columns.clone();
        let rows = bound.json_rows(&columns, RowShape::Array, request.window(request.limit));
        let cursor = self
            .db
            .open(Statement::Reviewed(rows.reviewed()))
            .map_err(fail)?;
        Ok(RowStream::new(
            cursor,
            checked.bound,
            checked.texts,
            columns,
        ))
    }

    fn check_read(&self, request: &Request) -> Result<CheckedStatement> {
        let policy = self.policy();
        let reviewed = self.reviewed(request, &policy)?;
        if !matches!(
            reviewed.kind(),
            StatementKind::Read | StatementKind::QueryPlan
        ) {
            return Err(blocked_operation(
                "a query only reads",
                r#"use {"operation":"exec"} for statements that change something, also with RETURNING"#,
            ));
        }
        self.bound(&reviewed, request, &policy)
    }

    /// Runs a statement that changes the schema.
    fn define(&self, bound: &Bound) -> Result<Counters> {
        let change = self.upcoming(bound);
        let counters = self.run(bound)?;
        self.tell(change);
        Ok(counters)
    }

    fn run(&self, bound: &Bound) -> Result<Counters> {
        if bound.kind() == StatementKind::Schema {
            self.cache.schema_changed();
        }
        let cursor = self
            .db
            .open(Statement::Reviewed(bound.reviewed()))
            .map_err(|error| explain::explain(self.db, &error, bound))?;
        let counters = cursor.counters();
        drop(cursor);
        self.follow_schema(bound)?;
        Ok(counters)
    }

    /// Updates the records about loaded columns after a statement that has changed the schema.
    pub(crate) fn follow_schema(&self, bound: &Bound) -> Result<()> {
        if bound.kind() == StatementKind::Schema && loaded::follow(self.db, bound.sql())? {
            self.cache.schema_changed();
        }
        Ok(())
    }

    /// Returns the number of rows that the last statement inserted, updated or deleted.
    pub(crate) fn changes(&self) -> Result<u64> {
        Ok(self
            .db
            .cell("SELECT changes()", &[])?
            .map_or(0, |cell| cell.as_count()))
    }

    pub(crate) fn read(&self, bound: &Bound, request: &Request) -> Result<Rows> {
        if bound.kind() == StatementKind::QueryPlan {
            return self.read_plan(bound, request);
        }
        let description = self.describe(bound)?;
        let columns = &description.columns;
        // A page with a byte limit is read row by row: a text of all rows would mostly be
        // discarded.
        let list = match request.page.max_bytes {
            None => self.read_list(bound, columns, request)?,
            Some(_) => None,
        };
        match list {
            Some(rows) => Ok(rows),
            None => self.read_rows(bound, columns.clone(), request),
        }
    }

    /// Reads all rows as one text made by SQLite; `None` if that text is longer than a value or a
    /// result can be.
    fn read_list(
        &self,
        bound: &Bound,
        columns: &[String],
        request: &Request,
    ) -> Result<Option<Rows>> {
        let limit = request.row_limit(self.settings);
        let list = self.list_of(bound, columns, request);
        let (mut row, counters) = match self.db.only_row(Statement::Reviewed(list.reviewed())) {
            Ok((row, counters)) => (row.unwrap_or_default().into_iter(), counters),
            Err(error) => {
                let error = explain::explain(self.db, &error, bound);
                return if is_too_big(&error) {
                    Ok(None)
                } else {
                    Err(error)
                };
            }
        };
        let mut text = row.next().unwrap_or(Cell::Null).into_lossy_text();
        let mut count = row.next().map_or(0, |cell| cell.as_count());
        if text.len() > self.settings.max_result_bytes {
            return Ok(None);
        }
        let truncated = count > limit;
        if truncated {
            cut_last_row(&mut text);
            count = limit;
        }
        Ok(Some(Rows {
            columns: columns.to_vec(),
            list: sql_gate::value::finish(text),
            count: usize::try_from(count).unwrap_or(usize::MAX),
            truncated,
            counters,
        }))
    }

    /// Returns the read of all rows as one text, and their number.
    pub(crate) fn list_of(&self, bound: &Bound, columns: &[String], request: &Request) -> Bound {
        // One more row than requested shows if there are more.
        let limit = request.row_limit(self.settings).checked_add(1);
        bound.json_list_bytes(columns, request.shape, request.window(limit))
    }

    /// Reads row by row, up to the limits of a result.
    fn read_rows(&self, bound: &Bound, columns: Vec<String>, request: &Request) -> Result<Rows> {
        let limit = request.row_limit(self.settings);
        let window = request.window(limit.checked_add(1));
        let statement = bound.json_rows(&columns, request.shape, window);
        self.collect_from(&statement, bound, columns, request)
    }

    /// Runs a statement that was derived from the caller's, and takes its rows.
    fn collect_from(
        &self,
        statement: &Bound,
        bound: &Bound,
        columns: Vec<String>,
        request: &Request,
    ) -> Result<Rows> {
        let fail = |error: EngineError| explain::explain(self.db, &error, bound);
        let mut cursor = self
            .db
            .open(Statement::Reviewed(statement.reviewed()))
            .map_err(fail)?;
        self.collect(&mut cursor, columns, request).map_err(fail)
    }

    fn collect(
        &self,
        cursor: &mut D::Cursor,
        columns: Vec<String>,
        request: &Request,
    ) -> Result<Rows, EngineError> {
        let wanted = usize::try_from(request.row_limit(self.settings)).unwrap_or(usize::MAX);
        let max_bytes = request.byte_limit(self.settings);
        let TextRows { text, rows, done } = if wanted == 0 {
            TextRows::default()
        } else {
            cursor.take_text(wanted, max_bytes, ROW_SEPARATOR)?
        };
        let list = sql_gate::value::finish(format!("[{text}]"));
        let (list, count) = request.cut(list, rows, self.settings);
        let truncated = count < rows || (!done && cursor.next()?.is_some());
        Ok(Rows {
            columns,
            list,
            count,
            truncated,
            counters: cursor.counters(),
        })
    }

    /// Runs EXPLAIN QUERY PLAN, which cannot be a part of another statement. Its few rows have
    /// small numbers and texts.
    fn read_plan(&self, bound: &Bound, request: &Request) -> Result<Rows> {
        let fail = |error: EngineError| explain::explain(self.db, &error, bound);
        let mut cursor = self
            .db
            .open(Statement::Reviewed(bound.reviewed()))
            .map_err(fail)?;
        let columns = cursor.columns();
        let mut lines = Vec::new();
        while let Some(row) = cursor.next().map_err(fail)? {
            lines.push(plan_row(&columns, row, request.shape));
        }
        let counters = cursor.counters();
        Ok(plan_rows(columns, lines, counters, request, self.settings))
    }

    /// Returns the description of a read, before it runs.
    fn describe(&self, bound: &Bound) -> Result<Rc<Description>> {
        let key = bound.description_key();
        if let Some(known) = self.cache.description(&key) {
            return Ok(known);
        }
        let description = Description {
            columns: self.column_names(bound)?,
            may_multiply: sql_cost::may_multiply(self.db, bound)?,
        };
        Ok(self.cache.describe(&key, description))
    }

    /// Returns the column names of a read without running it.
    fn column_names(&self, bound: &Bound) -> Result<Vec<String>> {
        let fail = |error: EngineError| explain::explain(self.db, &error, bound);
        let mut names = self
            .db
            .open(Statement::Reviewed(bound.describe().reviewed()))
            .map_err(fail)?
            .columns();
        // In a sub-query, SQLite renames duplicates to names such as `a:1`. If a column may really
        // have such a name, the statement itself must be asked, which takes its first step.
        if names.iter().any(|name| has_duplicate_mark(name)) {
            names = self
                .db
                .open(Statement::Reviewed(bound.reviewed()))
                .map_err(fail)?
                .columns();
        }
        Ok(Bound::distinct_names(
            names
                .into_iter()
                .map(|name| bound.name_as_written(name))
                .collect(),
        ))
    }

    pub(crate) fn write_returning(&self, bound: &Bound, request: &Request) -> Result<Rows> {
        let table_columns = match bound.written_table() {
            Some(table) if bound.returns_star() => catalog::columns(self.db, table)?
                .into_iter()
                .filter(|column| !column.hidden)
                .map(|column| column.name)
                .collect(),
            _ => Vec::new(),
        };
        let (statement, columns) = bound.json_returning(&table_columns, request.shape)?;
        self.collect_from(&statement, bound, columns, request)
    }
}

/// Removes the last row from a list with one row per line.
fn cut_last_row(list: &mut String) {
    let end = list.rfind(",\n").unwrap_or(1);
    list.truncate(end);
    list.push(']');
}

/// Returns one line of a plan as JSON text, with its fields in the order of the columns.
pub(super) fn plan_row(columns: &[String], row: Vec<Cell>, shape: RowShape) -> String {
    let values = row.into_iter().map(|cell| match cell {
        Cell::Number(_) => cell.as_integer().to_string(),
        Cell::Text(text) => Value::from(text).to_string(),
        Cell::Null | Cell::Blob(_) => "null".to_owned(),
    });
    match shape {
        RowShape::Array => format!("[{}]", values.collect::<Vec<_>>().join(",")),
        RowShape::Object => {
            let fields = columns
                .iter()
                .zip(values)
                .map(|(name, value)| format!("{}:{value}", Value::from(name.as_str())));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
        }
    }
}

/// Returns the requested lines of a plan.
pub(super) fn plan_rows(
    columns: Vec<String>,
    lines: Vec<String>,
    counters: Counters,
    request: &Request,
    settings: &Settings,
) -> Rows {
    let behind = usize::try_from(request.page.offset).unwrap_or(usize::MAX);
    let wanted = usize::try_from(request.row_limit(settings)).unwrap_or(usize::MAX);
    let there = lines.len().saturating_sub(behind);
    let page: Vec<String> = lines.into_iter().skip(behind).take(wanted).collect();
    let list = format!("[{}]", page.join(ROW_SEPARATOR));
    let (list, count) = request.cut(list, page.len(), settings);
    Rows {
        columns,
        list,
        count,
        truncated: count < there,
        counters,
    }
}

/// Returns true for a name such as `name:7`.
pub(super) fn has_duplicate_mark(name: &str) -> bool {
    name.rsplit_once(':').is_some_and(|(_, digits)| {
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    })
}

pub(super) fn blocked_operation(message: &str, hint: &str) -> Error {
    Error::from(SqlError::SqlBlocked {
        reason: "read_only_operation",
        message: message.to_owned(),
        hint: hint.to_owned(),
    })
}

impl CheckedStatement {
    /// Returns the reply for a read, or with `changes` the reply of exec.
    pub(super) fn rows_reply(&self, rows: Rows, changes: Option<u64>) -> Reply {
        let counters = rows.counters;
        let mut reply = Reply::new(json!({ "columns": rows.columns }), counters)
            .with_json("results", rows.list)
            .with("rowCount", rows.count)
            .with("truncated", rows.truncated)
            .with("rowsRead", self.rows_read(counters));
        if let Some(changes) = changes {
            reply = reply
                .with("rowsWritten", counters.rows_written)
                .with("changes", changes);
        }
        self.with_notice(reply, counters)
    }

    /// Returns the reply for a statement without rows.
    pub(super) fn counters_reply(&self, counters: Counters, changes: u64) -> Reply {
        let body = json!({ "rowsRead": self.rows_read(counters), "rowsWritten": counters.rows_written, "changes": changes });
        self.with_notice(Reply::new(body, counters), counters)
    }

    /// Returns the number of rows that the engine has read; 0 under a scope, because it would
    /// reveal how many rows others have.
    fn rows_read(&self, counters: Counters) -> u64 {
        if self.bound.is_scoped() {
            0
        } else {
            counters.rows_read
        }
    }

    /// Adds the notices about the statement to the reply.
    pub(super) fn with_notice(&self, reply: Reply, counters: Counters) -> Reply {
        with_notice(reply, &self.bound, self.texts.as_deref(), counters)
    }
}

/// Adds the notices about the statement to the reply: how its text was understood, and which texts
/// it reads as numbers.
pub(super) fn with_notice(
    reply: Reply,
    bound: &Bound,
    texts: Option<&str>,
    counters: Counters,
) -> Reply {
    let of_statement = bound.notice(counters.rows_read);
    let notices: Vec<&str> = of_statement.as_deref().into_iter().chain(texts).collect();
    if notices.is_empty() {
        return reply;
    }
    reply.with("notice", notices.join("; "))
}
