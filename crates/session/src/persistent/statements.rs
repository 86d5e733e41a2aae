//! exec, query and createTable on a tenant's persistent tables.
//!
//! They work as in a session: a statement is reviewed, bound and checked, and the engine makes the
//! JSON text of the result. There are two differences. Nothing can be read row by row, so the
//! engine itself stops a result at its limits. And the schema is only read if a statement needs it
//! or has failed, because each read is a round trip over the network.

use super::super::query::{self, CheckedStatement, Request, Rows, blocked_operation};
use super::Persistent;
use super::catalog::Catalog;
use super::remote::{Outcome, RemoteDatabase};
use crate::Reply;
use crate::error::is_too_big;
use base::{Error, Result};
use database::{Bind, Cell, Counters};
use sql_gate::SqlError;
use sql_gate::compose::{Part, compose};
use sql_gate::{self, Bound, StatementKind};
use sql_scope::tenant;

impl<R: RemoteDatabase> Persistent<'_, R> {
    /// Runs any statement that the strict profile allows.
    pub(crate) async fn exec(&self, request: &Request) -> Result<Reply> {
        let checked = self.check(request).await?;
        let bound = &checked.bound;
        request.page.check(bound.kind())?;
        match bound.kind() {
            StatementKind::Read | StatementKind::QueryPlan => {
                Ok(checked.rows_reply(self.read(bound, request).await?, Some(0)))
            }
            StatementKind::Write if bound.has_returning() => {
                let (rows, changes) = self.write_returning(bound, request).await?;
                Ok(checked.rows_reply(rows, Some(changes)))
            }
            StatementKind::Write => {
                let outcome = self.send_one(bound.clone(), bound).await?;
                Ok(checked.counters_reply(outcome.counters, outcome.changes))
            }
            StatementKind::Schema => Ok(checked.counters_reply(self.define(bound).await?, 0)),
        }
    }

    /// Runs a statement that only reads.
    pub(crate) async fn query(&self, request: &Request) -> Result<Reply> {
        let checked = self.check(request).await?;
        let bound = &checked.bound;
        if !matches!(bound.kind(), StatementKind::Read | StatementKind::QueryPlan) {
            return Err(blocked_operation(
                "a query only reads",
                r#"use {"operation":"exec"} for statements that change something, also with RETURNING"#,
            ));
        }
        Ok(checked.rows_reply(self.read(bound, request).await?, None))
    }

    /// Creates a table from its name and the text between the brackets.
    pub(crate) async fn create_table(&self, name: &str, schema: &str) -> Result<Reply> {
        let sql = query::create_table_text(name, schema)?;
        if let Ok(found) = self.catalog().await?.table(name) {
            // A statement that could not run at all is refused first, as if the table did not
            // exist.
            tenant::review(&sql, &self.policy(), &self.tenant)?;
            return query::existing_table(Some(found.clone()), found.name.clone(), &sql);
        }
        let checked = self.check(&Request::of(sql)).await?;
        if checked.bound.kind() != StatementKind::Schema {
            return Err(blocked_operation(
                "the schema is not a list of columns",
                "send the text between the brackets of CREATE TABLE",
            ));
        }
        let counters = self.define(&checked.bound).await?;
        let body = serde_json::json!({ "rowsWritten": counters.rows_written });
        Ok(checked.with_notice(Reply::new(body, counters), counters))
    }

    pub(super) async fn check(&self, request: &Request) -> Result<CheckedStatement> {
        let reviewed = match self.scope_of(request)? {
            None => tenant::review(&request.sql, &self.policy(), &self.tenant)
                .map_err(point_to_drop_table)?,
            Some(scope) => self.review_within(&request.sql, &scope).await?,
        };
        let bound = reviewed.bind(&request.parameters)?;
        if bound
            .binds()
            .iter()
            .any(|bind| matches!(bind, Bind::Real(number) if !number.is_finite()))
        {
            return Err(Error::invalid_with_hint(
                "the persistent database takes no infinity as a parameter",
                "write 9e999 or -9e999 into the statement",
            ));
        }
        if bound.has_double_quoted_names() {
            sql_cost::names::check(&self.catalog().await?, &bound)?;
        }
        // Under a scope this has been checked before.
        if let Some(rowid) = tenant::rowid_written(&bound).filter(|_| !bound.is_scoped()) {
            self.require_column_everywhere(rowid, &bound).await?;
        }
        self.require_room(&bound).await?;
        Ok(CheckedStatement { bound, texts: None })
    }

    /// Allows a name of the rowid only if every table that the statement reads declares a column
    /// with that name.
    async fn require_column_everywhere(&self, name: &str, bound: &Bound) -> Result<()> {
        let catalog = self.catalog().await?;
        for relation in bound.relations() {
            let available = catalog.table(relation)?.visible_names();
            if !available
                .iter()
                .any(|column| column.eq_ignore_ascii_case(name))
            {
                return Err(Error::from(SqlError::NoSuchColumn {
                    column: name.to_owned(),
                    suggestions: Vec::new(),
                    available,
                    double_quoted: false,
                    hint: None,
                }));
            }
        }
        Ok(())
    }

    /// Runs a statement that changes the schema. A view that cannot be read is a mistake and is not
    /// created.
    async fn define(&self, bound: &Bound) -> Result<Counters> {
        let mut statements = vec![bound.clone()];
        if let Some(view) = bound.created_view() {
            self.require_small(bound).await?;
            let stored = self.tenant.physical(view);
            statements.push(compose(
                &[
                    Part::Sql("SELECT 1 AS one FROM "),
                    Part::Identifier(&stored),
                    Part::Sql(" LIMIT 0"),
                ],
                Vec::new(),
            ));
        }
        let written = self
            .send(&statements, bound)
            .await?
            .into_iter()
            .map(|outcome| outcome.counters.rows_written)
            .sum();
        // A definition reads the schema of all tenants, whose size must not be revealed.
        Ok(Counters {
            rows_read: 0,
            rows_written: written,
        })
    }

    /// Refuses a definition if the tenant's definitions would become larger than those of a session
    /// may be: all tenants share one schema.
    pub(super) async fn require_room(&self, bound: &Bound) -> Result<()> {
        let added = sql_gate::created_bytes(bound)?;
        if added == 0 {
            return Ok(());
        }
        let bytes = match Catalog::size(self.remote, &self.tenant).await {
            Ok(bytes) => bytes,
            Err(error) => return Err(self.failure(&error, bound).await),
        };
        sql_gate::require_fit("the tenant's persistent tables", bytes, added)
    }

    /// Refuses a view that is too large to compile with the views that it reads. Their size is only
    /// checked here, because the tables and views that a view reads cannot be dropped.
    async fn require_small(&self, bound: &Bound) -> Result<()> {
        match Catalog::definitions(self.remote, &self.tenant).await {
            Ok(views) => views.check(bound.sql()),
            Err(error) => Err(self.failure(&error, bound).await),
        }
    }

    pub(super) async fn read(&self, bound: &Bound, request: &Request) -> Result<Rows> {
        if bound.kind() == StatementKind::QueryPlan {
            return self.plan(bound, request).await;
        }
        let columns = self.column_names(bound).await?;
        let list = match request.page.max_bytes {
            None => self.read_list(bound, &columns, request).await?,
            Some(_) => None,
        };
        match list {
            Some(rows) => Ok(rows),
            None => self.read_rows(bound, columns, request).await,
        }
    }

    /// Reads all rows as one text; `None` if that is longer than a value or a result can be.
    async fn read_list(
        &self,
        bound: &Bound,
        columns: &[String],
        request: &Request,
    ) -> Result<Option<Rows>> {
        let limit = request.row_limit(self.settings);
        let list = bound.json_list(columns, request.shape, request.window(Some(limit)));
        let outcome = match self.send_one(list, bound).await {
            Err(error) if is_too_big(&error) => return Ok(None),
            other => other?,
        };
        let counters = outcome.counters;
        let mut row = outcome
            .rows
            .into_iter()
            .next()
            .unwrap_or_default()
            .into_iter();
        let text = row.next().unwrap_or(Cell::Null).into_text();
        let count = row.next().map_or(0, |cell| cell.as_count());
        if text.len() > self.settings.max_result_bytes {
            return Ok(None);
        }
        let truncated = count >= limit && self.has_more(bound, request, limit).await?;
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        Ok(Some(Rows {
            columns: columns.to_vec(),
            list: sql_gate::value::finish(text),
            count,
            truncated,
            counters,
        }))
    }

    /// Reads row by row, up to the limits of a result.
    async fn read_rows(
        &self,
        bound: &Bound,
        columns: Vec<String>,
        request: &Request,
    ) -> Result<Rows> {
        let window = request.window(Some(request.row_limit(self.settings)));
        let max_bytes = request.byte_limit(self.settings);
        let statement = bound.json_rows_within(&columns, request.shape, window, max_bytes);
        let outcome = self.send_one(statement, bound).await?;
        let mut rows = collect(outcome, columns, usize::MAX, usize::MAX);
        let there = rows.count;
        (rows.list, rows.count) = request.cut(rows.list, rows.count, self.settings);
        rows.truncated =
            rows.count < there || self.has_more(bound, request, rows.count as u64).await?;
        Ok(rows)
    }

    /// Returns true if there is a row after the first `rows` rows of the page.
    async fn has_more(&self, bound: &Bound, request: &Request, rows: u64) -> Result<bool> {
        let behind = request.page.offset.saturating_add(rows);
        Ok(!self
            .send_one(bound.row_at(behind), bound)
            .await?
            .rows
            .is_empty())
    }

    async fn plan(&self, bound: &Bound, request: &Request) -> Result<Rows> {
        let outcome = self.send_one(bound.clone(), bound).await?;
        let readable = |cell: Cell| match cell {
            Cell::Text(text) => Cell::Text(self.tenant.readable(&text)),
            other @ (Cell::Null | Cell::Number(_) | Cell::Blob(_)) => other,
        };
        let columns = ["id", "parent", "notused", "detail"]
            .map(str::to_owned)
            .to_vec();
        let shape = request.shape;
        let lines: Vec<String> = outcome
            .rows
            .into_iter()
            .map(|row| query::plan_row(&columns, row.into_iter().map(readable).collect(), shape))
            .collect();
        let counters = outcome.counters;
        Ok(query::plan_rows(
            columns,
            lines,
            counters,
            request,
            self.settings,
        ))
    }

    /// Returns the column names of a read without running it. In a sub-query, SQLite renames
    /// duplicates to names such as `a:1`.
    async fn column_names(&self, bound: &Bound) -> Result<Vec<String>> {
        let described = bound.describe();
        tenant::verify(described.sql(), &self.tenant)?;
        let mut names = match self.remote.columns(&described).await {
            Ok(names) => names,
            Err(error) => return Err(self.failure(&error, bound).await),
        };
        for index in 0..names.len() {
            let (before, rest) = names.split_at_mut(index);
            if let Some(name) = rest.first_mut()
                && query::has_duplicate_mark(name)
                && let Some((plain, _)) = name.rsplit_once(':')
                && before.iter().any(|known| known.eq_ignore_ascii_case(plain))
            {
                *name = plain.to_owned();
            }
        }
        Ok(Bound::distinct_names(
            names
                .into_iter()
                .map(|name| bound.name_as_written(name))
                .collect(),
        ))
    }

    async fn write_returning(&self, bound: &Bound, request: &Request) -> Result<(Rows, u64)> {
        let (statement, columns) = self.returning(bound, request).await?;
        let outcome = self.send_one(statement, bound).await?;
        Ok(self.returned(outcome, columns, request))
    }

    /// Returns a write as it is sent, with the names of the columns that it returns.
    pub(super) async fn returning(
        &self,
        bound: &Bound,
        request: &Request,
    ) -> Result<(Bound, Vec<String>)> {
        let table_columns = match bound.written_table() {
            Some(table) if bound.returns_star() => {
                self.catalog().await?.table(table)?.visible_names()
            }
            _ => Vec::new(),
        };
        bound.json_returning(&table_columns, request.shape)
    }

    /// Returns the rows of RETURNING, within the limits of a result, and the number of changed
    /// rows.
    pub(super) fn returned(
        &self,
        outcome: Outcome,
        columns: Vec<String>,
        request: &Request,
    ) -> (Rows, u64) {
        let limit = usize::try_from(request.row_limit(self.settings)).unwrap_or(usize::MAX);
        let changes = outcome.changes;
        let mut rows = collect(outcome, columns, limit, request.byte_limit(self.settings));
        let there = rows.count;
        (rows.list, rows.count) = request.cut(rows.list, rows.count, self.settings);
        rows.truncated |= rows.count < there;
        (rows, changes)
    }
}

/// Points from DROP to the operation dropTable, which refuses tables that views read.
fn point_to_drop_table(error: Error) -> Error {
    let is_drop = matches!(error.of(), Some(SqlError::SqlBlocked { reason, .. }) if *reason == "drop_in_strict_profile");
    let hint = r#"drop a persistent table or view with {"operation":"dropTable"} and target persistent; its indexes go with it"#;
    sql_gate::hinted(error, is_drop.then_some(hint))
}

/// Joins rows of text as the JSON text of a list, which ends with the row that reaches `max_bytes`.
fn collect(outcome: Outcome, columns: Vec<String>, max_rows: usize, max_bytes: usize) -> Rows {
    let counters = outcome.counters;
    let texts = outcome.into_texts();
    let mut list = String::from("[");
    let mut count = 0;
    for text in texts.iter().take(max_rows) {
        if list.len() > max_bytes {
            break;
        }
        if count > 0 {
            list.push_str(query::ROW_SEPARATOR);
        }
        list.push_str(text);
        count += 1;
    }
    list.push(']');
    Rows {
        columns,
        list: sql_gate::value::finish(list),
        count,
        truncated: count < texts.len(),
        counters,
    }
}
