//! Undoes a statement with the images of the rows that it changed.
//!
//! Each changed row must be exactly as the statement left it. The undo reverts the changes in
//! reverse order, one by one, so that every state in between is one that the statement itself went
//! through, and no unique key is violated on the way. Foreign keys are checked at the end, because
//! the statement may have violated them on its way as well. The changes of the undo itself are
//! recorded: it only commits if all rows are as they were before the statement and no other row has
//! changed. Otherwise everything is rolled back.
//!
//! The counter of AUTOINCREMENT is not reset: a key that was used once is not used again.

use base::{Error, Result};
use database::{Bind, Counters, Database, DatabaseExt as _, EngineError, Statement};
use serde_json::{Value, json};
use sql_cost::Meter;
use sql_gate::Bound;
use sql_gate::compose::{Part, compose, quote_identifier};

use super::basis::Basis;
use super::capture::{
    Change, Counted, Images, Operation, OverLimit, ROW, RecordingLimits, Relation, Shown, ShownRow,
    Side, count, forget, recording, row_now, sample, shown_row, touched, with_pragma,
};
use super::counted::rows_within;
use super::digest::{self, Owner};
use super::history::{Deviation, History, When};
use super::receipts::{self, ImageRange, Kind, Receipt};
use super::request::UndoRequest;
use super::run::ran;
use crate::error::affordable;
use crate::limits::{MAX_CHECKED_ROWS, MAX_TOUCHED_TABLES, PREVIEW_SAMPLE_ROWS};
use crate::{Reply, Session, SessionError};

const DEFER: &str = "PRAGMA defer_foreign_keys = ON";
const DEFER_NO_MORE: &str = "PRAGMA defer_foreign_keys = OFF";
const BROKEN_KEY: &str = "SELECT 1 FROM pragma_foreign_key_check(?) LIMIT 1";
/// The tables with foreign keys to a table.
const REFERRING: &str = "SELECT DISTINCT referring.name FROM sqlite_schema AS referring, pragma_foreign_key_list(referring.name) AS key \
     WHERE referring.type = 'table' AND instr(lower(referring.sql), 'references') > 0 AND key.\"table\" = ?1 COLLATE NOCASE LIMIT ?2";

/// A statement with everything that its undo needs.
struct Stored {
    kept: ImageRange,
    relations: Vec<Relation>,
    history: History,
    counted: Vec<Counted>,
    /// The hash of the statement.
    statement: String,
    /// The basis of a change of the same tables.
    basis: Basis,
}

impl Stored {
    /// Loads the stored changes of a statement, or returns the reason why it cannot be undone.
    fn load<D: Database>(
        session: &Session<'_, D>,
        approval_id: &str,
    ) -> Result<std::result::Result<Self, String>> {
        let db = session.db;
        let Some(found) = receipts::find(db, approval_id)? else {
            return Err(Error::from(SessionError::ApprovalNotFound {
                approval_id: approval_id.to_owned(),
            }));
        };
        let kept = match found.kept(session.now_ms)? {
            Ok(kept) => kept,
            Err(reason) => return Ok(Err(reason)),
        };
        let mut relations = Vec::with_capacity(kept.tables.len());
        for table in &kept.tables {
            let relation = Relation::load(db, &table.name);
            match relation {
                Ok(relation) if relation.definition == table.definition => relations.push(relation),
                Ok(_) => {
                    return Ok(Err(format!(
                        "the definition of the table {} has changed since",
                        table.name
                    )));
                }
                Err(error) if crate::inspect::is_missing(&error) => {
                    return Ok(Err(format!("the table {} no longer exists", table.name)));
                }
                Err(error) => return Err(error),
            }
        }
        let history = History::load(db, &relations, kept.recording(), kept.last)?;
        let counted = counted(&history, relations.len());
        let names = relations.iter().map(|relation| relation.name.as_str());
        let basis = Basis::of_changes(db, names)?;
        Ok(Ok(Self {
            kept,
            relations,
            history,
            counted,
            statement: found.sha256,
            basis,
        }))
    }

    fn sha256(&self, owner: Owner<'_>, approval_id: &str) -> String {
        let changes = self.history.changes.len();
        digest::of_undo(owner, approval_id, &self.statement, changes, &self.basis)
    }

    /// Returns the tables, with the numbers of rows that the undo changes.
    fn tables(&self) -> Value {
        let tables = self.relations.iter().zip(&self.counted);
        let changed = tables.filter(|(_, counted)| counted.total() > 0);
        changed
            .map(|(relation, counted)| {
                json!({
                    "name": relation.name, "access": "write",
                    "inserted": counted.deleted, "updated": counted.updated, "deleted": counted.inserted,
                })
            })
            .collect()
    }

