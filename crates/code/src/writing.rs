//! Operations that write and delete files.

use base::{Error, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use database::Database;
use serde_json::{Value, json};

use crate::arguments::Arguments;
use crate::limits::MAX_WRITTEN_FILES;
use crate::project::FilePath;
use crate::store::commit::{Changes, Committed, FileWrite, commit};
use crate::store::rows::OPEN;
use crate::{Reply, Workspace};

/// `put_files`: `files` with `file_path` and `text`, or `base64` for bytes that are no text.
pub(crate) fn put_files<D: Database>(
    workspace: &Workspace<'_, D>,
    arguments: &str,
) -> Result<Reply> {
    let mut arguments = Arguments::parse(arguments, &["files", "description"])?;
    let mut changes = Changes::default();
    // Each content is moved and not copied: together they may have as many bytes as a request.
    for (index, value) in list(&mut arguments, "files")?.into_iter().enumerate() {
        let mut file = Arguments::of(
            value,
            format!("files[{index}]."),
            &["file_path", "text", "base64", "modified_ms"],
        )?;
        changes.writes.push(FileWrite {
            path: file.path("file_path", &workspace.settings.root)?,
            bytes: bytes(&mut file)?,
            modified_ms: file
                .number("modified_ms", 0..=OPEN)?
                .unwrap_or(workspace.now_ms),
        });
    }
    let description = arguments.text("description")?.unwrap_or("put_files");
    Ok(committed_reply(&commit(
        workspace,
        "write",
        description,
        &changes,
    )?))
}

/// The bytes of a file, as a text or in base64.
fn bytes(file: &mut Arguments) -> Result<Vec<u8>> {
    match (file.take_text("text")?, file.take_text("base64")?) {
        (Some(text), None) => Ok(text.into_bytes()),
        (None, Some(coded)) => STANDARD
            .decode(coded)
            .map_err(|_| file.wrong("base64", "in the standard alphabet, with its padding")),
        (Some(_), Some(_)) => Err(file.wrong("text", "left out where base64 is given")),
        (None, None) => Err(Error::invalid_with_hint(
            file.missing("text").to_string(),
            "send the content as text, or as base64 where it is not UTF-8",
        )),
    }
}

/// `delete_files`: `file_paths`. One that is not there is no error.
pub(crate) fn delete_files<D: Database>(
    workspace: &Workspace<'_, D>,
    arguments: &str,
) -> Result<Reply> {
    let mut arguments = Arguments::parse(arguments, &["file_paths", "description"])?;
    let mut changes = Changes::default();
    for value in list(&mut arguments, "file_paths")? {
        let path = value
            .as_str()
            .ok_or_else(|| arguments.wrong("file_paths", "a list of texts"))?;
        changes
            .deletes
            .push(FilePath::parse_given(path, &workspace.settings.root)?);
    }
    let description = arguments.text("description")?.unwrap_or("delete_files");
    Ok(committed_reply(&commit(
        workspace,
        "delete",
        description,
        &changes,
    )?))
}

fn list(arguments: &mut Arguments, field: &str) -> Result<Vec<Value>> {
    let list = arguments.take_list(field)?;
    let list = list.ok_or_else(|| arguments.missing(field))?;
    if list.len() > MAX_WRITTEN_FILES {
        return Err(Error::invalid(format!(
            "{field} has {} entries, the limit is {MAX_WRITTEN_FILES}",
            list.len()
        )));
    }
    Ok(list)
}

/// What a write answers.
pub fn committed_reply(committed: &Committed) -> Reply {
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
