//! The words of items, as full-text search finds them. What a word is, others decide: see [`crate::Workspace::words`].

use base::Result;
use database::{Bind, Database, DatabaseExt};
use serde_json::json;

use super::rows::{list, run_in_pieces};
use crate::limits::MAX_INDEXED_BYTES;
use crate::model::Item;
use crate::parse::text::cut_bytes;

const DELETE: &str = "DELETE FROM code_words WHERE rowid IN (SELECT value FROM json_each(?1))";
const INSERT: &str = "INSERT INTO code_words (rowid, name, path, body) SELECT value->>'$[0]', value->>'$[1]', value->>'$[2]', value->>'$[3]' \
     FROM json_each(?1)";

/// An item whose words are to be written.
pub(super) struct Worded<'a> {
    pub number: u64,
    pub item: &'a Item,
    /// Its text without that of items in it.
    pub own: String,
}

/// Writes the words of items. Those that are `replaced` have some already.
pub(super) fn write<D: Database>(
    db: &D,
    words: &dyn Fn(&str) -> String,
    path: &str,
    worded: &[Worded<'_>],
    replaced: &[u64],
) -> Result<()> {
    if !replaced.is_empty() {
        db.run(DELETE, &[list(replaced)])?;
    }
    let values = worded.iter().map(|worded| {
        let item = worded.item;
        let name = item
            .canon
            .strip_prefix(&item.module_path)
            .unwrap_or(&item.canon);
        let place = format!("{path} {}", item.module_path);
        json!([
            worded.number,
            words(name),
            words(&place),
            words(cut_bytes(&worded.own, MAX_INDEXED_BYTES)),
        ])
    });
    run_in_pieces(db, INSERT, values, &[])
}

/// Deletes the words of the items that ended up to a version.
pub(super) fn discard<D: Database>(db: &D, floor: u64) -> Result<()> {
    db.run(
        "DELETE FROM code_words WHERE rowid IN (SELECT item FROM code_items WHERE valid_to <= ?1 AND searchable = 1)",
        &[Bind::number(floor)],
    )
    .map(drop)
}
