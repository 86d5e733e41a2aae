//! Counts the instructions that a statement takes, up to a limit.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use base::Error;
use database::{Bind, Database as _};
use rusqlite::StatementStatus;
use rusqlite::types::Value;
use sql_gate::Bound;

use super::HostDatabase;

/// The number of instructions between two checks: small enough to stop soon, and so large that the
/// check costs nothing.
const OPCODES_A_TICK: u64 = 1_000;

/// A counter that stops statements that run for too long.
pub struct Stopwatch {
    ticks: Arc<AtomicU64>,
}

/// The measured run of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Taken {
    /// The number of SQLite's virtual machine instructions.
    pub opcodes: u64,
    /// The end of the run.
    pub end: End,
}

/// The end of a statement's run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It completed.
    Finished,
    /// It took too long.
    Stopped,
    /// It failed because of a conflict or an unsuitable value.
    Failed,
}

impl Stopwatch {
    /// Stops every statement of the database after `most_opcodes` instructions.
    pub fn start(db: &mut HostDatabase, most_opcodes: u64) -> Self {
        let ticks = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&ticks);
        let too_many =
            move || counted.fetch_add(1, Ordering::Relaxed) > most_opcodes / OPCODES_A_TICK;
        db.connection_mut()
            .progress_handler(OPCODES_A_TICK as i32, Some(too_many))
            .unwrap();
        Self { ticks }
    }

    /// Resets the count.
    pub fn reset(&self) {
        self.ticks.store(0, Ordering::Relaxed);
    }

    /// Runs a statement, and rolls back its changes.
    pub fn run(&self, db: &HostDatabase, bound: &Bound) -> Taken {
        self.reset();
        let mut taken = None;
        let _ = db.transaction(&mut || {
            taken = Some(run(db, bound));
            Err(Error::internal("roll back"))
        });
        self.reset();
        taken.unwrap()
    }
}

fn run(db: &HostDatabase, bound: &Bound) -> Taken {
    let mut statement = db
        .connection()
        .prepare(bound.sql())
        .unwrap_or_else(|error| panic!("{error}: {}", bound.sql()));
    for (index, bind) in bound.binds().iter().enumerate() {
        let value = match bind {
            Bind::Null => Value::Null,
            Bind::Real(number) => Value::Real(*number),
            Bind::Text(text) => Value::Text(text.clone()),
            Bind::Blob(bytes) => Value::Blob(bytes.clone()),
        };
        statement.raw_bind_parameter(index + 1, value).unwrap();
    }
    let mut rows = statement.raw_query();
    let end = loop {
        match rows.next() {
            Ok(Some(_)) => {}
            Ok(None) => break End::Finished,
            Err(rusqlite::Error::SqliteFailure(error, _))
                if error.code == rusqlite::ErrorCode::OperationInterrupted =>
            {
                break End::Stopped;
            }
            Err(_) => break End::Failed,
        }
    };
    drop(rows);
    Taken {
        opcodes: u64::from(statement.get_status(StatementStatus::VmStep) as u32),
        end,
    }
}
