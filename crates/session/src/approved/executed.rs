//! Runs a judged statement within the caller's transaction, as `exec` would.

use base::{Error, Result};
use database::{Counters, Cursor as _, Database, Statement};
use sql_gate::{Bound, StatementKind, explain};

use super::capture::is_too_much;
use crate::Session;
use crate::query::{Request, Rows};

/// The effect of a statement.
pub(super) struct Effect {
    /// The number of rows that the statement itself changed.
    pub changes: u64,
    /// The rows of RETURNING.
    pub rows: Option<Rows>,
    pub counters: Counters,
}

/// The reason why a statement did not complete.
pub(super) enum Interruption {
    /// It changes more than a dry run may.
    TooMuch,
    /// The engine's error.
    Failed(Error),
}

impl From<Error> for Interruption {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<Interruption> for Error {
    fn from(stopped: Interruption) -> Self {
        match stopped {
            Interruption::TooMuch => {
                Self::internal("a statement that is no dry run was ended as one")
            }
            Interruption::Failed(error) => error,
        }
    }
}

/// Runs a statement that changes something, without returning rows.
pub(super) fn change<D: Database>(
    session: &Session<'_, D>,
    bound: &Bound,
) -> Result<Effect, Interruption> {
    let opened = session.db.open(Statement::Reviewed(bound.reviewed()));
    let counters = match opened {
        Ok(cursor) => cursor.counters(),
        Err(error) if is_too_much(&error.message) => return Err(Interruption::TooMuch),
        Err(error) => {
            return Err(Interruption::Failed(explain::explain(
                session.db, &error, bound,
            )));
        }
    };
    session.follow_schema(bound).map_err(Interruption::Failed)?;
    let changes = match bound.kind() {
        StatementKind::Write => session.changes().map_err(Interruption::Failed)?,
        StatementKind::Read | StatementKind::Schema | StatementKind::QueryPlan => 0,
    };
    Ok(Effect {
        changes,
        rows: None,
        counters,
    })
}

/// Runs a statement that changes something, with the rows that it returns.
///
/// # Errors
/// The engine's.
pub(super) fn run<D: Database>(
    session: &Session<'_, D>,
    bound: &Bound,
    request: &Request,
) -> Result<Effect> {
    if bound.kind() != StatementKind::Write || !bound.has_returning() {
        return Ok(change(session, bound)?);
    }
    let rows = session.write_returning(bound, request)?;
    Ok(Effect {
        changes: session.changes()?,
        counters: rows.counters,
        rows: Some(rows),
    })
}
