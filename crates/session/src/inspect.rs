//! Reads the schema of a session: its tables, their columns, and their numbers of rows.
//!
//! Listings only have the caller's tables: not the product's own, not SQLite's, and not the shadow
//! tables of full-text indexes. Views are listed, because they can be queried like tables. Names
//! compare as in SQLite, without ASCII case.

use serde_json::{Value, json};
use sql_gate::SqlError;

use crate::error::affordable;
use crate::limits::{COUNTED_ROWS, EXACT_COUNT_BYTES, SAMPLE_ROWS};
use crate::row_text::RowText;
use crate::{Reply, Session};
use base::nearest;
use base::{Error, Result};
use columns::{ColumnInfo, Mappings, find_column_of};
use database::{Bind, Cell, Counters, Cursor, Database, DatabaseExt};
use sql_cost::Meter;
use sql_gate::compose::{Part, compose};
use sql_gate::{self};

// Not pragma_table_list, which has all of this as well: it compiles every view.
/// Lists the tables and views.
pub const LIST: &str = "SELECT name, type, rootpage, sql FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY name";
const FIND: &str = "SELECT name, type, rootpage, sql FROM sqlite_schema \
    WHERE type IN ('table', 'view') AND name = ?1 COLLATE NOCASE";
/// Lists the columns of a table.
pub const COLUMNS: &str =
    "SELECT name, type, \"notnull\", dflt_value, pk, hidden FROM pragma_table_xinfo(?)";

/// The schema table. It is the only table that has no row in the schema table.
const SCHEMA_TABLE: &str = "sqlite_schema";

/// The kinds of tables that FROM can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableKind {
    /// An ordinary table with a rowid.
    Table,
    /// A table WITHOUT ROWID.
    WithoutRowid,
    /// A full-text index or another virtual table.
    Virtual,
    /// A view.
    View,
    /// The storage of a virtual table.
    Shadow,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableColumn {
    /// The properties as declared.
    pub info: ColumnInfo,
    /// True for a GENERATED ALWAYS AS column, which cannot be written.
    pub generated: bool,
}

/// A table, view or virtual table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// The name as declared.
    pub name: String,
    /// The kind of the table.
    pub kind: TableKind,
    /// Its columns, hidden ones included.
    pub columns: Vec<TableColumn>,
}

impl Table {
    /// Returns the columns that `SELECT *` shows.
    pub fn visible(&self) -> impl Iterator<Item = &ColumnInfo> {
        self.columns
            .iter()
            .map(|column| &column.info)
            .filter(|info| !info.hidden)
    }

    /// Returns the names of [`Table::visible`].
    pub fn visible_names(&self) -> Vec<String> {
        self.visible().map(|info| info.name.clone()).collect()
    }

    /// Returns a name of the rowid that no column has taken, if the table has a rowid.
    pub fn rowid(&self) -> Option<&'static str> {
        let taken = |name: &str| {
            self.columns
                .iter()
                .any(|column| column.info.name.eq_ignore_ascii_case(name))
        };
        match self.kind {
            TableKind::Table | TableKind::Virtual => ["rowid", "_rowid_", "oid"]
                .into_iter()
                .find(|name| !taken(name)),
            TableKind::WithoutRowid | TableKind::View | TableKind::Shadow => None,
        }
    }
}

/// The number of rows in a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowCount {
    /// The number of rows that were counted.
    pub rows: u64,
    /// True if there are no more rows.
    pub exact: bool,
    /// The cost of counting.
    pub counters: Counters,
}

/// Returns the caller's tables, virtual tables and views, by name.
///
/// # Errors
/// The engine's.
pub fn list_tables<D: Database>(db: &D) -> Result<Vec<(String, TableKind)>> {
    let rows = db.rows(LIST, &[])?;
    let shadows = sql_gate::catalog::shadow_tables(db)?;
    let named = rows.into_iter().filter_map(name_and_kind);
    Ok(named
        .filter(|(name, _)| !shadows.contains(name) && !sql_gate::is_internal_name(name))
        .collect())
}

/// Returns the table with a name, and its columns.
///
/// # Errors
/// [`SqlError::NoSuchTable`] with the nearest names, a refusal for a name that the caller must not
/// read, or the engine's error.
pub fn load_table<D: Database>(db: &D, name: &str) -> Result<Table> {
    sql_gate::require_readable_name(name)?;
    let Some((name, kind)) = find(db, name)? else {
        return Err(no_such_table(db, name)?);
    };
    if kind == TableKind::View {
        sql_gate::require_small(db, &name)?;
    }
    let columns = db
        .rows(COLUMNS, &[Bind::text(name.as_str())])?
        .into_iter()
        .map(column)
        .collect();
    Ok(Table {
        name,
        kind,
        columns,
    })
}

