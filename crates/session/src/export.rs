//! `GET /tables/{table}/rows`: a table or view, in pieces.
//!
//! A table with a rowid is read in ranges of it, each by its own statement. No statement stays open
//! between two pieces, so a slow reader blocks nobody, and the export has rows as they are when
//! their range is read. A view or a table WITHOUT ROWID is read through one statement that stays
//! open.

use std::collections::VecDeque;

use super::Session;
use super::row_text::RowForm;
use super::row_text::RowText;
use super::rows::RowReader;
use crate::inspect;
use base::formulas::Formulas;
use base::{Error, Result};
use database::Database;

/// The form of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ExportFormat {
    /// One JSON object on each line.
    #[default]
    Ndjson,
    /// A header row, then one row for each row of the table, RFC 4180 with `\r\n`. NULL is an empty
    /// field, an empty text is `""`, a blob is base64.
    Csv,
    /// One array of objects.
    Json,
}

impl ExportFormat {
    /// Parses `format`.
    ///
    /// # Errors
    /// [`base::CommonError::InvalidArgument`] for another word.
    pub fn parse(text: Option<&str>) -> Result<Self> {
        match text {
            None | Some("ndjson") => Ok(Self::Ndjson),
            Some("csv") => Ok(Self::Csv),
            Some("json") => Ok(Self::Json),
            Some(other) => Err(Error::invalid(format!(
                "format must be ndjson, csv or json, not {other:?}"
            ))),
        }
    }

    /// Returns the media type.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Ndjson => "application/x-ndjson",
            Self::Csv => "text/csv",
            Self::Json => "application/json",
        }
    }

    /// Returns the file extension.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Ndjson => "ndjson",
            Self::Csv => "csv",
            Self::Json => "json",
        }
    }

    /// Returns the Content-Type of the response.
    pub fn content_type(self) -> &'static str {
        match self {
            Self::Ndjson => "application/x-ndjson; charset=utf-8",
            Self::Csv => "text/csv; charset=utf-8; header=present",
            Self::Json => "application/json; charset=utf-8",
        }
    }
}

/// An export in progress.
pub struct Export<'a, D: Database> {
    rows: RowReader<'a, D>,
    format: ExportFormat,
    formulas: Formulas,
    /// Pieces that are ready to be sent.
    ready: VecDeque<Vec<u8>>,
    rows_written: u64,
    done: bool,
}

impl<'a, D: Database> Export<'a, D> {
    /// Begins an export.
    ///
    /// # Errors
    /// As [`inspect::load_table`], or `QUERY_TOO_EXPENSIVE` if a view or computed columns are too
    /// much work.
    pub fn new(
        session: Session<'a, D>,
        table: &str,
        format: ExportFormat,
        formulas: Formulas,
    ) -> Result<Self> {
        let table = inspect::load_table(session.db, table)?;
        let text = RowText::new(table.visible_names());
        let mut ready = VecDeque::new();
        if format == ExportFormat::Csv {
            let header: Vec<String> = text
                .names()
                .iter()
                .map(|name| csv_field(name, formulas))
                .collect();
            ready.push_back(format!("{}\r\n", header.join(",")).into_bytes());
        }
        let form = match format {
            ExportFormat::Csv => RowForm::JsonArray,
            ExportFormat::Ndjson | ExportFormat::Json => RowForm::JsonObject,
        };
        Ok(Self {
            rows: RowReader::new(session.db, &session.meter(), &table, text, form)?,
            format,
            formulas,
            ready,
            rows_written: 0,
            done: false,
        })
    }

    /// Returns the next piece of the response, `None` at its end. After an error the export must
    /// not be used.
    ///
    /// # Errors
    /// The engine's.
    pub fn next_chunk(&mut self) -> Result<Option<Vec<u8>>> {
        if let Some(piece) = self.ready.pop_front() {
            return Ok(Some(piece));
        }
        if self.done {
            return Ok(None);
        }
        let mut piece = String::new();
        let Some(rows) = self.rows.next_rows()? else {
            self.done = true;
            return Ok(match self.format {
                ExportFormat::Json if self.rows_written == 0 => Some(b"[]".to_vec()),
                ExportFormat::Json => Some(b"\n]".to_vec()),
                ExportFormat::Ndjson | ExportFormat::Csv => None,
            });
        };
        for row in rows.iter() {
            match self.format {
                ExportFormat::Ndjson => piece.extend([row, "\n"]),
                ExportFormat::Json => {
                    piece.extend([if self.rows_written == 0 { "[\n" } else { ",\n" }, row])
                }
                ExportFormat::Csv => csv_row(row, self.formulas, &mut piece)?,
            }
            self.rows_written += 1;
        }
        Ok(Some(piece.into_bytes()))
    }
}

/// Appends a row, given as a JSON array, as a line of CSV.
pub(super) fn csv_row(row: &str, formulas: Formulas, piece: &mut String) -> Result<()> {
    let values: Vec<&serde_json::value::RawValue> =
        serde_json::from_str(row).map_err(unreadable)?;
    let begin = piece.len();
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            piece.push(',');
        }
        csv_value(value.get(), formulas, piece)?;
    }
    end_csv_row(begin, piece);
    Ok(())
}

/// Appends a value, given as JSON, as a field.
pub(super) fn csv_value(json: &str, formulas: Formulas, piece: &mut String) -> Result<()> {
    match json.as_bytes().first() {
        Some(b'n') => {}
        Some(b'"') => piece.push_str(&csv_field(
            &serde_json::from_str::<String>(json).map_err(unreadable)?,
            formulas,
        )),
        // `{"$blob":"<base64>"}` or `{"$real":"Infinity"}`: only the text inside is written.
        Some(b'{') => {
            let text = json.rsplit('"').nth(1).unwrap_or_default();
            match formulas.cell(text) {
                (text, true) => piece.extend(["\"", &text, "\""]),
                (text, false) => piece.push_str(&text),
            }
        }
        _ => piece.push_str(json),
    }
    Ok(())
}

/// Ends a row that begins at `begin`. Readers skip an empty line, so a row with a single empty
/// field is written as `""`.
pub(super) fn end_csv_row(begin: usize, piece: &mut String) {
    if piece.len() == begin {
        piece.push_str("\"\"");
    }
    piece.push_str("\r\n");
}

fn unreadable(error: serde_json::Error) -> Error {
    Error::internal(format!("a row of an export is unreadable: {error}"))
}

/// Returns a field, in quotes if needed. An empty text is quoted, because NULL is not.
pub(super) fn csv_field(text: &str, formulas: Formulas) -> String {
    let (text, is_escaped) = formulas.cell(text);
    let plain = !is_escaped
        && !text.is_empty()
        && !text.contains([',', '"', '\r', '\n'])
        && !text.starts_with(' ')
        && !text.ends_with(' ');
    if plain {
        text.into_owned()
    } else {
        format!("\"{}\"", text.replace('"', "\"\""))
    }
}
