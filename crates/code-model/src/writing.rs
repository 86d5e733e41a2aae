//! Operations that write and delete files.

use base::{Error, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use database::Database;
use operation::arguments::{Arguments, Text, missing};
use operation::declaration::Effect;
use serde_json::{Value, json};

use crate::kinds::{FilePaths, WrittenFile, WrittenFiles};
use crate::limits::MAX_WRITTEN_FILES;
use crate::project::FilePath;
use crate::store::commit::{Changes, Commit, FileWrite, commit};
use crate::{Operation, Reply, Workspace};

operation::operation! {
    /// Writes files as one version: all or none. If no file changes, there is no new version.
    pub struct PutFiles<'a> {
        /// The files.
        "files" => files: WrittenFiles,
        /// A description for the history.
        "description" => description: Option<Text<0, 1000>>,
    }
    name: "put_files",
    title: "Write files",
    effect: Effect::REMOVES.once(),
    output: "WrittenAnswer",
    example: r##"{"files":[{"file_path":"src/lib.rs","text":"pub fn total() -> u32 {\n    41\n}\n"}]}"##,
}

impl<'a> Operation<'a> for PutFiles<'a> {
    fn run<D: Database>(self, workspace: &Workspace<'_, D>) -> Result<Reply> {
        let mut changes = Changes::default();
        // The contents are moved and not copied, because together they may be as large as a
        // request.
        check_count("files", self.files.len())?;
        for (index, value) in self.files.into_iter().enumerate() {
            let place = format!("files[{index}]");
            let file = WrittenFile::read_at(&place, value)?;
            changes.writes.push(FileWrite {
                path: FilePath::parse_given(&file.file_path, &workspace.settings.root)?,
                bytes: bytes(&place, file.text, file.base64)?,
                modified_ms: file.modified_ms.unwrap_or(workspace.now_ms),
            });
        }
        let description = self.description.as_deref().unwrap_or("put_files");
        Ok(committed_reply(&commit(
            workspace,
            "write",
            description,
            &changes,
        )?))
    }
}

/// Returns the bytes of a file, given as a text or in base64.
fn bytes(place: &str, text: Option<String>, base64: Option<String>) -> Result<Vec<u8>> {
    let wrong =
        |field: &str, wanted: &str| Error::invalid(format!("{place}.{field} must be {wanted}"));
    match (text, base64) {
        (Some(text), None) => Ok(text.into_bytes()),
        (None, Some(coded)) => STANDARD
            .decode(coded)
            .map_err(|_| wrong("base64", "standard Base64 with padding")),
        (Some(_), Some(_)) => Err(wrong("text", "left out if base64 is given")),
        (None, None) => Err(Error::invalid_with_hint(
            missing(&format!("{place}.text")).to_string(),
            "send the content as text, or as base64 if it is not UTF-8",
        )),
    }
}

operation::operation! {
    /// Deletes files as one version. A missing file is not an error.
    pub struct DeleteFiles {
        /// The files.
        "file_paths" => file_paths: FilePaths,
        /// A description for the history.
        "description" => description: Option<Text<0, 1000>>,
    }
    name: "delete_files",
    title: "Delete files",
    effect: Effect::REMOVES.once(),
    output: "WrittenAnswer",
    example: r##"{"file_paths":["src/old.rs"]}"##,
}

impl Operation<'_> for DeleteFiles {
    fn run<D: Database>(self, workspace: &Workspace<'_, D>) -> Result<Reply> {
        let mut changes = Changes::default();
        check_count("file_paths", self.file_paths.len())?;
        for path in &self.file_paths {
            changes
                .deletes
                .push(FilePath::parse_given(path, &workspace.settings.root)?);
        }
        let description = self.description.as_deref().unwrap_or("delete_files");
        Ok(committed_reply(&commit(
            workspace,
            "delete",
            description,
            &changes,
        )?))
    }
}

fn check_count(field: &str, count: usize) -> Result<()> {
    if count > MAX_WRITTEN_FILES {
        return Err(Error::invalid(format!(
            "{field} has {count} entries, the limit is {MAX_WRITTEN_FILES}"
        )));
    }
    Ok(())
}

/// Returns the response to a write.
pub fn committed_reply(committed: &Commit) -> Reply {
    let files: Vec<Value> = committed
        .files
        .iter()
        .map(|file| {
            let mut value = json!({
                "file_path": file.path,
                "changed": file.changed,
                "file_hash": file.file_hash,
                "tracking_hash": file.tracking_hash,
                "parsed": file.parsed,
                "items": file.items,
            });
            if let Some(fields) = value.as_object_mut() {
                if let Some(reason) = &file.reason {
                    fields.insert("reason".to_owned(), reason.clone().into());
                }
                if !file.same_on_some_systems.is_empty() {
                    fields.insert(
                        "same_on_some_systems".to_owned(),
                        file.same_on_some_systems.clone().into(),
                    );
                }
            }
            value
        })
        .collect();
    Reply {
        fields: json!({
            "ok": true,
            "version": committed.version,
            "files": files,
            "deleted": committed.deleted,
            "moved": committed.moved,
            "itemsAdded": committed.items_added,
            "itemsEnded": committed.items_ended,
        }),
        version: committed.stepped.then_some(committed.version),
    }
}
