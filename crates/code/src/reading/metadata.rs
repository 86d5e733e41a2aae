//! What is known of a file without its text.

use base::Result;
use database::Database;
use serde_json::{Value, json};

use crate::arguments::Arguments;
use crate::store::files::{self, FileRow};
use crate::{Head, Reply, Workspace};

/// `get_file_metadata`. A file that is not there is no error.
pub(crate) fn metadata<D: Database>(
    workspace: &Workspace<'_, D>,
    arguments: &str,
) -> Result<Reply> {
    let arguments = Arguments::parse(arguments, &["file_path", "asOf"])?;
    let path = arguments.path("file_path", &workspace.settings.root)?;
    let head = Head::load(workspace.db)?;
    let version = head.at(workspace.db, arguments.as_of()?)?;
    let Some(file) = files::find(workspace.db, version, path.as_str())? else {
        return Ok(Reply::read(
            json!({ "ok": true, "file_path": path.as_str(), "exists": false, "version": version }),
        ));
    };
    let mut fields = file_value(&file);
    if let Value::Object(fields) = &mut fields {
        fields.insert("ok".to_owned(), true.into());
        fields.insert("exists".to_owned(), true.into());
        fields.insert("version".to_owned(), version.into());
        let twins = files::twins(workspace.db, version, path.as_str())?;
        if !twins.is_empty() {
            fields.insert("same_on_some_systems".to_owned(), twins.into());
        }
    }
    Ok(Reply::read(fields))
}

/// A file as results show it.
pub(super) fn file_value(file: &FileRow) -> Value {
    let mut fields = json!({
        "file_path": file.path,
        "byte_len": file.byte_len,
        "line_count": file.line_count,
        "modified_ms": file.modified_ms,
        "file_hash": file.file_hash,
        "tracking_hash": file.tracking_hash,
        "language": file.language.word(),
        "parsed": file.parsed,
        "namespace": file.namespace,
    });
    if let Value::Object(fields) = &mut fields {
        let texts = [
            ("reason", file.reason.as_deref()),
            ("crate", Some(&*file.crate_name)),
            ("module_path", Some(&*file.module_path)),
        ];
        for (name, text) in texts {
            if let Some(text) = text.filter(|text| !text.is_empty()) {
                fields.insert(name.to_owned(), text.into());
            }
        }
    }
    fields
}