fn find<D: Database>(db: &D, name: &str) -> Result<Option<(String, TableKind)>> {
    if name.contains('\0') {
        return Ok(None);
    }
    if name.eq_ignore_ascii_case(SCHEMA_TABLE) {
        return Ok(Some((SCHEMA_TABLE.to_owned(), TableKind::Table)));
    }
    let rows = db.rows(FIND, &[Bind::text(name)])?;
    let Some((name, kind)) = rows.into_iter().find_map(name_and_kind) else {
        return Ok(None);
    };
    let is_shadow =
        kind != TableKind::View && sql_gate::catalog::shadow_tables(db)?.contains(&name);
    Ok(Some((
        name,
        if is_shadow { TableKind::Shadow } else { kind },
    )))
}

/// Returns the name of a table or view in the case in which it was created; `None` if there is
/// none.
///
/// # Errors
/// The engine's.
pub(crate) fn stored_name<D: Database>(db: &D, name: &str) -> Result<Option<String>> {
    Ok(find(db, name)?.map(|(name, _)| name))
}

/// Returns the error for an unknown table.
///
/// # Errors
/// The engine's, if the names cannot be read.
pub fn no_such_table<D: Database>(db: &D, table: &str) -> Result<Error> {
    let names = list_tables(db)?;
    let suggestions = nearest(table, names.iter().map(|(name, _)| name.as_str()));
    Ok(Error::from(SqlError::NoSuchTable {
        hint: None,
        table: table.to_owned(),
        suggestions,
    }))
}

/// Counts rows: all of them if the whole database is small enough for a cheap scan, otherwise up to
/// [`COUNTED_ROWS`].
///
/// # Errors
/// `QUERY_TOO_EXPENSIVE` if counting runs too much of the caller's expressions, or the engine's
/// error.
pub(crate) fn row_count<D: Database>(db: &D, meter: &Meter<'_>, table: &str) -> Result<RowCount> {
    let small = db.size_bytes() <= EXACT_COUNT_BYTES;
    let bound = if small {
        compose(
            &[Part::Sql("SELECT count(*) FROM "), Part::Identifier(table)],
            Vec::new(),
        )
    } else {
        let limit = Part::Number(COUNTED_ROWS + 1);
        compose(
            &[
                Part::Sql("SELECT count(*) FROM (SELECT 1 FROM "),
                Part::Identifier(table),
                Part::Sql(" LIMIT "),
                limit,
                Part::Sql(")"),
            ],
            Vec::new(),
        )
    };
    let mut cursor = meter.open(db, table, &bound)?;
    let row = cursor
        .next()
        .map_err(|error| sql_gate::explain::explain(db, &error, &bound))?;
    let rows = row
        .and_then(|cells| cells.into_iter().next())
        .map_or(0, |cell| cell.as_count());
    let exact = small || rows <= COUNTED_ROWS;
    Ok(RowCount {
        rows: if exact { rows } else { COUNTED_ROWS },
        exact,
        counters: cursor.counters(),
    })
}

/// Counts rows like `row_count`, but returns `None` if counting would be too much work.
///
/// # Errors
/// The engine's.
pub fn counted_rows<D: Database>(
    session: &Session<'_, D>,
    table: &str,
) -> Result<Option<RowCount>> {
    let (count, _) = affordable(row_count(session.db, &session.meter(), table))?;
    Ok(count)
}

/// Returns the reply of getTables.
pub(crate) fn tables_reply(names: impl IntoIterator<Item = String>) -> Reply {
    let names: Vec<String> = names.into_iter().collect();
    Reply::new(json!({ "tables": names }), Counters::default())
}

/// Returns the reply of getColumns.
pub(crate) fn columns_reply(table: &Table) -> Reply {
    Reply::new(
        json!({ "columns": describe_columns(table) }),
        Counters::default(),
    )
}

/// Returns the reply of hasColumn.
pub(crate) fn column_reply(table: &Table, column: &str) -> Reply {
    let exists = table
        .visible()
        .any(|info| info.name.eq_ignore_ascii_case(column));
    Reply::new(json!({ "exists": exists }), Counters::default())
}

/// Runs describeTable: columns, three rows, and the number of rows. Rows are left out if reading
/// them is too much work, with a notice.
///
/// # Errors
/// As [`load_table`].
pub fn describe_table<D: Database>(session: &Session<'_, D>, table: &str) -> Result<Reply> {
    let db = session.db;
    let table = load_table(db, table)?;
    let (count, uncounted) = affordable(row_count(db, &session.meter(), &table.name))?;
    let (sample, unread) = affordable(sample_rows(db, &session.meter(), &table))?;
    let (sample, sampling) = sample.unzip();
    let description = description(&table, count, sample, sampling.unwrap_or_default());
    Ok(match uncounted.or(unread) {
        Some(reason) => description.with("notice", left_out(&reason)),
        None => description,
    })
}

