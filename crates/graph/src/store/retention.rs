//! Bounds the history: deletes the oldest steps, and the rows that only older versions need.

use base::Result;
use database::{Bind, Database, DatabaseExt};

use super::head::Head;
use super::read::counts;
use super::temporal::{EDGES, NODES};
use crate::limits::MAX_PAST_ROWS;

/// The newest step at which the kept rows of past versions exceed the limit.
const STEP_OVER_ROWS: &str = "SELECT coalesce(max(version), 0) FROM (SELECT version, \
     sum(nodes_updated + nodes_deleted + edges_updated + edges_deleted) OVER (ORDER BY version DESC) AS kept \
     FROM _codemode_steps WHERE version > ?1) WHERE kept > ?2";
const LOST_UNDONE: &str =
    "SELECT EXISTS (SELECT 1 FROM _codemode_steps WHERE state = 'undone' AND version < ?1)";
/// Undone steps are redone from the oldest on. Without the oldest, those after it cannot be redone.
const DROP_UNDONE: &str = "UPDATE _codemode_steps SET state = 'dropped' WHERE state = 'undone'";
/// Deletes the steps before `?1`, the floor of the history. The step of the floor itself is kept:
/// it has the counts of the oldest version, and if it was undone it can still be redone.
const DELETE_STEPS: &str = "DELETE FROM _codemode_steps WHERE version < ?1";

/// The part of the history by which its rows may outlive it: deleting them for many steps at a time
/// takes most steps no statement. Readers go by the floor, so they do not see such rows.
const LAG_PART: u64 = 32;

/// Raises the floor of the history if it is too low. `has_undone` is false if no step is undone.
pub(crate) fn apply<D: Database>(
    db: &D,
    head: &mut Head,
    history_steps: u64,
    has_undone: bool,
) -> Result<()> {
    let history_steps = history_steps.max(1);
    let mut floor = head.version.saturating_sub(history_steps);
    let is_over = head.past_rows > MAX_PAST_ROWS;
    if is_over {
        let binds = [Bind::number(head.floor), Bind::number(MAX_PAST_ROWS)];
        let [over] = counts(db, STEP_OVER_ROWS, &binds)?;
        floor = floor.max(over);
    }
    floor = floor.min(head.version.saturating_sub(1));
    if floor <= head.floor {
        return Ok(());
    }
    if has_undone {
        let [lost] = counts(db, LOST_UNDONE, &[Bind::number(floor)])?;
        if lost > 0 {
            db.run(DROP_UNDONE, &[])?;
        }
    }
    let lag = (history_steps / LAG_PART).max(1);
    if is_over || floor / lag > head.floor / lag {
        discard(db, head, floor)?;
    }
    head.floor = floor;
    Ok(())
}

/// Deletes what only the versions before `floor` need.
fn discard<D: Database>(db: &D, head: &mut Head, floor: u64) -> Result<()> {
    if head.past_rows > 0 {
        let deleted = NODES.discard(db, floor)? + EDGES.discard(db, floor)?;
        head.past_rows = head.past_rows.saturating_sub(deleted);
    }
    db.run(DELETE_STEPS, &[Bind::number(floor)]).map(drop)
}
