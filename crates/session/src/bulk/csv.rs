//! Reads CSV as it arrives: a header row, then rows with the same number of fields.
//!
//! The format is RFC 4180 with any line end. A row with another number of fields is an error that
//! names its line; it is never padded or cut. The findings of [`CsvShape`] are errors, too. A byte
//! order mark is skipped. An empty field is NULL.

use base::CommonError;
use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

use super::blanks::BlankRuns;
use super::csv_shape::CsvShape;
use super::decode::not_utf8_at;
use super::sniff::BYTE_ORDER_MARK;
use crate::limits::MAX_RECORD_BYTES;
use crate::readings::is_number;
use crate::records::{Chunk, Encoder, Header};
use base::limits::MAX_COLUMNS;
use base::{Error, Result};

/// The initial size of the buffer for fields, which doubles as needed.
const BUFFER_BYTES: usize = 64 * 1024;

/// A reader of a CSV body.
pub(super) struct CsvReader {
    /// The delimiter of the fields.
    pub(super) delimiter: u8,
    reader: Reader,
    shape: CsvShape,
    /// The fields of the current row, one after the other.
    fields: Vec<u8>,
    filled: usize,
    ends: Vec<usize>,
    ended: usize,
    header: Option<usize>,
    /// Present if columns are aligned with spaces.
    runs: Option<BlankRuns>,
    /// The first bytes, until it is known if they are a byte order mark.
    start: Option<Vec<u8>>,
}

impl CsvReader {
    /// Makes a reader for a body with this delimiter. `lines` is the number of lines before it that
    /// are not data.
    pub(super) fn new(delimiter: u8, lines: u64) -> Self {
        Self {
            delimiter,
            reader: ReaderBuilder::new().delimiter(delimiter).build(),
            shape: CsvShape::new(delimiter, lines),
            fields: vec![0; BUFFER_BYTES],
            filled: 0,
            // One more than a table can have, so that too many fields are noticed.
            ends: vec![0; MAX_COLUMNS + 1],
            ended: 0,
            header: None,
            runs: None,
            start: Some(Vec::new()),
        }
    }

    /// Makes any number of spaces between two fields one delimiter.
    pub(super) fn with_runs(self) -> Self {
        Self {
            runs: Some(BlankRuns::default()),
            ..self
        }
    }

