//! Previews a statement: judges it as `exec` does, describes its plan in words, and makes a dry run
//! that is rolled back.
//!
//! A preview changes nothing: the dry run happens in one transaction that never commits, watchers
//! get no event, and the statement cache stores nothing.

use base::{Error, Result};
use database::{Counters, Cursor as _, Database, Statement};
use serde_json::{Value, json};
use sql_gate::{Action, Bound, StatementKind, explain};

use super::capture::{
    Counted, Relation, Shown, bytes, changes, count, first_rows, recording, sample,
};
use super::counted::rows_within;
use super::executed::{Interruption, change};
use super::judged::{JudgedStatement, WrittenTables};
use super::plan::RowCounts;
use super::{dry_run_extent, plan, undoable};
use crate::error::{affordable, is_too_big};
use crate::limits::{CHEAP_WORK, MAX_DRY_RUN_WORK, PREVIEW_COUNTED_ROWS};
use crate::{Reply, Session};

/// The findings of a dry run.
#[derive(Default)]
struct DryRunFindings {
    /// The number of rows that the statement itself changes; `None` if unknown.
    affected: Option<u64>,
    /// The recorded changes; `None` if nothing could be recorded.
    recorded: Option<Recorded>,
    /// Some of the rows.
    shown: Option<Shown>,
}

/// The changes recorded by a dry run, by table.
struct Recorded {
    counted: Vec<Counted>,
    bytes: u64,
}

/// The outcome of a dry run.
enum DryRun {
    Done(DryRunFindings),
    Unavailable(String),
}

/// Previews a statement. `sha256` is the hash of the statement if an approval may follow.
///
/// # Errors
/// The gate's or the engine's errors about the statement.
pub(super) fn preview<D: Database>(
    session: &Session<'_, D>,
    judged: &JudgedStatement,
    sha256: Option<String>,
) -> Result<Reply> {
    let bound = &judged.bound;
    let row_counts = if judged.scoped {
        RowCounts::Hidden
    } else {
        RowCounts::Told
    };
    let plan = plan::sentences(session.db, bound, row_counts)?;
    let named = judged.named_tables(session.db)?;
    let written = judged.written(session.db)?;
    let counted = counted_rows(session, judged)?;
    let dry_run = dry_run(session, judged, &written)?;
    let (found, reason) = match dry_run {
        DryRun::Done(found) => (found, None),
        DryRun::Unavailable(reason) => (DryRunFindings::default(), Some(reason)),
    };
    let undo_obstacle = undo_obstacle(bound, &written, &found, reason.as_deref());
    let mut reply = Reply::new(
        json!({ "kind": bound.action().name(), "destructive": found.destroys(bound) }),
        Counters::default(),
    )
    .with("tables", tables(&named, &written.relations, &found))
    .with("statement", judged.statement.as_str())
    .with("finalSql", bound.sql());
    if let Some(sha256) = sha256 {
        reply = reply
            .with("sha256", sha256)
            .with("cheap", judged.estimate.work <= CHEAP_WORK);
    }
    let is_more = counted.is_some_and(|rows| rows > PREVIEW_COUNTED_ROWS);
    let counted = counted.map(|rows| rows.min(PREVIEW_COUNTED_ROWS));
    reply = reply
        .with("plan", plan)
        .with("estimatedRows", counted.or(found.affected));
    if is_more {
        reply = reply.with("estimatedRowsIsMinimum", true);
    }
    reply = reply
        .with(
            "work",
            json!({ "estimate": (!judged.scoped).then_some(judged.estimate.work), "limit": session.policy().max_query_work }),
        )
        .with("affectedRows", found.affected)
        .with_json("sample", shown_json(found.shown.as_ref())?)
        .with(
            "dryRun",
            if reason.is_none() {
                "done"
            } else {
                "unavailable"
            },
        );
    if let Some(reason) = reason {
        reply = reply.with("dryRunReason", reason);
    }
    reply = reply.with("undoable", undo_obstacle.is_none());
    if let Some(reason) = undo_obstacle {
        reply = reply.with("undoReason", reason);
    }
    Ok(judged.with_notice(reply, Counters::default()))
}

impl DryRunFindings {
    fn destroys(&self, bound: &Bound) -> bool {
        let recorded = self.recorded.as_ref().map(|recorded| &recorded.counted);
        let mut counted = recorded.into_iter().flatten();
        bound.may_destroy() || counted.any(|counted| counted.updated + counted.deleted > 0)
    }
}

