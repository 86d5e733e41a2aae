//! Reads a thread for its clients: its state, its history, its messages, its events and its audit.

use database::{Bind, Cell, Database, DatabaseExt};
use serde_json::{Value, json};

use super::{Head, Store, step_of, values_of};
use crate::AgentError;
use crate::limits::{DEFAULT_THREAD_PAGE_ITEMS, MAX_EVENTS_AT_A_TIME, MAX_THREAD_PAGE_ITEMS};
use crate::state::{Step, Values};
use base::time::iso8601;
use base::{Error, Result};

/// The messages of a branch: those of its own checkpoints, and those of its parent branches up to
/// the checkpoint at which each was forked.
const MESSAGES: &str = "WITH RECURSIVE lines (branch, until) AS ( \
       SELECT ?, ? \
       UNION ALL \
       SELECT b.parent, b.forked_at FROM branches b JOIN lines l ON l.branch = b.id WHERE b.parent IS NOT NULL \
     ) \
     SELECT m.id, m.type, m.content, m.created_at, m.sequence FROM lines l JOIN messages m ON m.branch = l.branch AND m.checkpoint <= l.until \
     ORDER BY m.sequence DESC LIMIT ?";
const CHECKPOINT: &str =
    "SELECT id, branch, parent, source, next, state, created_at FROM checkpoints WHERE id = ?";
const CHECKPOINTS: &str = "SELECT id, branch, parent, source, next, created_at FROM checkpoints WHERE id < ? ORDER BY id DESC LIMIT ?";
const EVENTS: &str = "SELECT id, event, data FROM events WHERE id > ? ORDER BY id LIMIT ?";
const OLDEST_EVENT: &str = "SELECT coalesce(min(id), 0) FROM events";
const AUDIT: &str = "SELECT sequence, at, kind, actor, body, previous_hash, hash FROM audit WHERE sequence > ? ORDER BY sequence LIMIT ?";
const THREAD: &str = "SELECT created_at, updated_at FROM thread";

/// The parameters of a page of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// The maximum number of items.
    pub limit: usize,
    /// The number of the last item on the previous page.
    pub cursor: Option<u64>,
}

impl Page {
    /// Reads the parameters `limit` and `cursor`.
    ///
    /// # Errors
    /// [`base::CommonError::InvalidArgument`].
    pub fn from_parameters(limit: Option<&str>, cursor: Option<&str>) -> Result<Self> {
        let limit = match limit {
            None => DEFAULT_THREAD_PAGE_ITEMS,
            Some(text) => text
                .parse()
                .ok()
                .filter(|limit| (1..=MAX_THREAD_PAGE_ITEMS).contains(limit))
                .ok_or_else(|| {
                    Error::invalid(format!(
                        "limit must be a whole number from 1 to {MAX_THREAD_PAGE_ITEMS}, not {text:?}"
                    ))
                })?,
        };
        let cursor = cursor
            .map(|text| {
                text.parse().map_err(|_| {
                    Error::invalid_with_hint(
                        format!("cursor must be a nextCursor, not {text:?}"),
                        "send the nextCursor of the previous page",
                    )
                })
            })
            .transpose()?;
        Ok(Self { limit, cursor })
    }
}

/// A stored event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventRow {
    /// The id of the event.
    pub id: u64,
    /// The name of the event.
    pub event: String,
    /// The data of the event, as JSON text.
    pub data: String,
}

fn text(cell: Option<&Cell>) -> &str {
    cell.and_then(Cell::as_text).unwrap_or_default()
}

fn count(cell: Option<&Cell>) -> u64 {
    cell.map_or(0, Cell::as_count)
}

fn optional(cell: Option<&Cell>) -> Option<u64> {
    match cell {
        None | Some(Cell::Null) => None,
        Some(cell) => Some(cell.as_count()),
    }
}

