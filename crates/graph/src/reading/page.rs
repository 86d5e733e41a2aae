//! Takes rows that SQLite wrote as JSON until a page is full.

use base::Result;
use database::{Bind, Cursor, Database, DatabaseExt, EngineError, Statement};

/// One list of rows, each with its `seq`, in that order.
pub(crate) struct Rows {
    /// The rows as JSON, as many as the last parameter says.
    pub items: &'static str,
    /// The `seq` of two rows behind as many as the last parameter says.
    pub seqs: &'static str,
}

/// What a page still has room for.
pub(crate) struct Room {
    /// Rows.
    pub items: usize,
    /// Bytes of JSON; the row that passes them is the last.
    pub bytes: usize,
}

/// Rows of a page.
#[derive(Debug, Default)]
pub(crate) struct Taken {
    /// The rows, with commas between them.
    pub text: String,
    /// The last row, where more rows follow.
    pub last: Option<u64>,
}

/// Takes rows while there is room.
pub(crate) fn take<D: Database>(
    db: &D,
    rows: &Rows,
    binds: &[Bind],
    room: &mut Room,
) -> Result<Taken> {
    // One more than fits tells whether rows follow.
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
            // Without a row behind it the last one ends the list.
            seqs.next().and(last)
        }
    };
    Ok(Taken {
        text: taken.text,
        last,
    })
}