/// Returns the notice for a description without rows.
pub(crate) fn left_out(reason: &str) -> String {
    format!(
        "rowCount or sampleRows are left out, because reading them would take too long: {reason}"
    )
}

/// Returns the first rows, as JSON objects with commas between them.
fn sample_rows<D: Database>(
    db: &D,
    meter: &Meter<'_>,
    table: &Table,
) -> Result<(String, Counters)> {
    let text = RowText::new(table.visible_names());
    let mut parts = vec![Part::Sql("SELECT ")];
    parts.extend(text.json_object());
    parts.extend([
        Part::Sql(" FROM "),
        Part::Identifier(&table.name),
        Part::Sql(" LIMIT "),
        Part::Number(SAMPLE_ROWS),
    ]);
    let bound = compose(&parts, Vec::new());
    let mut cursor = meter.open(db, &table.name, &bound)?;
    let rows = usize::try_from(SAMPLE_ROWS).unwrap_or(usize::MAX);
    let sample = cursor
        .take_text(rows, usize::MAX, ",")
        .map_err(|error| sql_gate::explain::explain(db, &error, &bound))?;
    Ok((sample.text, cursor.counters()))
}

/// Returns the reply of describeTable. `sample` has the first rows as JSON objects; `None` if they
/// were not read.
pub(crate) fn description(
    table: &Table,
    count: Option<RowCount>,
    sample: Option<String>,
    sampling: Counters,
) -> Reply {
    let mut counters = count.map(|count| count.counters).unwrap_or_default();
    counters += sampling;
    let fields = json!({ "table": table.name, "columns": describe_columns(table) });
    let sample = match sample {
        Some(sample) => format!("[{}]", sql_gate::value::finish(sample)),
        None => "null".to_owned(),
    };
    let reply = Reply::new(fields, counters)
        .with_json("sampleRows", sample)
        .with("rowCount", count.map(|count| count.rows));
    if count.is_none_or(|count| count.exact) {
        reply
    } else {
        reply.with("rowCountIsMinimum", true)
    }
}

/// Returns the reply of findColumn.
pub(crate) fn found_column_reply(
    table: &Table,
    mappings: &Mappings,
    semantic_name: &str,
    server: Option<&str>,
) -> Reply {
    let columns: Vec<ColumnInfo> = table.visible().cloned().collect();
    let found = find_column_of(&table.name, &columns, semantic_name, server, mappings);
    let alternatives: Vec<Value> = found
        .alternatives
        .iter()
        .map(|(name, score)| json!({ "name": name, "score": score }))
        .collect();
    let body =
        json!({ "column": found.column, "score": found.score, "alternatives": alternatives });
    Reply::new(body, Counters::default())
}

/// Reads a row of [`LIST`] or [`FIND`]. Shadow tables are not recognised here.
fn name_and_kind(row: Vec<Cell>) -> Option<(String, TableKind)> {
    let mut cells = row.into_iter();
    let name = cells.next()?.into_text();
    let kind = cells.next()?;
    let root = cells.next()?.as_count();
    let kind = match kind.as_text()? {
        "view" => TableKind::View,
        _ if root == 0 => TableKind::Virtual,
        _ if sql_gate::is_without_rowid(cells.next()?.as_text()?) => TableKind::WithoutRowid,
        _ => TableKind::Table,
    };
    Some((name, kind))
}

/// Reads a row of [`COLUMNS`].
pub(crate) fn column(row: Vec<Cell>) -> TableColumn {
    let mut cells = row.into_iter();
    let mut next = || cells.next().unwrap_or(Cell::Null);
    let (name, declared_type, not_null) = (
        next().into_text(),
        next().into_text(),
        next().as_count() != 0,
    );
    let default_value = match next() {
        Cell::Text(text) => Some(text),
        Cell::Null | Cell::Number(_) | Cell::Blob(_) => None,
    };
    let primary_key = u32::try_from(next().as_count()).unwrap_or(0);
    // 1 is a hidden column of a virtual table, 2 and 3 are generated columns, which SELECT * shows.
    let hidden = next().as_count();
    TableColumn {
        info: ColumnInfo {
            name,
            declared_type,
            not_null,
            default_value,
            primary_key,
            hidden: hidden == 1,
        },
        generated: hidden > 1,
    }
}

fn describe_columns(table: &Table) -> Vec<Value> {
    let describe = |info: &ColumnInfo| {
        json!({
            "name": info.name,
            "type": info.declared_type,
            "notNull": info.not_null,
            "defaultValue": info.default_value,
            "primaryKey": info.primary_key > 0,
        })
    };
    table.visible().map(describe).collect()
}

/// Returns true if the error says that a table does not exist.
pub(crate) fn is_missing(error: &Error) -> bool {
    matches!(error.of(), Some(SqlError::NoSuchTable { .. }))
}
