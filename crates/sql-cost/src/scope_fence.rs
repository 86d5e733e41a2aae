//! The second fence of a tenant scope: SQLite's own bytecode of the final text opens the tables that were judged, and no other. And what an
//! error may say there.

use super::work::{Counts, Listing};
use base::{Error, Result};
use database::Database;
use sql_gate::SqlError;
use sql_gate::policy::blocked;
use sql_gate::scoping::Scoping;

/// Refuses a statement that would open any other table.
///
/// # Errors
/// `SQL_BLOCKED`, or what the engine says.
pub(super) fn check<D: Database>(
    db: &D,
    counts: &Counts,
    listing: &Listing,
    scoping: &dyn Scoping,
) -> Result<()> {
    if listing.unknown.is_some() {
        return Err(outside("what cannot be told"));
    }
    let openings = listing.openings();
    if openings.is_empty() {
        return Ok(());
    }
    let owners = counts.owners(db)?;
    for page in openings {
        let owner = page.and_then(|page| owners.get(&page));
        match owner {
            Some(owner) if scoping.may_open(&owner.table) => {}
            Some(owner) => return Err(outside(&owner.table)),
            None => return Err(outside("a b-tree of no table")),
        }
    }
    Ok(())
}

fn outside(what: &str) -> Error {
    blocked(
        "scope_table",
        &format!("the statement would open {what}, which is not in the tenant scope"),
        "read and write tables of the tenant, or list the table in scope.readable or GLOBAL_TABLES",
    )
}

/// What is too expensive, without how many rows of all tenants there are.
pub(super) fn without_counts(error: Error) -> Error {
    match error.into_problem() {
        Ok(SqlError::QueryTooExpensive { hint, .. }) => SqlError::TooMuchWork {
            message: "the statement may take more work than the limit".to_owned(),
            hint,
        }
        .into(),
        Ok(other) => other.into(),
        Err(other) => other,
    }
}
