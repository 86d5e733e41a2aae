//! Values that are longer than a row holds: they lie in a table of their own, in pieces.

use super::super::bulk::Kinds;
use super::plan::{Column, PARENT_ROW_ID, ROW_ID};
use crate::limits::BULK_CHUNK_BYTES;

/// The end of the table's name.
pub(super) const SUFFIX: &str = "parts";

/// The columns of the table.
pub(super) fn columns() -> Vec<Column> {
    [
        (ROW_ID, Kinds::INTEGER),
        ("parent_table", Kinds::TEXT),
        (PARENT_ROW_ID, Kinds::INTEGER),
        ("parent_column", Kinds::TEXT),
        ("part", Kinds::INTEGER),
        ("text", Kinds::TEXT),
    ]
    .map(|(name, kinds)| Column {
        name: name.to_owned(),
        kinds,
    })
    .into()
}

/// A text in pieces that a row holds, cut between characters.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (piece, behind) = rest.split_at(rest.floor_char_boundary(BULK_CHUNK_BYTES));
        rest = behind;
        Some(piece)
    })
}
