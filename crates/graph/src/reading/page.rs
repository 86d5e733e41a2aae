//! Reads rows that SQLite wrote as JSON until a page is full.

use base::Result;
use database::{Bind, Cursor, Database, DatabaseExt, EngineError, Statement};

/// The statements for one list of rows, in the order of their `seq`.
pub(crate) struct Rows {
    /// The statement for the rows as JSON, as many as its last parameter.
    pub items: &'static str,
    /// The statement for the `seq` of the last row of the page and of the one after it.
    pub seqs: &'static str,
}

/// The remaining room of a page.
pub(crate) struct Room {
    /// The number of rows.
    pub items: usize,
    /// The bytes of JSON; the row that exceeds them is the last.
    pub bytes: usize,
}

/// The rows of a page.
#[derive(Debug, Default)]
pub(crate) struct PageRows {
    /// The rows, with commas between them.
    pub text: String,
    /// The last row, if more rows follow.
    pub last: Option<u64>,
}

/// Reads rows while there is room.
pub(crate) fn take<D: Database>(
    db: &D,
    rows: &Rows,
    binds: &[Bind],
    room: &mut Room,
) -> Result<PageRows> {
    // One row more than fits shows that more rows follow.
    let limit = Bind::number(room.items as u64 + 1);
    let mut cursor = db
        .open(Statement::Own(rows.items, &[binds, &[limit]].concat()))
        .map_err(EngineError::own)?;
    let taken = cursor
        .take_text(room.items, room.bytes, ",")
        .map_err(EngineError::own)?;
    drop(cursor);
    room.items = room.items.saturating_sub(taken.rows);
    room.bytes = room.bytes.saturating_sub(taken.text.len());
    let last = match taken.rows {
        _ if taken.done => None,
        0 => None,
        count => {
            let skipped = Bind::number(count as u64 - 1);
            let found = db.rows(rows.seqs, &[binds, &[skipped]].concat())?;
            let mut seqs = found.iter().filter_map(|row| row.first());
            let last = seqs.next().map(database::Cell::as_count);
            // If no row follows it, the last one ends the list.
            seqs.next().and(last)
        }
    };
    Ok(PageRows {
        text: taken.text,
        last,
    })
}
