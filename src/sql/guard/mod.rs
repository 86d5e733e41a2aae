//! What can only be judged with the engine at hand: the second fence, the work a statement would do, and double-quoted names.
//!
//! The first fence ([`super::policy`]) reads text. This one asks SQLite itself what the final text would touch, so that a mistake of
//! our parsers alone lets nothing through.

pub(crate) mod catalog;
mod cost;
pub(crate) mod expansion;
mod fence;
pub(crate) mod names;

use super::operations::Explain;
use super::{Bound, Policy, StatementKind};
use crate::database::Database;
use crate::error::Result;

/// Runs every check that the statement calls for. Plain reads of one table cost nothing here.
///
/// # Errors
/// `SQL_BLOCKED`, `QUERY_TOO_EXPENSIVE`, `NO_SUCH_COLUMN`, or what the engine says of the statement.
pub fn guard<D: Database>(db: &D, bound: &Bound, policy: &Policy) -> Result<()> {
    let facts = bound.facts();
    expansion::check(db, bound)?;
    if facts.explain == Explain::QueryPlan {
        return Ok(());
    }
    names::check(&catalog::Live(db), bound)?;
    crate::sql::sizes::check_rows(db, bound)?;
    if bound.kind() != StatementKind::Read {
        fence::check(db, bound)?;
    }
    if cost::applies(db, facts)? {
        cost::check(db, bound, policy)?;
    }
    Ok(())
}

/// Whether the work of the statement can be a product, so that it depends on how many rows the tables have.
///
/// # Errors
/// When the engine fails.
pub fn may_multiply<D: Database>(db: &D, bound: &Bound) -> Result<bool> {
    Ok(crate::sql::sizes::depends_on_values(bound.facts()) || cost::applies(db, bound.facts())?)
}
