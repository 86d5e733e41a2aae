//! The second fence of a row scope: checks by SQLite's own bytecode that the final text opens
//! only the tables that were judged, and removes counts from errors.

use super::work::{Counts, Listing};
use base::{Error, Result};
use database::Database;
use sql_gate::SqlError;
use sql_gate::policy::blocked;
use sql_gate::scoping::Scoping;

/// Refuses a statement that would open a table that `sql-scope` has not judged.
///
/// # Errors
/// `SQL_BLOCKED`, or the engine's error.
pub(super) fn check<D: Database>(
    db: &D,
    counts: &Counts,
    listing: &Listing,
    scoping: &dyn Scoping,
) -> Result<()> {
    if listing.unknown.is_some() {
        return Err(outside("an object that cannot be identified"));
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
            None => return Err(outside("a b-tree that belongs to no table")),
        }
    }
    Ok(())
}

fn outside(what: &str) -> Error {
    blocked(
        "scope_table",
        &format!("the statement would open {what}, which is not in the row scope"),
        "read and write tables of the tenant, or list the table in scope.readable or GLOBAL_TABLES",
    )
}

/// Returns the error for a statement that is too expensive, without the number of rows of all
/// tenants.
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
