//! The port to a database behind the network: it takes statements in transactions, and returns
//! complete results later.

use database::DatabaseError;
use std::future::Future;

use base::Error;
use database::{Cell, Counters, EngineError};
use sql_gate::Bound;

/// A SQLite database behind the network.
pub trait RemoteDatabase {
    /// Returns the column names of a statement that only reads, including duplicates. It fetches
    /// all rows, so there must be few.
    fn columns(&self, statement: &Bound) -> impl Future<Output = Result<Vec<String>, EngineError>>;

    /// Runs statements in one transaction: all of them, or none. The columns of each statement must
    /// have different names.
    fn batch(
        &self,
        statements: &[Bound],
    ) -> impl Future<Output = Result<Vec<Outcome>, EngineError>>;
}

/// The outcome of one statement.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcome {
    /// The rows.
    pub rows: Vec<Vec<Cell>>,
    /// The cost.
    pub counters: Counters,
    /// The number of rows that it inserted, updated or deleted.
    pub changes: u64,
}

impl Outcome {
    /// Returns the first column of the first row.
    pub fn into_first_cell(self) -> Option<Cell> {
        self.rows.into_iter().next()?.into_iter().next()
    }

    /// Returns the first column of all rows, as texts.
    pub fn into_texts(self) -> Vec<String> {
        self.rows
            .into_iter()
            .filter_map(|row| row.into_iter().next())
            .map(Cell::into_text)
            .collect()
    }
}

/// Returns the error of the service around the engine; `None` if the error is from the engine
/// itself.
pub(super) fn failure(message: &str) -> Option<Error> {
    if database::is_full(message) {
        return Some(Error::from(DatabaseError::DatabaseFull));
    }
    if message.contains("SQLITE_") {
        return None;
    }
    let folded = message.to_ascii_lowercase();
    let passing = [
        "overloaded",
        "network connection lost",
        "timeout",
        "timed out",
        "reset",
        "internal error",
        "storage caused object",
    ];
    passing.iter().any(|sign| folded.contains(sign)).then(|| {
        Error::from(DatabaseError::Busy {
            message: format!("the persistent database did not complete the request: {message}"),
        })
    })
}
