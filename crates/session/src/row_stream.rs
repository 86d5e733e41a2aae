//! The rows of a query in pieces, in bounded memory: as the NDJSON or CSV of `POST /stream`, or as
//! lists for a program.

use serde_json::json;

use super::export::{csv_field, csv_row};
use crate::limits::{STREAM_CHUNK_BYTES, STREAM_CHUNK_ROWS};
use base::Result;
use base::formulas::Formulas;
use database::{Counters, Cursor};
use sql_gate::{self, Bound, explain};

/// A running read, as NDJSON: a line with the columns, a line for each row, and a last line with
/// the outcome.
#[derive(Debug)]
pub struct RowStream<C: Cursor> {
    cursor: C,
    bound: Bound,
    /// The notice about texts that the statement reads as numbers.
    texts: Option<String>,
    columns: Vec<String>,
    state: StreamState,
    rows: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StreamState {
    Columns,
    Rows,
    Ended,
}

impl<C: Cursor> RowStream<C> {
    /// Makes a stream for an open statement. `texts` is the notice about texts that it reads as
    /// numbers.
    pub(super) fn new(
        cursor: C,
        bound: Bound,
        texts: Option<String>,
        columns: Vec<String>,
    ) -> Self {
        Self {
            cursor,
            bound,
            texts,
            columns,
            state: StreamState::Columns,
            rows: 0,
        }
    }

    /// Returns the next piece of the response, or `None` at its end. An error while reading becomes
    /// the last line.
    pub fn next_chunk(&mut self) -> Option<Vec<u8>> {
        match self.state {
            StreamState::Ended => None,
            StreamState::Columns => {
                self.state = StreamState::Rows;
                Some(format!("{}\n", json!({ "columns": self.columns })).into_bytes())
            }
            StreamState::Rows => Some(self.rows_chunk().into_bytes()),
        }
    }

    /// Returns the next piece of the response as CSV, or `None` at its end.
    ///
    /// # Errors
    /// The engine's, while reading. A CSV cannot report it, so the transfer must fail: otherwise
    /// the reader would take the part for the whole.
    pub fn next_csv(&mut self, formulas: Formulas) -> Result<Option<Vec<u8>>> {
        let mut piece = String::new();
        match self.state {
            StreamState::Ended => return Ok(None),
            StreamState::Columns => {
                self.state = StreamState::Rows;
                let names: Vec<String> = self
                    .columns
                    .iter()
                    .map(|name| csv_field(name, formulas))
                    .collect();
                piece = format!("{}\r\n", names.join(","));
            }
            StreamState::Rows => {
                let taken = self
                    .cursor
                    .take_text(STREAM_CHUNK_ROWS, STREAM_CHUNK_BYTES, "\n")
                    .map_err(|error| explain::midway(&error, &self.bound))?;
                self.rows += taken.rows as u64;
                let text = sql_gate::value::finish(taken.text);
                // In JSON, line ends are escaped.
                for row in text.lines().take(taken.rows) {
                    csv_row(row, formulas, &mut piece)?;
                }
                if taken.done {
                    self.state = StreamState::Ended;
                }
            }
        }
        Ok(Some(piece.into_bytes()))
    }

    /// Returns the names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Returns the next rows as JSON arrays with commas between them, and true if they are the
    /// last.
    ///
    /// # Errors
    /// The engine's, while reading.
    pub fn next_rows(&mut self) -> Result<(String, bool)> {
        let taken = self
            .cursor
            .take_text(STREAM_CHUNK_ROWS, STREAM_CHUNK_BYTES, ",")
            .map_err(|error| explain::midway(&error, &self.bound))?;
        self.rows += taken.rows as u64;
        Ok((sql_gate::value::finish(taken.text), taken.done))
    }

    /// Returns the cost of the statement so far.
    pub fn counters(&self) -> Counters {
        self.cursor.counters()
    }

    /// Returns the notices for the caller, after all rows have been taken.
    pub fn notice(&self) -> Option<String> {
        let notice = self.bound.notice(self.counters().rows_read);
        let notices: Vec<String> = notice.into_iter().chain(self.texts.clone()).collect();
        (!notices.is_empty()).then(|| notices.join("; "))
    }

    fn rows_chunk(&mut self) -> String {
        match self
            .cursor
            .take_text(STREAM_CHUNK_ROWS, STREAM_CHUNK_BYTES, "\n")
        {
            Ok(taken) => {
                self.rows += taken.rows as u64;
                let mut text = sql_gate::value::finish(taken.text);
                if taken.rows > 0 {
                    text.push('\n');
                }
                if taken.done {
                    self.state = StreamState::Ended;
                    let last = match self.notice() {
                        None => json!({ "done": true, "rowCount": self.rows }),
                        Some(notice) => {
                            json!({ "done": true, "rowCount": self.rows, "notice": notice })
                        }
                    };
                    text.push_str(&format!("{last}\n"));
                }
                text
            }
            Err(error) => {
                self.state = StreamState::Ended;
                format!(
                    "{}\n",
                    json!({ "error": explain::midway(&error, &self.bound).to_json() })
                )
            }
        }
    }
}
