//! Remembers the columns that loads have made as TEXT, because SQL compares and sums them in
//! another way than the sender of the file may expect.
//!
//! The record of a column remains when its table or the column is renamed. It is copied if another
//! table is made from the column, and deleted with the column.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use sql_gate::catalog;
use sql_gate::{Source, Sources, TableChange};

use base::{Error, Result};
use database::{Bind, Cell, Database, DatabaseExt};

const RECORD: &str = "INSERT OR REPLACE INTO _codemode_loaded (name, columns) VALUES (?, ?)";
const FORGET: &str = "DELETE FROM _codemode_loaded WHERE lower(name) = lower(?)";
const SWEEP: &str = "DELETE FROM _codemode_loaded WHERE name NOT IN (SELECT name FROM sqlite_schema WHERE type = 'table')";
const READ: &str = "SELECT loaded.name, loaded.columns FROM _codemode_loaded AS loaded JOIN sqlite_schema AS present ON present.type = 'table' AND present.name = loaded.name";
const EVERY: &str = "SELECT name, columns FROM _codemode_loaded";
const DEFINITION: &str = "SELECT type, sql FROM sqlite_schema WHERE type IN ('table', 'view') AND lower(name) = lower(?)";

const EXISTS: &str =
    "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = '_codemode_loaded'";

/// The facts about a TEXT column of a load.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct TextColumn {
    /// True if most of its fields are numbers or dates that SQL sorts in another way.
    #[serde(rename = "s", default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_suspicious: bool,
    /// True if SQLite reads each of its fields as a whole number or fraction.
    #[serde(rename = "n", default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_numeric: bool,
    /// True if some of its numbers are in a notation that SQLite does not read.
    #[serde(rename = "f", default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) has_foreign: bool,
    /// True if most of its fields are dates in a form other than ISO 8601.
    #[serde(rename = "d", default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) has_foreign_dates: bool,
    #[serde(rename = "r", default, skip_serializing_if = "Remedy::is_none")]
    pub(crate) remedy: Remedy,
}

/// The way to load the column as numbers or dates instead of texts, mostly a parameter of the load.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Remedy {
    /// None: only some of the texts are numbers.
    #[default]
    None,
    /// None: none of the texts is a number.
    NoNumber,
    /// `?null=` with these words, which are all the fields that are not numbers or dates.
    Null(Vec<String>),
    /// `?decimal=`
    Decimal,
    /// `?dates=`
    Dates,
    /// None: the texts are dates in ISO 8601.
    Dated,
    /// The fields must be written in another form in the file.
    File,
}

impl Remedy {
    fn is_none(&self) -> bool {
        *self == Self::None
    }
}

/// A column as it is stored. Earlier releases only stored whether it is suspicious.
#[derive(Deserialize)]
#[serde(untagged)]
enum Stored {
    Flag(u8),
    Column(TextColumn),
}

/// The TEXT columns of tables that loads have made, by table and column in lower case.
pub(crate) type TextColumns = HashMap<String, HashMap<String, TextColumn>>;

/// Records the TEXT columns of a new table.
pub(crate) fn record<D: Database>(
    db: &D,
    table: &str,
    columns: &[(String, TextColumn)],
) -> Result<()> {
    db.run(SWEEP, &[])?;
    db.run(FORGET, &[Bind::text(table)])?;
    if columns.is_empty() {
        return Ok(());
    }
    write(db, table, columns.iter().cloned().collect())
}

fn write<D: Database>(db: &D, table: &str, columns: HashMap<String, TextColumn>) -> Result<()> {
    let columns: std::collections::BTreeMap<String, TextColumn> = columns.into_iter().collect();
    let text = serde_json::to_string(&columns)
        .map_err(|error| Error::internal(format!("columns of a load: {error}")))?;
    db.run(RECORD, &[Bind::text(table), Bind::Text(text)])
        .map(|_| ())
}

/// Returns the columns that loads have made as TEXT, in tables that still exist. The database of a
/// graph has no loads.
pub(crate) fn text_columns<D: Database>(db: &D) -> Result<TextColumns> {
    read(db, READ)
}

