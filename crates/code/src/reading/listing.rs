//! Pages of files.

use base::Result;
use database::Database;
use serde_json::{Value, json};

use super::metadata::file_value;
use crate::arguments::Arguments;
use crate::limits::{LISTED_FILES, MAX_LISTED_FILES};
use crate::model::Language;
use crate::store::files::{self, FileFilter};
use crate::{Head, Reply, Workspace};

/// `list_files`: `cursor` is the last path of the page before.
pub(crate) fn list_files<D: Database>(
    workspace: &Workspace<'_, D>,
    arguments: &str,
) -> Result<Reply> {
    let arguments = Arguments::parse(
        arguments,
        &["path", "language", "crate", "limit", "cursor", "asOf"],
    )?;
    let head = Head::load(workspace.db)?;
    let version = head.at(workspace.db, arguments.as_of()?)?;
    let limit = arguments
        .number("limit", 1..=MAX_LISTED_FILES)?
        .unwrap_or(LISTED_FILES);
    let words: Vec<&str> = Language::ALL
        .iter()
        .map(|language| language.word())
        .collect();
    let language = arguments.word("language", &words)?.and_then(Language::of);
    let filter = FileFilter {
        path: arguments.files("path")?,
        language,
        crate_name: arguments.text("crate")?.map(|name| name.replace('-', "_")),
    };
    let cursor = arguments.text("cursor")?.unwrap_or_default();
    let mut found = files::after(workspace.db, version, cursor, &filter, limit + 1)?;
    let page = usize::try_from(limit).unwrap_or(usize::MAX);
    let more = found.len() > page;
    found.truncate(page);
    let next = if more {
        found.last().map(|file| file.path.clone())
    } else {
        None
    };
    let list: Vec<Value> = found.iter().map(file_value).collect();
    Ok(Reply::read(
        json!({ "ok": true, "version": version, "fileCount": head.totals(workspace.db, version)?.files, "files": list, "nextCursor": next }),
    ))
}
