//! Helpers for small reads of our own tables.

use base::{Error, Result};
use database::{Bind, Cell, Cursor, Database, DatabaseExt, EngineError, Statement};

use crate::error::NodeName;
use crate::limits::{TAKEN_BYTES, TAKEN_ROWS};

/// Returns the first row of a statement as numbers; zeros if it has no row.
pub(crate) fn counts<D: Database, const N: usize>(
    db: &D,
    sql: &'static str,
    binds: &[Bind],
) -> Result<[u64; N]> {
    let mut numbers = [0; N];
    if let Some(row) = db.rows(sql, binds)?.first() {
        for (number, cell) in numbers.iter_mut().zip(row) {
            *number = cell.as_count();
        }
    }
    Ok(numbers)
}

/// Returns the first row of a statement as texts, if it has a row. NULL is an empty text.
pub(crate) fn texts<D: Database, const N: usize>(
    db: &D,
    sql: &'static str,
    binds: &[Bind],
) -> Result<Option<[String; N]>> {
    let Some(row) = db.rows(sql, binds)?.into_iter().next() else {
        return Ok(None);
    };
    let mut cells = row.into_iter();
    Ok(Some(std::array::from_fn(|_| {
        cells.next().unwrap_or(Cell::Null).into_text()
    })))
}

/// Calls `take` with the first column of each row of a statement, which is text without line
/// breaks.
pub(crate) fn each_line<D: Database>(
    db: &D,
    sql: &'static str,
    binds: &[Bind],
    mut take: impl FnMut(&str) -> Result<()>,
) -> Result<()> {
    let mut cursor = db
        .open(Statement::Own(sql, binds))
        .map_err(EngineError::own)?;
    loop {
        let taken = cursor
            .take_text(TAKEN_ROWS, TAKEN_BYTES, "\n")
            .map_err(EngineError::own)?;
        if taken.rows > 0 {
            for line in taken.text.split('\n') {
                take(line)?;
            }
        }
        if taken.done {
            return Ok(());
        }
    }
}

/// Calls `take` for each line of a statement that joins the lines of the rows after `?1` into one
/// text, because a step of a cursor costs more than a line. Each line begins with the `seq` of its
/// row, in ascending order, followed by the rest that `take` gets.
pub(crate) fn each_numbered_line<D: Database>(
    db: &D,
    sql: &'static str,
    binds: &[Bind],
    mut take: impl FnMut(u64, &str) -> Result<()>,
) -> Result<()> {
    let mut last = 0;
    loop {
        let mut binds = binds.to_vec();
        binds.insert(0, Bind::number(last));
        let text = db
            .cell(sql, &binds)?
            .map(Cell::into_text)
            .unwrap_or_default();
        if text.is_empty() {
            return Ok(());
        }
        for line in text.split('\n') {
            let (seq, rest) = leading_number(line)?;
            if seq <= last {
                return Err(Error::internal("rows are not in their order"));
            }
            last = seq;
            take(seq, rest)?;
        }
    }
}

/// Returns the number at the start of a line, and the text after the blank that follows it.
pub(crate) fn leading_number(line: &str) -> Result<(u64, &str)> {
    let (number, rest) = line.split_once(' ').unwrap_or((line, ""));
    match number.parse() {
        Ok(number) => Ok((number, rest)),
        Err(_) => Err(Error::internal("a row does not begin with a number")),
    }
}

/// Returns nodes from a statement that lists id, label and type.
pub(crate) fn names<D: Database>(
    db: &D,
    sql: &'static str,
    binds: &[Bind],
) -> Result<Vec<NodeName>> {
    let rows = db.rows(sql, binds)?.into_iter().map(|row| {
        let mut cells = row.into_iter();
        let mut next = || cells.next().unwrap_or(Cell::Null).into_text();
        NodeName {
            id: next(),
            label: next(),
            kind: next(),
        }
    });
    Ok(rows.collect())
}
