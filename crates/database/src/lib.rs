//! The port to SQLite, and nothing of what a session does with it.
//!
//! [`Database`] is synchronous because a Durable Object's storage is: everything between two awaits commits together. The adaptor for
//! workerd is in `worker/`, the one for host tests in `tests/it/`. Text from outside can only arrive as [`ReviewedSql`], which the SQL
//! gate alone constructs; our own SQL is `&'static str`.

mod engine_error;
mod error;
pub mod limits;
pub mod migrations;

pub use engine_error::{EngineError, Parts, is_full};
pub use error::{DatabaseError, codes};

use base::Result;

/// A bound value. There is no integer: workerd binds every number as REAL, so integers travel as text and the gate splices
/// `->>'$'` behind their placeholder, or they are bound to columns with INTEGER affinity, which turns 5.0 back into 5.
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
    /// A small integer of our own (a time, a count) for a place with INTEGER affinity or for LIMIT.
    pub fn number(value: u64) -> Self {
        #[expect(
            clippy::cast_precision_loss,
            reason = "times in ms and counts stay far below 2^53"
        )]
        Self::Real(value as f64)
    }

    /// A text.
    pub fn text(value: impl Into<String>) -> Self {
        Self::Text(value.into())
    }
}

/// One value of a result row. JavaScript has one number type, so `Number` may be INTEGER or REAL and is exact up to 2^53: results
/// for callers are made into JSON text by SQLite itself instead, and this is for our own small reads.
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
    /// The text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The text by value, or an empty one.
    pub fn into_text(self) -> String {
        match self {
            Self::Text(text) => text,
            _ => String::new(),
        }
    }

    /// A text or the text in a blob, with what is no UTF-8 replaced; empty for anything else.
    pub fn into_lossy_text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Blob(bytes) => String::from_utf8(bytes)
                .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
            Self::Null | Self::Number(_) => String::new(),
        }
    }

    /// The number as a count; 0 for anything else.
    pub fn as_count(&self) -> u64 {
        match self {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "`as` saturates, which is what a count wants"
            )]
            Self::Number(number) => *number as u64,
            _ => 0,
        }
    }

    /// The number as a signed integer; 0 for anything else.
    pub fn as_integer(&self) -> i64 {
        match self {
            #[expect(clippy::cast_possible_truncation, reason = "`as` saturates")]
            Self::Number(number) => *number as i64,
            _ => 0,
        }
    }
}

/// A statement from outside that passed the gate, with its parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct ReviewedSql {
    text: String,
    binds: Vec<Bind>,
}

impl ReviewedSql {
    /// For the gate alone: clippy.toml forbids this function to everybody else, because text that comes here runs.
    pub fn passed(text: String, binds: Vec<Bind>) -> Self {
        Self { text, binds }
    }

    /// The text that runs.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its parameters, in order.
    pub fn binds(&self) -> &[Bind] {
        &self.binds
    }
}

/// What is to run.
#[derive(Debug, Clone, Copy)]
pub enum Statement<'a> {
    /// SQL of ours, with its parameters.
    Own(&'static str, &'a [Bind]),
    /// A statement that passed the gate and has its parameters.
    Reviewed(&'a ReviewedSql),
}

/// What the engine counted for one statement.
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

/// Rows of a running statement. Dropping it ends the statement.
pub trait Cursor {
    /// Column names, duplicates kept.
    fn columns(&self) -> Vec<String>;

    /// The next row, or `None` at the end.
    ///
    /// # Errors
    /// When a step fails. The cursor is at its end after that.
    fn next(&mut self) -> Result<Option<Vec<Cell>>, EngineError>;

    /// Takes the first column (TEXT) of up to `max_rows` rows, joined by `separator`, and stops once the text has reached `max_bytes`.
    ///
    /// # Errors
    /// When a step fails. The cursor is at its end after that.
    fn take_text(
        &mut self,
        max_rows: usize,
        max_bytes: usize,
        separator: &str,
    ) -> Result<TextRows, EngineError>;

    /// What the statement has cost so far.
    fn counters(&self) -> Counters;
}

/// Rows of text taken from a cursor.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TextRows {
    /// The texts, joined.
    pub text: String,
    /// How many.
    pub rows: usize,
    /// Whether the statement has no more rows.
    pub done: bool,
}

/// One SQLite database.
pub trait Database {
    /// The adaptor's cursor. It owns what it needs, so that a streamed answer can hold it.
    type Cursor: Cursor + 'static;

    /// Starts a statement. A write has run completely when this returns; a read has made its first step.
    ///
    /// # Errors
    /// When the engine refuses or fails the statement.
    fn open(&self, statement: Statement<'_>) -> Result<Self::Cursor, EngineError>;

    /// Runs `work` in a transaction: an `Err` rolls back everything that it did.
    ///
    /// # Errors
    /// The error of `work`, or of the commit.
    fn transaction(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<()>;

    /// Size of the database.
    fn size_bytes(&self) -> u64;

    /// Cursors that are open and not at their end. A transaction that has changed the schema ends them when it is rolled back.
    fn open_cursors(&self) -> usize {
        0
    }
}

/// Conveniences over [`Database`] for our own SQL.
pub trait DatabaseExt: Database {
    /// Runs a statement of ours for its effect.
    ///
    /// # Errors
    /// When the engine fails it.
    fn run(&self, sql: &'static str, binds: &[Bind]) -> Result<Counters> {
        let cursor = self
            .open(Statement::Own(sql, binds))
            .map_err(EngineError::own)?;
        Ok(cursor.counters())
    }

    /// All rows of a statement of ours.
    ///
    /// # Errors
    /// When the engine fails it.
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

    /// The first column of the first row of a statement of ours.
    ///
    /// # Errors
    /// When the engine fails it.
    fn cell(&self, sql: &'static str, binds: &[Bind]) -> Result<Option<Cell>> {
        let mut cursor = self
            .open(Statement::Own(sql, binds))
            .map_err(EngineError::own)?;
        let row = cursor.next().map_err(EngineError::own)?;
        Ok(row.and_then(|cells| cells.into_iter().next()))
    }
}

impl<D: Database + ?Sized> DatabaseExt for D {}
