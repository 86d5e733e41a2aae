//! The text of a file, or a part of it.

use base::{Error, Result};
use database::Database;
use operation::arguments::AtLeast;
use operation::declaration::Effect;
use serde_json::json;

use crate::kinds::{AsOfArgument, Path};
use crate::limits::MAX_READ_BYTES;
use crate::parse::text::cut_bytes;
use crate::project::FilePath;
use crate::store::files;
use crate::{Head, Operation, Reply, Workspace};

operation::operation! {
    /// The text of a file, or of a range of its lines or bytes.
    pub struct ReadFile {
        /// The file.
        "file_path" => file_path: Path,
        /// The first line, from 1.
        "start_line" => start_line: Option<AtLeast<1>>,
        /// The last line, inclusive.
        "end_line" => end_line: Option<AtLeast<1>>,
        /// The first byte.
        "start_byte" => start_byte: Option<AtLeast<0>>,
        /// The byte after the last one.
        "end_byte" => end_byte: Option<AtLeast<0>>,
        /// The version, or the time in ISO 8601, whose state is read. Without it the present state.
        "asOf" => as_of: Option<AsOfArgument>,
    }
    name: "read_file",
    title: "Read a file",
    effect: Effect::READS,
    output: "FileTextAnswer",
    example: r##"{"file_path":"src/lib.rs","start_line":1,"end_line":20}"##,
}

impl Operation<'_> for ReadFile {
    fn run<D: Database>(self, workspace: &Workspace<'_, D>) -> Result<Reply> {
        let path = FilePath::parse_given(&self.file_path, &workspace.settings.root)?;
        let version = Head::load(workspace.db)?.at(workspace.db, self.as_of.unwrap_or_default())?;
        let file = files::require(workspace.db, version, &path)?;
        let text = files::text(workspace.db, &file)?;
        let (start, end) = self.range(&text)?;
        let wanted = text.get(start..end).ok_or_else(|| {
            Error::invalid(format!(
                "bytes {start} to {end} begin or end within a character"
            ))
        })?;
        let shown = cut_bytes(wanted, MAX_READ_BYTES);
        let first_line = text.get(..start).unwrap_or_default().matches('\n').count() + 1;
        let last_line = first_line + shown.trim_end_matches('\n').matches('\n').count();
        Ok(Reply::read(json!({
            "ok": true,
            "version": version,
            "file_path": file.path,
            "text": shown,
            "range": [start, start + shown.len()],
            "lines": [first_line, last_line],
            "byte_len": file.byte_len,
            "line_count": file.line_count,
            "file_hash": file.file_hash,
            "tracking_hash": file.tracking_hash,
            "truncated": shown.len() < wanted.len(),
        })))
    }
}

impl ReadFile {
    /// Returns the requested range of bytes.
    fn range(&self, text: &str) -> Result<(usize, usize)> {
        let (start, end) = (self.start_byte, self.end_byte);
        let (first, last) = (self.start_line, self.end_line);
        if (start.is_some() || end.is_some()) && (first.is_some() || last.is_some()) {
            return Err(Error::invalid("send bytes or lines, not both"));
        }
        let (start, end) = match (first, last) {
            (None, None) => (start.unwrap_or(0), end.unwrap_or(text.len())),
            (first, last) => {
                let first = first.unwrap_or(1).max(1);
                let last = last.unwrap_or(usize::MAX);
                if last < first {
                    return Err(Error::invalid(format!(
                        "end_line {last} is before start_line {first}"
                    )));
                }
                (
                    line_start(text, first),
                    line_start(text, last.saturating_add(1)),
                )
            }
        };
        if start > end {
            return Err(Error::invalid(format!(
                "start_byte {start} is after end_byte {end}"
            )));
        }
        if end > text.len() {
            return Err(Error::invalid(format!(
                "end_byte {end} is after the end of the file, which has {} bytes",
                text.len()
            )));
        }
        Ok((start, end))
    }
}

/// Returns the first byte of a line, counted from 1; the end of the text for a line after its last.
fn line_start(text: &str, line: usize) -> usize {
    if line <= 1 {
        return 0;
    }
    let nth = text.match_indices('\n').nth(line - 2);
    nth.map_or(text.len(), |(at, _)| at + 1)
}
