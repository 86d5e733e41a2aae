//! `execution_logs`: events in the session that its owner may want to read later.
//!
//! Each entry is billed as a write, so only some operations write one: loads and copies of tables
//! do. The newest entries are kept, at most [`MAX_EXECUTION_LOGS`]. One in `PRUNE_EVERY` entries
//! deletes old ones, to make room for as many new ones.

use serde_json::{Value, json};

use crate::limits::{MAX_EXECUTION_LOGS, MAX_LOG_CHARACTERS, SHOWN_EXECUTION_LOGS};
use base::Result;
use base::time::iso8601;
use database::{Bind, Cell, Database, DatabaseExt};

/// The number of entries between two prunings: a pruning is a billed write, and each entry would
/// otherwise cost two.
const PRUNE_EVERY: u64 = 100;

const APPEND: &str =
    "INSERT INTO execution_logs (timestamp, message, execution) VALUES (?, ?, ?) RETURNING id";
const PRUNE: &str = "DELETE FROM execution_logs WHERE id <= ?";
const NEWEST: &str = "SELECT timestamp, message FROM execution_logs ORDER BY id DESC LIMIT ?";

/// Appends an entry. A long message is cut.
///
/// # Errors
/// The engine's.
pub fn log<D: Database>(db: &D, now_ms: u64, message: &str) -> Result<()> {
    append(db, now_ms, message, None)
}

/// Appends an entry with the facts about a program's run as JSON.
pub(super) fn append<D: Database>(
    db: &D,
    now_ms: u64,
    message: &str,
    execution: Option<&Value>,
) -> Result<()> {
    let message = base::text::first(message, MAX_LOG_CHARACTERS);
    let execution = execution.map_or(Bind::Null, |details| Bind::Text(details.to_string()));
    let id = db
        .cell(
            APPEND,
            &[Bind::number(now_ms), Bind::Text(message), execution],
        )?
        .map_or(0, |cell| cell.as_count());
    if id % PRUNE_EVERY == 0 {
        db.run(
            PRUNE,
            &[Bind::number(
                id.saturating_sub(MAX_EXECUTION_LOGS - PRUNE_EVERY),
            )],
        )?;
    }
    Ok(())
}

/// Returns the newest entries, newest first, as getMetrics shows them.
pub(super) fn newest<D: Database>(db: &D) -> Result<Vec<Value>> {
    let rows = db.rows(NEWEST, &[Bind::number(SHOWN_EXECUTION_LOGS)])?;
    let entry = |row: Vec<Cell>| {
        let mut cells = row.into_iter();
        let at_ms = cells.next().map_or(0, |cell| cell.as_count());
        json!({ "timestamp": iso8601(at_ms), "message": cells.next().map_or_else(String::new, Cell::into_text) })
    };
    Ok(rows.into_iter().map(entry).collect())
}
