//! Reads the schema: user tables, their columns, and the tables that own b-trees.

use sqlite3_parser::dialect::TokenType;

use crate::bound::Bound;
use crate::lex;
use crate::operations::unquote;
use crate::policy::is_internal_name;
use base::Result;
use base::nearest;
use columns::ColumnInfo;
use database::{Bind, Cell, Database, DatabaseExt as _};

/// The largest number of columns in an error, so that it stays readable; the nearest are suggested
/// separately.
const MAX_LISTED_COLUMNS: usize = 100;

/// The largest number of relations of a statement whose columns are looked up: a join has at most
/// 64 tables.
const MAX_LOOKED_UP_RELATIONS: usize = 64;

/// The names in a schema. The schema of a session is read on demand ([`Live`]). A database behind
/// the network cannot be read in the middle of a review, so callers pass a snapshot.
pub trait Schema {
    /// Returns the tables and views of the caller.
    fn tables(&self) -> Result<Vec<String>>;

    /// Returns the columns of a table or view; the list is empty if there is no such table.
    fn columns(&self, table: &str) -> Result<Vec<ColumnInfo>>;
}

/// The schema of an open database.
pub struct Live<'a, D>(pub &'a D);

impl<D: Database> Schema for Live<'_, D> {
    fn tables(&self) -> Result<Vec<String>> {
        user_tables(self.0)
    }

    fn columns(&self, table: &str) -> Result<Vec<ColumnInfo>> {
        columns(self.0, table)
    }
}

/// A schema that is not known. Errors then suggest no names.
pub struct Unknown;

impl Schema for Unknown {
    fn tables(&self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    fn columns(&self, _table: &str) -> Result<Vec<ColumnInfo>> {
        Ok(Vec::new())
    }
}

/// Returns the tables and views of the session, in the order of their creation.
pub fn user_tables<D: Database>(db: &D) -> Result<Vec<String>> {
    let rows = db.rows(
        "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY rowid",
        &[],
    )?;
    let shadows = shadow_tables(db)?;
    let names = rows
        .into_iter()
        .filter_map(|row| row.into_iter().next())
        .map(Cell::into_text);
    Ok(names
        .filter(|name| !is_internal_name(name) && !shadows.contains(name))
        .collect())
}

/// Returns true if a name is that of an ordinary table: not a view, a virtual table or a
/// table-valued function.
pub fn is_table<D: Database>(db: &D, name: &str) -> Result<bool> {
    let found = db.cell(
        "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 AND lower(name) = lower(?1)",
        &[Bind::text(name)],
    )?;
    Ok(found.is_some())
}

/// Returns true if reading a relation runs no expression of a caller, and its rows are no longer
/// than they are stored: an ordinary table without columns that are computed when they are read.
/// Rows that are older than a column have its default, which may be as long as a statement. A
/// definition of up to a thousand characters has no long default.
pub fn is_plain_to_read<D: Database>(db: &D, name: &str) -> Result<bool> {
    let found = db.cell(
        "SELECT 1 FROM sqlite_schema AS t WHERE t.type = 'table' AND t.rootpage > 0 AND lower(t.name) = lower(?1) \
         AND (length(t.sql) <= 1000 OR t.sql NOT LIKE '%default%') \
         AND NOT EXISTS (SELECT 1 FROM pragma_table_xinfo(t.name) WHERE hidden = 2)",
        &[Bind::text(name)],
    )?;
    Ok(found.is_some())
}

/// Returns the columns of a table that a written row contains: no computed and no hidden ones.
pub fn stored_columns<D: Database>(db: &D, table: &str) -> Result<Vec<String>> {
    let rows = db.rows(
        "SELECT name FROM pragma_table_xinfo(?1) WHERE hidden = 0",
        &[Bind::text(table)],
    )?;
    let names = rows.into_iter().filter_map(|row| row.into_iter().next());
    Ok(names.map(Cell::into_text).collect())
}

/// Returns true if writing a row runs no expression of a caller: an ordinary table without computed
/// columns, CHECK, DEFAULT (…), and indexes on expressions or on a part of its rows. Foreign keys
/// do not count: a row looks up its parent, and its children only if some wait for it, which an
/// estimate cannot know.
pub fn is_plain_to_write<D: Database>(db: &D, name: &str) -> Result<bool> {
    let found = db.cell(
        "SELECT t.sql FROM sqlite_schema AS t WHERE t.type = 'table' AND t.rootpage > 0 AND lower(t.name) = lower(?1) \
         AND NOT EXISTS (SELECT 1 FROM pragma_table_xinfo(t.name) WHERE hidden > 1) \
         AND NOT EXISTS (SELECT 1 FROM pragma_index_list(t.name) AS i WHERE i.partial OR EXISTS \
         (SELECT 1 FROM pragma_index_info(i.name) WHERE cid = -2))",
        &[Bind::text(name)],
    )?;
    let Some(definition) = found else {
        return Ok(false);
    };
    let tokens = lex::tokens(definition.as_text().unwrap_or_default()).unwrap_or_default();
    let runs = |pair: &[lex::Token]| match pair {
        [one, next] => {
            one.kind == TokenType::TK_CHECK
                || (one.kind == TokenType::TK_DEFAULT && next.kind == TokenType::TK_LP)
        }
        _ => false,
    };
    Ok(!tokens.is_empty() && !tokens.windows(2).any(runs))
}

/// Returns the number of columns in the indexes of a table, including the keys of tables without
/// rowid: those that compare bytes, and those with another collation.
pub fn index_columns<D: Database>(db: &D, name: &str) -> Result<(u64, u64)> {
    let rows = db.rows(
        "SELECT x.coll = 'BINARY', count(*) FROM pragma_index_list(?1) AS i, pragma_index_xinfo(i.name) AS x \
         WHERE x.key = 1 GROUP BY 1 ORDER BY 1",
        &[Bind::text(name)],
    )?;
    let count = |binary: u64| {
        let row = rows
            .iter()
            .find(|row| row.first().is_some_and(|kind| kind.as_count() == binary));
        row.and_then(|row| row.get(1)).map_or(0, Cell::as_count)
    };
    Ok((count(1), count(0)))
}

/// Suffixes of the tables in which a module of virtual tables stores its rows, according to its
/// `xShadowName`.
const SHADOWS: [(&str, &[&str]); 5] = [
    ("fts5", &["config", "content", "data", "docsize", "idx"]),
    (
        "fts4",
        &["content", "docsize", "segdir", "segments", "stat"],
    ),
    (
        "fts3",
        &["content", "docsize", "segdir", "segments", "stat"],
    ),
    ("rtree", &["node", "parent", "rowid"]),
    ("rtree_i32", &["node", "parent", "rowid"]),
];

/// Returns the tables that belong to a virtual table, recognised by their names.
/// `pragma_table_list` knows them too, but it compiles every view to list them.
pub fn shadow_tables<D: Database>(db: &D) -> Result<Vec<String>> {
    let virtual_tables = db.rows(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND rootpage = 0",
        &[],
    )?;
    let names: Vec<String> = virtual_tables
        .into_iter()
        .flat_map(|row| {
            let mut cells = row.into_iter().map(Cell::into_text);
            let (name, sql) = (cells.next(), cells.next());
            let owner = name.unwrap_or_default();
            let suffixes = shadow_suffixes(&sql.unwrap_or_default());
            suffixes
                .iter()
                .map(move |suffix| format!("{owner}_{suffix}"))
        })
        .collect();
    if names.is_empty() {
        return Ok(names);
    }
    let tables = db.rows(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND instr(name, '_')",
        &[],
    )?;
    let tables = tables.into_iter().filter_map(|row| row.into_iter().next());
    Ok(tables
        .map(Cell::into_text)
        .filter(|table| names.iter().any(|name| name.eq_ignore_ascii_case(table)))
        .collect())
}

/// Returns the suffixes for the module of `CREATE VIRTUAL TABLE … USING module`.
fn shadow_suffixes(sql: &str) -> &'static [&'static str] {
    let tokens = lex::tokens(sql).unwrap_or_default();
    let mut rest = tokens
        .iter()
        .skip_while(|token| token.kind != TokenType::TK_USING);
    let module = rest.nth(1).map(|token| unquote(token.text(sql)));
    let module = module.unwrap_or_default();
    SHADOWS
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(&module))
        .map_or(&[], |(_, suffixes)| suffixes)
}

