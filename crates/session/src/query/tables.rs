//! createTable and dropTable.

use crate::SessionError;
use serde_json::json;
use sql_gate::SqlError;

use super::{Request, blocked_operation};
use crate::inspect::{self, Table, TableKind};
use crate::{Reply, Session};
use base::{Error, Result};
use database::{Counters, Database};
use sql_gate::{self, DeclaredColumn, StatementKind};

impl<D: Database> Session<'_, D> {
    /// Creates a table from its name and the text between the brackets. A table with the same
    /// columns may already exist. So a program that creates a table can be sent again.
    ///
    /// # Errors
    /// [`SessionError::OtherColumns`], or the gate's or the engine's.
    pub fn create_table(&self, name: &str, schema: &str) -> Result<Reply> {
        let request = Request::of(create_table_text(name, schema)?);
        let checked = match self.check(&request) {
            Ok(checked) => checked,
            Err(error) => {
                return match error.of() {
                    Some(SqlError::AlreadyExists { table, .. }) => existing_table(
                        inspect::load_table(self.db, table).ok(),
                        table.clone(),
                        &request.sql,
                    ),
                    _ => Err(error),
                };
            }
        };
        if checked.bound.kind() != StatementKind::Schema {
            return Err(blocked_operation(
                "the schema is not a list of columns",
                "send the text between the brackets of CREATE TABLE",
            ));
        }
        let counters = self.define(&checked.bound)?;
        let reply = Reply::new(json!({ "rowsWritten": counters.rows_written }), counters);
        Ok(checked.with_notice(reply, counters))
    }

    /// Drops a table or view.
    ///
    /// # Errors
    /// [`SqlError::NoSuchTable`] with the nearest names unless `if_exists`, or the gate's or the
    /// engine's.
    pub fn drop_table(&self, name: &str, if_exists: bool) -> Result<Reply> {
        let table = match inspect::load_table(self.db, name) {
            Ok(table) => table,
            Err(error) => {
                return match error.of() {
                    Some(SqlError::NoSuchTable { table, .. }) if if_exists => {
                        Ok(dropped_reply(table, false, Counters::default()))
                    }
                    _ => Err(error),
                };
            }
        };
        let word = match table.kind {
            TableKind::View => "VIEW",
            TableKind::Table | TableKind::WithoutRowid | TableKind::Virtual | TableKind::Shadow => {
                "TABLE"
            }
        };
        let request = Request::of(format!(
            "DROP {word} {}",
            sql_gate::compose::quote_identifier(&table.name)
        ));
        let checked = self.check(&request)?;
        let counters = self.define(&checked.bound)?;
        Ok(dropped_reply(&table.name, true, counters))
    }
}

/// Returns the reply for an existing table of the name, if its columns are those of the statement.
pub(crate) fn existing_table(found: Option<Table>, name: String, sql: &str) -> Result<Reply> {
    let already = Error::from(SqlError::AlreadyExists {
        table: name.clone(),
        by: sql_gate::TableOrigin::Statement,
    });
    let (Some(table), Some(asked)) = (found, sql_gate::declared_columns(sql)) else {
        return Err(already);
    };
    if !matches!(table.kind, TableKind::Table | TableKind::WithoutRowid) {
        return Err(already);
    }
    let existing: Vec<DeclaredColumn> = table
        .columns
        .iter()
        .map(|column| &column.info)
        .map(|info| {
            DeclaredColumn::new(
                &info.name,
                &info.declared_type,
                info.not_null,
                info.primary_key > 0,
            )
        })
        .collect();
    let same = existing.len() == asked.len()
        && existing
            .iter()
            .zip(&asked)
            .all(|(one, other)| one.is_same(other));
    if same {
        return Ok(Reply::new(
            json!({ "rowsWritten": 0, "existed": true }),
            Counters::default(),
        ));
    }
    let shown = |columns: &[DeclaredColumn]| columns.iter().map(ToString::to_string).collect();
    Err(Error::from(SessionError::OtherColumns {
        table: table.name,
        existing: shown(&existing),
        asked: shown(&asked),
    }))
}

/// Returns the reply of dropTable.
pub(crate) fn dropped_reply(table: &str, dropped: bool, counters: Counters) -> Reply {
    Reply::new(json!({ "table": table, "dropped": dropped }), counters)
}

/// Returns `CREATE TABLE "name" (…)` for the arguments of createTable.
pub(crate) fn create_table_text(name: &str, schema: &str) -> Result<String> {
    sql_gate::require_new_name(name)?;
    let trimmed = schema.trim();
    let columns = trimmed
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'))
        .unwrap_or(trimmed);
    if name.is_empty() || columns.trim().is_empty() {
        return Err(Error::invalid_with_hint(
            "a table needs a name and at least one column",
            "send {\"name\":\"papers\",\"schema\":\"id INTEGER PRIMARY KEY, title TEXT\"}",
        ));
    }
    Ok(format!(
        "CREATE TABLE {} ({columns}\n)",
        sql_gate::compose::quote_identifier(name)
    ))
}
