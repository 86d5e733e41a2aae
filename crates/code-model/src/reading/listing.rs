//! Pages of files.

use base::Result;
use database::Database;
use operation::arguments::{Text, Whole};
use operation::declaration::Effect;
use serde_json::{Value, json};

use super::metadata::file_value;
use crate::kinds::{AsOfArgument, LanguageName, Path};
use crate::limits::{LISTED_FILES, MAX_LISTED_FILES};
use crate::project::PathPattern;
use crate::store::files::{self, FileFilter};
use crate::{Head, Operation, Reply, Workspace};

operation::operation! {
    /// Files by path, page by page, with size, language, hashes, and whether they could be parsed.
    pub struct ListFiles {
        /// A file, a folder, or a pattern with * and ?.
        "path" => path: Option<Path>,
        /// Only of this language.
        "language" => language: Option<LanguageName>,
        /// Only of this crate.
        "crate" => crate_name: Option<Text<1, 128>>,
        /// Files of one page at most.
        "limit" => limit: Whole<1, MAX_LISTED_FILES> = LISTED_FILES,
        /// nextCursor of the previous page.
        "cursor" => cursor: Option<Text<1, 2048>>,
        /// The version, or the time in ISO 8601, whose state is read. Without it the present state.
        "asOf" => as_of: Option<AsOfArgument>,
    }
    name: "list_files",
    title: "List files",
    effect: Effect::READS,
    output: "FilesAnswer",
}

impl Operation<'_> for ListFiles {
    fn run<D: Database>(self, workspace: &Workspace<'_, D>) -> Result<Reply> {
        let head = Head::load(workspace.db)?;
        let version = head.at(workspace.db, self.as_of.unwrap_or_default())?;
        let filter = FileFilter {
            path: self.path.as_deref().map(PathPattern::parse).transpose()?,
            language: self.language,
            crate_name: self.crate_name.map(|name| name.replace('-', "_")),
        };
        let cursor = self.cursor.unwrap_or_default();
        let mut found = files::after(
            workspace.db,
            version,
            &cursor,
            &filter,
            self.limit as u64 + 1,
        )?;
        let page = self.limit;
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
}
