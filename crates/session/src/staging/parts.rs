//! Values that are too long for a row, in pieces in a separate table.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::plan::{Column, PARENT_ROW_ID, ROW_ID};
use crate::json_reader::Reader;
use crate::limits::BULK_CHUNK_BYTES;
use crate::records::Kinds;

/// The suffix of the table's name.
pub(super) const SUFFIX: &str = "parts";

/// The number of base64 characters in a piece of bytes: groups of four.
const BLOB_PIECE_CHARACTERS: usize = BULK_CHUNK_BYTES / 4 * 4;

/// Returns the columns of the table.
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

/// Splits a text into pieces that fit into rows, cut between characters.
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

/// Splits the base64 of bytes that are too long for a row into pieces that are whole bytes. `None`
/// for a value that is not a blob.
pub(super) fn blob_pieces(json: &str) -> Option<impl Iterator<Item = &str>> {
    let mut reader = Reader::new(json);
    reader.enter();
    let (key, value) = (reader.key()?, reader.value());
    let base64 = value.strip_prefix('"')?.strip_suffix('"')?;
    let plain = key == "\"$blob\"" && !base64.contains('\\') && STANDARD.decode(base64).is_ok();
    let mut rest = base64;
    plain.then(|| {
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let (piece, behind) = rest
                .split_at_checked(BLOB_PIECE_CHARACTERS)
                .unwrap_or((rest, ""));
            rest = behind;
            Some(piece)
        })
    })
}
