//! `GET /dump`: the whole session as SQL text that sqlite3 can read.
//!
//! The dump has the tables with their rows first, then the counters of AUTOINCREMENT, then indexes,
//! then views, each in the order of creation. `session_state` and `execution_logs` are part of the
//! session; the product's other tables are not. A full-text index with its own texts is filled from
//! its rows; one that indexes a table or view is rebuilt at the very end. An index that keeps no
//! content (`content=''`), or whose table was dropped, is empty in the dump, because its texts
//! cannot be read; a comment in the dump says so.

use std::collections::VecDeque;

use super::Session;
use super::row_text::RowForm;
use super::row_text::RowText;
use super::rows::RowReader;
use crate::inspect::{self, Table};
use base::Result;
use database::{Cell, Database, DatabaseExt};
use sql_cost::Meter;
use sql_gate::compose::{quote_identifier, quote_text};

const DEFINITIONS: &str =
    "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid";
const HAS_SEQUENCES: &str = "SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'";
const SEQUENCES: &str = "SELECT name, CAST(seq AS TEXT) FROM sqlite_sequence";

/// A dump in progress.
pub struct Dump<'a, D: Database> {
    db: &'a D,
    steps: VecDeque<Step<'a, D>>,
    /// The table whose rows are currently written.
    rows: Option<Box<Rows<'a, D>>>,
}

enum Step<'a, D: Database> {
    Text(String),
    Rows(Box<Rows<'a, D>>),
    Sequences,
}

struct Rows<'a, D: Database> {
    reader: RowReader<'a, D>,
    /// `INSERT INTO "t"("a") VALUES`
    head: String,
    with_rowid: bool,
}

/// The place where a full-text index keeps its texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    Own,
    OtherTable,
    Nowhere,
}

impl<'a, D: Database> Dump<'a, D> {
    /// Begins a dump.
    ///
    /// # Errors
    /// `QUERY_TOO_EXPENSIVE` if reading the rows is too much work, or the engine's error.
    pub fn new(session: Session<'a, D>) -> Result<Self> {
        let db = session.db;
        // All tables together count as one request.
        let meter = session.meter();
        let shadows = sql_gate::catalog::shadow_tables(db)?;
        let mut tables = VecDeque::from([Step::Text(
            "PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n".to_owned(),
        )]);
        let (mut rebuilds, mut indexes, mut views) = (Vec::new(), Vec::new(), Vec::new());
        let definitions = definitions(db, &shadows)?;
        // A full-text index finds rows of another table by rowid, so the rowids must not change.
        let keep_rowids = definitions
            .iter()
            .any(|definition| content_of(definition, &shadows) == Some(Content::OtherTable));
        for definition in &definitions {
            let text = Step::Text(format!("{};\n", definition.sql));
            match definition.kind.as_str() {
                "table" => {
                    tables.push_back(text);
                    let table = inspect::load_table(db, &definition.name)?;
                    match content_of(definition, &shadows) {
                        Some(Content::OtherTable)
                            if has_its_texts(db, &definitions, definition)? =>
                        {
                            rebuilds.push(Step::Text(rebuild(&definition.name)));
                        }
                        Some(Content::OtherTable) => tables.push_back(Step::Text(format!(
                            "-- the table with the texts of the full-text index {} is missing: restoring this dump leaves the index empty\n",
                            one_line(&definition.name)
                        ))),
                        Some(Content::Nowhere) => tables.push_back(Step::Text(format!(
                            "-- the full-text index {} does not store its texts: restoring this dump leaves the index empty\n",
                            one_line(&definition.name)
                        ))),
                        Some(Content::Own) => {
                            let rows = Rows::new(db, &meter, &table, true)?;
                            tables.push_back(Step::Rows(Box::new(rows)));
                        }
                        None => {
                            let with_rowid =
                                keep_rowids && table.rowid().is_some() && !has_rowid_alias(&table);
                            let rows = Rows::new(db, &meter, &table, with_rowid)?;
                            tables.push_back(Step::Rows(Box::new(rows)));
                        }
                    }
                }
                "index" => indexes.push(text),
                "view" => views.push(text),
                _ => {}
            }
        }
        tables.push_back(Step::Sequences);
        tables.extend(indexes.into_iter().chain(views).chain(rebuilds));
        tables.push_back(Step::Text("COMMIT;\n".to_owned()));
        Ok(Self {
            db,
            steps: tables,
            rows: None,
        })
    }

    /// Returns the next piece of the text; `None` at its end. After an error the dump must not be
    /// used.
    ///
    /// # Errors
    /// The engine's.
    pub fn next_chunk(&mut self) -> Result<Option<Vec<u8>>> {
        loop {
            if let Some(rows) = &mut self.rows {
                match rows.next_statement()? {
                    Some(text) => return Ok(Some(text.into_bytes())),
                    None => self.rows = None,
                }
            }
            match self.steps.pop_front() {
                None => return Ok(None),
                Some(Step::Text(text)) => return Ok(Some(text.into_bytes())),
                Some(Step::Sequences) => {
                    let text = sequences(self.db)?;
                    if !text.is_empty() {
                        return Ok(Some(text.into_bytes()));
                    }
                }
                Some(Step::Rows(rows)) => self.rows = Some(rows),
            }
        }
    }
}

