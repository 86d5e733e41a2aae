//! Finds the records in a JSON body that arrives in pieces.
//!
//! A body is either a sequence of values (NDJSON, or any white space between them) or one array of
//! them; the first byte decides. The scanner only looks for the beginning and the end of each
//! record, in one pass over the bytes, however the body is cut into pieces. The reader of a record
//! checks if it is valid JSON. The scanner holds at most one unfinished record.

use crate::limits::{MAX_RECORD_BYTES, MAX_WRAPPED_BYTES};
use base::CommonError;
use base::{Error, Result};

/// A scanner for records. Pass every piece to [`Scanner::feed`], then call [`Scanner::finish`].
#[derive(Debug)]
pub(super) struct Scanner {
    place: Expecting,
    /// The maximum length of the current record, in bytes.
    limit: usize,
    /// The beginning of an unfinished record.
    partial: Vec<u8>,
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// True if the body is one array.
    array: bool,
    /// True if the records are a field of a request, which must be an array.
    is_field: bool,
    /// The number of bytes before the current piece.
    offset: u64,
    records: u64,
}

/// The next thing that the scanner accepts.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Expecting {
    /// White space, then `[` or a record.
    #[default]
    Start,
    /// A record, or `]` while the array is still empty.
    FirstElement,
    /// A record.
    Record,
    /// The rest of a record.
    Inside,
    /// `,` or `]`.
    AfterElement,
    /// White space only.
    End,
}

impl Default for Scanner {
    fn default() -> Self {
        Self {
            place: Expecting::Start,
            limit: MAX_RECORD_BYTES,
            partial: Vec::new(),
            depth: 0,
            in_string: false,
            escaped: false,
            array: false,
            is_field: false,
            offset: 0,
            records: 0,
        }
    }
}

impl Scanner {
    /// Makes a scanner whose first object may be longer, because it may wrap a list of records.
    pub(super) fn of_document() -> Self {
        Self {
            limit: MAX_WRAPPED_BYTES,
            ..Self::default()
        }
    }

    /// Makes a scanner for the records of a field.
    pub(super) fn of_field() -> Self {
        Self {
            is_field: true,
            ..Self::default()
        }
    }

    /// Returns true if the body is one array.
    pub(super) fn is_array(&self) -> bool {
        self.array
    }

    /// Returns true if the body has had anything but white space.
    pub(super) fn has_begun(&self) -> bool {
        self.place != Expecting::Start
    }

    /// Returns the number of records so far.
    pub(super) fn records(&self) -> u64 {
        self.records
    }

    /// Takes a piece of the body and calls `take` with each complete record.
    ///
    /// # Errors
    /// [`CommonError::InvalidBody`] if the body has neither form, or if a record is not an object
    /// or not UTF-8; [`CommonError::TooBig`] for a record over the limit; any error of `take`.
    pub(super) fn feed(
        &mut self,
        piece: &[u8],
        take: &mut dyn FnMut(&str) -> Result<()>,
    ) -> Result<()> {
        // The position in this piece at which the current record begins; 0 for one that began in an
        // earlier piece.
        let mut begin = 0;
        let mut at = 0;
        while let Some(&byte) = piece.get(at) {
            if self.place == Expecting::Inside {
                at = self.skip_inside(piece, at);
                if self.place == Expecting::Inside {
                    continue;
                }
                self.complete(piece.get(begin..at).unwrap_or_default(), at, take)?;
                continue;
            }
            match (byte, self.place) {
                (b' ' | b'\t' | b'\n' | b'\r', _) => {}
                (b'[', Expecting::Start) => {
                    (self.place, self.array) = (Expecting::FirstElement, true);
                    self.limit = MAX_RECORD_BYTES;
                }
                (b'{', Expecting::Start | Expecting::FirstElement | Expecting::Record) => {
                    (self.place, self.depth, begin) = (Expecting::Inside, 1, at);
                }
                (b',', Expecting::AfterElement) => self.place = Expecting::Record,
                (b']', Expecting::FirstElement | Expecting::AfterElement) => {
                    self.place = Expecting::End
                }
                // A byte order mark at the very beginning.
                (0xEF | 0xBB | 0xBF, Expecting::Start) if self.offset + (at as u64) < 3 => {}
                _ => return Err(self.unexpected(byte, at)),
            }
            at += 1;
        }
        if self.place == Expecting::Inside {
            self.keep(piece.get(begin..).unwrap_or_default())?;
        }
        self.offset += piece.len() as u64;
        Ok(())
    }