fn shown_json(shown: Option<&Shown>) -> Result<String> {
    serde_json::to_string(&shown)
        .map_err(|error| Error::internal(format!("rows cannot be written: {error}")))
}

/// Returns the tables and views, with the numbers of changed rows for those that are written.
fn tables(named: &[(String, bool)], relations: &[Relation], found: &DryRunFindings) -> Value {
    let counted_of = |name: &str| {
        let position = relations
            .iter()
            .position(|relation| relation.name == name)?;
        let recorded = found.recorded.as_ref()?;
        recorded.counted.get(position).copied()
    };
    let described = |name: &str, writes: bool| match counted_of(name).filter(|_| writes) {
        None => json!({ "name": name, "access": if writes { "write" } else { "read" } }),
        Some(counted) => json!({
            "name": name, "access": "write",
            "inserted": counted.inserted, "updated": counted.updated, "deleted": counted.deleted,
        }),
    };
    let mut tables: Vec<Value> = named
        .iter()
        .map(|(name, writes)| {
            let cascades = counted_of(name).is_some_and(|counted| counted.total() > 0);
            described(name, *writes || cascades)
        })
        .collect();
    for relation in relations {
        let is_named = named.iter().any(|(name, _)| *name == relation.name);
        let cascades = counted_of(&relation.name).is_none_or(|counted| counted.total() > 0);
        if !is_named && cascades {
            tables.push(described(&relation.name, true));
        }
    }
    Value::Array(tables)
}

/// Counts the rows of a read, up to one more than is reported; `None` if they are not counted.
fn counted_rows<D: Database>(
    session: &Session<'_, D>,
    judged: &JudgedStatement,
) -> Result<Option<u64>> {
    let bound = &judged.bound;
    if bound.kind() != StatementKind::Read || judged.estimate.work > MAX_DRY_RUN_WORK {
        return Ok(None);
    }
    let counting = bound.row_count_within(PREVIEW_COUNTED_ROWS + 1);
    let fail = |error| explain::explain(session.db, &error, bound);
    let mut cursor = session
        .db
        .open(Statement::Reviewed(counting.reviewed()))
        .map_err(fail)?;
    let row = cursor.next().map_err(fail)?.unwrap_or_default();
    Ok(row.first().map(database::Cell::as_count))
}

/// Returns the reason why the statement could not be undone after a run; `None` if it could.
fn undo_obstacle(
    bound: &Bound,
    written: &WrittenTables,
    found: &DryRunFindings,
    dry_run_reason: Option<&str>,
) -> Option<String> {
    match bound.kind() {
        StatementKind::Read | StatementKind::QueryPlan => {
            return Some("it changes nothing".to_owned());
        }
        StatementKind::Schema => return Some("it changes the schema".to_owned()),
        StatementKind::Write => {}
    }
    if let Some(obstacle) = undoable::obstacle(written) {
        return Some(obstacle);
    }
    match (&found.recorded, dry_run_reason) {
        (Some(recorded), _) => {
            let rows = recorded.counted.iter().map(|counted| counted.total()).sum();
            undoable::too_much(rows, recorded.bytes, crate::limits::PREVIEW_UNDO_BYTES)
        }
        (None, Some(reason)) => Some(reason.to_owned()),
        (None, None) => Some("its rows could not be recorded".to_owned()),
    }
}

fn dry_run<D: Database>(
    session: &Session<'_, D>,
    judged: &JudgedStatement,
    written: &WrittenTables,
) -> Result<DryRun> {
    if let Some(reason) = unavailable(session, judged) {
        return Ok(DryRun::Unavailable(reason));
    }
    if let Some(reason) = dry_run_extent::obstacle(session.db, &judged.bound, written)? {
        return Ok(DryRun::Unavailable(reason));
    }
    let dropped = dropped(session, judged, written)?;
    let with_rows = rolled_back(session.db, || recorded(session, judged, written));
    let is_large = dry_run_extent::is_large(session.db);
    let outcome = match with_rows {
        // Without records nothing stops a dry run that changes too much.
        Err(Interruption::Failed(error)) if is_large && !written.relations.is_empty() => {
            if error.code() == base::codes::INTERNAL.name || is_too_big(&error) {
                let reason = format!("its rows could not be recorded: {error}");
                return Ok(DryRun::Unavailable(reason));
            }
            Err(Interruption::Failed(error))
        }
        // Recording may need more than the engine allows; the statement alone may still run.
        Err(Interruption::Failed(_)) => rolled_back(session.db, || {
            let executed = change(session, &judged.bound)?;
            Ok(DryRunFindings {
                affected: Some(executed.changes),
                ..DryRunFindings::default()
            })
        }),
        outcome => outcome,
    };
    match outcome {
        Ok(mut found) => {
            if judged.bound.kind() == StatementKind::Schema {
                (found.affected, found.shown) = dropped;
            }
            Ok(DryRun::Done(found))
        }
        Err(Interruption::TooMuch) => Ok(DryRun::Unavailable(dry_run_extent::too_much(
            session.db,
            &written.relations,
        ))),
        Err(Interruption::Failed(error)) => Err(error),
    }
}

