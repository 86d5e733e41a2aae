//! The port to a database that results later: statements go there in transactions, and whole results come back.

use database::DatabaseError;
use std::future::Future;

use base::Error;
use database::{Cell, Counters, EngineError};
use sql_gate::Bound;

/// A SQLite database behind the network.
pub trait RemoteDatabase {
    /// The column names of a statement that only reads, duplicates kept. All its rows are fetched, so it must have few.
    fn columns(&self, statement: &Bound) -> impl Future<Output = Result<Vec<String>, EngineError>>;

    /// Runs statements in one transaction: all of them, or none. The columns of each must have names that differ.
    fn batch(
        &self,
        statements: &[Bound],
    ) -> impl Future<Output = Result<Vec<Outcome>, EngineError>>;
}

/// What one statement gave.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcome {
    /// Its rows.
    pub rows: Vec<Vec<Cell>>,
    /// What it cost.
    pub counters: Counters,
    /// Rows that it inserted, updated or deleted.
    pub changes: u64,
}

impl Outcome {
    /// The first column of the first row.
    pub fn into_first_cell(self) -> Option<Cell> {
        self.rows.into_iter().next()?.into_iter().next()
    }

    /// The first column of all rows, as texts.
    pub fn into_texts(self) -> Vec<String> {
        self.rows
            .into_iter()
            .filter_map(|row| row.into_iter().next())
            .map(Cell::into_text)
            .collect()
    }
}

/// The failure of the service behind which the engine stands; `None` where the engine itself complains.
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
            message: format!("the persistent database did not finish: {message}"),
        })
    })
}