fn read<D: Database>(db: &D, query: &'static str) -> Result<TextColumns> {
    let mut found = TextColumns::new();
    if db
        .cell(EXISTS, &[])?
        .is_none_or(|count| count.as_count() == 0)
    {
        return Ok(found);
    }
    for row in db.rows(query, &[])? {
        let mut cells = row.into_iter().map(Cell::into_text);
        let (Some(table), Some(columns)) = (cells.next(), cells.next()) else {
            continue;
        };
        let columns: HashMap<String, Stored> = serde_json::from_str(&columns).unwrap_or_default();
        let columns = columns.into_iter().map(|(column, stored)| {
            let known = match stored {
                Stored::Column(column) => column,
                Stored::Flag(flag) => TextColumn {
                    is_suspicious: flag > 0,
                    ..TextColumn::default()
                },
            };
            (column.to_ascii_lowercase(), known)
        });
        found.insert(table.to_ascii_lowercase(), columns.collect());
    }
    Ok(found)
}

/// Updates the records after a statement that has changed the schema. Returns true if they have
/// changed.
pub(crate) fn follow<D: Database>(db: &D, statement: &str) -> Result<bool> {
    // The statement has already run, so the record of a renamed or dropped table is read even if
    // the table does not exist.
    let known = read(db, EVERY)?;
    if known.is_empty() {
        return Ok(false);
    }
    let sources = LoadedTables { db, loaded: &known };
    let Some(change) = sql_gate::table_change(statement, &sources) else {
        return Ok(false);
    };
    let of = |table: &str| known.get(&table.to_ascii_lowercase()).cloned();
    let table = match &change {
        TableChange::Forgotten(table)
        | TableChange::Renamed(table, _)
        | TableChange::ColumnRenamed(table, ..)
        | TableChange::ColumnDropped(table, _)
        | TableChange::Made(table, _) => table,
    };
    let mut columns = of(table).unwrap_or_default();
    db.run(FORGET, &[Bind::text(table)])?;
    let mut name = table.clone();
    match &change {
        TableChange::Forgotten(_) => columns.clear(),
        TableChange::Renamed(_, new) => name.clone_from(new),
        TableChange::ColumnRenamed(_, old, new) => {
            if let Some(column) = columns.remove(&old.to_ascii_lowercase()) {
                columns.insert(new.to_ascii_lowercase(), column);
            }
        }
        TableChange::ColumnDropped(_, column) => {
            columns.remove(&column.to_ascii_lowercase());
        }
        TableChange::Made(table, origins) => {
            let names = catalog::columns(db, table)?;
            let made = names.iter().zip(origins).filter_map(|(column, origin)| {
                let origin = origin.as_ref()?;
                let known = known
                    .get(&origin.table)?
                    .get(&origin.column.to_ascii_lowercase())?;
                Some((column.name.to_ascii_lowercase(), known.clone()))
            });
            columns = made.collect();
        }
    }
    if !columns.is_empty() {
        write(db, &name, columns)?;
    }
    Ok(true)
}

/// The tables and views of a session, with the columns that loads have made as TEXT.
pub(crate) struct LoadedTables<'a, D: Database> {
    pub(crate) db: &'a D,
    pub(crate) loaded: &'a TextColumns,
}

impl<D: Database> Sources for LoadedTables<'_, D> {
    fn source(&self, name: &str) -> Option<Source> {
        let rows = self.db.rows(DEFINITION, &[Bind::text(name)]).ok()?;
        let mut cells = rows.into_iter().next()?.into_iter();
        let kind = cells.next().map(Cell::into_text)?;
        if kind == "view" {
            return cells.next().map(|sql| Source::View(sql.into_text()));
        }
        let known = self.loaded.get(&name.to_ascii_lowercase());
        let columns = catalog::columns(self.db, name).ok()?;
        let columns = columns.into_iter().map(|column| {
            let is_text = column.declared_type == "TEXT"
                && known.is_some_and(|known| known.contains_key(&column.name.to_ascii_lowercase()));
            (column.name, is_text)
        });
        Some(Source::Table(columns.collect()))
    }
}
