//! A database that fails on demand: at its n-th statement, before or after the statement has taken
//! effect.

use std::cell::Cell;

use base::Result;
use database::{Database, EngineError, Statement};

use super::host::{HostCursor, HostDatabase};

/// The time of the failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The statement does nothing.
    BeforeApplying,
    /// The statement takes effect, but its caller gets an error.
    AfterApplying,
}

/// Real SQLite with one planted failure.
pub struct FaultyDatabase {
    /// The database that runs the statements.
    pub inner: HostDatabase,
    fault: Fault,
    remaining: Cell<Option<u64>>,
    opened: Cell<u64>,
}

impl FaultyDatabase {
    /// Makes a database that does not fail yet.
    pub fn new(inner: HostDatabase) -> Self {
        Self {
            inner,
            fault: Fault::BeforeApplying,
            remaining: Cell::new(None),
            opened: Cell::new(0),
        }
    }

    /// Makes the statement after the next `statements` ones fail, once.
    pub fn fail_after(&mut self, statements: u64, fault: Fault) {
        self.fault = fault;
        self.remaining.set(Some(statements));
    }

    /// Returns true if the planned failure has happened.
    pub fn is_spent(&self) -> bool {
        self.remaining.get().is_none()
    }

    /// Returns the number of opened statements.
    pub fn opened(&self) -> u64 {
        self.opened.get()
    }
}

impl Database for FaultyDatabase {
    type Cursor = HostCursor;

    fn open(&self, statement: Statement<'_>) -> Result<HostCursor, EngineError> {
        self.opened.set(self.opened.get() + 1);
        let planted = EngineError {
            message: "disk I/O error: SQLITE_IOERR".to_owned(),
        };
        match self.remaining.get() {
            Some(0) => {
                self.remaining.set(None);
                if self.fault == Fault::AfterApplying {
                    // Whatever the engine's result is, the caller gets the planned failure.
                    drop(self.inner.open(statement));
                }
                Err(planted)
            }
            Some(left) => {
                self.remaining.set(Some(left - 1));
                self.inner.open(statement)
            }
            None => self.inner.open(statement),
        }
    }

    fn transaction(&self, work: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        self.inner.transaction(work)
    }

    fn size_bytes(&self) -> u64 {
        self.inner.size_bytes()
    }
}
