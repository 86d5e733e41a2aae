//! The port to SQLite, without any feature of a session.
//!
//! [`Database`] is synchronous because the storage of a Durable Object is: all changes between two
//! awaits commit together. The adaptor for workerd is in `src/worker/` of the root package, the one
//! for host tests in the crate `test-support`. Text from outside can only arrive as
//! [`ReviewedSql`], which only the SQL gate makes; our own SQL is `&'static str`.

mod engine_error;
mod error;
pub mod limits;
pub mod migrations;

pub use engine_error::{EngineError, Parts, is_full};
pub use error::{DatabaseError, codes};

use base::Result;

/// A bound value. There is no integer, because workerd binds every number as REAL. Integers are
/// sent as text, and the gate adds `->>'$'` after their placeholder; or they are bound to columns
/// with INTEGER affinity, which turns 5.0 back into 5.
#[derive(Debug, Clone, PartialEq)]
pub enum Bind {
    /// NULL.
    Null,
    /// REAL.
    Real(f64),
    /// TEXT.
    Text(String),
    /// BLOB.
    Blob(Vec<u8>),
}

impl Bind {
    /// Binds a small integer of our own (a time, a count) where the affinity is INTEGER, or for
    /// LIMIT.
    pub fn number(value: u64) -> Self {
        #[expect(
            clippy::cast_precision_loss,
            reason = "times in ms and counts stay far below 2^53"
        )]
        Self::Real(value as f64)
    }

    /// Binds a text.
    pub fn text(value: impl Into<String>) -> Self {
        Self::Text(value.into())
    }
}

/// One value of a result row, for our own small reads. JavaScript has one number type, so `Number`
/// may be INTEGER or REAL and is exact up to 2^53. For callers, SQLite itself converts results to
/// JSON text.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// NULL.
    Null,
    /// INTEGER or REAL.
    Number(f64),
    /// TEXT.
    Text(String),
    /// BLOB.
    Blob(Vec<u8>),
}

impl Cell {
    /// Returns the text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Null | Self::Number(_) | Self::Blob(_) => None,
        }
    }

    /// Returns the text by value, or an empty one.
    pub fn into_text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Null | Self::Number(_) | Self::Blob(_) => String::new(),
        }
    }

    /// Returns a text, or the text in a blob with invalid UTF-8 replaced; empty for any other
    /// value.
    pub fn into_lossy_text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Blob(bytes) => String::from_utf8(bytes)
                .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
            Self::Null | Self::Number(_) => String::new(),
        }
    }

    /// Returns the number as a count; 0 for any other value.
    pub fn as_count(&self) -> u64 {
        match self {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "`as` saturates, which is what a count wants"
            )]
            Self::Number(number) => *number as u64,
            Self::Null | Self::Text(_) | Self::Blob(_) => 0,
        }
    }

    /// Returns the number as a signed integer; 0 for any other value.
    pub fn as_integer(&self) -> i64 {
        match self {
            #[expect(clippy::cast_possible_truncation, reason = "`as` saturates")]
            Self::Number(number) => *number as i64,
            Self::Null | Self::Text(_) | Self::Blob(_) => 0,
        }
    }
}

/// A statement from outside that has passed the gate, with its parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct ReviewedSql {
    text: String,
    binds: Vec<Bind>,
}

impl ReviewedSql {
    /// Makes a reviewed statement. Only the gate may call this: clippy.toml forbids it everywhere
    /// else, because the text will run.
    pub fn passed(text: String, binds: Vec<Bind>) -> Self {
        Self { text, binds }
    }

    /// Returns the text that runs.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns its parameters, in order.
    pub fn binds(&self) -> &[Bind] {
        &self.binds
    }
}

/// A statement to run.
#[derive(Debug, Clone, Copy)]
pub enum Statement<'a> {
    /// SQL of ours, with its parameters.
    Own(&'static str, &'a [Bind]),
    /// A statement that has passed the gate, with its parameters.
    Reviewed(&'a ReviewedSql),
}

/// The engine's counters for one statement.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// Rows read, as billed.
    pub rows_read: u64,
    /// Rows written, index entries included, as billed.
    pub rows_written: u64,
}

impl std::ops::AddAssign for Counters {
    fn add_assign(&mut self, other: Self) {
        self.rows_read += other.rows_read;
        self.rows_written += other.rows_written;
    }
}

/// The rows of a running statement. Dropping it ends the statement.
pub trait Cursor {
    /// Returns the column names, including duplicates.
    fn columns(&self) -> Vec<String>;

    /// Returns the next row, or `None` at the end.
    ///
    /// # Errors
    /// Fails if a step fails. After an error there are no more rows.
    fn next(&mut self) -> Result<Option<Vec<Cell>>, EngineError>;