    fn changed_tables(&self) -> Vec<String> {
        let tables = self.relations.iter().zip(&self.counted);
        tables
            .filter(|(_, counted)| counted.total() > 0)
            .map(|(relation, _)| relation.name.clone())
            .collect()
    }

    /// Returns the error for rows that are not as the statement left them.
    fn conflict<D: Database>(
        &self,
        db: &D,
        meter: &Meter<'_>,
        message: &str,
        found: &[Deviation],
    ) -> Result<Error> {
        let mut rows = Vec::with_capacity(found.len());
        for deviation in found {
            let Some(relation) = self.relations.get(deviation.change.relation) else {
                continue;
            };
            let expected = if deviation.expected {
                shown_row(db, relation, &deviation.change, deviation.side)?
            } else {
                None
            };
            let value = |row: Option<ShownRow>| -> Result<Value> {
                let text = row.map(|row| serde_json::from_str(row.row.get()));
                text.transpose()
                    .map(|row| row.unwrap_or(Value::Null))
                    .map_err(|error| Error::internal(error.to_string()))
            };
            let (table, left) = (&relation.name, value(expected)?);
            // The row that is there now may be one of another tenant.
            rows.push(if self.kept.scoped {
                json!({ "table": table, "left": left })
            } else {
                let (change, side) = (&deviation.change, deviation.side);
                let (now, _) = affordable(row_now(db, meter, relation, change, side))?;
                let now = now.flatten();
                json!({ "table": table, "left": left, "found": value(now)? })
            });
        }
        Ok(conflict(message.to_owned(), rows))
    }
}

fn conflict(message: String, rows: Vec<Value>) -> Error {
    Error::from(SessionError::UndoConflict { message, rows })
}

fn counted(history: &History, relations: usize) -> Vec<Counted> {
    let mut counted = vec![Counted::default(); relations];
    for change in &history.changes {
        if let Some(counted) = counted.get_mut(change.relation) {
            match change.operation {
                Operation::Insert => counted.inserted += 1,
                Operation::Update => counted.updated += 1,
                Operation::Delete => counted.deleted += 1,
            }
        }
    }
    counted
}

const CHANGED_SINCE: &str = "rows have changed since the statement ran";

/// Previews an undo. Returns the members of the response.
///
/// # Errors
/// [`SessionError::ApprovalNotFound`], or the engine's.
pub(super) fn preview<D: Database>(
    session: &Session<'_, D>,
    owner: Owner<'_>,
    approval_id: &str,
) -> Result<String> {
    let images = match Stored::load(session, approval_id)? {
        Ok(images) => images,
        Err(reason) => {
            let nothing = json!({
                "possible": false, "reason": reason, "changes": 0, "tables": [], "sample": null, "sha256": null,
            });
            return Ok(Reply::new(nothing, Counters::default()).members());
        }
    };
    let meter = session.meter();
    let deviations = images.history.check(
        session.db,
        &meter,
        &images.relations,
        When::After,
        PREVIEW_SAMPLE_ROWS,
    )?;
    let mut reply = Reply::new(
        json!({ "possible": deviations.is_empty() }),
        Counters::default(),
    );
    if !deviations.is_empty() {
        let error = images.conflict(session.db, &meter, CHANGED_SINCE, &deviations)?;
        reply = reply.with("reason", CHANGED_SINCE);
        let details = error.details();
        reply = reply.with("rows", details.get("rows").cloned().unwrap_or_default());
    }
    // An undo reverses the images: its rows before are the rows after the statement.
    let Shown { before, after } = sample(session.db, &images.relations, &images.history.changes)?;
    let reversed = Shown {
        before: after,
        after: before,
    };
    let sample = serde_json::to_string(&reversed)
        .map_err(|error| Error::internal(format!("rows cannot be written: {error}")))?;
    Ok(reply
        .with("changes", images.history.changes.len())
        .with("tables", images.tables())
        .with_json("sample", sample)
        .with("sha256", images.sha256(owner, approval_id))
        .members())
}

