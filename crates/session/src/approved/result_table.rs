//! Stores the whole result of an approved read in a table.
//!
//! Its columns have no types, so that every value is stored unchanged. Under a scope it has the
//! scope's column, with the scope's value in every row, whatever the read returns under that name:
//! like any other table, it belongs to the tenant.
//!
//! The table is dropped after a day, or when there are many newer ones, even if its rows have
//! changed. It is kept as the caller's own if another definition names it, if its columns have
//! changed, or if it was dropped and made again: a comment in its definition identifies the tables
//! that the product made.

use base::{Error, Result};
use database::{Bind, Cell, Cursor as _, Database, DatabaseExt as _, Statement};
use sha2::{Digest as _, Sha256};
use sql_gate::compose::{Part, compose};
use sql_gate::{Bound, FilledColumn, explain};

use super::scope::Scope;
use crate::Session;
use crate::limits::{
    MAX_OUTCOME_ROW_BYTES, MAX_RESULT_TABLE_ROWS, MAX_RESULT_TABLES, RESULT_TABLE_NAMES,
    RESULT_TABLE_RETENTION_MS,
};
use crate::query::ROW_SEPARATOR;
use crate::row_text::RowText;

const MADE: &str =
    "INSERT INTO _codemode_results SELECT name, sql, ?2 FROM sqlite_schema WHERE name = ?1";
const ENDED: &str = "SELECT name, definition FROM (SELECT name, definition, made_at, row_number() OVER (ORDER BY made_at DESC, name) AS position \
     FROM _codemode_results) WHERE made_at <= ?1 OR position > ?2";
/// Finds the table if its definition is unchanged and no view, index or other table names it.
const UNCHANGED: &str = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1 AND sql = ?2 AND NOT EXISTS \
     (SELECT 1 FROM sqlite_schema AS other WHERE other.name <> ?1 AND instr(lower(other.sql), lower(?1)))";
const FORGET: &str = "DELETE FROM _codemode_results WHERE name = ?";
const EXISTS: &str = "SELECT 1 FROM sqlite_schema WHERE name = ? COLLATE NOCASE";

/// The table and its first rows.
pub(super) struct ResultTable {
    pub name: String,
    /// The number of its rows.
    pub rows: u64,
    /// True if these are all rows of the result.
    pub complete: bool,
    /// The names of the result's columns.
    pub columns: Vec<String>,
    /// The first rows, as a JSON list.
    pub list: String,
    pub listed: usize,
}

/// Runs a read and stores its rows in a new table.
///
/// # Errors
/// The engine's; the caller rolls back.
pub(super) fn keep<D: Database>(
    session: &Session<'_, D>,
    approval_id: &str,
    bound: &Bound,
    columns: &[String],
    scope: Option<&Scope>,
    max_rows: u64,
) -> Result<ResultTable> {
    let db = session.db;
    let name = fresh_name(db, approval_id)?;
    let columns = distinct_names(columns);
    let (names, filled) = layout(&columns, scope);
    let mut parts = vec![
        Part::Sql("CREATE TABLE "),
        Part::Identifier(&name),
        Part::Sql(" /* the result of an approved read, kept for a day */ ("),
    ];
    for (index, column) in names.iter().enumerate() {
        if index > 0 {
            parts.push(Part::Sql(", "));
        }
        parts.push(Part::Identifier(column));
    }
    parts.push(Part::Sql(")"));
    let create = compose(&parts, Vec::new());
    sql_gate::require_room(db, create.sql().len() as u64)?;
    run(db, &create, bound)?;
    db.run(
        MADE,
        &[Bind::text(name.as_str()), Bind::number(session.now_ms)],
    )?;
    let insert = bound.insert_into(&name, columns.len(), &filled, MAX_RESULT_TABLE_ROWS);
    run(db, &insert, bound)?;
    let rows = session.changes()?;
    let complete = rows < MAX_RESULT_TABLE_ROWS;
    let (list, listed) = first_rows(db, &name, &columns, max_rows, bound)?;
    Ok(ResultTable {
        name,
        rows,
        complete,
        columns,
        list,
        listed,
    })
}

/// Drops the tables that are past their retention time, and the oldest ones beyond the maximum
/// number. Returns their names.
///
/// # Errors
/// The engine's.
pub(super) fn sweep<D: Database>(db: &D, now_ms: u64) -> Result<Vec<String>> {
    let before = now_ms.saturating_sub(RESULT_TABLE_RETENTION_MS);
    let ended = db.rows(
        ENDED,
        &[Bind::number(before), Bind::number(MAX_RESULT_TABLES)],
    )?;
    let mut dropped = Vec::new();
    for row in ended {
        let mut cells = row.into_iter().map(Cell::into_text);
        let (Some(name), Some(definition)) = (cells.next(), cells.next()) else {
            continue;
        };
        db.run(FORGET, &[Bind::text(name.as_str())])?;
        let asked = [Bind::text(name.as_str()), Bind::text(definition)];
        if db.cell(UNCHANGED, &asked)?.is_some() {
            let drop_table = compose(
                &[Part::Sql("DROP TABLE "), Part::Identifier(&name)],
                Vec::new(),
            );
            run(db, &drop_table, &drop_table)?;
            dropped.push(name);
        }
    }
    Ok(dropped)
}

