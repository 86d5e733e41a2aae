//! Reads a pasted Markdown table: a header between pipes, a row of hyphens, and rows with the same
//! number of cells.

use base::CommonError;

use super::csv::header_names;
use crate::limits::MAX_RECORD_BYTES;
use crate::records::{Chunk, Encoder};
use base::{Error, Result};

/// The maximum number of text lines before a fence.
const MAX_PROSE_LINES: usize = 20;

/// A reader of a Markdown table.
#[derive(Debug, Default)]
pub(super) struct MarkdownReader {
    /// The beginning of an unfinished line.
    partial: Vec<u8>,
    /// The number of the last line, from 1.
    line: u64,
    columns: Option<usize>,
    part: Part,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Part {
    #[default]
    Header,
    /// The row of hyphens.
    Rule,
    Rows,
    /// After the table, which an empty line ends.
    Behind,
}

/// Returns true if a body begins with a table: a line with pipes, and one of hyphens and pipes.
pub(super) fn is_table(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head.get(..head.len().min(8192)).unwrap_or_default());
    let mut lines = text
        .lines()
        .map(str::trim)
        .skip_while(|line| line.is_empty());
    let (Some(header), Some(rule)) = (lines.next(), lines.next()) else {
        return false;
    };
    header.contains('|') && is_rule(rule) && cells(header).len() == cells(rule).len()
}

impl MarkdownReader {
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
        let mut lines = piece.split(|byte| *byte == b'\n').peekable();
        while let Some(line) = lines.next() {
            self.partial.extend_from_slice(line);
            if self.partial.len() > MAX_RECORD_BYTES {
                return Err(Error::from(CommonError::TooBig {
                    message: format!(
                        "line {} is longer than {MAX_RECORD_BYTES} bytes",
                        self.line + 1
                    ),
                    hint: "a row holds 2 MB".to_owned(),
                }));
            }
            if lines.peek().is_some() {
                self.end_line(encoder, take)?;
            }
        }
        Ok(())
    }

    /// Ends the body.
    ///
    /// # Errors
    /// As [`MarkdownReader::feed`].
    pub(super) fn finish(
        &mut self,
        encoder: &mut Encoder,
        take: &mut dyn FnMut(Chunk) -> Result<()>,
    ) -> Result<()> {
        self.end_line(encoder, take)
    }

    fn end_line(
        &mut self,
        encoder: &mut Encoder,
        take: &mut dyn FnMut(Chunk) -> Result<()>,
    ) -> Result<()> {
        self.line += 1;
        let bytes = std::mem::take(&mut self.partial);
        let text = std::str::from_utf8(&bytes).map_err(|_| {
            super::decode::not_utf8_at(format!("line {} is not valid UTF-8", self.line))
        })?;
        let text = text.trim_start_matches('\u{feff}').trim();
        match self.part {
            Part::Header if text.is_empty() => {}
            Part::Header => {
                let names = cells(text);
                let fields = names.iter().map(String::as_str);
                encoder.take_header(header_names(fields, encoder.infers())?)?;
                (self.columns, self.part) = (Some(names.len()), Part::Rule);
            }
            Part::Rule => self.part = Part::Rows,
            Part::Rows if text.is_empty() => self.part = Part::Behind,
            Part::Behind if text.is_empty() => {}
            Part::Behind => return Err(self.refused("comes after the end of the table")),
            Part::Rows => {
                let row = cells(text);
                if Some(row.len()) != self.columns {
                    let expected = self.columns.unwrap_or_default();
                    return Err(self.refused(&format!(
                        "has {} cells, but the header has {expected}",
                        row.len()
                    )));
                }
                if let Some(chunk) = encoder.row(row.iter().map(String::as_str)) {
                    take(chunk)?;
                }
            }
        }
        Ok(())
    }

    fn refused(&self, what: &str) -> Error {
        Error::from(CommonError::InvalidBody {
            message: format!("line {} of the Markdown table {what}", self.line),
            hint: Some("send the lines of one table, with \\| for a pipe within a cell; if the body is CSV, add ?delimiter=".to_owned()),
        })
    }
}

/// Returns true for a table after other text and an empty line, and for a fence after text without
/// quotation marks.
pub(super) fn is_table_behind_text(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head.get(..head.len().min(8192)).unwrap_or_default());
    let text = text.replace('\r', "");
    let is_table_behind_empty_line = text.match_indices("\n\n").any(|(at, breaks)| {
        let rest = text.get(at + breaks.len()..).unwrap_or_default();
        rest.trim_start().starts_with('|') && is_table(rest.as_bytes())
    });
    // A field in quotation marks may contain a fence.
    let is_fence_behind_text = text.split_once("\n```").is_some_and(|(before, fence)| {
        let opening = fence.lines().next().unwrap_or_default();
        let is_word = opening
            .chars()
            .all(|letter| letter.is_alphanumeric() || letter == '`');
        is_word && !before.contains('"') && before.trim().lines().count() <= MAX_PROSE_LINES
    });
    is_table_behind_empty_line || is_fence_behind_text
}

/// Returns the error for a table after other text.
pub(super) fn behind_text() -> Error {
    Error::from(CommonError::InvalidBody {
        message: "there is text before the table".to_owned(),
        hint: Some("send only the lines of the table".to_owned()),
    })
}

/// Returns true for a line such as `|---|:--:|`.
fn is_rule(line: &str) -> bool {
    line.contains('-')
        && line
            .chars()
            .all(|character| matches!(character, '|' | '-' | ':' | ' '))
        && line.contains('|')
}

/// Returns the cells of a line, without the pipes at its ends.
fn cells(line: &str) -> Vec<String> {
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    let mut cells = vec![String::new()];
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' if characters.peek() == Some(&'|') => {
                characters.next();
                cells.last_mut().unwrap_or(&mut String::new()).push('|');
            }
            // The last pipe ends the line.
            '|' if characters.peek().is_none() => {}
            '|' => cells.push(String::new()),
            other => cells.last_mut().unwrap_or(&mut String::new()).push(other),
        }
    }
    cells
        .into_iter()
        .map(|cell| cell.trim().to_owned())
        .collect()
}
