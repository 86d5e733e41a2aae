//! Reads rows as JSON into a response while there is room: a row may have a megabyte of data, and
//! objects share 128 MB.

use base::Result;
use database::{Bind, Cursor as _, Database, EngineError, Statement};

use super::pieces::in_pieces_of;

/// The number of rows that one statement reads.
const ROWS_AT_A_TIME: usize = 1_000;

/// Rows of a response.
#[derive(Debug, Default)]
pub(crate) struct Listed {
    /// Their JSON, with commas between them.
    pub text: String,
    /// The number of rows.
    pub rows: usize,
    /// True if some did not fit.
    pub is_cut: bool,
}

/// Reads the rows that a statement returns for items, one for each in their order, while there is
/// room. `push` writes an item as JSON.
pub(crate) fn listed<D: Database, T>(
    db: &D,
    sql: &'static str,
    items: impl IntoIterator<Item = T>,
    push: impl FnMut(T, &mut String),
    room_bytes: &mut usize,
) -> Result<Listed> {
    let mut listed = Listed::default();
    in_pieces_of(ROWS_AT_A_TIME, items, push, |_, piece| {
        if *room_bytes == 0 {
            listed.is_cut = true;
        }
        if listed.is_cut {
            return Ok(());
        }
        let mut cursor = db
            .open(Statement::Own(sql, &[Bind::Text(piece)]))
            .map_err(EngineError::own)?;
        let taken = cursor
            .take_text(ROWS_AT_A_TIME + 1, *room_bytes, ",")
            .map_err(EngineError::own)?;
        if listed.rows > 0 && taken.rows > 0 {
            listed.text.push(',');
        }
        listed.text.push_str(&taken.text);
        listed.rows += taken.rows;
        *room_bytes = room_bytes.saturating_sub(taken.text.len());
        // The cursor stops at the row that fills the room, which may be the last one.
        listed.is_cut = !taken.done && cursor.next().map_err(EngineError::own)?.is_some();
        Ok(())
    })?;
    Ok(listed)
}