/// Returns the columns of the table, and the source of each column's values.
fn layout(columns: &[String], scope: Option<&Scope>) -> (Vec<String>, Vec<FilledColumn>) {
    let is_scope = |name: &str| scope.is_some_and(|scope| scope.column.eq_ignore_ascii_case(name));
    let read = columns.iter().enumerate();
    let (mut names, mut filled): (Vec<String>, Vec<FilledColumn>) = read
        .filter(|(_, name)| !is_scope(name))
        .map(|(position, name)| (name.clone(), FilledColumn::Read(position)))
        .unzip();
    if let Some(scope) = scope {
        names.push(scope.column.clone());
        filled.push(FilledColumn::Fixed(scope.value.fixed()));
    }
    (names, filled)
}

/// Returns names that are distinct for SQLite, which compares the names of columns without case.
fn distinct_names(names: &[String]) -> Vec<String> {
    let mut found: Vec<String> = Vec::with_capacity(names.len());
    for name in names {
        let taken = |other: &str| {
            let mut all = found.iter();
            all.any(|known| known.eq_ignore_ascii_case(other))
        };
        let mut numbered = (2..=names.len() + 1).map(|number| format!("{name}_{number}"));
        let free = if taken(name) {
            numbered.find(|name| !taken(name))
        } else {
            None
        };
        found.push(free.unwrap_or_else(|| name.clone()));
    }
    found
}

/// Returns `result_` and digits of the hash of the approval, with more digits if a table with the
/// name exists.
fn fresh_name<D: Database>(db: &D, approval_id: &str) -> Result<String> {
    let digits = const_hex::encode(Sha256::digest(approval_id.as_bytes()));
    for length in (1..=RESULT_TABLE_NAMES).map(|number| number * 8) {
        let name = format!("result_{}", digits.get(..length).unwrap_or(&digits));
        if db.cell(EXISTS, &[Bind::text(name.as_str())])?.is_none() {
            return Ok(name);
        }
    }
    Err(Error::internal("every name of a result table is taken"))
}

fn first_rows<D: Database>(
    db: &D,
    table: &str,
    columns: &[String],
    max_rows: u64,
    bound: &Bound,
) -> Result<(String, usize)> {
    let text = RowText::new(columns.to_vec());
    let mut parts = vec![Part::Sql("SELECT ")];
    parts.extend(text.json_object());
    parts.extend([
        Part::Sql(" FROM "),
        Part::Identifier(table),
        Part::Sql(" ORDER BY rowid LIMIT "),
        Part::Number(max_rows),
    ]);
    let rows = compose(&parts, Vec::new());
    let fail = |error| explain::explain(db, &error, bound);
    let mut cursor = db
        .open(Statement::Reviewed(rows.reviewed()))
        .map_err(fail)?;
    let most = usize::try_from(max_rows).unwrap_or(usize::MAX);
    if most == 0 {
        return Ok(("[]".to_owned(), 0));
    }
    let taken = cursor
        .take_text(most, MAX_OUTCOME_ROW_BYTES, ROW_SEPARATOR)
        .map_err(fail)?;
    let list = sql_gate::value::finish(format!("[{}]", taken.text));
    if list.len() > MAX_OUTCOME_ROW_BYTES {
        return Ok(("[]".to_owned(), 0));
    }
    Ok((list, taken.rows))
}

fn run<D: Database>(db: &D, made: &Bound, bound: &Bound) -> Result<()> {
    db.open(Statement::Reviewed(made.reviewed()))
        .map(drop)
        .map_err(|error| explain::explain(db, &error, bound))
}

#[cfg(test)]
mod tests {
    use super::super::scope::{Scope, ScopeValue};
    use super::{distinct_names, layout};
    use sql_gate::{FilledColumn, FixedValue};

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn names_differ_without_case() {
        for (given, made) in [
            (&["a", "A", "b"][..], &["a", "A_2", "b"][..]),
            (&["a", "a_2", "A"], &["a", "a_2", "A_3"]),
            (&["é", "É"], &["é", "É"]),
        ] {
            assert_eq!(distinct_names(&names(given)), names(made));
        }
    }

    #[test]
    fn a_column_of_the_scope_has_the_value_of_the_scope() {
        let scope = Scope {
            column: "business_id".to_owned(),
            value: ScopeValue::Integer(7),
            readable: Vec::new(),
        };
        let fixed = FilledColumn::Fixed(FixedValue::Integer(7));
        let (columns, filled) = layout(&names(&["a", "BUSINESS_ID", "b"]), Some(&scope));
        assert_eq!(columns, names(&["a", "b", "business_id"]));
        assert_eq!(
            filled,
            [FilledColumn::Read(0), FilledColumn::Read(2), fixed.clone()]
        );
        let (columns, filled) = layout(&names(&["a"]), Some(&scope));
        assert_eq!(columns, names(&["a", "business_id"]));
        assert_eq!(filled, [FilledColumn::Read(0), fixed]);
        let (columns, _) = layout(&names(&["a", "business_id"]), None);
        assert_eq!(columns, names(&["a", "business_id"]));
    }
}
