//! The statements that make and drop staged tables. Their names were checked before.

use super::plan::{Column, PARENT_ROW_ID, ROW_ID};
use crate::Session;
use base::{Error, Result};
use database::{Cell, Cursor as _, Database, Statement};
use sql_gate::SqlError;
use sql_gate::compose::{Part, compose};

/// Returns the name of the index that finds rows by their parent. No table name contains its `$`.
pub(super) fn index_name(table: &str) -> String {
    format!("{table}$parent")
}

/// Makes a table whose first column numbers its rows.
pub(super) fn create<D: Database>(
    session: &Session<'_, D>,
    name: &str,
    columns: &[Column],
) -> Result<()> {
    let mut parts = vec![
        Part::Sql("CREATE TABLE "),
        Part::Identifier(name),
        Part::Sql(" ("),
        Part::Sql(ROW_ID),
        Part::Sql(" INTEGER PRIMARY KEY"),
    ];
    for column in columns.iter().skip(1) {
        parts.extend([
            Part::Sql(", "),
            Part::Identifier(&column.name),
            Part::Sql(" "),
            Part::Sql(column.kinds.declared_type()),
        ]);
    }
    parts.push(Part::Sql(")"));
    define(session, &parts)
}

/// Makes the index that finds rows by their parent.
pub(super) fn create_index<D: Database>(session: &Session<'_, D>, table: &str) -> Result<()> {
    let name = index_name(table);
    define(
        session,
        &[
            Part::Sql("CREATE INDEX "),
            Part::Identifier(&name),
            Part::Sql(" ON "),
            Part::Identifier(table),
            Part::Sql(" ("),
            Part::Sql(PARENT_ROW_ID),
            Part::Sql(")"),
        ],
    )
}

/// Drops a table.
///
/// # Errors
/// [`SqlError::ConstraintFailed`] if rows of another table refer to its rows, or the engine's.
pub(super) fn drop_table<D: Database>(session: &Session<'_, D>, name: &str) -> Result<()> {
    let dropped = run(session, &[Part::Sql("DROP TABLE "), Part::Identifier(name)]);
    dropped.map_err(|error| match error.into_problem() {
        Ok(SqlError::ConstraintFailed { kind, message, .. }) => Error::from(SqlError::ConstraintFailed {
            kind,
            table: Some(name.to_owned()),
            columns: Vec::new(),
            message: format!("the staged table {name} cannot be replaced, rows of another table refer to it: {message}"),
        }),
        Ok(other) => other.into(),
        Err(other) => other,
    })
}

/// Counts the rows of a table.
pub(super) fn count_rows<D: Database>(session: &Session<'_, D>, name: &str) -> Result<u64> {
    let parts = [Part::Sql("SELECT count(*) FROM "), Part::Identifier(name)];
    let bound = compose(&parts, Vec::new());
    let explain = |error| sql_gate::explain::explain(session.db, &error, &bound);
    let mut cursor = session.meter().open(session.db, name, &bound)?;
    let row = cursor.next().map_err(explain)?.unwrap_or_default();
    Ok(row.first().map_or(0, Cell::as_count))
}

/// Runs a statement that adds a definition, if there is room for it.
fn define<D: Database>(session: &Session<'_, D>, parts: &[Part<'_>]) -> Result<()> {
    let length = compose(parts, Vec::new()).sql().len();
    sql_gate::require_room(session.db, length as u64)?;
    run(session, parts)
}

fn run<D: Database>(session: &Session<'_, D>, parts: &[Part<'_>]) -> Result<()> {
    session.cache.schema_changed();
    let bound = compose(parts, Vec::new());
    session
        .db
        .open(Statement::Reviewed(bound.reviewed()))
        .map(drop)
        .map_err(|error| sql_gate::explain::explain(session.db, &error, &bound))?;
    if crate::loaded::follow(session.db, bound.sql())? {
        session.cache.schema_changed();
    }
    Ok(())
}
