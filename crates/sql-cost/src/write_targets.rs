//! The second fence: checks the b-trees that the final text would write, according to SQLite's own
//! bytecode.
//!
//! Every b-tree that is opened for writing, cleared or destroyed must belong to a table of the user
//! (its indexes included). Only a definition may write the schema table, and only the engine's own
//! AUTOINCREMENT may write `sqlite_sequence`. Virtual tables do not show their b-trees, so the
//! shadow tables of fts5 are refused by name as well.

use std::collections::HashMap;

use super::work::{Counts, Listing, Owner};
use base::{Error, Result};
use database::Database;
use sql_gate::StatementKind;
use sql_gate::bound::Bound;
use sql_gate::policy::{blocked, is_internal_name};

/// Root page of the schema table: the first page of every database (the file format of SQLite,
/// section 2.6).
const SCHEMA_ROOT: i64 = 1;

/// Refuses a statement that names a shadow table of a full-text index as its target. This check
/// runs before the statement is compiled, because some engines refuse such a statement with a
/// message of their own.
///
/// # Errors
/// `SQL_BLOCKED`.
pub(super) fn check_named<D: Database>(db: &D, bound: &Bound, counts: &Counts) -> Result<()> {
    let targets = &bound.facts().targets;
    if targets.is_empty() {
        return Ok(());
    }
    let shadows = counts.shadow_tables(db)?;
    match targets.iter().find(|target| {
        let mut names = shadows.iter();
        names.any(|shadow| shadow.eq_ignore_ascii_case(&target.name))
    }) {
        Some(target) => Err(shadow_table(&target.name)),
        None => Ok(()),
    }
}

/// Refuses a statement that would write to anything but the user's tables.
///
/// # Errors
/// `SQL_BLOCKED`, or the engine's error.
pub(super) fn check_opened<D: Database>(
    db: &D,
    bound: &Bound,
    counts: &Counts,
    listing: &Listing,
) -> Result<()> {
    let written = listing.written_pages();
    if written.is_empty() {
        return Ok(());
    }
    let shadows = counts.shadow_tables(db)?;
    let owners = counts.owners(db)?;
    for page in written {
        check_page(page, bound.kind(), &owners, &shadows)?;
    }
    Ok(())
}

fn check_page(
    page: i64,
    kind: StatementKind,
    owners: &HashMap<i64, Owner>,
    shadows: &[String],
) -> Result<()> {
    if page == SCHEMA_ROOT {
        return if kind == StatementKind::Schema {
            Ok(())
        } else {
            Err(outside("the schema table"))
        };
    }
    match owners.get(&page).map(|owner| &owner.table) {
        None => Err(outside("a b-tree that belongs to no table")),
        Some(owner) if owner.eq_ignore_ascii_case("sqlite_sequence") => Ok(()),
        Some(owner) if is_internal_name(owner) => Err(outside(owner)),
        Some(owner) if shadows.contains(owner) => Err(shadow_table(owner)),
        Some(_) => Ok(()),
    }
}

fn shadow_table(name: &str) -> Error {
    blocked(
        "shadow_table",
        &format!("{name} belongs to a full-text index"),
        "write to the fts5 table itself",
    )
}

fn outside(what: &str) -> Error {
    blocked(
        "internal_table",
        &format!("the statement would write {what}"),
        "write to tables of your own",
    )
}