    /// Takes the first column (TEXT) of up to `max_rows` rows, joined by `separator`, and stops
    /// once the text has reached `max_bytes`.
    ///
    /// # Errors
    /// Fails if a step fails. After an error there are no more rows.
    fn take_text(
        &mut self,
        max_rows: usize,
        max_bytes: usize,
        separator: &str,
    ) -> Result<TextRows, EngineError>;

    /// Returns the cost of the statement so far.
    fn counters(&self) -> Counters;
}

/// Rows of text taken from a cursor.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TextRows {
    /// The texts, joined.
    pub text: String,
    /// The number of rows.
    pub rows: usize,
    /// True if the statement has no more rows.
    pub done: bool,
}

/// One SQLite database.
pub trait Database {
    /// The adaptor's cursor. It owns all its data, so that a streamed response can hold it.
    type Cursor: Cursor + 'static;

    /// Starts a statement. A write has run completely when this returns; a read has made its first
    /// step.
    ///
    /// # Errors
    /// Fails if the engine refuses the statement or fails.
    fn open(&self, statement: Statement<'_>) -> Result<Self::Cursor, EngineError>;

    /// Runs a statement that has one row at most: a value and a number. Returns the row, and the cost
    /// at its first step.
    ///
    /// # Errors
    /// Fails if the engine refuses the statement or fails.
    fn only_row(
        &self,
        statement: Statement<'_>,
    ) -> Result<(Option<Vec<Cell>>, Counters), EngineError> {
        only_row(self, statement)
    }

    /// Runs a write without rows. Returns its cost, and how many rows it has changed, as
    /// `changes()` counts them.
    ///
    /// # Errors
    /// Fails if the engine refuses the statement or fails.
    fn write(&self, statement: Statement<'_>) -> Result<(Counters, u64), EngineError> {
        write(self, statement)
    }

    /// Runs `work` in a transaction: an `Err` rolls back all its changes.
    ///
    /// # Errors
    /// The error of `work`, or of the commit.
    fn transaction(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<()>;

    /// Returns the size of the database.
    fn size_bytes(&self) -> u64;

    /// Returns the number of open cursors that are not at their end. The rollback of a transaction
    /// that has changed the schema ends them.
    fn open_cursors(&self) -> usize {
        0
    }
}

/// [`Database::only_row`] by a cursor.
///
/// # Errors
/// As [`Database::only_row`].
pub fn only_row<D: Database + ?Sized>(
    db: &D,
    statement: Statement<'_>,
) -> Result<(Option<Vec<Cell>>, Counters), EngineError> {
    let mut cursor = db.open(statement)?;
    let row = cursor.next()?;
    Ok((row, cursor.counters()))
}

/// [`Database::write`] by a cursor.
///
/// # Errors
/// As [`Database::write`].
pub fn write<D: Database + ?Sized>(
    db: &D,
    statement: Statement<'_>,
) -> Result<(Counters, u64), EngineError> {
    let counters = db.open(statement)?.counters();
    let mut cursor = db.open(Statement::Own("SELECT changes()", &[]))?;
    let row = cursor.next()?;
    let changes = row.and_then(|row| row.first().map(Cell::as_count));
    Ok((counters, changes.unwrap_or_default()))
}

/// Conveniences over [`Database`] for our own SQL.
pub trait DatabaseExt: Database {
    /// Runs one of our own statements for its effect.
    ///
    /// # Errors
    /// Fails if the engine fails.
    fn run(&self, sql: &'static str, binds: &[Bind]) -> Result<Counters> {
        let cursor = self
            .open(Statement::Own(sql, binds))
            .map_err(EngineError::own)?;
        Ok(cursor.counters())
    }

    /// Returns all rows of one of our own statements.
    ///
    /// # Errors
    /// Fails if the engine fails.
    fn rows(&self, sql: &'static str, binds: &[Bind]) -> Result<Vec<Vec<Cell>>> {
        let mut cursor = self
            .open(Statement::Own(sql, binds))
            .map_err(EngineError::own)?;
        let mut rows = Vec::new();
        while let Some(row) = cursor.next().map_err(EngineError::own)? {
            rows.push(row);
        }
        Ok(rows)
    }

    /// Returns the first column of the first row of one of our own statements.
    ///
    /// # Errors
    /// Fails if the engine fails.
    fn cell(&self, sql: &'static str, binds: &[Bind]) -> Result<Option<Cell>> {
        let mut cursor = self
            .open(Statement::Own(sql, binds))
            .map_err(EngineError::own)?;
        let row = cursor.next().map_err(EngineError::own)?;
        Ok(row.and_then(|cells| cells.into_iter().next()))
    }
}

impl<D: Database + ?Sized> DatabaseExt for D {}