    /// Ends the body.
    ///
    /// # Errors
    /// [`CommonError::InvalidBody`] if the body ends inside a record or the array.
    pub(super) fn finish(&self) -> Result<()> {
        match self.place {
            Expecting::Start | Expecting::End => Ok(()),
            Expecting::Record if !self.array => Ok(()),
            Expecting::FirstElement
            | Expecting::Record
            | Expecting::Inside
            | Expecting::AfterElement => Err(Error::body(format!(
                "the body ends at byte {}, inside record {} or the list of records",
                self.offset,
                self.records + 1
            ))),
        }
    }

    /// Skips bytes that cannot end the record, from `at` on. `place` changes directly after the
    /// last byte of the record.
    fn skip_inside(&mut self, piece: &[u8], mut at: usize) -> usize {
        for &byte in piece.get(at..).unwrap_or_default() {
            at += 1;
            if self.escaped {
                self.escaped = false;
            } else if self.in_string {
                match byte {
                    b'"' => self.in_string = false,
                    b'\\' => self.escaped = true,
                    _ => {}
                }
            } else {
                match byte {
                    b'"' => self.in_string = true,
                    b'{' | b'[' => self.depth += 1,
                    b'}' | b']' => {
                        self.depth -= 1;
                        if self.depth == 0 {
                            self.place = if self.array {
                                Expecting::AfterElement
                            } else {
                                Expecting::Record
                            };
                            return at;
                        }
                    }
                    _ => {}
                }
            }
        }
        at
    }

    fn complete(
        &mut self,
        tail: &[u8],
        at: usize,
        take: &mut dyn FnMut(&str) -> Result<()>,
    ) -> Result<()> {
        if self.partial.is_empty() {
            let bytes = self.check_size(tail.len()).map(|()| tail)?;
            let text = self.utf8(bytes, at)?;
            take(text)?;
        } else {
            self.keep(tail)?;
            let bytes = std::mem::take(&mut self.partial);
            let text = self.utf8(&bytes, at)?;
            take(text)?;
            // Reuse the allocation for the next record that spans two pieces, unless this one was
            // unusually long.
            if bytes.capacity() <= crate::limits::BULK_CHUNK_BYTES {
                self.partial = bytes;
                self.partial.clear();
            }
        }
        self.records += 1;
        self.limit = MAX_RECORD_BYTES;
        Ok(())
    }

    fn check_size(&self, bytes: usize) -> Result<()> {
        check_size(bytes, self.limit, self.records)
    }

    fn keep(&mut self, bytes: &[u8]) -> Result<()> {
        self.check_size(self.partial.len() + bytes.len())?;
        self.partial.extend_from_slice(bytes);
        Ok(())
    }

    /// Decodes a record. `end` is the position in the current piece at which the record ends.
    fn utf8<'b>(&self, bytes: &'b [u8], end: usize) -> Result<&'b str> {
        std::str::from_utf8(bytes).map_err(|error| {
            let byte = (self.offset + end as u64)
                .saturating_sub((bytes.len() - error.valid_up_to()) as u64);
            super::decode::not_utf8_at(format!(
                "record {} is not valid UTF-8 at byte {byte} of the body",
                self.records + 1
            ))
        })
    }

    fn unexpected(&self, byte: u8, at: usize) -> Error {
        let record = self.records + 1;
        let place = self.offset + at as u64;
        let found = if byte.is_ascii_graphic() {
            format!("`{}`", char::from(byte))
        } else {
            format!("byte 0x{byte:02X}")
        };
        let message = match self.place {
            Expecting::AfterElement => format!(
                "record {} must be followed by `,` or `]`, but there is {found} at byte {place}",
                self.records
            ),
            Expecting::End => {
                format!("the list of records has ended, but there is {found} at byte {place}")
            }
            Expecting::Start | Expecting::FirstElement | Expecting::Record | Expecting::Inside => {
                format!(
                    "record {record} is not a JSON object: it begins with {found} at byte {place}"
                )
            }
        };
        let hint = if self.is_field {
            r#"send an object for each row, such as {"name":"value"}: its keys are the columns"#
        } else {
            r#"send objects such as {"name":"value"}, one a line or in one JSON array; for CSV send content-type: text/csv"#
        };
        Error::from(CommonError::InvalidBody {
            message,
            hint: Some(hint.to_owned()),
        })
    }
}

/// Checks the length of the record that follows the first `records` ones.
///
/// # Errors
/// [`CommonError::TooBig`].
pub(super) fn check_size(bytes: usize, limit: usize, records: u64) -> Result<()> {
    if bytes <= limit {
        return Ok(());
    }
    let hint = if limit == MAX_WRAPPED_BYTES {
        "send only its list of records, as an array: an array may have any length"
    } else {
        "a row holds 2 MB: split large values over several rows"
    };
    Err(Error::from(CommonError::TooBig {
        message: format!("record {} is longer than {limit} bytes", records + 1),
        hint: hint.to_owned(),
    }))
}
