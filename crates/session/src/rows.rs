//! Reads a whole table or view as the texts of its rows, in pieces and in bounded memory.

use super::exact_row;
use super::row_text::{RowForm, RowText};
use crate::error::is_too_big;
use crate::inspect::{Table, TableKind};
use crate::limits::{STREAM_CHUNK_BYTES, STREAM_CHUNK_ROWS};
use base::Result;
use database::{Bind, Cursor, Database, Statement};
use sql_cost::Meter;
use sql_gate::compose::{Part, compose};
use sql_gate::{self, Bound};

/// The separator between rows, and between a rowid and its row. No row's text contains it, because
/// JSON escapes it and SQL literals avoid it.
const SEPARATOR: &str = "\0";

/// The rows of a table, in the order of their rowid if the table has one.
pub(super) struct RowReader<'a, D: Database> {
    db: &'a D,
    table: String,
    columns: RowText,
    form: RowForm,
    way: ReadStrategy<D>,
}

/// The way to read the rows.
enum ReadStrategy<D: Database> {
    /// Ranges of the rowid, each with its own statement.
    Ranges {
        /// The name of the rowid.
        rowid: &'static str,
        /// The last rowid that was read, as text because it may have 64 bits.
        after: Option<String>,
        /// The number of rows in the next range: fewer around a row whose text SQLite cannot make.
        limit: usize,
    },
    /// One statement.
    Cursor(Option<(Box<D::Cursor>, Bound)>),
    /// All rows have been read.
    Done,
}

/// Some rows.
pub(super) struct RowTexts {
    text: String,
    prefixed: Prefix,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Prefix {
    None,
    Rowid,
}

impl RowTexts {
    /// Returns the rows, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.with_rowids().map(|(_, row)| row)
    }

    /// Returns the rows with their rowids, if the table has a rowid: rowids and rows alternate in
    /// the text.
    pub(super) fn with_rowids(&self) -> impl Iterator<Item = (Option<&str>, &str)> {
        let mut texts = self.text.split(SEPARATOR);
        let prefixed = self.prefixed == Prefix::Rowid;
        std::iter::from_fn(move || {
            let first = texts.next()?;
            if prefixed {
                Some((Some(first), texts.next()?))
            } else {
                Some((None, first))
            }
        })
    }

    fn last_rowid(&self) -> Option<String> {
        self.text.rsplit(SEPARATOR).nth(1).map(str::to_owned)
    }
}

impl<'a, D: Database> RowReader<'a, D> {
    /// Makes a reader for the columns of a table.
    ///
    /// # Errors
    /// `QUERY_TOO_EXPENSIVE` if reading all rows is too much work, together with the work that the
    /// meter has already counted.
    pub(super) fn new(
        db: &'a D,
        meter: &Meter<'_>,
        table: &Table,
        columns: RowText,
        form: RowForm,
    ) -> Result<Self> {
        let way = table
            .rowid()
            .map_or(ReadStrategy::Cursor(None), |rowid| ReadStrategy::Ranges {
                rowid,
                after: None,
                limit: STREAM_CHUNK_ROWS,
            });
        let reader = Self {
            db,
            table: table.name.clone(),
            columns,
            form,
            way,
        };
        let is_computed = |name: &str| {
            let mut columns = table.columns.iter();
            columns.any(|column| column.generated && column.info.name == name)
        };
        let computed: Vec<String> = match table.kind {
            // All values may be computed.
            TableKind::View | TableKind::Virtual | TableKind::Shadow => {
                reader.columns.names().to_vec()
            }
            TableKind::Table | TableKind::WithoutRowid => {
                let names = reader.columns.names().iter();
                names.filter(|name| is_computed(name)).cloned().collect()
            }
        };
        if !computed.is_empty() {
            let read = reader.all_of(&RowText::new(computed));
            meter.admit(db, &reader.table, &read)?;
        }
        Ok(reader)
    }

    /// Returns the next rows, at least one; `None` at the end.
    ///
    /// # Errors
    /// The engine's. After an error there are no more rows.
    pub(super) fn next_rows(&mut self) -> Result<Option<RowTexts>> {
        match std::mem::replace(&mut self.way, ReadStrategy::Done) {
            ReadStrategy::Done => Ok(None),
            ReadStrategy::Ranges {
                rowid,
                after,
                limit,
            } => self.next_range(rowid, after, limit),
            ReadStrategy::Cursor(open) => {
                let (mut cursor, bound) = match open {
                    Some(open) => open,
                    None => {
                        let bound = self.all_of(&self.columns);
                        (Box::new(self.open(&bound)?), bound)
                    }
                };
                let rows = self.take(&mut cursor, &bound, Prefix::None)?;
                if rows.is_some() {
                    self.way = ReadStrategy::Cursor(Some((cursor, bound)));
                }
                Ok(rows)
            }
        }
    }

