//! The programs that ran in a session: recorded in `execution_logs`, listed newest first.
//!
//! A record has the error of the run and the end of its console output, with limits: each record is
//! a few kilobytes, so the whole table is a few megabytes.

use serde_json::{Map, Value, json};

use super::logs;
use super::{Reply, Session};
use crate::limits::{
    DEFAULT_LISTED_EXECUTIONS, MAX_KEPT_FAILURE_CHARACTERS, MAX_KEPT_OUTPUT_BYTES,
    MAX_KEPT_OUTPUT_ENTRIES, MAX_LISTED_EXECUTIONS,
};
use base::time::iso8601;
use base::{Error, Result};
use database::{Cell, Counters, Database, DatabaseExt};

const NEWEST: &str = "SELECT timestamp, execution FROM execution_logs WHERE execution IS NOT NULL ORDER BY id DESC LIMIT ?";

/// A completed run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Execution {
    /// The id, as in its result.
    pub id: String,
    /// The time of its end, in milliseconds since 1970.
    pub ended_ms: u64,
    /// The time from the launch of its isolate to its end.
    pub duration_ms: u64,
    /// The number of helper calls.
    pub calls: usize,
    /// `OK`, or the code of its error.
    pub outcome: String,
    /// The error in its result; `name`, `message`, `hint`, `line` and `column` are recorded.
    pub error: Option<Value>,
    /// The end of its console output.
    pub output: Output,
}

/// The end of a run's console output.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Output {
    entries: Vec<Value>,
    left_out: usize,
}

impl Output {
    /// Returns the last entries of a result's output (`level`, `text`, `atMs`), within the limits.
    pub fn end_of(logs: &[Value]) -> Self {
        let mut room_bytes = MAX_KEPT_OUTPUT_BYTES;
        let fits = |entry: &&Value| {
            let bytes = entry
                .get("text")
                .and_then(Value::as_str)
                .map_or(0, str::len);
            let rest = room_bytes.checked_sub(bytes);
            room_bytes = rest.unwrap_or(0);
            rest.is_some()
        };
        let mut entries: Vec<Value> = logs
            .iter()
            .rev()
            .take(MAX_KEPT_OUTPUT_ENTRIES)
            .take_while(fits)
            .cloned()
            .collect();
        entries.reverse();
        let left_out = logs.len().saturating_sub(entries.len());
        Self { entries, left_out }
    }
}

/// Records a run.
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
        error,
        output,
    } = execution;
    let plural = if *calls == 1 { "" } else { "s" };
    let message = format!("program {outcome} in {duration_ms} ms with {calls} call{plural}");
    let mut details = json!({
        "executionId": id, "durationMs": duration_ms, "calls": calls, "outcome": outcome, "logs": output.entries,
    });
    if let Some(fields) = details.as_object_mut() {
        if output.left_out > 0 {
            fields.insert("logsLeftOut".to_owned(), output.left_out.into());
        }
        if let Some(error) = error {
            fields.insert("error".to_owned(), kept_failure(outcome, error));
        }
    }
    logs::append(db, *ended_ms, &message, Some(&details))
}

/// Returns the fields of an error that a person wants to read. Other fields, such as similar names,
/// are only in the result.
fn kept_failure(code: &str, error: &Value) -> Value {
    let mut kept = Map::new();
    kept.insert("code".to_owned(), code.into());
    for name in ["name", "message", "hint"] {
        if let Some(text) = error.get(name).and_then(Value::as_str) {
            let text = base::text::cut(text, MAX_KEPT_FAILURE_CHARACTERS);
            kept.insert(name.to_owned(), text.into());
        }
    }
    for name in ["line", "column"] {
        if let Some(number) = error.get(name).filter(|value| value.is_u64()) {
            kept.insert(name.to_owned(), number.clone());
        }
    }
    Value::Object(kept)
}

/// Returns the newest runs. `limit` is the text of the query parameter.
///
/// # Errors
/// [`base::CommonError::InvalidArgument`] for a limit that is not a number in range, or the
/// engine's.
pub fn list<D: Database>(session: &Session<'_, D>, limit: Option<&str>) -> Result<Reply> {
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
    Ok(Reply::new(
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
