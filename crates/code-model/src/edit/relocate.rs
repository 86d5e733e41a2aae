//! Where the places of an older version of a file are in its present one.
//!
//! A hash of tokens does not see a comment that was put above an item, while every byte behind it
//! moves. So a place is bound to the item that it is in: it is found again where the item says the
//! same, and is refused where it does not.

use std::ops::Range;

use base::{Error, Result};
use database::Database;

use super::request::ItemEdit;
use crate::CodeError;
use crate::store::files::FileRow;
use crate::store::items::{self, Standing};

/// Returns the item of a file that is the smallest around a range, leaving out the file itself.
pub(super) fn around<'i>(list: &'i [Standing], range: &Range<usize>) -> Option<&'i Standing> {
    let holding = list.iter().filter(|item| !item.is_file);
    holding
        .filter(|item| item.span.start <= range.start && range.end <= item.span.end)
        .min_by_key(|item| item.span.len())
}

/// A place that a stored edit names, with the texts of both versions.
pub(super) struct Old<'a> {
    pub range: Range<usize>,
    pub how: Option<ItemEdit>,
    /// The item, and the hash of its tokens.
    pub item: Option<(&'a str, &'a str)>,
    pub text: &'a str,
}

/// Finds a place again. `None` where it is not there as it was.
pub(super) fn find<D: Database>(
    db: &D,
    version: u64,
    path: &str,
    present: &str,
    old: &Old<'_>,
    old_items: &[Standing],
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
    // Bytes within an item: all of its text must be what it was.
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

/// That a file is another one than a request was made for.
pub(super) fn changed(file: &FileRow, expected: &str) -> Error {
    Error::from(CodeError::Changed {
        path: file.path.clone(),
        expected: expected.to_owned(),
        file_hash: file.file_hash.clone(),
        tracking_hash: file.tracking_hash.clone(),
    })
}
