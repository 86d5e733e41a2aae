//! Statements on persistent tables that a person approves: the schema for them, a preview of their
//! effect, and one exact run.
//!
//! The contract is that of [`crate::approved`]; the response says what a database behind the
//! network cannot do. It cannot read row by row, so there is no estimate of the work. Rows are not
//! recorded, so a write cannot be undone, and no rows before and after are shown.
//!
//! The dry run is a transaction whose last statement fails: the database rolls everything back, and
//! the error message contains the number of changed rows.

mod lookup;
mod receipts;
mod schema;

use base::{Error, Result};
use database::{Cell, Counters};
use serde_json::{Value, json};
use sql_gate::compose::{Part, compose};
use sql_gate::{Action, Bound, StatementKind};

use super::Persistent;
use super::basis::{self, ATTEMPTS};
use super::remote::RemoteDatabase;
use crate::approved::{
    CHANGED, OLD_APPROVAL, Owner, Place, Request, RunRequest, Scope, StatementRequest,
    of_statement, plan, without_basis,
};
use crate::limits::{MAX_OUTCOME_ROW_BYTES, PREVIEW_COUNTED_ROWS};
use crate::query::{self, Page, Rows};
use crate::{Reply, SessionError};

const NO_IMAGES: &str = "the persistent database does not keep the rows from before a statement";

/// Serves a request. Returns the response as the text of a JSON object.
///
/// # Errors
/// As [`crate::approved::serve`].
pub async fn serve<R: RemoteDatabase>(
    persistent: &Persistent<'_, R>,
    tenant: &str,
    request: &Request,
) -> Result<String> {
    let owner = Owner {
        tenant,
        place: Place::Persistent,
    };
    let members = match request {
        Request::Schema(request) => {
            let scope = resolved(request.scope.as_ref())?;
            let scoped = persistent.scoped(scope.as_ref());
            schema::read(&scoped, request).await?
        }
        Request::Lookup(request) => {
            let scope = resolved(request.scope.as_ref())?;
            let scoped = persistent.scoped(scope.as_ref());
            lookup::read(&scoped, request).await?
        }
        Request::Preview(request) => {
            let scope = resolved(request.scope.as_ref())?;
            let scoped = persistent.scoped(scope.as_ref());
            scoped.preview(owner, request).await?
        }
        Request::Run(request) => {
            let scope = resolved(request.statement.scope.as_ref())?;
            let scoped = persistent.scoped(scope.as_ref());
            scoped.run_approved(owner, request).await?
        }
        Request::UndoPreview { .. } => {
            json_members(&json!({ "possible": false, "reason": NO_IMAGES }))
        }
        Request::Undo(_) => {
            return Err(Error::from(SessionError::UndoUnavailable {
                reason: NO_IMAGES.to_owned(),
            }));
        }
    };
    Ok(format!("{{{members}}}"))
}

fn resolved(scope: Option<&Scope>) -> Result<Option<sql_scope::Scope>> {
    scope.map(Scope::resolve).transpose()
}

/// Returns the members of a JSON object.
fn json_members(object: &Value) -> String {
    Reply::new(object.clone(), Counters::default()).members()
}

impl<'a, R: RemoteDatabase> Persistent<'a, R> {
    pub(super) fn scoped<'s>(&'s self, scope: Option<&'s sql_scope::Scope>) -> Persistent<'s, R> {
        Persistent {
            remote: self.remote,
            tenant: self.tenant.clone(),
            settings: self.settings,
            now_ms: self.now_ms,
            scope,
            guards: self.guards.clone(),
            confirmed: self.confirmed,
        }
    }

    async fn judged(&self, request: &StatementRequest) -> Result<Bound> {
        let request = query::Request {
            parameters: request.parameters.clone(),
            ..query::Request::of(request.sql.clone())
        };
        Ok(self.check(&request).await?.bound)
    }

    /// Previews a statement. All parts of the preview use the same definitions, which the hash
    /// covers.
    async fn preview(&self, owner: Owner<'_>, request: &StatementRequest) -> Result<String> {
        for _ in 1..ATTEMPTS {
            match self.preview_once(owner, request).await {
                Err(error) if basis::is_moved(&error) => {}
                outcome => return outcome,
            }
        }
        self.preview_once(owner, request).await
    }

    async fn preview_once(&self, owner: Owner<'_>, request: &StatementRequest) -> Result<String> {
        let snapshot = self.snapshot().await?;
        let guarded = self.guarded_by(&snapshot)?;
        let bound = guarded.judged(request).await?;
        let basis = snapshot.basis_of(&bound, |name| self.tenant.physical(name));
        let sha256 = of_statement(owner, request.scope.as_ref(), &bound, &basis);
        guarded.previewed(&bound, sha256).await
    }