/// Returns the reason why there is no dry run; `None` if there is one.
fn unavailable<D: Database>(session: &Session<'_, D>, judged: &JudgedStatement) -> Option<String> {
    if judged.bound.action() == Action::Read {
        return Some("it changes nothing".to_owned());
    }
    let work = judged.estimate.work;
    if work > MAX_DRY_RUN_WORK {
        return Some(format!(
            "its estimated work is {work}; the limit for a dry run is {MAX_DRY_RUN_WORK}"
        ));
    }
    (session.db.open_cursors() > 0)
        .then(|| "a stream is reading the session, and a dry run would end it".to_owned())
}

/// Returns the number of rows in a dropped table, and the first of them.
fn dropped<D: Database>(
    session: &Session<'_, D>,
    judged: &JudgedStatement,
    written: &WrittenTables,
) -> Result<(Option<u64>, Option<Shown>)> {
    let (Some(_), Some(relation)) = (judged.bound.dropped_table(), written.relations.first())
    else {
        return Ok((None, None));
    };
    let shown = Shown {
        before: affordable(first_rows(session.db, &session.meter(), relation))?
            .0
            .unwrap_or_default(),
        after: Vec::new(),
    };
    Ok((rows_within(session.db, &relation.name), Some(shown)))
}

/// Runs the statement and records its changes.
fn recorded<D: Database>(
    session: &Session<'_, D>,
    judged: &JudgedStatement,
    written: &WrittenTables,
) -> Result<DryRunFindings, Interruption> {
    let relations = &written.relations;
    let extent = dry_run_extent::extent(session.db, relations);
    let mut stopped = None;
    let outcome = recording(session.db, relations, extent, || {
        judged.require_recordable(session, relations)?;
        change(session, &judged.bound).map_err(|error| match error {
            Interruption::Failed(error) => error,
            Interruption::TooMuch => {
                stopped = Some(Interruption::TooMuch);
                Error::internal("the dry run ended")
            }
        })
    });
    let (made, executed) = match (outcome, stopped) {
        (Ok(outcome), _) => outcome,
        (Err(_), Some(stopped)) => return Err(stopped),
        (Err(error), None) => return Err(Interruption::Failed(error)),
    };
    let mut found = DryRunFindings {
        affected: Some(executed.changes),
        ..DryRunFindings::default()
    };
    if relations.is_empty() {
        return Ok(found);
    }
    let read = || -> Result<(Recorded, Shown)> {
        let recorded = Recorded {
            counted: count(session.db, relations, made)?,
            bytes: bytes(session.db, made)?,
        };
        let changes = changes(session.db, made, u64::MAX)?;
        Ok((recorded, sample(session.db, relations, &changes)?))
    };
    let (recorded, shown) = read().map_err(Interruption::Failed)?;
    found.recorded = Some(recorded);
    found.shown = Some(shown);
    Ok(found)
}

/// Runs `work` in a transaction that is always rolled back.
pub(crate) fn rolled_back<D: Database, T, E: From<Error>>(
    db: &D,
    work: impl Fn() -> Result<T, E>,
) -> Result<T, E> {
    let mut outcome = None;
    let ended = db.transaction(&mut || {
        outcome = Some(work());
        Err(Error::internal("the dry run is rolled back"))
    });
    match (outcome, ended) {
        (Some(outcome), _) => outcome,
        (None, Err(error)) => Err(error.into()),
        (None, Ok(())) => Err(Error::internal("nothing ran").into()),
    }
}
