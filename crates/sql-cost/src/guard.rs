//! The checks that need the engine: the second fence, the work that a statement would do, and
//! double-quoted names.
//!
//! The first fence ([`sql_gate::policy`]) reads text. This one asks SQLite itself which b-trees the
//! final text would open and write, so a mistake of our parsers alone lets nothing through.

use std::rc::Rc;

use crate::work::{self, Counts, Estimate, Program};
use crate::{added_column, full_text, names, scope_fence, write_targets};
use base::Result;
use database::Database;
use sql_gate::limits::MAX_ONE_PASS_BYTES;
use sql_gate::operations::Explain;
use sql_gate::{Bound, Policy, StatementKind, catalog, expansion, schema_size};

/// Runs every check that the statement needs. Plain reads of one table that computes no column cost
/// nothing here.
///
/// # Errors
/// `SQL_BLOCKED`, `QUERY_TOO_EXPENSIVE`, `NO_SUCH_COLUMN`, or the engine's error about the
/// statement.
pub fn guard<D: Database>(db: &D, bound: &Bound, policy: &Policy) -> Result<()> {
    guard_counting(db, bound, policy, &Counts::default())
}

/// Runs the same checks, and reuses the counts of rows that the object remembers from earlier
/// statements.
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
    if bound.facts().explain == Explain::QueryPlan {
        return expansion::check_in(db, bound);
    }
    let key = bound.description_key();
    let known = counts.programs.borrow().get(&key);
    // A statement that passed these checks under the same schema passes them again.
    if known.is_none() {
        expansion::check_in(db, bound)?;
        names::check(&catalog::Live(db), bound)?;
    }
    let writes = bound.kind() != StatementKind::Read;
    let multiplies = match &known {
        Some(program) => program.multiplies,
        None => multiplies_when_small(db, bound)?,
    };
    // A read of one ordinary table cannot reach a full-text table, and is too frequent to check all
    // of them.
    if known.is_none() && (writes || multiplies) {
        full_text::check(db, bound)?;
    }
    let may_be_much = writes || multiplies || is_large(db);
    if !may_be_much && !bound.is_scoped() {
        return sql_gate::sizes::check_rows(db, bound);
    }
    let is_repeated = known.is_some();
    let program = match known {
        Some(program) => program,
        None => {
            if writes {
                write_targets::check_named(db, bound, counts)?;
            }
            let listing = work::listing(db, bound)?;
            Rc::new(Program::new(listing, multiplies))
        }
    };
    let listing = &program.listing;
    if let Some(fence) = bound.scoping() {
        scope_fence::check(db, counts, listing, fence)?;
    }
    if writes {
        write_targets::check_opened(db, bound, counts, listing)?;
    }
    if bound.kind() != StatementKind::Schema {
        counts.programs.borrow_mut().insert(&key, &program);
    }
    if may_be_much {
        if !is_repeated || !work::passes_in_any_state(db, bound, policy, counts, &program) {
            work::check(db, bound, policy, counts, listing)?;
        }
        added_column::work(db, bound, policy, counts)?;
    }
    schema_size::check(db, bound)?;
    // This check counts rows, also those of views, so it runs after they are known to be cheap.
    sql_gate::sizes::check_rows(db, bound)
}

/// Returns true if a statement that was checked before passes all checks again until the schema
/// changes: for any data, and any parameters of usual length. Returns nothing if that was not
/// judged yet.
pub fn passes_in_any_state(bound: &Bound, policy: &Policy, counts: &Counts) -> Option<bool> {
    let program = counts.programs.borrow().get(&bound.description_key())?;
    work::known_verdict(policy, &program)
}

/// Returns the bound of a statement whose verdict is known, including the checks of rows that the
/// engine makes for ALTER TABLE … ADD COLUMN. Counts are only as exact as needed to see that it is
/// within the limit.
///
/// # Errors
/// The engine's error when it compiles the statement.
pub fn estimate_within<D: Database>(
    db: &D,
    bound: &Bound,
    policy: &Policy,
    counts: &Counts,
) -> Result<Estimate> {
    let estimate = work::estimate_within(db, bound, policy, counts)?;
    let checks = added_column::work(db, bound, policy, counts)?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "`as` saturates, which is what a bound wants"
    )]
    Ok(Estimate {
        work: estimate.work.saturating_add(checks.ceil() as u64),
        ..estimate
    })
}

/// Returns true if one pass over all stored data may take long.
pub fn is_large<D: Database>(db: &D) -> bool {
    db.size_bytes() > MAX_ONE_PASS_BYTES
}

/// Returns true if the work of the statement can be more than one pass over one table, so that it
/// depends on the number of rows.
///
/// # Errors
/// When the engine fails.
pub fn may_multiply<D: Database>(db: &D, bound: &Bound) -> Result<bool> {
    Ok(is_large(db) || multiplies_when_small(db, bound)?)
}

/// Returns the same for a database of any size: the result depends only on the text and the schema.
fn multiplies_when_small<D: Database>(db: &D, bound: &Bound) -> Result<bool> {
    let facts = bound.facts();
    if facts.may_multiply() || sql_gate::sizes::depends_on_values(facts) {
        return Ok(true);
    }
    let plain = match facts.relations.first() {
        None => true,
        Some(relation) => catalog::is_plain_to_read(db, &relation.name)?,
    };
    Ok(!plain)
}
