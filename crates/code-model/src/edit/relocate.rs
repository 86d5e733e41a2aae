//! Finds positions in an older version of a file again in its present version.
//!
//! A hash of tokens does not change when a comment is added above an item, but every byte after it
//! moves. So a position is bound to the item around it: it is found again if the item has the same
//! tokens, and rejected if it has not.

use std::ops::Range;

use base::{Error, Result};
use database::Database;

use super::request::ItemEdit;
use crate::CodeError;
use crate::store::files::FileRow;
use crate::store::items::{self, ItemSpan};

/// Returns the smallest item of a file around a range. The file itself does not count.
pub(super) fn around<'i>(list: &'i [ItemSpan], range: &Range<usize>) -> Option<&'i ItemSpan> {
    let holding = list.iter().filter(|item| !item.is_file);
    holding
        .filter(|item| item.span.start <= range.start && range.end <= item.span.end)
        .min_by_key(|item| item.span.len())
}

/// A position in a stored edit, with the text of its version.
pub(super) struct Old<'a> {
    pub range: Range<usize>,
    pub how: Option<ItemEdit>,
    /// The id of the item, and the hash of its tokens.
    pub item: Option<(&'a str, &'a str)>,
    pub text: &'a str,
}

/// Finds a position again. Returns `None` if it is no longer there unchanged.
pub(super) fn find<D: Database>(
    db: &D,
    version: u64,
    path: &str,
    present: &str,
    old: &Old<'_>,
    old_items: &[ItemSpan],
) -> Result<Option<Range<usize>>> {
    let Some((id, hash)) = old.item else {
        return Ok(None);
    };
    let Some(item) = items::by_id(db, version, id)?.filter(|item| item.path == path) else {
        return Ok(None);
    };
    if item.tracking_hash != hash {
        return Ok(None);
    }
    if old.how.is_some() {
        return Ok(Some(item.span));
    }
    // For bytes within an item, the whole text of the item must be unchanged.
    let Some(before) = old_items.iter().find(|before| before.id == id) else {
        return Ok(None);
    };
    let same = old.text.get(before.span.clone()) == present.get(item.span.clone());
    let moved = |byte: usize| {
        byte.checked_sub(before.span.start)
            .map(|inside| item.span.start + inside)
    };
    let range = moved(old.range.start)
        .zip(moved(old.range.end))
        .map(|(start, end)| start..end);
    Ok(range.filter(|range| same && range.end <= item.span.end))
}

/// Returns the error for a file that is not the one for which a request was made.
pub(super) fn changed(file: &FileRow, expected: &str) -> Error {
    Error::from(CodeError::Changed {
        path: file.path.clone(),
        expected: expected.to_owned(),
        file_hash: file.file_hash.clone(),
        tracking_hash: file.tracking_hash.clone(),
    })
}
