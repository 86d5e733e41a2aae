//! Runs an approved statement, once.
//!
//! One transaction stores the statement's changes, its outcome and the images of the changed rows:
//! all of them or none. A second request with the same approval gets the stored outcome. A
//! statement that fails stores nothing, so it may be sent again.
//!
//! The result of a read has `columns`, `rows` and `rowCount`, which is the total number of rows if
//! known. `truncated` is true if `rows` are not all of them. In that case, `resultTable` names the
//! table that has them, with its number of `rows` and whether it is `complete`.

use base::{Error, Result};
use database::{Counters, Database};
use serde_json::{Value, json};
use sql_gate::{Bound, StatementKind};

use super::capture::{
    OverLimit, Recording, RecordingLimits, bytes, changes, count, forget, recording,
};
use super::digest::Owner;
use super::executed::{self, Effect};
use super::judged::{JudgedStatement, WrittenTables};
use super::receipts::{self, ImageRange, Kind, Receipt};
use super::request::RunRequest;
use super::{result_table, undoable};
use crate::limits::{MAX_OUTCOME_ROW_BYTES, MAX_UNDO_ROWS};
use crate::query::{Page, Request, Rows};
use crate::{Reply, Session, SessionError};

/// The position and size of the images for an undo, or the reason why there are none.
type Undo = std::result::Result<(ImageRange, u64), String>;

/// Runs the statement, or returns the outcome if it has already run. Returns the members of the
/// response.
///
/// # Errors
/// [`SessionError::StatementChanged`] if the statement is not the approved one, or the gate's or
/// the engine's.
pub(super) fn run<D: Database>(
    session: &Session<'_, D>,
    owner: Owner<'_>,
    request: &RunRequest,
) -> Result<String> {
    // This comes first: if the statement has dropped a table, a second request must not fail
    // because of that.
    if let Some(found) = receipts::find(session.db, &request.approval_id)? {
        let outcome = found.outcome_of(Kind::Run, &request.sha256)?;
        return Ok(ran(&outcome, true));
    }
    let judged = JudgedStatement::of(session, &request.statement)?;
    check_hash(session.db, owner, request, &judged)?;
    let change = session.upcoming(&judged.bound);
    let written = judged.written(session.db)?;
    let done = match in_transaction(session, request, &judged, &written) {
        // Recording may need more than the engine allows; the statement alone may still run.
        Err(failure) if !written.relations.is_empty() => {
            let reason = format!("its rows could not be recorded: {failure}");
            let unrecorded = WrittenTables {
                relations: Vec::new(),
                obstacle: Some(reason),
            };
            in_transaction(session, request, &judged, &unrecorded)
        }
        outcome => outcome,
    };
    if judged.bound.kind() == StatementKind::Schema {
        session.cache.schema_changed();
    }
    let done = done?;
    session.tell(change.filter(|_| done.changed_something));
    let changed: Vec<String> = done.table.into_iter().chain(done.ended).collect();
    if !changed.is_empty() {
        session.cache.schema_changed();
        session.tell_written(true, false, &changed);
    }
    Ok(ran(&done.outcome, false))
}

/// Returns the stored members, and whether they are from an earlier run.
pub(crate) fn ran(outcome: &str, before: bool) -> String {
    let comma = if outcome.is_empty() { "" } else { "," };
    format!("{outcome}{comma}\"ranBefore\":{before}")
}

/// Refuses a statement whose hash is not the approved one. Nothing else can happen in the object
/// between this check and the run.
fn check_hash<D: Database>(
    db: &D,
    owner: Owner<'_>,
    request: &RunRequest,
    judged: &JudgedStatement,
) -> Result<()> {
    let sha256 = judged.sha256(db, owner, &request.statement)?;
    if sha256 == request.sha256 {
        return Ok(());
    }
    let mut without_scope = request.statement.clone();
    without_scope.scope = None;
    let scoped = request.statement.scope.is_some();
    let message = if judged.sha256_without_basis(owner, &request.statement) == request.sha256 {
        OLD_APPROVAL
    } else if scoped && judged.sha256(db, owner, &without_scope)? == request.sha256 {
        "the statement was approved without this scope"
    } else {
        CHANGED
    };
    Err(Error::from(SessionError::StatementChanged {
        message: message.to_owned(),
        approved: request.sha256.clone(),
        found: sha256,
    }))
}

