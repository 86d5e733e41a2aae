//! The one place where tests and measurements ask for an estimate.

use codemode_database::database::Database;
use codemode_database::error::{Error, Result};
use codemode_database::sql::{self, Bound, Policy};

/// What a statement would do at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Estimate {
    /// Instructions of SQLite's virtual machine; `u64::MAX` is without bound.
    pub opcodes: u64,
    /// What the gate compares with its limit.
    pub work: u64,
}

/// The estimate of one statement.
///
/// # Errors
/// What the gate says of it.
pub fn estimate<D: Database>(db: &D, bound: &Bound, policy: &Policy) -> Result<Estimate> {
    let no_work = Policy {
        max_query_work: 0,
        ..*policy
    };
    match sql::guard(db, bound, &no_work) {
        Ok(()) => Ok(Estimate {
            opcodes: 0,
            work: 0,
        }),
        Err(Error::QueryTooExpensive { estimated_rows, .. }) => Ok(Estimate {
            opcodes: estimated_rows,
            work: estimated_rows,
        }),
        Err(error) => Err(error),
    }
}
