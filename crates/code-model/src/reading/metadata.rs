//! The metadata of a file, without its text.

use base::Result;
use database::Database;
use operation::declaration::Effect;
use serde_json::{Value, json};

use crate::kinds::{AsOfArgument, Path};
use crate::project::FilePath;
use crate::store::files::{self, FileRow};
use crate::{Head, Operation, Reply, Workspace};

operation::operation! {
    /// Size, time and both hashes of a file: file_hash of its bytes, tracking_hash of its tokens.
    /// Both are accepted as expected_file_hash. For a missing file, exists is false.
    pub struct GetFileMetadata {
        /// The file.
        "file_path" => file_path: Path,
        /// The version, or the time in ISO 8601, whose state is read. Without it the present state.
        "asOf" => as_of: Option<AsOfArgument>,
    }
    name: "get_file_metadata",
    title: "Describe a file",
    effect: Effect::READS,
    output: "FileMetadataAnswer",
    example: r##"{"file_path":"src/lib.rs"}"##,
}

impl Operation<'_> for GetFileMetadata {
    fn run<D: Database>(self, workspace: &Workspace<'_, D>) -> Result<Reply> {
        let path = FilePath::parse_given(&self.file_path, &workspace.settings.root)?;
        let head = Head::load(workspace.db)?;
        let version = head.at(workspace.db, self.as_of.unwrap_or_default())?;
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
}

/// Returns a file in the form of a result.
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