/// Undoes a statement, or returns the outcome of an undo that has already run. Returns the members
/// of the response.
///
/// # Errors
/// [`SessionError::StatementChanged`], [`SessionError::UndoUnavailable`],
/// [`SessionError::UndoConflict`], or the engine's.
pub(super) fn undo<D: Database>(
    session: &Session<'_, D>,
    owner: Owner<'_>,
    request: &UndoRequest,
) -> Result<String> {
    if let Some(found) = receipts::find(session.db, &request.undo_approval_id)? {
        let outcome = found.outcome_of(Kind::Undo, &request.sha256)?;
        return Ok(ran(&outcome, true));
    }
    let images = Stored::load(session, &request.approval_id)?
        .map_err(|reason| SessionError::UndoUnavailable { reason })?;
    let sha256 = images.sha256(owner, &request.approval_id);
    if sha256 != request.sha256 {
        return Err(Error::from(SessionError::StatementChanged {
            message: "the undo differs from the approved one, or the definition of a table that it changes is different now".to_owned(),
            approved: request.sha256.clone(),
            found: sha256,
        }));
    }
    let outcome = Reply::new(
        json!({ "undone": true, "changes": images.history.changes.len(), "tables": images.tables() }),
        Counters::default(),
    )
    .members();
    session.db.transaction(&mut || {
        take_back(session.db, &session.meter(), &images)?;
        receipts::close(
            session.db,
            &request.approval_id,
            &images.kept,
            "it was undone",
        )?;
        Receipt {
            approval_id: &request.undo_approval_id,
            kind: Kind::Undo,
            sha256: &request.sha256,
            now_ms: session.now_ms,
            outcome: &outcome,
            undo: Err("it is an undo itself".to_owned()),
        }
        .record(session.db)
    })?;
    session.tell_written(false, false, &images.changed_tables());
    Ok(ran(&outcome, false))
}

/// Reverts all changes, and checks the result.
fn take_back<D: Database>(db: &D, meter: &Meter<'_>, images: &Stored) -> Result<()> {
    let (relations, history) = (&images.relations, &images.history);
    let deviations = history.check(db, meter, relations, When::After, PREVIEW_SAMPLE_ROWS)?;
    if !deviations.is_empty() {
        return Err(images.conflict(db, meter, CHANGED_SINCE, &deviations)?);
    }
    let all = with_touched(db, relations)?;
    let extent = RecordingLimits {
        rows: u64::MAX / 2,
        bytes: u64::MAX / 2,
        beyond: OverLimit::Stop,
    };
    let steps = || {
        let all_steps = || {
            weigh_steps(db, meter, relations, &history.changes)?;
            let mut changes = history.changes.iter().rev();
            changes.try_for_each(|change| step(db, relations, change))
        };
        recording(db, &all, extent, all_steps).map(|(made, ())| made)
    };
    let made = match tables_to_check(db, relations)? {
        None => steps()?,
        Some(tables) => with_pragma(db, DEFER, DEFER_NO_MORE, || {
            let made = steps()?;
            require_whole_keys(db, &tables)?;
            Ok(made)
        })?,
    };
    let deviations = history.check(db, meter, relations, When::Before, PREVIEW_SAMPLE_ROWS)?;
    if !deviations.is_empty() {
        let message = "the undo would not restore the rows as they were";
        return Err(images.conflict(db, meter, message, &deviations)?);
    }
    let own = History::load(db, &all, made, u64::MAX)?;
    if own.foreign_to(history) {
        let counted = count(db, &all, made)?;
        let names = all.iter().zip(&counted);
        let names: Vec<&str> = names
            .filter(|(_, counted)| counted.total() > 0)
            .map(|(relation, _)| relation.name.as_str())
            .collect();
        return Err(conflict(
            format!(
                "foreign keys would change rows that the statement has not changed, in {}",
                names.join(", ")
            ),
            Vec::new(),
        ));
    }
    forget(db, all.len(), made, u64::MAX)
}

/// Rejects a state in which a foreign key has no parent row.
fn require_whole_keys<D: Database>(db: &D, tables: &[String]) -> Result<()> {
    for table in tables {
        if db
            .cell(BROKEN_KEY, &[Bind::text(table.as_str())])?
            .is_some()
        {
            return Err(conflict(
                format!("a foreign key of {table} would be broken"),
                Vec::new(),
            ));
        }
    }
    Ok(())
}

/// Returns these tables, followed by all others that their foreign keys now change.
fn with_touched<D: Database>(db: &D, relations: &[Relation]) -> Result<Vec<Relation>> {
    let mut all = relations.to_vec();
    for relation in relations {
        let names = touched(db, &relation.name)?.ok_or_else(|| {
            conflict(
                format!("foreign keys let it change more than {MAX_TOUCHED_TABLES} tables"),
                Vec::new(),
            )
        })?;
        for name in names {
            if !all.iter().any(|known| known.name == name) {
                all.push(Relation::load(db, &name)?);
            }
        }
    }
    Ok(all)
}

