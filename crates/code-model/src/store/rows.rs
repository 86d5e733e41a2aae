//! Helpers for small reads and writes of our own tables. Lists are passed to SQLite as JSON texts
//! of a bounded size, because the size of a value is limited and a statement has few parameters.

use base::Result;
use database::{Bind, Cell, Database, DatabaseExt};
use serde_json::Value;

use crate::limits::CODE_PIECE_BYTES;

/// The value of `valid_to` in a present row: the greatest integer that JavaScript represents
/// exactly.
pub(crate) const OPEN: u64 = 9_007_199_254_740_991;

/// The cells of a row, one after the other.
pub(crate) struct Row(std::vec::IntoIter<Cell>);

impl Row {
    pub fn text(&mut self) -> String {
        self.cell().into_text()
    }

    pub fn optional_text(&mut self) -> Option<String> {
        match self.cell() {
            Cell::Text(text) => Some(text),
            Cell::Null | Cell::Number(_) | Cell::Blob(_) => None,
        }
    }

    pub fn number(&mut self) -> u64 {
        self.cell().as_count()
    }

    pub fn optional_number(&mut self) -> Option<u64> {
        match self.cell() {
            Cell::Null => None,
            cell @ (Cell::Number(_) | Cell::Text(_) | Cell::Blob(_)) => Some(cell.as_count()),
        }
    }

    pub fn index(&mut self) -> usize {
        usize::try_from(self.number()).unwrap_or(usize::MAX)
    }

    pub fn flag(&mut self) -> bool {
        self.number() > 0
    }

    pub fn float(&mut self) -> Option<f64> {
        match self.cell() {
            Cell::Number(number) => Some(number),
            Cell::Null | Cell::Text(_) | Cell::Blob(_) => None,
        }
    }

    pub fn bytes(&mut self) -> Vec<u8> {
        match self.cell() {
            Cell::Blob(bytes) => bytes,
            Cell::Text(text) => text.into_bytes(),
            Cell::Null | Cell::Number(_) => Vec::new(),
        }
    }

    fn cell(&mut self) -> Cell {
        self.0.next().unwrap_or(Cell::Null)
    }
}

/// Returns all rows of a statement.
pub(crate) fn rows<D: Database, T>(
    db: &D,
    sql: &'static str,
    binds: &[Bind],
    mut read: impl FnMut(&mut Row) -> T,
) -> Result<Vec<T>> {
    let rows = db.rows(sql, binds)?.into_iter();
    Ok(rows
        .map(|cells| read(&mut Row(cells.into_iter())))
        .collect())
}

/// Returns the first row of a statement.
pub(crate) fn row<D: Database, T>(
    db: &D,
    sql: &'static str,
    binds: &[Bind],
    read: impl FnMut(&mut Row) -> T,
) -> Result<Option<T>> {
    Ok(rows(db, sql, binds, read)?.into_iter().next())
}

/// Returns the first number of the first row.
pub(crate) fn number<D: Database>(db: &D, sql: &'static str, binds: &[Bind]) -> Result<u64> {
    Ok(row(db, sql, binds, Row::number)?.unwrap_or(0))
}

/// A statement that runs for lists of values. Each list is the first parameter, and is passed as
/// soon as it is long enough.
pub(crate) struct Pieces<'a, D: Database> {
    db: &'a D,
    sql: &'static str,
    others: Vec<Bind>,
    piece: String,
}

impl<'a, D: Database> Pieces<'a, D> {
    pub fn new(db: &'a D, sql: &'static str, others: Vec<Bind>) -> Self {
        Self {
            db,
            sql,
            others,
            piece: String::new(),
        }
    }

    /// Adds a value.
    pub fn push(&mut self, value: &Value) -> Result<()> {
        let item = value.to_string();
        if !self.piece.is_empty() && self.piece.len() + item.len() > CODE_PIECE_BYTES {
            self.run()?;
        }
        self.piece
            .push(if self.piece.is_empty() { '[' } else { ',' });
        self.piece.push_str(&item);
        Ok(())
    }

    fn run(&mut self) -> Result<()> {
        if self.piece.is_empty() {
            return Ok(());
        }
        self.piece.push(']');
        let mut binds = vec![Bind::Text(std::mem::take(&mut self.piece))];
        binds.extend_from_slice(&self.others);
        self.db.run(self.sql, &binds).map(drop)
    }

    /// Runs the statement for the remaining values.
    pub fn finish(mut self) -> Result<()> {
        self.run()
    }
}

/// Returns numbers as a JSON list.
pub(crate) fn list(numbers: &[u64]) -> Bind {
    Bind::Text(Value::from(numbers).to_string())
}

/// Returns a text as a parameter; NULL for `None`.
pub(crate) fn optional(text: Option<&str>) -> Bind {
    text.map_or(Bind::Null, Bind::text)
}
