//! Limits the changes of a dry run.
//!
//! Until the rollback, the engine holds in memory the original of each page that a dry run changes.
//! A changed row changes a page of its table and a page of each index, and these may differ from
//! the pages of the row before. A database with few pages needs no such limit.

use base::Result;
use database::{Bind, Cell, Database, Statement};
use sql_gate::Bound;
use sql_gate::compose::{Part, compose, quote_identifier};

use super::capture::{OverLimit, RecordingLimits, Relation, sizes};
use super::judged::WrittenTables;
use crate::inspect;
use crate::limits::{MAX_DRY_RUN_BYTES, MAX_DRY_RUN_PAGES, MAX_DRY_RUN_ROWS, PAGE_BYTES};

/// Returns true if a database has more pages than a dry run may change.
pub(super) fn is_large<D: Database>(db: &D) -> bool {
    db.size_bytes() > MAX_DRY_RUN_PAGES.saturating_mul(PAGE_BYTES)
}

/// Returns the numbers of rows and bytes that a dry run may change in these tables.
pub(super) fn extent<D: Database>(db: &D, relations: &[Relation]) -> RecordingLimits {
    let trees = match is_large(db) {
        true => trees(relations),
        false => 1,
    };
    let rows = match is_large(db) {
        true => MAX_DRY_RUN_ROWS.min(MAX_DRY_RUN_PAGES / trees),
        false => MAX_DRY_RUN_ROWS,
    };
    RecordingLimits {
        rows,
        bytes: MAX_DRY_RUN_BYTES / trees,
        beyond: OverLimit::Fail,
    }
}

/// Returns the largest number of trees that one of the tables has.
fn trees(relations: &[Relation]) -> u64 {
    let trees = relations.iter().map(|relation| relation.trees);
    trees.max().unwrap_or(1).max(1)
}

/// Returns the reason to report for a dry run that ended because it changed more than [`extent`]
/// allows.
pub(super) fn too_much<D: Database>(db: &D, relations: &[Relation]) -> String {
    let RecordingLimits { rows, bytes, .. } = extent(db, relations);
    match trees(relations) - 1 {
        0 => format!("it changes more than {rows} rows or {bytes} bytes"),
        _ if !is_large(db) => format!("it changes more than {rows} rows or {bytes} bytes"),
        indexes => format!(
            "it changes more than {rows} rows or {bytes} bytes of a table with {indexes} indexes, each of which changes with every row"
        ),
    }
}

/// Returns the reason why a statement gets no dry run, if its changes cannot be counted while it
/// runs.
///
/// # Errors
/// The engine's.
pub(super) fn obstacle<D: Database>(
    db: &D,
    bound: &Bound,
    written: &WrittenTables,
) -> Result<Option<String>> {
    if !is_large(db) {
        return Ok(None);
    }
    if let Some(obstacle) = &written.obstacle {
        return Ok(Some(format!(
            "{obstacle}; without a record of its rows, a dry run is only possible in a session of up to {} bytes",
            MAX_DRY_RUN_PAGES.saturating_mul(PAGE_BYTES)
        )));
    }
    let Some(name) = bound.rewritten_table() else {
        return Ok(None);
    };
    let table = inspect::load_table(db, name)?;
    let stored = table.columns.iter().filter(|column| !column.generated);
    let columns = stored.map(|column| quote_identifier(&column.info.name));
    let measure = format!(
        "SELECT count(*), total(size) FROM (SELECT {} AS size FROM {} LIMIT ",
        sizes(columns),
        quote_identifier(&table.name)
    );
    let measure = compose(
        &[
            Part::Expression(&measure),
            Part::Number(MAX_DRY_RUN_ROWS.saturating_add(1)),
            Part::Sql(")"),
        ],
        Vec::<Bind>::new(),
    );
    let fail = |error| sql_gate::explain::explain(db, &error, &measure);
    let mut cursor = db
        .open(Statement::Reviewed(measure.reviewed()))
        .map_err(fail)?;
    let row = database::Cursor::next(&mut cursor)
        .map_err(fail)?
        .unwrap_or_default();
    let number = |at: usize| row.get(at).map_or(0, Cell::as_count);
    let (rows, bytes) = (number(0), number(1));
    Ok((rows > MAX_DRY_RUN_ROWS || bytes > MAX_DRY_RUN_BYTES).then(|| {
        format!("it rewrites all rows of {name}, which has more than {MAX_DRY_RUN_ROWS} rows or {MAX_DRY_RUN_BYTES} bytes")
    }))
}
