//! What can only be judged with the engine at hand: the second fence, the work a statement would do, and double-quoted names.
//!
//! The first fence ([`super::policy`]) reads text. This one asks SQLite itself what the final text would touch, so that a mistake of
//! our parsers alone lets nothing through.

pub mod names;
mod scope_fence;
mod work;
mod write_targets;

pub use work::{Counts, Estimate, estimate};

use super::operations::Explain;
use super::{Bound, Policy, StatementKind, catalog, expansion};
use crate::limits::MAX_ONE_PASS_BYTES;
use base::Result;
use database::Database;

/// Runs every check that the statement calls for. Plain reads of one table cost nothing here.
///
/// # Errors
/// `SQL_BLOCKED`, `QUERY_TOO_EXPENSIVE`, `NO_SUCH_COLUMN`, or what the engine says of the statement.
pub fn guard<D: Database>(db: &D, bound: &Bound, policy: &Policy) -> Result<()> {
    guard_counting(db, bound, policy, &Counts::default())
}

/// The same with the counts that an object remembers of its data.
///
/// # Errors
/// As [`guard`].
pub fn guard_counting<D: Database>(
    db: &D,
    bound: &Bound,
    policy: &Policy,
    counts: &Counts,
) -> Result<()> {
    check_all(db, bound, policy, counts).map_err(|error| match bound.is_scoped() {
        true => scope_fence::without_counts(error),
        false => error,
    })
}

fn check_all<D: Database>(db: &D, bound: &Bound, policy: &Policy, counts: &Counts) -> Result<()> {
    let facts = bound.facts();
    expansion::check_in(db, bound)?;
    if facts.explain == Explain::QueryPlan {
        return Ok(());
    }
    names::check(&catalog::Live(db), bound)?;
    crate::sizes::check_rows(db, bound)?;
    let writes = bound.kind() != StatementKind::Read;
    let multiplies = may_multiply(db, bound)?;
    if !writes && !multiplies && !bound.is_scoped() {
        return Ok(());
    }
    if writes {
        write_targets::check_named(db, bound)?;
    }
    let listing = work::listing(db, bound)?;
    if let Some(fence) = bound.fence() {
        scope_fence::check(db, &listing, fence)?;
    }
    if !writes && !multiplies {
        return Ok(());
    }
    if writes {
        write_targets::check_opened(db, bound, &listing)?;
    }
    work::check(db, bound, policy, counts, &listing)
}

/// Whether one pass over all that is stored may take long.
pub fn is_large<D: Database>(db: &D) -> bool {
    db.size_bytes() > MAX_ONE_PASS_BYTES
}

/// Whether the work of the statement can be more than one pass over one table, so that it depends on how many rows there are.
///
/// # Errors
/// When the engine fails.
pub fn may_multiply<D: Database>(db: &D, bound: &Bound) -> Result<bool> {
    let facts = bound.facts();
    if is_large(db) || facts.may_multiply() || crate::sizes::depends_on_values(facts) {
        return Ok(true);
    }
    let plain = match facts.relations.first() {
        None => true,
        Some(relation) => catalog::is_table(db, &relation.name)?,
    };
    Ok(!plain)
}