/// Returns the tables whose foreign keys must be checked at the end. Returns `None` if the engine
/// may check them after each step, because there are none, or because checking all rows is too
/// much: there are too many, or the tables have computed columns.
fn tables_to_check<D: Database>(db: &D, relations: &[Relation]) -> Result<Option<Vec<String>>> {
    let mut names: Vec<String> = Vec::new();
    for relation in relations {
        if relation
            .definition
            .to_ascii_lowercase()
            .contains("references")
        {
            names.push(relation.name.clone());
        }
        let most = Bind::number(MAX_TOUCHED_TABLES);
        let referring = db.rows(REFERRING, &[Bind::text(relation.name.as_str()), most])?;
        let referring = referring
            .into_iter()
            .filter_map(|row| row.into_iter().next());
        names.extend(referring.map(database::Cell::into_text));
    }
    names.sort_unstable();
    names.dedup();
    let mut rows = 0_u64;
    for name in &names {
        let is_plain = sql_gate::catalog::is_plain_to_read(db, name)?;
        match rows_within(db, name).filter(|_| is_plain) {
            Some(more) => rows = rows.saturating_add(more),
            None => return Ok(None),
        }
    }
    Ok((!names.is_empty() && rows <= MAX_CHECKED_ROWS).then_some(names))
}

/// Refuses to revert changes if their rows run too much of the caller's expressions.
fn weigh_steps<D: Database>(
    db: &D,
    meter: &Meter<'_>,
    relations: &[Relation],
    changes: &[Change],
) -> Result<()> {
    for (index, relation) in relations.iter().enumerate() {
        if sql_gate::catalog::is_plain_to_write(db, &relation.name)? {
            continue;
        }
        for operation in Operation::ALL {
            let is_one =
                |change: &&Change| change.relation == index && change.operation == operation;
            let alike = changes.iter().filter(is_one);
            if let Some(first) = alike.clone().next() {
                meter.weigh(db, &inverse_of(relation, first), alike.count() as u64)?;
            }
        }
    }
    Ok(())
}

/// Reverts one change.
fn step<D: Database>(db: &D, relations: &[Relation], change: &Change) -> Result<()> {
    let Some(relation) = relations.get(change.relation) else {
        return Err(Error::internal("a change of no table"));
    };
    let bound = inverse_of(relation, change);
    db.open(Statement::Reviewed(bound.reviewed()))
        .map(drop)
        .map_err(|error: EngineError| match error.parts().code {
            "SQLITE_CONSTRAINT" => conflict(
                format!("a row cannot be put back: {}", error.parts().message),
                Vec::new(),
            ),
            _ => error.own(),
        })
}

fn inverse_of(relation: &Relation, change: &Change) -> Bound {
    let (verb, rest) = inverse(relation, change);
    compose(
        &[Part::Sql(verb), Part::Expression(&rest)],
        vec![Bind::number(change.id)],
    )
}

/// Returns the statement that reverts a change, as its first word and the rest. Its parameter is
/// the id of the change.
fn inverse(relation: &Relation, change: &Change) -> (&'static str, String) {
    let table = quote_identifier(&relation.name);
    let before = Images::of(relation, change.relation, Side::Before);
    let after = Images::of(relation, change.relation, Side::After);
    let of_change =
        |images: Images<'_>| format!("{} AND {} = ?1", images.source(), images.change());
    let target = key_condition(relation, after, &of_change(after));
    match change.operation {
        Operation::Insert => ("DELETE FROM ", format!("{table} AS {ROW} WHERE {target}")),
        Operation::Delete => {
            let (columns, values) = before.writable();
            (
                "INSERT INTO ",
                format!(
                    "{table} ({}) SELECT {} {}",
                    columns.join(", "),
                    values.join(", "),
                    of_change(before)
                ),
            )
        }
        Operation::Update => {
            let (columns, values) = before.writable();
            (
                "UPDATE ",
                format!(
                    "{table} AS {ROW} SET ({}) = (SELECT {} {}) WHERE {target}",
                    columns.join(", "),
                    values.join(", "),
                    of_change(before)
                ),
            )
        }
    }
}

/// Returns the condition that [`ROW`] has the key of the image of one change. The values are read
/// from the image first, so that the engine finds the row by its key.
fn key_condition(relation: &Relation, images: Images<'_>, source: &str) -> String {
    let keys = relation
        .slots
        .iter()
        .enumerate()
        .filter(|(_, slot)| slot.key);
    let conditions: Vec<String> = keys
        .map(|(at, slot)| {
            let value = format!("(SELECT {} {source})", images.value(at));
            format!(
                "{ROW}.{0} = {value} AND {ROW}.{0} COLLATE BINARY = {value}",
                slot.quoted
            )
        })
        .collect();
    conditions.join(" AND ")
}
