//! The description of a table whose rows are recorded: the columns that identify a row, and the
//! position of each value in an image.

use base::Result;
use base::limits::MAX_COLUMNS;
use database::{Bind, Cell, Database, DatabaseExt as _};
use sql_gate::compose::quote_identifier;

use crate::inspect::{self, Table, TableKind};
use crate::limits::{IMAGE_COLUMNS, MAX_TOUCHED_TABLES};

const DEFINITION: &str = "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?";
const INDEXES: &str = "SELECT count(*) FROM pragma_index_list(?)";
/// Counts the indexes of the primary key: 0 if the key is the rowid or there is none, otherwise 1.
const KEY_INDEXES: &str = "SELECT count(*) FROM pragma_index_list(?) WHERE origin = 'pk'";

/// Finds the table that a statement writes, and all tables that foreign keys change with it:
/// recursively the tables that refer to it with an action. UNION ends cycles.
const REACHED: &str = "WITH RECURSIVE link(child, parent) AS MATERIALIZED (\
     SELECT referring.name, lower(key.\"table\") FROM sqlite_schema AS referring, pragma_foreign_key_list(referring.name) AS key \
     WHERE referring.type = 'table' AND instr(lower(referring.sql), 'references') > 0 \
     AND NOT (key.on_delete IN ('NO ACTION', 'RESTRICT') AND key.on_update IN ('NO ACTION', 'RESTRICT'))), \
     reached(name) AS (SELECT name FROM sqlite_schema WHERE type = 'table' AND name = ?1 COLLATE NOCASE \
     UNION SELECT link.child FROM reached JOIN link ON link.parent = lower(reached.name)) SELECT name FROM reached LIMIT ?2";

/// One value of an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Slot {
    /// The column, quoted, or a name of the rowid.
    pub quoted: String,
    /// The column; `None` for a rowid without a column.
    pub column: Option<String>,
    /// True if the value can be set.
    pub writable: bool,
    /// True if the value is part of the key that identifies a row.
    pub key: bool,
}

/// A table whose rows are recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Relation {
    /// The name in the case in which it was created.
    pub name: String,
    /// The SQL text of its definition.
    pub definition: String,
    kind: TableKind,
    /// The values of an image, in order.
    pub slots: Vec<Slot>,
    /// The number of its B-trees: the table itself and each index.
    pub trees: u64,
}

impl Relation {
    /// Reads the description of a table.
    ///
    /// # Errors
    /// As [`inspect::load_table`].
    pub fn load<D: Database>(db: &D, name: &str) -> Result<Self> {
        let table = inspect::load_table(db, name)?;
        let text = |cell: Option<Cell>| cell.map_or_else(String::new, Cell::into_text);
        let definition = text(db.cell(DEFINITION, &[Bind::text(table.name.as_str())])?);
        let is_rowid = is_rowid_alias(db, &table)?;
        let mut slots = Vec::new();
        if table.kind == TableKind::Table
            && !is_rowid
            && let Some(rowid) = table.rowid()
        {
            slots.push(Slot {
                quoted: rowid.to_owned(),
                column: None,
                writable: true,
                key: true,
            });
        }
        let by_primary_key = is_rowid || table.kind == TableKind::WithoutRowid;
        let columns = table.columns.iter().filter(|column| !column.info.hidden);
        slots.extend(columns.map(|column| Slot {
            quoted: quote_identifier(&column.info.name),
            column: Some(column.info.name.clone()),
            writable: !column.generated,
            key: by_primary_key && column.info.primary_key > 0,
        }));
        let indexes = db.cell(INDEXES, &[Bind::text(table.name.as_str())])?;
        let indexes = indexes.as_ref().map_or(0, Cell::as_count);
        Ok(Self {
            trees: indexes.saturating_add(1),
            name: table.name,
            definition,
            kind: table.kind,
            slots,
        })
    }

    /// Returns the reason why changes of its rows cannot be recorded, if there is one.
    pub fn obstacle(&self) -> Option<String> {
        match self.kind {
            TableKind::Table | TableKind::WithoutRowid => None,
            TableKind::Virtual | TableKind::Shadow => Some(format!(
                "{} is a virtual table, whose rows are not recorded",
                self.name
            )),
            TableKind::View => Some(format!("{} is a view", self.name)),
        }
    }

    /// Returns the reason why recorded rows could not be restored, if there is one.
    pub fn undo_obstacle(&self) -> Option<String> {
        if !self.slots.iter().any(|slot| slot.key) {
            return Some(format!(
                "all names of the rowid of {} are names of its columns",
                self.name
            ));
        }
        let written = self.slots.iter().filter(|slot| slot.writable).count();
        (written > MAX_COLUMNS).then(|| {
            format!(
                "{} has {MAX_COLUMNS} columns and none of them is its rowid",
                self.name
            )
        })
    }

    /// Returns the number of rows in `_codemode_images` that one image needs.
    pub fn parts(&self) -> usize {
        self.slots.len().div_ceil(IMAGE_COLUMNS)
    }
}

/// Returns true if the primary key is the rowid itself.
fn is_rowid_alias<D: Database>(db: &D, table: &Table) -> Result<bool> {
    let mut key = table
        .columns
        .iter()
        .filter(|column| column.info.primary_key > 0);
    let (Some(column), None) = (key.next(), key.next()) else {
        return Ok(false);
    };
    if table.kind != TableKind::Table || !column.info.declared_type.eq_ignore_ascii_case("integer")
    {
        return Ok(false);
    }
    let indexes = db.cell(KEY_INDEXES, &[Bind::text(table.name.as_str())])?;
    Ok(indexes.is_some_and(|cell| cell.as_count() == 0))
}

/// Returns the tables that a write of a table may change, that table first; `None` if there are too
/// many.
///
/// # Errors
/// The engine's.
pub(crate) fn touched<D: Database>(db: &D, written: &str) -> Result<Option<Vec<String>>> {
    let binds = [
        Bind::text(written),
        Bind::number(MAX_TOUCHED_TABLES.saturating_add(1)),
    ];
    let rows = db.rows(REACHED, &binds)?;
    let names: Vec<String> = rows
        .into_iter()
        .filter_map(|row| row.into_iter().next())
        .map(Cell::into_text)
        .collect();
    Ok((names.len() as u64 <= MAX_TOUCHED_TABLES).then_some(names))
}