    async fn previewed(&self, bound: &Bound, sha256: String) -> Result<String> {
        let lines = self.plan_lines(bound).await?;
        // The statement is not approved yet, and nothing here could stop one that joins tables into
        // too many rows.
        let is_one_pass = passes(&lines) <= 1;
        let (affected, counted) = match is_one_pass {
            true => (
                self.affected(bound, &sha256).await?,
                self.counted(bound).await?,
            ),
            false => (None, None),
        };
        let plan = plan::plain(lines, |name| bound.relation_named(name));
        let is_more = counted.is_some_and(|rows| rows > PREVIEW_COUNTED_ROWS);
        let counted = counted.map(|rows| rows.min(PREVIEW_COUNTED_ROWS));
        let changes_rows = affected.is_some_and(|rows| rows > 0);
        let destroys = bound.may_destroy()
            || (changes_rows && matches!(bound.action(), Action::Update | Action::Delete));
        let mut reply = Reply::new(
            json!({
                "kind": bound.action().name(),
                "destructive": destroys,
                "tables": tables(bound),
                "statement": bound.statement(),
                "finalSql": bound.sql(),
                "sha256": sha256,
                "plan": plan,
                "estimatedRows": counted.or(affected),
            }),
            Counters::default(),
        );
        if is_more {
            reply = reply.with("estimatedRowsIsMinimum", true);
        }
        reply = reply
            .with(
                "work",
                json!({ "estimate": null, "limit": self.settings.max_query_work }),
            )
            .with("affectedRows", affected)
            .with("sample", Value::Null);
        reply = match affected {
            Some(_) => reply.with("dryRun", "done"),
            None => reply
                .with("dryRun", "unavailable")
                .with("dryRunReason", no_dry_run(bound, is_one_pass)),
        };
        let undo_reason = match bound.kind() {
            StatementKind::Read | StatementKind::QueryPlan => "it changes nothing",
            StatementKind::Schema => "it changes the schema",
            StatementKind::Write => NO_IMAGES,
        };
        let reply = reply
            .with("undoable", false)
            .with("undoReason", undo_reason);
        Ok(query::with_notice(reply, bound, None, Counters::default()).members())
    }

    /// Returns the lines of EXPLAIN QUERY PLAN, with the names that the tenant uses.
    async fn plan_lines(&self, bound: &Bound) -> Result<Vec<String>> {
        if bound.kind() == StatementKind::Schema {
            return Ok(Vec::new());
        }
        let outcome = self.send_one(bound.explained_plan(), bound).await?;
        let lines = outcome.rows.into_iter();
        let lines = lines.filter_map(|row| row.into_iter().nth(3).map(Cell::into_text));
        Ok(lines.map(|line| self.tenant.readable(&line)).collect())
    }

    /// Counts the rows of a read, up to one more than is reported.
    async fn counted(&self, bound: &Bound) -> Result<Option<u64>> {
        if bound.kind() != StatementKind::Read {
            return Ok(None);
        }
        let counting = bound.row_count_within(PREVIEW_COUNTED_ROWS + 1);
        let cell = self.send_one(counting, bound).await?.into_first_cell();
        Ok(cell.map(|cell| cell.as_count()))
    }

    /// Returns the number of rows that a write changes, by running it and rolling it back. `None`
    /// for a statement that is not a write.
    ///
    /// # Errors
    /// The errors of the statement itself.
    async fn affected(&self, bound: &Bound, mark: &str) -> Result<Option<u64>> {
        if bound.kind() != StatementKind::Write {
            return Ok(None);
        }
        sql_scope::tenant::verify(bound.sql(), &self.tenant)?;
        // An invalid path causes an error that contains the path. The mark is the hash of the
        // statement, which none of its rows can contain.
        let told = compose(
            &[
                Part::Sql("SELECT json_extract('{}', "),
                Part::Text(mark),
                Part::Sql(" || ':' || changes()) AS told"),
            ],
            Vec::new(),
        );
        match self.guarded(&[bound.clone(), told]).await {
            Ok(_) => Err(Error::internal("a dry run was not taken back")),
            Err(error) => match told_count(&error.message, mark) {
                Some(rows) => Ok(Some(rows)),
                None => Err(self.failure(&error, bound).await),
            },
        }
    }