impl<D: Database> Store<'_, D> {
    /// Returns the newest messages of a branch up to a checkpoint, oldest first.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn messages(&self, branch: u64, checkpoint: u64, limit: usize) -> Result<Vec<Value>> {
        let binds = [
            Bind::number(branch),
            Bind::number(checkpoint),
            Bind::number(limit as u64),
        ];
        let rows = self.db.rows(MESSAGES, &binds)?;
        let message = |row: &Vec<Cell>| {
            json!({
                "id": text(row.first()), "type": text(row.get(1)), "content": text(row.get(2)),
                "createdAt": iso8601(count(row.get(3))),
            })
        };
        Ok(rows.iter().rev().map(message).collect())
    }

    fn snapshot(&self, branch: u64, checkpoint: u64, step: Step, values: &Values) -> Result<Value> {
        let mut shown = serde_json::to_value(values)
            .map_err(|error| Error::internal(format!("a state cannot be shown: {error}")))?;
        let pending = (step == Step::HumanApproval)
            .then(|| values.approval.as_ref().map(|approval| approval.to_wire()))
            .flatten();
        if let Some(fields) = shown.as_object_mut() {
            let messages = self.messages(branch, checkpoint, MAX_THREAD_PAGE_ITEMS)?;
            fields.insert("messages".to_owned(), Value::Array(messages));
            // On the wire the statement is a text, as clients of the flow expect it.
            let written = values.written_query.as_ref();
            fields.insert(
                "writtenQuery".to_owned(),
                json!(written.map(|written| &written.sql)),
            );
            fields.insert(
                "explanation".to_owned(),
                json!(written.map(|written| &written.explanation)),
            );
            fields.insert(
                "approval".to_owned(),
                json!(values.approval.as_ref().map(|approval| approval.to_wire())),
            );
        }
        Ok(json!({ "values": shown, "next": step.next(), "pending": pending }))
    }

    /// Returns `{values, next, pending, checkpoint, checkpoints}`: the current values of the
    /// thread, and its newest checkpoints.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn state(&self, head: &Head) -> Result<Value> {
        let mut state = self.snapshot(head.branch, head.checkpoint, head.step, &head.values)?;
        let rows = self.db.rows(THREAD, &[])?;
        let times = rows.first();
        if let Some(fields) = state.as_object_mut() {
            let page = Page {
                limit: DEFAULT_THREAD_PAGE_ITEMS,
                cursor: None,
            };
            let history = self.history(page)?;
            let created = count(times.and_then(|row| row.first()));
            let updated = count(times.and_then(|row| row.get(1)));
            fields.insert("checkpoint".to_owned(), head.checkpoint.into());
            fields.insert(
                "checkpoints".to_owned(),
                history.get("checkpoints").cloned().unwrap_or_default(),
            );
            fields.insert("createdAt".to_owned(), iso8601(created).into());
            fields.insert("updatedAt".to_owned(), iso8601(updated).into());
            fields.insert("lastEventId".to_owned(), self.last_event()?.into());
        }
        Ok(state)
    }

    /// Returns the state at an earlier checkpoint.
    ///
    /// # Errors
    /// [`AgentError::NoSuchCheckpoint`].
    pub fn state_at(&self, checkpoint: u64) -> Result<Value> {
        let rows = self.db.rows(CHECKPOINT, &[Bind::number(checkpoint)])?;
        let Some(row) = rows.first() else {
            return Err(AgentError::NoSuchCheckpoint { checkpoint }.into());
        };
        let step = step_of(text(row.get(4)))?;
        let values = values_of(text(row.get(5)))?;
        let mut state = self.snapshot(count(row.get(1)), checkpoint, step, &values)?;
        if let Some(fields) = state.as_object_mut() {
            fields.insert("checkpoint".to_owned(), checkpoint.into());
            fields.insert("parent".to_owned(), json!(optional(row.get(2))));
            fields.insert("source".to_owned(), text(row.get(3)).into());
            fields.insert("createdAt".to_owned(), iso8601(count(row.get(6))).into());
        }
        Ok(state)
    }

    /// Returns the checkpoints, newest first.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn history(&self, page: Page) -> Result<Value> {
        let before = page.cursor.unwrap_or(i64::MAX as u64);
        let binds = [Bind::number(before), Bind::number(page.limit as u64 + 1)];
        let mut rows = self.db.rows(CHECKPOINTS, &binds)?;
        let has_more = rows.len() > page.limit;
        rows.truncate(page.limit);
        let shown = |row: &Vec<Cell>| {
            let step = step_of(text(row.get(4)))?;
            Ok(json!({
                "checkpoint": count(row.first()), "branch": count(row.get(1)), "parent": optional(row.get(2)),
                "source": text(row.get(3)), "next": step.next(), "createdAt": iso8601(count(row.get(5))),
            }))
        };
        let listed = rows.iter().map(shown).collect::<Result<Vec<_>>>()?;
        let next = has_more.then(|| count(rows.last().and_then(|row| row.first())).to_string());
        Ok(json!({ "checkpoints": listed, "nextCursor": next }))
    }

    /// Returns the next events after the given one.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn events_after(&self, event: u64) -> Result<Vec<EventRow>> {
        let binds = [
            Bind::number(event),
            Bind::number(MAX_EVENTS_AT_A_TIME as u64),
        ];
        let rows = self.db.rows(EVENTS, &binds)?;
        Ok(rows
            .iter()
            .map(|row| EventRow {
                id: count(row.first()),
                event: text(row.get(1)).to_owned(),
                data: text(row.get(2)).to_owned(),
            })
            .collect())
    }

    /// Returns true if all events after the given one are still stored.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn has_events_after(&self, event: u64) -> Result<bool> {
        let oldest = self
            .db
            .cell(OLDEST_EVENT, &[])?
            .map_or(0, |cell| cell.as_count());
        Ok(event.saturating_add(1) >= oldest)
    }

    /// Returns the audit records, oldest first.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn audit(&self, page: Page) -> Result<Value> {
        let binds = [
            Bind::number(page.cursor.unwrap_or(0)),
            Bind::number(page.limit as u64 + 1),
        ];
        let mut rows = self.db.rows(AUDIT, &binds)?;
        let has_more = rows.len() > page.limit;
        rows.truncate(page.limit);
        let next = has_more.then(|| count(rows.last().and_then(|row| row.first())).to_string());
        let records: Vec<Value> = rows.iter().map(|row| audit_row(row)).collect();
        Ok(json!({ "records": records, "nextCursor": next }))
    }
}

/// Returns an audit record as it is exported. `body` is a text, because the hash covers its bytes.
fn audit_row(row: &[Cell]) -> Value {
    json!({
        "sequence": count(row.first()), "at": iso8601(count(row.get(1))), "atMs": count(row.get(1)),
        "kind": text(row.get(2)), "actor": text(row.get(3)), "body": text(row.get(4)),
        "previousHash": text(row.get(5)), "hash": text(row.get(6)),
    })
}