    /// Reads the next range. If SQLite cannot make one text of it, the range is halved; a single
    /// row that is too large is read value by value.
    fn next_range(
        &mut self,
        rowid: &'static str,
        after: Option<String>,
        mut limit: usize,
    ) -> Result<Option<RowTexts>> {
        let rows = loop {
            let bound = self.range(rowid, after.as_deref(), limit);
            match self
                .open(&bound)
                .and_then(|mut cursor| self.take(&mut cursor, &bound, Prefix::Rowid))
            {
                Err(error) if is_too_big(&error) && limit > 1 => limit /= 2,
                Err(error) if is_too_big(&error) => {
                    break self.exact_row(rowid, after.as_deref())?;
                }
                outcome => break outcome?,
            }
        };
        if let Some(rows) = &rows {
            self.way = ReadStrategy::Ranges {
                rowid,
                after: rows.last_rowid(),
                limit: (limit * 2).min(STREAM_CHUNK_ROWS),
            };
        }
        Ok(rows)
    }

    fn exact_row(&self, rowid_name: &'static str, after: Option<&str>) -> Result<Option<RowTexts>> {
        let Some(rowid) = exact_row::next_rowid(self.db, &self.table, rowid_name, after)? else {
            return Ok(None);
        };
        let place = exact_row::RowAddress {
            table: &self.table,
            rowid_name,
            rowid: &rowid,
        };
        let row = exact_row::read(self.db, &place, self.columns.names(), self.form)?;
        Ok(Some(RowTexts {
            text: [rowid.as_str(), row.as_str()].join(SEPARATOR),
            prefixed: Prefix::Rowid,
        }))
    }

    fn all_of(&self, columns: &RowText) -> Bound {
        let mut parts = vec![Part::Sql("SELECT ")];
        parts.extend(self.expression(columns));
        parts.extend([Part::Sql(" FROM "), Part::Identifier(&self.table)]);
        compose(&parts, Vec::new())
    }

    fn range(&self, rowid: &'static str, after: Option<&str>, limit: usize) -> Bound {
        let mut parts = vec![
            Part::Sql("SELECT CAST("),
            Part::Sql(rowid),
            Part::Sql(" AS TEXT) || char(0) || "),
        ];
        parts.extend(self.expression(&self.columns));
        parts.extend([Part::Sql(" FROM "), Part::Identifier(&self.table)]);
        if after.is_some() {
            parts.extend([
                Part::Sql(" WHERE "),
                Part::Sql(rowid),
                Part::Sql(" > CAST(? AS INTEGER)"),
            ]);
        }
        parts.extend([
            Part::Sql(" ORDER BY "),
            Part::Sql(rowid),
            Part::Sql(" LIMIT "),
            Part::Number(limit as u64),
        ]);
        compose(&parts, after.map(Bind::text).into_iter().collect())
    }

    fn expression<'c>(&self, columns: &'c RowText) -> Vec<Part<'c>> {
        match self.form {
            RowForm::JsonArray => columns.json_array(),
            RowForm::JsonObject => columns.json_object(),
            RowForm::SqlLiterals => columns.sql_literals(),
        }
    }

    fn open(&self, bound: &Bound) -> Result<D::Cursor> {
        self.db
            .open(Statement::Reviewed(bound.reviewed()))
            .map_err(|error| sql_gate::explain::explain(self.db, &error, bound))
    }

    fn take(
        &self,
        cursor: &mut D::Cursor,
        bound: &Bound,
        prefixed: Prefix,
    ) -> Result<Option<RowTexts>> {
        let taken = cursor
            .take_text(STREAM_CHUNK_ROWS, STREAM_CHUNK_BYTES, SEPARATOR)
            .map_err(|error| sql_gate::explain::explain(self.db, &error, bound))?;
        // An SQL literal is data, even if it looks like a blob in JSON.
        let text = if self.form == RowForm::SqlLiterals {
            taken.text
        } else {
            sql_gate::value::finish(taken.text)
        };
        Ok((taken.rows > 0).then_some(RowTexts { text, prefixed }))
    }
}