    /// Runs an approved statement, or returns the outcome if it has already run.
    async fn run_approved(&self, owner: Owner<'_>, request: &RunRequest) -> Result<String> {
        if let Some(found) = self.receipt(owner, &request.approval_id).await? {
            return Ok(crate::approved::ran(
                &found.outcome_of(&request.sha256)?,
                true,
            ));
        }
        for _ in 1..ATTEMPTS {
            match self.run_once(owner, request).await {
                Err(error) if basis::is_moved(&error) => {}
                outcome => return outcome,
            }
        }
        self.run_once(owner, request).await
    }

    /// Compares the hash, and runs the statement if no definition has changed in the meantime.
    async fn run_once(&self, owner: Owner<'_>, request: &RunRequest) -> Result<String> {
        let snapshot = self.snapshot().await?;
        let guarded = self.guarded_by(&snapshot)?;
        let bound = guarded.judged(&request.statement).await?;
        let basis = snapshot.basis_of(&bound, |name| self.tenant.physical(name));
        let scope = request.statement.scope.as_ref();
        let sha256 = of_statement(owner, scope, &bound, &basis);
        if sha256 != request.sha256 {
            let is_old = without_basis(owner, scope, &bound) == request.sha256;
            return Err(Error::from(SessionError::StatementChanged {
                message: if is_old { OLD_APPROVAL } else { CHANGED }.to_owned(),
                approved: request.sha256.clone(),
                found: sha256,
            }));
        }
        guarded.run_judged(owner, request, &bound).await
    }

    async fn run_judged(
        &self,
        owner: Owner<'_>,
        request: &RunRequest,
        bound: &Bound,
    ) -> Result<String> {
        let asked = query::Request {
            limit: Some(request.max_rows),
            page: Page {
                offset: 0,
                max_bytes: Some(MAX_OUTCOME_ROW_BYTES),
            },
            ..query::Request::of(request.statement.sql.clone())
        };
        let outcome = match bound.kind() {
            StatementKind::Read | StatementKind::QueryPlan => {
                let rows = self.read(bound, &asked).await?;
                let counters = rows.counters;
                let kind = json!({ "kind": bound.action().name() });
                let reply = rows_reply(Reply::new(kind, Counters::default()), rows);
                query::with_notice(reply, bound, None, counters).members()
            }
            StatementKind::Write | StatementKind::Schema => {
                return self.change_once(owner, request, bound, &asked).await;
            }
        };
        Ok(crate::approved::ran(&outcome, false))
    }
}

/// Returns the rows of a result, or none if the first row alone is too long to be stored.
fn rows_reply(reply: Reply, rows: Rows) -> Reply {
    let is_kept = rows.list.len() <= MAX_OUTCOME_ROW_BYTES;
    let (list, count) = if is_kept {
        (rows.list, rows.count)
    } else {
        ("[]".to_owned(), 0)
    };
    reply
        .with("columns", rows.columns)
        .with_json("rows", list)
        .with("rowCount", count)
        .with("truncated", rows.truncated || !is_kept)
}

/// Counts the passes of a plan over rows. With more than one, the work may be a product.
fn passes(plan: &[String]) -> usize {
    let goes = |line: &&String| line.starts_with("SCAN ") || line.starts_with("SEARCH ");
    plan.iter().filter(goes).count()
}

fn no_dry_run(bound: &Bound, is_one_pass: bool) -> &'static str {
    match bound.kind() {
        StatementKind::Schema => {
            "a change of the schema cannot have a dry run on the persistent database"
        }
        StatementKind::Write if !is_one_pass => {
            "its plan reads rows in more than one pass, and its work on the persistent database has no limit"
        }
        StatementKind::Read | StatementKind::Write | StatementKind::QueryPlan => {
            "it changes nothing"
        }
    }
}

/// Returns the tables that a statement names, written ones first.
fn tables(bound: &Bound) -> Vec<Value> {
    let written = bound.written().and_then(|written| written.tables);
    let written = written.unwrap_or_default();
    let mut found: Vec<(&str, &str)> = Vec::new();
    let written = written.iter().map(|name| (name.as_str(), "write"));
    for (name, access) in written.chain(bound.relations().map(|name| (name, "read"))) {
        if !found
            .iter()
            .any(|(known, _)| known.eq_ignore_ascii_case(name))
        {
            found.push((name, access));
        }
    }
    let found = found.into_iter();
    found
        .map(|(name, access)| json!({ "name": name, "access": access }))
        .collect()
}

/// Returns the number after the mark in a message.
fn told_count(message: &str, mark: &str) -> Option<u64> {
    let (_, behind) = message.split_once(mark)?;
    let digits: String = behind
        .strip_prefix(':')?
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    digits.parse().ok()
}