/// The message for a statement that differs from the approved one.
pub(crate) const CHANGED: &str = "the statement to run differs from the approved one: its text, its parameters, its scope, a definition that it \
     depends on, or the session has changed";

/// The message for an approval of version 1.
pub(crate) const OLD_APPROVAL: &str = "the approval was given under an earlier version of the product, which did not include the definitions of the tables";

/// The effects of a run.
struct Done {
    outcome: String,
    changed_something: bool,
    /// The table that was made for the result.
    table: Option<String>,
    /// The tables of earlier results that were dropped.
    ended: Vec<String>,
}

fn in_transaction<D: Database>(
    session: &Session<'_, D>,
    request: &RunRequest,
    judged: &JudgedStatement,
    written: &WrittenTables,
) -> Result<Done> {
    let mut done = None;
    session.db.transaction(&mut || {
        receipts::sweep(session.db, session.now_ms)?;
        let (reply, undo, mut made) = match judged.bound.kind() {
            StatementKind::Read | StatementKind::QueryPlan => read(session, request, judged)?,
            StatementKind::Write => write(session, request, judged, written)?,
            StatementKind::Schema => define(session, judged)?,
        };
        made.outcome = reply.members();
        Receipt {
            approval_id: &request.approval_id,
            kind: Kind::Run,
            sha256: &request.sha256,
            now_ms: session.now_ms,
            outcome: &made.outcome,
            undo,
        }
        .record(session.db)?;
        // After the statement, which may have read one of these tables.
        made.ended = result_table::sweep(session.db, session.now_ms)?;
        done = Some(made);
        Ok(())
    })?;
    done.ok_or_else(|| Error::internal("the statement did not run"))
}

/// Returns the limits for the rows of a result.
fn rows_request(request: &RunRequest) -> Request {
    Request {
        limit: Some(request.max_rows),
        page: Page {
            offset: 0,
            max_bytes: Some(MAX_OUTCOME_ROW_BYTES),
        },
        ..Request::of(request.statement.sql.clone())
    }
}

type Outcome = (Reply, Undo, Done);

fn nothing_made(changed_something: bool) -> Done {
    Done {
        outcome: String::new(),
        changed_something,
        table: None,
        ended: Vec::new(),
    }
}

/// Returns the rows, or none if the first row alone is too long to be stored.
fn bounded(rows: Rows) -> Rows {
    if rows.list.len() <= MAX_OUTCOME_ROW_BYTES {
        return rows;
    }
    Rows {
        list: "[]".to_owned(),
        count: 0,
        truncated: true,
        ..rows
    }
}

fn read<D: Database>(
    session: &Session<'_, D>,
    request: &RunRequest,
    judged: &JudgedStatement,
) -> Result<Outcome> {
    let bound = &judged.bound;
    let rows = bounded(session.read(bound, &rows_request(request))?);
    let counters = rows.counters;
    let undo = Err("it changes nothing".to_owned());
    let mut made = nothing_made(false);
    let reply = |columns: &[String], list, count: u64, truncated: bool| {
        Reply::new(
            json!({ "kind": bound.action().name(), "columns": columns }),
            Counters::default(),
        )
        .with_json("rows", list)
        .with("rowCount", count)
        .with("truncated", truncated)
    };
    if !rows.truncated || bound.kind() == StatementKind::QueryPlan {
        let count = rows.count as u64;
        let reply = reply(&rows.columns, rows.list, count, rows.truncated);
        return Ok((judged.with_notice(reply, counters), undo, made));
    }
    let table = result_table::keep(
        session,
        &request.approval_id,
        bound,
        &rows.columns,
        request.statement.scope.as_ref(),
        request.max_rows,
    )?;
    let truncated = !table.complete || (table.listed as u64) < table.rows;
    let reply = reply(&table.columns, table.list, table.rows, truncated).with(
        "resultTable",
        json!({ "name": table.name, "rows": table.rows, "complete": table.complete }),
    );
    made.table = Some(table.name);
    Ok((judged.with_notice(reply, counters), undo, made))
}

