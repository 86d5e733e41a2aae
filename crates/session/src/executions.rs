//! The programs that ran in a session: written to `execution_logs`, listed newest first.

use serde_json::{Value, json};

use super::logs;
use super::{Answer, Session};
use crate::limits::{DEFAULT_LISTED_EXECUTIONS, MAX_LISTED_EXECUTIONS};
use base::time::iso8601;
use base::{Error, Result};
use database::{Cell, Counters, Database, DatabaseExt};

const NEWEST: &str = "SELECT timestamp, execution FROM execution_logs WHERE execution IS NOT NULL ORDER BY id DESC LIMIT ?";

/// A run that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Execution {
    /// Its id, as the result had it.
    pub id: String,
    /// When it ended, in milliseconds since 1970.
    pub ended_ms: u64,
    /// From the launch of its isolate to its end.
    pub duration_ms: u64,
    /// Calls of helpers.
    pub calls: usize,
    /// `OK`, or the code of its failure.
    pub outcome: String,
}

/// Writes an entry for a run.
///
/// # Errors
/// The engine's.
pub fn record<D: Database>(db: &D, execution: &Execution) -> Result<()> {
    let Execution {
        id,
        ended_ms,
        duration_ms,
        calls,
        outcome,
    } = execution;
    let plural = if *calls == 1 { "" } else { "s" };
    let message = format!("program {outcome} in {duration_ms} ms with {calls} call{plural}");
    let details =
        json!({ "executionId": id, "durationMs": duration_ms, "calls": calls, "outcome": outcome });
    logs::append(db, *ended_ms, &message, Some(&details))
}

/// The newest runs. `limit` is the text of the query parameter.
///
/// # Errors
/// [`base::CommonError::InvalidArgument`] for a limit that is no number in range, or the engine's.
pub fn list<D: Database>(session: &Session<'_, D>, limit: Option<&str>) -> Result<Answer> {
    let limit = match limit {
        None => DEFAULT_LISTED_EXECUTIONS,
        Some(text) => text
            .parse()
            .ok()
            .filter(|limit| (1..=MAX_LISTED_EXECUTIONS).contains(limit))
            .ok_or_else(|| {
                Error::invalid(format!(
                    "limit must be a whole number from 1 to {MAX_LISTED_EXECUTIONS}"
                ))
            })?,
    };
    let rows = session.db.rows(NEWEST, &[database::Bind::number(limit)])?;
    let executions: Vec<Value> = rows.into_iter().filter_map(entry).collect();
    Ok(Answer::new(
        json!({ "executions": executions }),
        Counters::default(),
    ))
}

fn entry(row: Vec<Cell>) -> Option<Value> {
    let mut cells = row.into_iter();
    let at_ms = cells.next()?.as_count();
    let mut entry: Value = serde_json::from_str(&cells.next()?.into_text()).ok()?;
    entry
        .as_object_mut()?
        .insert("endedAt".to_owned(), iso8601(at_ms).into());
    Some(entry)
}