impl<'a, D: Database> Rows<'a, D> {
    fn new(db: &'a D, meter: &Meter<'_>, table: &Table, with_rowid: bool) -> Result<Self> {
        let stored = table
            .columns
            .iter()
            .filter(|column| !column.generated && !column.info.hidden);
        let columns = RowText::new(stored.map(|column| column.info.name.clone()).collect());
        let rowid = table.rowid().filter(|_| with_rowid);
        let mut names: Vec<String> = rowid.into_iter().map(str::to_owned).collect();
        names.extend(columns.names().iter().map(|name| quote_identifier(name)));
        let head = format!(
            "INSERT INTO {} ({}) VALUES",
            quote_identifier(&table.name),
            names.join(",")
        );
        Ok(Self {
            reader: RowReader::new(db, meter, table, columns, RowForm::SqlLiterals)?,
            head,
            with_rowid: rowid.is_some(),
        })
    }

    /// Returns one INSERT for the rows of one reading.
    fn next_statement(&mut self) -> Result<Option<String>> {
        let Some(rows) = self.reader.next_rows()? else {
            return Ok(None);
        };
        let mut text = self.head.clone();
        for (index, (rowid, row)) in rows.with_rowids().enumerate() {
            text.push_str(if index == 0 { "\n(" } else { ",\n(" });
            if let (true, Some(rowid)) = (self.with_rowid, rowid) {
                text.extend([rowid, ","]);
            }
            text.extend([row, ")"]);
        }
        text.push_str(";\n");
        Ok(Some(text))
    }
}

/// An entry of sqlite_schema.
struct Definition {
    kind: String,
    name: String,
    sql: String,
}

/// Returns the definitions of the session, without those that the engine makes by itself.
fn definitions<D: Database>(db: &D, shadows: &[String]) -> Result<Vec<Definition>> {
    let rows = db.rows(DEFINITIONS, &[])?;
    let read = |row: Vec<Cell>| {
        let mut cells = row.into_iter();
        Some(Definition {
            kind: cells.next()?.into_text(),
            name: cells.next()?.into_text(),
            sql: cells.next()?.into_text(),
        })
    };
    let ours = |name: &str| sql_gate::require_readable_name(name).is_err();
    Ok(rows
        .into_iter()
        .filter_map(read)
        .filter(|definition| !ours(&definition.name) && !shadows.contains(&definition.name))
        .collect())
}

/// Returns the place in which an fts5 table keeps its texts; `None` for any other table. An index
/// with its own texts has a shadow table for them.
fn content_of(definition: &Definition, shadows: &[String]) -> Option<Content> {
    let folded = definition.sql.to_ascii_lowercase();
    if !folded.trim_start().starts_with("create virtual table") || !folded.contains("fts5") {
        return None;
    }
    let own = format!("{}_content", definition.name);
    if shadows
        .iter()
        .any(|shadow| shadow.eq_ignore_ascii_case(&own))
    {
        return Some(Content::Own);
    }
    let squeezed: String = folded.split_whitespace().collect();
    let nowhere = ["content=''", "content=\"\"", "content=,", "content=)"]
        .iter()
        .any(|option| squeezed.contains(option));
    Some(if nowhere {
        Content::Nowhere
    } else {
        Content::OtherTable
    })
}

/// Returns true if the table or view that a full-text index reads exists and has every column of
/// the index.
fn has_its_texts<D: Database>(
    db: &D,
    definitions: &[Definition],
    index: &Definition,
) -> Result<bool> {
    let Some(content) = sql_cost::full_text_content(&index.sql) else {
        return Ok(false);
    };
    let found = definitions.iter().find(|definition| {
        definition.kind != "index" && definition.name.eq_ignore_ascii_case(&content)
    });
    let Some(found) = found else {
        return Ok(false);
    };
    let stored = sql_gate::catalog::columns(db, &found.name)?;
    let indexed = sql_gate::catalog::columns(db, &index.name)?;
    Ok(indexed
        .iter()
        .filter(|column| !column.hidden)
        .all(|column| {
            stored
                .iter()
                .any(|other| other.name.eq_ignore_ascii_case(&column.name))
        }))
}

fn has_rowid_alias(table: &Table) -> bool {
    let mut key = table
        .columns
        .iter()
        .map(|column| &column.info)
        .filter(|info| info.primary_key > 0);
    matches!((key.next(), key.next()), (Some(column), None) if column.declared_type.eq_ignore_ascii_case("INTEGER"))
}

fn rebuild(table: &str) -> String {
    format!(
        "INSERT INTO {0} ({0}) VALUES ('rebuild');\n",
        quote_identifier(table)
    )
}

fn one_line(name: &str) -> String {
    name.replace(['\r', '\n'], " ")
}

/// Returns the statements that restore the counters of AUTOINCREMENT.
fn sequences<D: Database>(db: &D) -> Result<String> {
    if db.cell(HAS_SEQUENCES, &[])?.is_none() {
        return Ok(String::new());
    }
    let mut text = "DELETE FROM sqlite_sequence;\n".to_owned();
    for row in db.rows(SEQUENCES, &[])? {
        if let [name, sequence] = row.as_slice() {
            let name = quote_text(name.as_text().unwrap_or_default());
            text.push_str(&format!(
                "INSERT INTO sqlite_sequence (name, seq) VALUES ({name}, {});\n",
                sequence.as_text().unwrap_or("0")
            ));
        }
    }
    Ok(text)
}
