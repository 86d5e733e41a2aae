//! Operations under the scope of a session. Operations that cannot be restricted to the scope are
//! refused, and replies about the schema omit the tables that the scope does not show.

use base::{Error, Result, entries, nearest};
use database::{Counters, Database};
use sql_gate::SqlError;
use sql_gate::compose::quote_identifier;
use sql_scope::Scope;

use crate::error::affordable;
use crate::inspect::{self, RowCount, Table, TableKind};
use crate::limits::{COUNTED_ROWS, SAMPLE_ROWS};
use crate::query::Request;
use crate::{Reply, Session};

/// Returns true if the scope shows a table: it is an ordinary table that has the scope's column or
/// is listed as readable.
fn is_shown(table: &Table, scope: &Scope) -> bool {
    let is_ordinary = matches!(table.kind, TableKind::Table | TableKind::WithoutRowid);
    let has_column = table
        .columns
        .iter()
        .any(|column| column.info.name.eq_ignore_ascii_case(scope.column()));
    is_ordinary
        && !sql_gate::is_internal_name(&table.name)
        && (has_column || scope.is_readable(&table.name))
}

pub(crate) fn shown_tables<D: Database>(db: &D, scope: &Scope) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for (name, kind) in inspect::list_tables(db)? {
        if matches!(kind, TableKind::Table | TableKind::WithoutRowid)
            && is_shown(&inspect::load_table(db, &name)?, scope)
        {
            names.push(name);
        }
    }
    Ok(names)
}

pub(crate) fn shown_table<D: Database>(db: &D, scope: &Scope, name: &str) -> Result<Table> {
    match inspect::load_table(db, name) {
        Ok(table) if is_shown(&table, scope) => Ok(table),
        Err(error) if !inspect::is_missing(&error) => Err(error),
        // The nearest names among the tables that the scope shows, and no others.
        _ => {
            let names = shown_tables(db, scope)?;
            Err(Error::from(SqlError::NoSuchTable {
                hint: None,
                table: name.to_owned(),
                suggestions: nearest(name, names.iter().map(String::as_str)),
            }))
        }
    }
}

/// Runs describeTable for the rows of the scope only.
pub(crate) fn describe<D: Database>(session: &Session<'_, D>, table: &Table) -> Result<Reply> {
    let name = quote_identifier(&table.name);
    let counting = format!(
        "SELECT count(*) AS rows FROM (SELECT 1 FROM {name} LIMIT {})",
        COUNTED_ROWS + 1
    );
    let (counted, uncounted) = affordable(session.rows_text(&Request::of(counting)))?;
    let count = match counted {
        Some((counted, counters)) => Some(count(&counted, counters)?),
        None => None,
    };
    let sample = Request {
        limit: Some(SAMPLE_ROWS),
        ..Request::of(format!("SELECT * FROM {name}"))
    };
    let (sample, unread) = affordable(session.rows_text(&sample))?;
    let (sample, sampling) = sample.unzip();
    let sample = sample.map(|sample| {
        let rows = sample.strip_prefix('[');
        let rows = rows.and_then(|rest| rest.strip_suffix(']'));
        rows.unwrap_or_default().to_owned()
    });
    let description = inspect::description(table, count, sample, sampling.unwrap_or_default());
    Ok(match uncounted.or(unread) {
        Some(reason) => description.with("notice", inspect::left_out(&reason)),
        None => description,
    })
}

/// Returns the count in a list of one row.
fn count(counted: &str, counters: Counters) -> Result<RowCount> {
    let counted: Vec<entries::Fields<u64>> = serde_json::from_str(counted)
        .map_err(|error| Error::internal(format!("a count is unreadable: {error}")))?;
    let rows = counted
        .first()
        .and_then(|row| row.0.first())
        .map_or(0, |(_, rows)| *rows);
    Ok(RowCount {
        rows: rows.min(COUNTED_ROWS),
        exact: rows <= COUNTED_ROWS,
        counters,
    })
}
