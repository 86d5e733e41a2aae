//! The index of words of items, for full-text search. [`crate::Workspace::words`] splits texts into
//! words.

use base::Result;
use database::{Bind, Database, DatabaseExt};
use serde_json::json;

use super::rows::{Pieces, list};
use crate::limits::MAX_INDEXED_BYTES;
use crate::model::Item;
use crate::parse::text::cut_bytes;

const DELETE: &str = "DELETE FROM code_words WHERE rowid IN (SELECT value FROM json_each(?1))";
const INSERT: &str = "INSERT INTO code_words (rowid, name, path, body) SELECT value->>'$[0]', value->>'$[1]', value->>'$[2]', value->>'$[3]' \
     FROM json_each(?1)";

/// A writer of the words of a file's items.
pub(super) struct Words<'a, D: Database> {
    db: &'a D,
    words: &'a dyn Fn(&str) -> String,
    path: &'a str,
    pieces: Pieces<'a, D>,
}

impl<'a, D: Database> Words<'a, D> {
    pub fn new(db: &'a D, words: &'a dyn Fn(&str) -> String, path: &'a str) -> Self {
        Self {
            db,
            words,
            path,
            pieces: Pieces::new(db, INSERT, Vec::new()),
        }
    }

    /// Adds the words of an item. `own` is its text without that of inner items.
    pub fn add(&mut self, number: u64, item: &Item, own: &str) -> Result<()> {
        let name = item
            .canon
            .strip_prefix(&item.module_path)
            .unwrap_or(&item.canon);
        let place = format!("{} {}", self.path, item.module_path);
        let value = json!([
            number,
            (self.words)(name),
            (self.words)(&place),
            (self.words)(cut_bytes(own, MAX_INDEXED_BYTES)),
        ]);
        self.pieces.push(&value)
    }

    /// Replaces the words of an item.
    pub fn replace(&mut self, number: u64, item: &Item, own: &str) -> Result<()> {
        self.db.run(DELETE, &[list(&[number])])?;
        self.add(number, item, own)
    }

    pub fn finish(self) -> Result<()> {
        self.pieces.finish()
    }
}

/// Deletes the words of the items that ended by a version.
pub(super) fn discard<D: Database>(db: &D, floor: u64) -> Result<()> {
    db.run(
        "DELETE FROM code_words WHERE rowid IN (SELECT item FROM code_items WHERE valid_to <= ?1 AND searchable = 1)",
        &[Bind::number(floor)],
    )
    .map(drop)
}