    /// Takes a piece of the body.
    ///
    /// # Errors
    /// [`CommonError::InvalidBody`] with the line; [`CommonError::TooBig`]; any error of `take`.
    pub(super) fn feed(
        &mut self,
        piece: &[u8],
        encoder: &mut Encoder,
        take: &mut dyn FnMut(Chunk) -> Result<()>,
    ) -> Result<()> {
        // csv-core takes an empty piece for the end.
        if piece.is_empty() {
            return Ok(());
        }
        if let Some(mut start) = self.start.take() {
            start.extend_from_slice(piece);
            if start.len() < BYTE_ORDER_MARK.len() && BYTE_ORDER_MARK.starts_with(&start) {
                self.start = Some(start);
                return Ok(());
            }
            let body = start.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&start);
            return self.read_piece(body, encoder, take);
        }
        self.read_piece(piece, encoder, take)
    }

    fn read_piece(
        &mut self,
        piece: &[u8],
        encoder: &mut Encoder,
        take: &mut dyn FnMut(Chunk) -> Result<()>,
    ) -> Result<()> {
        let Some(runs) = &mut self.runs else {
            return self.read(piece, encoder, take);
        };
        let single = runs.single(piece);
        if single.is_empty() {
            return Ok(());
        }
        self.read(&single, encoder, take)
    }

    /// Ends the body.
    ///
    /// # Errors
    /// As [`CsvReader::feed`], and [`CommonError::InvalidBody`] if there is no header.
    pub(super) fn finish(
        &mut self,
        encoder: &mut Encoder,
        take: &mut dyn FnMut(Chunk) -> Result<()>,
    ) -> Result<()> {
        if let Some(start) = self.start.take()
            && !start.is_empty()
        {
            self.read(&start, encoder, take)?;
        }
        self.shape.finish()?;
        // Two empty reads tell csv-core that the input has ended: the first may end the last row.
        self.read(&[], encoder, take)?;
        match self.header {
            Some(_) => Ok(()),
            None => Err(Error::from(CommonError::InvalidBody {
                message: "the CSV body is empty".to_owned(),
                hint: Some("begin with a row of column names".to_owned()),
            })),
        }
    }

    fn read(
        &mut self,
        mut input: &[u8],
        encoder: &mut Encoder,
        take: &mut dyn FnMut(Chunk) -> Result<()>,
    ) -> Result<()> {
        let last = input.is_empty();
        loop {
            let output = self.fields.get_mut(self.filled..).unwrap_or_default();
            let ends = self.ends.get_mut(self.ended..).unwrap_or_default();
            let (result, read, written, ended) = self.reader.read_record(input, output, ends);
            let (taken, rest) = input.split_at_checked(read).unwrap_or((input, &[]));
            self.shape.follow(taken)?;
            input = rest;
            self.filled += written;
            self.ended += ended;
            match result {
                ReadRecordResult::InputEmpty if last => {}
                ReadRecordResult::InputEmpty => return Ok(()),
                ReadRecordResult::OutputFull => self.grow()?,
                ReadRecordResult::OutputEndsFull => {
                    return Err(Error::from(CommonError::TooBig {
                        message: format!(
                            "line {} has more than {MAX_COLUMNS} fields; a table has at most {MAX_COLUMNS} columns",
                            self.shape.line()
                        ),
                        hint: "split the file into tables of fewer columns".to_owned(),
                    }));
                }
                ReadRecordResult::Record => {
                    if let Some(chunk) = self.take_row(encoder)? {
                        take(chunk)?;
                    }
                }
                ReadRecordResult::End => return Ok(()),
            }
        }
    }

    fn grow(&mut self) -> Result<()> {
        if self.fields.len() >= MAX_RECORD_BYTES {
            let place = match self.shape.open_quote() {
                Some(line) => format!("with the quote that opens at line {line}"),
                None => format!("at line {}", self.shape.line()),
            };
            return Err(Error::from(CommonError::TooBig {
                message: format!("the row {place} is longer than {MAX_RECORD_BYTES} bytes"),
                hint: "a row holds 2 MB; a quote that is never closed also makes one long row"
                    .to_owned(),
            }));
        }
        self.fields
            .resize((self.fields.len() * 2).min(MAX_RECORD_BYTES), 0);
        Ok(())
    }

    fn take_row(&mut self, encoder: &mut Encoder) -> Result<Option<Chunk>> {
        let line = self.shape.row_line();
        let empty = self.shape.take_empty_line();
        let (count, filled) = (
            std::mem::take(&mut self.ended),
            std::mem::take(&mut self.filled),
        );
        let bytes = self.fields.get(..filled).unwrap_or_default();
        let ends = self.ends.get(..count).unwrap_or_default();
        // Bytes of two fields can form a character across their border.
        let valid = std::str::from_utf8(bytes)
            .ok()
            .filter(|text| ends.iter().all(|end| text.is_char_boundary(*end)));
        let text = valid.ok_or_else(|| {
            not_utf8_at(format!(
                "the row that ends at line {line} is not valid UTF-8"
            ))
        })?;
        let fields = ends.iter().scan(0, |begin, end| {
            let field = text.get(*begin..*end).unwrap_or_default();
            *begin = *end;
            Some(field)
        });
        match self.header {
            None => {
                encoder.take_header(header_names(fields, encoder.infers())?)?;
                self.header = Some(count);
                Ok(None)
            }
            // csv-core skips empty lines. If rows have one field, an empty line may have been a
            // row.
            Some(1) if empty.is_some() => Err(Error::from(CommonError::InvalidBody {
                message: format!(
                    "line {} is empty; it is unclear whether it is a row with an empty field",
                    empty.unwrap_or_default()
                ),
                hint: Some(
                    "write \"\" for an empty field of a table of one column, and leave empty lines out"
                        .to_owned(),
                ),
            })),
            Some(expected) if expected == count => Ok(encoder.row(fields)),
            Some(expected) => Err(Error::from(CommonError::InvalidBody {
                message: format!(
                    "the row that ends at line {line} has {count} fields, but the header has {expected}"
                ),
                hint: Some(match expected {
                    1 => "quote fields that contain the delimiter, and leave out titles and comments before the header, which is the first line; name the character between the fields with ?delimiter=",
                    _ => "quote fields that contain the delimiter, quotes or line ends; name the delimiter with ?delimiter=",
                }.to_owned()),
            })),
        }
    }
}

/// Returns the column names of a header. For a new table, an empty name becomes `column_N` and a
/// second `name` becomes `name_2`. For an existing table both are refused, because it is not known
/// which column is meant.
pub(super) fn header_names<'f>(
    fields: impl Iterator<Item = &'f str> + Clone,
    infers: bool,
) -> Result<Header> {
    let mut names: Vec<String> = Vec::new();
    let mut renamed = Vec::new();
    for (index, field) in fields.clone().enumerate() {
        let name = field.trim();
        if !infers {
            if name.is_empty() {
                return Err(Error::body(format!(
                    "field {} of the header is empty",
                    index + 1
                )));
            }
            names.push(name.to_owned());
            continue;
        }
        let wanted = if name.is_empty() {
            format!("column_{}", index + 1)
        } else {
            name.to_owned()
        };
        let taken = |candidate: &str| {
            names
                .iter()
                .any(|name| name.eq_ignore_ascii_case(candidate))
        };
        let mut unique = wanted.clone();
        let mut number = 2_u32;
        while taken(&unique) {
            unique = format!("{wanted}_{number}");
            number += 1;
        }
        if unique != name {
            renamed.push((name.to_owned(), unique.clone()));
        }
        names.push(unique);
    }
    let mut written = fields.filter(|field| !field.trim().is_empty()).peekable();
    let is_data = written.peek().is_some() && written.all(is_number);
    Ok(Header {
        names,
        renamed,
        is_data,
    })
}