fn define<D: Database>(session: &Session<'_, D>, judged: &JudgedStatement) -> Result<Outcome> {
    let executed = executed::change(session, &judged.bound)?;
    let reason = "it changes the schema".to_owned();
    let reply = Reply::new(
        json!({ "kind": judged.bound.action().name(), "changes": 0, "undo": unavailable(&reason) }),
        Counters::default(),
    );
    let reply = judged.with_notice(reply, executed.counters);
    Ok((reply, Err(reason), nothing_made(true)))
}

fn write<D: Database>(
    session: &Session<'_, D>,
    request: &RunRequest,
    judged: &JudgedStatement,
    written: &WrittenTables,
) -> Result<Outcome> {
    let rows_request = rows_request(request);
    let run = || executed::run(session, &judged.bound, &rows_request);
    let (executed, undo) = match undoable::obstacle(written) {
        Some(obstacle) => (run()?, Err(obstacle)),
        None => {
            let extent = RecordingLimits {
                rows: MAX_UNDO_ROWS,
                bytes: request.keep_undo_bytes,
                beyond: OverLimit::Stop,
            };
            let (made, executed) = recording(session.db, &written.relations, extent, || {
                judged.require_recordable(session, &written.relations)?;
                run()
            })?;
            let undo = keep(
                session.db,
                written,
                made,
                request.keep_undo_bytes,
                judged.scoped,
            )?;
            (executed, undo)
        }
    };
    let counters = executed.counters;
    let changed_something = executed.changes > 0 || counters.rows_written > 0;
    let reply = written_reply(
        &judged.bound,
        executed,
        &undo,
        session.db,
        &written.relations,
    )?;
    let reply = judged.with_notice(reply, counters);
    Ok((reply, undo, nothing_made(changed_something)))
}

/// Keeps the recorded changes for an undo, if they are complete and within the limits.
fn keep<D: Database>(
    db: &D,
    written: &WrittenTables,
    made: Recording,
    most_bytes: u64,
    scoped: bool,
) -> Result<Undo> {
    let relations = &written.relations;
    let counted = count(db, relations, made)?;
    let rows: u64 = counted.iter().map(|counted| counted.total()).sum();
    let bytes = bytes(db, made)?;
    let reason = if rows == 0 {
        Some("it changed nothing".to_owned())
    } else {
        undoable::too_much(rows, bytes, most_bytes)
    };
    let last = made.after.saturating_add(rows);
    match reason {
        None => {
            let last = changes(db, made, u64::MAX)?
                .last()
                .map_or(last, |last| last.id);
            Ok(Ok((ImageRange::of(relations, made, last, scoped), bytes)))
        }
        Some(reason) => {
            forget(db, relations.len(), made, u64::MAX)?;
            Ok(Err(reason))
        }
    }
}

fn written_reply<D: Database>(
    bound: &Bound,
    executed: Effect,
    undo: &Undo,
    db: &D,
    relations: &[super::capture::Relation],
) -> Result<Reply> {
    let mut reply = Reply::new(
        json!({ "kind": bound.action().name(), "changes": executed.changes }),
        Counters::default(),
    );
    if let Some(rows) = executed.rows {
        let rows = bounded(rows);
        reply = reply
            .with("columns", rows.columns)
            .with_json("rows", rows.list)
            .with("rowCount", rows.count)
            .with("truncated", rows.truncated);
    }
    let undo = match undo {
        Err(reason) => unavailable(reason),
        Ok((kept, bytes)) => {
            let counted = count(db, relations, kept.recording())?;
            let rows: u64 = counted.iter().map(|counted| counted.total()).sum();
            json!({ "available": true, "rows": rows, "bytes": bytes })
        }
    };
    Ok(reply.with("undo", undo))
}

fn unavailable(reason: &str) -> Value {
    json!({ "available": false, "rows": 0, "bytes": 0, "reason": reason })
}