/// Returns the columns of one table or view; empty if there is no such table, or if it is a view
/// that is too large to compile.
pub fn columns<D: Database>(db: &D, table: &str) -> Result<Vec<ColumnInfo>> {
    const COLUMNS: &str =
        "SELECT name, type, \"notnull\", dflt_value, pk, hidden FROM pragma_table_xinfo(?1)";
    if crate::expansion::require_small(db, table).is_err() {
        return Ok(Vec::new());
    }
    let mut cursor = match db.open(database::Statement::Own(COLUMNS, &[Bind::text(table)])) {
        Ok(cursor) => cursor,
        // A view whose table was dropped cannot be described.
        Err(_) => return Ok(Vec::new()),
    };
    let mut found = Vec::new();
    while let Some(row) = database::Cursor::next(&mut cursor).map_err(database::EngineError::own)? {
        let mut cells = row.into_iter();
        let mut text = || cells.next().unwrap_or(Cell::Null);
        let (name, declared, not_null, default, key, hidden) =
            (text(), text(), text(), text(), text(), text());
        found.push(ColumnInfo {
            name: name.into_text(),
            declared_type: declared.into_text(),
            not_null: not_null.as_count() != 0,
            default_value: match default {
                Cell::Text(text) => Some(text),
                Cell::Null | Cell::Number(_) | Cell::Blob(_) => None,
            },
            primary_key: u32::try_from(key.as_count()).unwrap_or(u32::MAX),
            hidden: hidden.as_count() != 0,
        });
    }
    Ok(found)
}

/// Returns the columns of everything that the statement reads or writes.
pub fn columns_of_statement(schema: &impl Schema, bound: &Bound) -> Result<Vec<ColumnInfo>> {
    let facts = bound.facts();
    let mut tables: Vec<&str> = facts.written_table.iter().map(String::as_str).collect();
    tables.extend(
        facts
            .relations
            .iter()
            .map(|relation| relation.name.as_str()),
    );
    tables.extend(facts.targets.iter().map(|target| target.name.as_str()));
    let mut seen: Vec<&str> = Vec::new();
    let mut found: Vec<ColumnInfo> = Vec::new();
    for table in tables {
        if seen.contains(&table) || seen.len() >= MAX_LOOKED_UP_RELATIONS {
            continue;
        }
        seen.push(table);
        for column in schema.columns(table)? {
            if found.len() < MAX_LISTED_COLUMNS
                && !found.iter().any(|known| known.name == column.name)
            {
                found.push(column);
            }
        }
    }
    Ok(found)
}

/// Returns the nearest columns: by meaning first, then by spelling.
pub fn suggest_column(wanted: &str, available: &[ColumnInfo]) -> Vec<String> {
    let found = columns::find_column(available, wanted, None, &columns::Mappings::default());
    let mut suggestions: Vec<String> = found.column.into_iter().collect();
    for name in nearest(wanted, available.iter().map(|column| column.name.as_str())) {
        if !suggestions.contains(&name) {
            suggestions.push(name);
        }
    }
    suggestions.truncate(base::limits::MAX_SUGGESTIONS);
    suggestions
}
