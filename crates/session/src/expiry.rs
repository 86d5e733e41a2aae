//! The expiry of a session.
//!
//! Any use keeps a session alive. The time of last use is written at most once in
//! [`resolution_ms`], because each write is billed. So the session may have been used that much
//! later than the recorded time, and it expires that much later, but never too early. The alarm is
//! set when the session begins. When it fires, it either deletes the session or sets itself again;
//! requests never change it.

use std::cell::Cell;

use crate::limits::LAST_USE_RESOLUTION_MS;
use base::Result;
use database::{Bind, Database, DatabaseExt};

/// Settings are in seconds, times in milliseconds.
const MS_PER_SECOND: u64 = 1_000;

const READ_LAST_USE: &str = "SELECT value FROM _codemode_meta WHERE key = 'last_used_at'";
const WRITE_LAST_USE: &str = "INSERT INTO _codemode_meta (key, value) VALUES ('last_used_at', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value";

/// The action of a fired alarm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AlarmAction {
    /// Delete everything: the session has not been used for its time to live.
    Delete,
    /// Set the alarm again: the session was used since.
    ReArm {
        /// The time of the alarm, in milliseconds since 1970.
        at_ms: u64,
    },
}

/// Returns the precision of the time of last use: 5 minutes, or a tenth of a short time to live.
pub fn resolution_ms(ttl_seconds: u64) -> u64 {
    LAST_USE_RESOLUTION_MS.min(ttl_seconds.saturating_mul(MS_PER_SECOND) / 10)
}

/// Returns the time at which a session expires if it is not used after `last_use_ms`, the recorded
/// time.
pub fn expires_at_ms(last_use_ms: u64, ttl_seconds: u64) -> u64 {
    last_use_ms
        .saturating_add(ttl_seconds.saturating_mul(MS_PER_SECOND))
        .saturating_add(resolution_ms(ttl_seconds))
}

/// Decides on a fired alarm. A session without a recorded use has nothing worth keeping.
pub fn on_alarm(last_use_ms: Option<u64>, now_ms: u64, ttl_seconds: u64) -> AlarmAction {
    match last_use_ms.map(|last_use_ms| expires_at_ms(last_use_ms, ttl_seconds)) {
        Some(at_ms) if at_ms > now_ms => AlarmAction::ReArm { at_ms },
        _ => AlarmAction::Delete,
    }
}

/// Records a use of the session if the recorded one is old. Returns true if it did. One read, and
/// rarely a write.
///
/// # Errors
/// The engine's.
pub fn touch<D: Database>(db: &D, now_ms: u64, ttl_seconds: u64) -> Result<bool> {
    let old = last_use_ms(db)?
        .is_none_or(|recorded| now_ms.saturating_sub(recorded) >= resolution_ms(ttl_seconds));
    if old {
        db.run(WRITE_LAST_USE, &[Bind::number(now_ms)])?;
    }
    Ok(old)
}

/// Does the same as [`touch`], with the object's memory of the recorded time: most requests need
/// neither a read nor a write.
///
/// # Errors
/// The engine's.
pub fn touch_remembering<D: Database>(
    db: &D,
    remembered: &Cell<Option<u64>>,
    now_ms: u64,
    ttl_seconds: u64,
) -> Result<bool> {
    let recent = |known: u64| now_ms.saturating_sub(known) < resolution_ms(ttl_seconds);
    if remembered.get().is_some_and(recent) {
        return Ok(false);
    }
    let written = touch(db, now_ms, ttl_seconds)?;
    remembered.set(last_use_ms(db)?);
    Ok(written)
}

/// Returns the recorded time of last use.
///
/// # Errors
/// The engine's.
pub fn last_use_ms<D: Database>(db: &D) -> Result<Option<u64>> {
    Ok(db.cell(READ_LAST_USE, &[])?.map(|cell| cell.as_count()))
}
