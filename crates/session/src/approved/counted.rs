//! Counts rows up to a limit.

use database::{Cell, Cursor as _, Database, Statement};
use sql_gate::Bound;
use sql_gate::compose::{Part, compose};

use crate::limits::TABLE_COUNTED_ROWS;

/// Counts the rows of a table; `None` if it has more than [`TABLE_COUNTED_ROWS`] or cannot be read.
pub(crate) fn rows_within<D: Database>(db: &D, table: &str) -> Option<u64> {
    let bound = compose(
        &[
            Part::Sql("SELECT count(*) FROM (SELECT 1 FROM "),
            Part::Identifier(table),
            Part::Sql(" LIMIT "),
            Part::Number(TABLE_COUNTED_ROWS + 1),
            Part::Sql(")"),
        ],
        Vec::new(),
    );
    number(db, &bound).filter(|rows| *rows <= TABLE_COUNTED_ROWS)
}

/// Returns the single number that a statement yields; `None` if it fails, for example if the table
/// of a view was dropped.
pub(super) fn number<D: Database>(db: &D, bound: &Bound) -> Option<u64> {
    let mut cursor = db.open(Statement::Reviewed(bound.reviewed())).ok()?;
    let row = cursor.next().ok()??;
    row.first().map(Cell::as_count)
}
