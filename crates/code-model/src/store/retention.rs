//! Bounds the history: deletes the oldest versions, and the rows that only they need.

use base::Result;
use database::{Bind, Database, DatabaseExt};

use super::head::Head;
use super::rows::number;
use super::words;
use crate::Settings;

/// The newest version at which the kept bytes of past files exceed the limit.
const VERSION_OVER_BYTES: &str = "SELECT coalesce(max(version), 0) FROM (SELECT version, \
     sum(ended_bytes) OVER (ORDER BY version DESC) AS kept FROM code_versions WHERE version > ?1) WHERE kept > ?2";
const PAST_BYTES: &str =
    "SELECT coalesce(sum(ended_bytes), 0) FROM code_versions WHERE version > ?1";
/// Contents come first, because the rows of files determine which contents are no longer needed.
const DISCARD: [&str; 6] = [
    "DELETE FROM code_content WHERE content IN (SELECT content FROM code_files WHERE valid_to <= ?1 EXCEPT \
     SELECT content FROM code_files WHERE valid_to > ?1)",
    "DELETE FROM code_places WHERE file IN (SELECT file FROM code_files WHERE valid_to <= ?1)",
    "DELETE FROM code_files WHERE valid_to <= ?1",
    "DELETE FROM code_items WHERE valid_to <= ?1",
    "DELETE FROM code_edges WHERE valid_to <= ?1",
    "DELETE FROM code_versions WHERE version < ?1",
];

/// Raises the floor of the history if it is too low.
pub(super) fn apply<D: Database>(db: &D, head: &mut Head, settings: &Settings) -> Result<()> {
    let mut floor = head.version.saturating_sub(settings.kept_versions.max(1));
    if head.past_bytes > settings.past_bytes {
        let binds = [Bind::number(head.floor), Bind::number(settings.past_bytes)];
        floor = floor.max(number(db, VERSION_OVER_BYTES, &binds)?);
    }
    // Keeps the previous version, so that an edit can be reverted directly after it was applied,
    // however large its files are.
    floor = floor.min(head.version.saturating_sub(1));
    if floor <= head.floor {
        return Ok(());
    }
    words::discard(db, floor)?;
    for sql in DISCARD {
        db.run(sql, &[Bind::number(floor)])?;
    }
    head.floor = floor;
    head.past_bytes = number(db, PAST_BYTES, &[Bind::number(floor)])?;
    Ok(())
}
