//! [`HostRemote`]: the port to D1 on real SQLite, with D1's limit of 32 arguments for a function.

use std::cell::{Cell as StdCell, RefCell};

use base::Error;
use database::{Cursor, Database, EngineError, Statement};
use rusqlite::limits::Limit;
use session::persistent::remote::{Outcome, RemoteDatabase};
use sql_gate::Bound;

use test_support::HostDatabase;

/// The number of arguments that D1 accepts for a function.
const FUNCTION_ARGUMENTS: i32 = 32;

/// A database that "responds later", which on the host is immediately.
pub struct HostRemote {
    pub db: HostDatabase,
    /// Every statement that was sent.
    pub sent: RefCell<Vec<String>>,
    /// The number, from 0, of the batch that fails before it runs.
    pub fails_at: StdCell<Option<usize>>,
    /// A script that another client runs right before the batch with this number.
    pub meanwhile: RefCell<Option<(usize, String)>>,
    batches: StdCell<usize>,
}

impl HostRemote {
    pub fn new() -> Self {
        let db = HostDatabase::new();
        db.connection()
            .set_limit(Limit::SQLITE_LIMIT_FUNCTION_ARG, FUNCTION_ARGUMENTS)
            .unwrap();
        Self {
            db,
            sent: RefCell::default(),
            fails_at: StdCell::default(),
            meanwhile: RefCell::default(),
            batches: StdCell::default(),
        }
    }

    /// Makes a batch fail, after `batches` others from now on.
    pub fn fail_after(&self, batches: usize) {
        self.fails_at.set(Some(self.batches.get() + batches));
    }

    /// Makes another client run a script before a batch, after `batches` others from now on.
    pub fn meanwhile_after(&self, batches: usize, script: &str) {
        let number = self.batches.get() + batches;
        *self.meanwhile.borrow_mut() = Some((number, script.to_owned()));
    }

    fn run(&self, bound: &Bound) -> Result<Outcome, EngineError> {
        self.sent.borrow_mut().push(bound.sql().to_owned());
        let mut cursor = self.db.open(Statement::Reviewed(bound.reviewed()))?;
        let columns = cursor.columns();
        let mut distinct = columns.clone();
        distinct.sort();
        distinct.dedup();
        assert_eq!(
            distinct.len(),
            columns.len(),
            "D1 would lose a column of {}",
            bound.sql()
        );
        let mut rows = Vec::new();
        while let Some(row) = cursor.next()? {
            rows.push(row);
        }
        Ok(Outcome {
            rows,
            counters: cursor.counters(),
            changes: self.db.connection().changes(),
        })
    }
}

impl RemoteDatabase for HostRemote {
    async fn columns(&self, statement: &Bound) -> Result<Vec<String>, EngineError> {
        self.sent.borrow_mut().push(statement.sql().to_owned());
        Ok(self
            .db
            .open(Statement::Reviewed(statement.reviewed()))?
            .columns())
    }

    async fn batch(&self, statements: &[Bound]) -> Result<Vec<Outcome>, EngineError> {
        let number = self.batches.replace(self.batches.get() + 1);
        if self.fails_at.get() == Some(number) {
            return Err(EngineError {
                message: "Network connection lost.".to_owned(),
            });
        }
        let due = |meanwhile: &mut (usize, String)| meanwhile.0 == number;
        if let Some((_, script)) = self.meanwhile.borrow_mut().take_if(due) {
            self.db.script(&script);
        }
        let mut failure = None;
        let mut outcomes = Vec::new();
        let done = self.db.transaction(&mut || {
            for statement in statements {
                match self.run(statement) {
                    Ok(outcome) => outcomes.push(outcome),
                    Err(error) => {
                        failure = Some(error);
                        return Err(Error::internal("rolled back"));
                    }
                }
            }
            Ok(())
        });
        match (failure, done) {
            (Some(failure), _) => Err(failure),
            (None, Err(error)) => Err(EngineError {
                message: format!("{error}: SQLITE_ERROR"),
            }),
            (None, Ok(())) => Ok(outcomes),
        }
    }
}
