//! Reports the change of a table by a statement, for code that remembers facts about columns.

use sqlite3_parser::Bump;
use sqlite3_parser::ast::{AlterTableBody, Cmd, CreateTableBody, Stmt};

use super::reads::Reads;
use super::{Origin, Sources};
use crate::operations::unquote;
use crate::parse::parse;

/// A change of one table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TableChange {
    /// The table is new or was dropped: remembered facts about its columns no longer apply.
    Forgotten(String),
    /// A table was renamed: the old name and the new one.
    Renamed(String, String),
    /// A column was renamed: the table, the old name and the new one.
    ColumnRenamed(String, String, String),
    /// A column was dropped: the table and the column.
    ColumnDropped(String, String),
    /// The table was created from a query. For each of its columns in order, the column that its
    /// texts come from.
    Made(String, Vec<Option<Origin>>),
}

/// Returns the change of a table by a statement, or `None` for any other statement.
pub fn table_change(statement: &str, sources: &dyn Sources) -> Option<TableChange> {
    let arena = Bump::new();
    let Ok(Cmd::Stmt(statement)) = parse(&arena, statement) else {
        return None;
    };
    match &statement {
        Stmt::DropTable { tbl_name, .. } => Some(TableChange::Forgotten(unquote(tbl_name.name.0))),
        Stmt::CreateTable {
            tbl_name,
            body,
            if_not_exists,
            ..
        } => {
            let name = unquote(tbl_name.name.0);
            match body {
                // The table may have existed before.
                _ if *if_not_exists => None,
                CreateTableBody::ColumnsAndConstraints { .. } => Some(TableChange::Forgotten(name)),
                CreateTableBody::AsSelect(select) => {
                    let outputs = Reads::new(sources).select(select);
                    let origins = outputs.into_iter().map(|(_, origin)| origin);
                    Some(TableChange::Made(name, origins.collect()))
                }
            }
        }
        Stmt::AlterTable(table, body) => {
            let table = unquote(table.name.0);
            match body {
                AlterTableBody::RenameTo(name) => {
                    Some(TableChange::Renamed(table, unquote(name.0)))
                }
                AlterTableBody::RenameColumn { old, new } => Some(TableChange::ColumnRenamed(
                    table,
                    unquote(old.0),
                    unquote(new.0),
                )),
                AlterTableBody::DropColumn(name) => {
                    Some(TableChange::ColumnDropped(table, unquote(name.0)))
                }
                _ => None,
            }
        }
        _ => None,
    }
}
