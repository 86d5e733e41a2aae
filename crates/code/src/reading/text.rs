//! The text of a file, or a part of it.

use base::{Error, Result};
use database::Database;
use serde_json::json;

use crate::arguments::Arguments;
use crate::limits::{MAX_FILE_BYTES, MAX_READ_BYTES};
use crate::parse::text::cut_bytes;
use crate::store::files;
use crate::{Head, Reply, Workspace};

/// `read_file`: all of it, bytes from `start_byte` to `end_byte`, or lines from `start_line` to `end_line`.
pub(crate) fn read_file<D: Database>(
    workspace: &Workspace<'_, D>,
    arguments: &str,
) -> Result<Reply> {
    let arguments = Arguments::parse(
        arguments,
        &[
            "file_path",
            "start_byte",
            "end_byte",
            "start_line",
            "end_line",
            "asOf",
        ],
    )?;
    let path = arguments.path("file_path", &workspace.settings.root)?;
    let version = Head::load(workspace.db)?.at(workspace.db, arguments.as_of()?)?;
    let file = files::require(workspace.db, version, &path)?;
    let text = files::text(workspace.db, &file)?;
    let (start, end) = range(&arguments, &text)?;
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

fn range(arguments: &Arguments, text: &str) -> Result<(usize, usize)> {
    let most = u64::try_from(MAX_FILE_BYTES).unwrap_or(u64::MAX);
    let number = |field: &str| -> Result<Option<usize>> {
        let number = arguments.number(field, 0..=most)?;
        Ok(number.map(|number| usize::try_from(number).unwrap_or(usize::MAX)))
    };
    let (start, end) = (number("start_byte")?, number("end_byte")?);
    let (first, last) = (number("start_line")?, number("end_line")?);
    if (start.is_some() || end.is_some()) && (first.is_some() || last.is_some()) {
        return Err(Error::invalid("give bytes or lines, not both"));
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
            "start_byte {start} is behind end_byte {end}"
        )));
    }
    if end > text.len() {
        return Err(Error::invalid(format!(
            "end_byte {end} is beyond the file, which has {} bytes",
            text.len()
        )));
    }
    Ok((start, end))
}

/// The first byte of a line, counted from 1; the end of the text behind its last.
fn line_start(text: &str, line: usize) -> usize {
    if line <= 1 {
        return 0;
    }
    let nth = text.match_indices('\n').nth(line - 2);
    nth.map_or(text.len(), |(at, _)| at + 1)
}
