//! Detects errors that a lenient reader of CSV would ignore: quotes that never close, text after a
//! closing quote, empty lines that may be rows.
//!
//! csv-core reads any bytes as some rows. An unclosed quote makes one field of all following rows,
//! and a quote within a quoted field that is not doubled moves the borders of fields. Both would
//! load data other than what was written, so both are errors here, with their lines. This type
//! follows the bytes that csv-core has read, so that the line at the end of a row is known. A quote
//! in the middle of an unquoted field is an ordinary character, and a lone CR ends a line like CRLF
//! and LF, in csv-core as well.

use base::CommonError;
use base::{Error, Result};

/// The state after the last byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// At the start of a line.
    LineStart,
    /// At the start of a line, after a CR that has ended the last one.
    AfterReturn,
    /// After a delimiter.
    FieldStart,
    Unquoted,
    Quoted,
    /// After a quote in a quoted field: its end, or half of a doubled quote.
    QuoteInQuoted,
    /// In text between a closing quote and the end of the field, which is refused.
    BehindQuote,
}

/// The state of a body so far.
#[derive(Debug)]
pub(super) struct CsvShape {
    delimiter: u8,
    state: State,
    /// The number of the current line, from 1.
    line: u64,
    /// The line in which the current quoted field begins.
    opened: u64,
    /// The first empty line since the last row.
    empty: Option<u64>,
}

impl CsvShape {
    pub(super) const fn new(delimiter: u8, lines: u64) -> Self {
        Self {
            delimiter,
            state: State::LineStart,
            line: lines + 1,
            opened: lines + 1,
            empty: None,
        }
    }

    /// Follows the next bytes of the body.
    ///
    /// # Errors
    /// [`CommonError::InvalidBody`] for text after a closing quote.
    pub(super) fn follow(&mut self, mut bytes: &[u8]) -> Result<()> {
        while let Some((byte, rest)) = bytes.split_first() {
            self.state = self.next(*byte);
            if self.state == State::BehindQuote {
                return Err(self.behind_quote());
            }
            // Most bytes are within a field and change nothing.
            bytes = match self.state {
                State::Unquoted | State::Quoted => skip_plain(rest, self.delimiter),
                State::LineStart
                | State::AfterReturn
                | State::FieldStart
                | State::QuoteInQuoted
                | State::BehindQuote => rest,
            };
        }
        Ok(())
    }

    /// Returns no `Result`, which would be as large as an error for each byte.
    #[inline]
    fn next(&mut self, byte: u8) -> State {
        use State::{
            AfterReturn, BehindQuote, FieldStart, LineStart, QuoteInQuoted, Quoted, Unquoted,
        };
        match (self.state, byte) {
            (Quoted, b'"') => QuoteInQuoted,
            (Quoted, _) => {
                self.line += u64::from(byte == b'\n');
                Quoted
            }
            (QuoteInQuoted, b'"') => Quoted,
            (AfterReturn, b'\n') => LineStart,
            (LineStart | AfterReturn, b'\r' | b'\n') => {
                self.empty.get_or_insert(self.line);
                self.end_line(byte)
            }
            (_, b'\r' | b'\n') => self.end_line(byte),
            (_, byte) if byte == self.delimiter => FieldStart,
            (LineStart | AfterReturn | FieldStart, b'"') => {
                self.opened = self.line;
                Quoted
            }
            (QuoteInQuoted | BehindQuote, _) => BehindQuote,
            _ => Unquoted,
        }
    }

    fn end_line(&mut self, byte: u8) -> State {
        self.line += 1;
        if byte == b'\r' {
            State::AfterReturn
        } else {
            State::LineStart
        }
    }

    /// Returns the line at the end of the row that csv-core has just completed.
    pub(super) fn row_line(&self) -> u64 {
        let is_behind = matches!(self.state, State::LineStart | State::AfterReturn);
        self.line.saturating_sub(u64::from(is_behind))
    }

    /// Returns the current line.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// Returns the line of an opening quote that is not closed yet.
    pub(super) fn open_quote(&self) -> Option<u64> {
        (self.state == State::Quoted).then_some(self.opened)
    }

    /// Returns the first empty line before a complete row, and starts to look for the next one.
    pub(super) fn take_empty_line(&mut self) -> Option<u64> {
        self.empty.take()
    }

    /// Ends the body.
    ///
    /// # Errors
    /// [`CommonError::InvalidBody`] if a quote is open.
    pub(super) fn finish(&self) -> Result<()> {
        match self.open_quote() {
            Some(line) => Err(Error::from(CommonError::InvalidBody {
                message: format!("the quote that opens at line {line} is never closed"),
                hint: Some(QUOTING.to_owned()),
            })),
            None => Ok(()),
        }
    }

    fn behind_quote(&self) -> Error {
        let from = if self.opened == self.line {
            String::new()
        } else {
            format!(" (opened at line {})", self.opened)
        };
        Error::from(CommonError::InvalidBody {
            message: format!(
                "line {} has text between a closing quote{from} and the next {}",
                self.line,
                match self.delimiter {
                    b',' => "comma",
                    b';' => "semicolon",
                    b'\t' => "tab",
                    b'|' => "pipe",
                    _ => "delimiter",
                }
            ),
            hint: Some(QUOTING.to_owned()),
        })
    }
}

/// Skips bytes that cannot end a field.
fn skip_plain(bytes: &[u8], delimiter: u8) -> &[u8] {
    // The other relevant bytes are below the letters, so two comparisons skip most of a text.
    let counts =
        |byte: &u8| *byte == delimiter || (*byte <= b'"' && matches!(byte, b'"' | b'\r' | b'\n'));
    let plain = bytes.iter().position(counts).unwrap_or(bytes.len());
    bytes.get(plain..).unwrap_or_default()
}

const QUOTING: &str =
    r#"quote a whole field, and double each quote within it: "He said ""yes"", twice""#;
