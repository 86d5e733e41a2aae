//! Differences between a directory and the workspace, and the check of stored items against a new
//! parse.

use std::collections::HashMap;

use base::{Error, Result};
use database::Database;
use operation::arguments::{Arguments, Text};
use operation::declaration::Effect;
use serde_json::{Value, json};

use crate::hash::file_hash;
use crate::kinds::{AsOfArgument, Path, ScannedFile, ScannedFiles};
use crate::limits::{MAX_INSPECTED_ITEMS, MAX_SCANNED_FILES, SEARCHED_FILES_AT_A_TIME};
use crate::parse::rules;
use crate::project::FilePath;
use crate::store::files::{self, FileFilter};
use crate::store::items;
use crate::{Head, Operation, Reply, Workspace};

operation::operation! {
    /// The given files that are new or differ from the stored ones; with complete also the stored
    /// files that are not given.
    pub struct ScanForChange<'a> {
        /// The files of the directory.
        "files" => files: ScannedFiles,
        /// True if these are all files of the directory.
        "complete" => complete: Option<bool>,
    }
    name: "scan_for_change",
    title: "Compare with a directory",
    effect: Effect::READS,
    output: "ChangesAnswer",
    example: r##"{"files":[{"file_path":"src/lib.rs","file_hash":"d10e34ad-5202-5425-9f0e-95f389958ee4"}]}"##,
}

impl<'a> Operation<'a> for ScanForChange<'a> {
    fn run<D: Database>(self, workspace: &Workspace<'_, D>) -> Result<Reply> {
        let list = self.files;
        if list.len() > MAX_SCANNED_FILES {
            return Err(Error::invalid(format!(
                "files has {} entries, the limit is {MAX_SCANNED_FILES}",
                list.len()
            )));
        }
        let mut given: HashMap<String, String> = HashMap::with_capacity(list.len());
        let mut refused = Vec::new();
        for (index, value) in list.into_iter().enumerate() {
            let entry = ScannedFile::read_at(&format!("files[{index}]"), value)?;
            match FilePath::parse_given(&entry.file_path, &workspace.settings.root) {
                Ok(path) => drop(given.insert(path.as_str().to_owned(), entry.file_hash)),
                Err(error) => {
                    refused.push(json!({ "file_path": entry.file_path, "error": error.to_json() }));
                }
            }
        }
        let head = Head::load(workspace.db)?;
        let (mut changed, mut deleted, mut unchanged) = (Vec::new(), Vec::new(), 0_u64);
        let complete = self.complete.unwrap_or(false);
        let mut last = String::new();
        loop {
            let page = files::after(
                workspace.db,
                head.version,
                &last,
                &FileFilter::default(),
                SEARCHED_FILES_AT_A_TIME,
            )?;
            let Some(end) = page.last() else {
                break;
            };
            last.clone_from(&end.path);
            for file in page {
                match given.remove(&file.path) {
                    Some(hash) if hash == file.file_hash => unchanged += 1,
                    Some(_) => changed.push(file.path),
                    None if complete => deleted.push(file.path),
                    None => {}
                }
            }
        }
        let mut added: Vec<String> = given.into_keys().collect();
        added.sort();
        Ok(Reply::read(json!({
            "ok": true,
            "version": head.version,
            "added": added,
            "changed": changed,
            "deleted": deleted,
            "refused": refused,
            "unchanged": unchanged,
        })))
    }
}

operation::operation! {
    /// Finds the file of a module path, or checks whether the items of a file have spans and
    /// hashes at a version.
    pub struct Inspect {
        /// A module path such as `crate::gate`.
        "module_path" => module_path: Option<Text<1, 512>>,
        /// A file.
        "file_path" => file_path: Option<Path>,
        /// The version, or the time in ISO 8601, whose state is read. Without it the present state.
        "asOf" => as_of: Option<AsOfArgument>,
    }
    name: "inspect",
    title: "Inspect the index",
    effect: Effect::READS,
    output: "InspectionAnswer",
    example: r##"{"module_path":"crate"}"##,
}

impl Operation<'_> for Inspect {
    fn run<D: Database>(self, workspace: &Workspace<'_, D>) -> Result<Reply> {
        let head = Head::load(workspace.db)?;
        let version = head.at(workspace.db, self.as_of.unwrap_or_default())?;
        let fields = if let Some(path) = &self.file_path {
            let path = FilePath::parse_given(path, &workspace.settings.root)?;
            inspect_file(workspace, version, &path)?
        } else {
            modules(workspace, version, self.module_path.as_deref())?
        };
        let totals = head.totals(workspace.db, version)?;
        let mut reply = json!({
            "ok": true,
            "version": version,
            "oldest": head.floor,
            "newest": head.version,
            "files": totals.files,
            "items": totals.items,
            "bytes": totals.bytes,
        });
        if let (Value::Object(reply), Value::Object(fields)) = (&mut reply, fields) {
            reply.extend(fields);
        }
        Ok(Reply::read(reply))
    }
}

fn modules<D: Database>(
    workspace: &Workspace<'_, D>,
    version: u64,
    wanted: Option<&str>,
) -> Result<Value> {
    let mut list = Vec::new();
    let mut last = String::new();
    // One item more than is listed shows that there are more.
    while list.len() <= MAX_INSPECTED_ITEMS {
        let page = files::after(
            workspace.db,
            version,
            &last,
            &FileFilter::default(),
            SEARCHED_FILES_AT_A_TIME,
        )?;
        let Some(end) = page.last() else {
            break;
        };
        last.clone_from(&end.path);
        let modules = page.iter().filter(|file| !file.module_path.is_empty());
        let below = modules.filter(|file| {
            let separator = rules(file.language).separator();
            wanted.is_none_or(|wanted| is_below(wanted, &file.module_path, separator))
        });
        list.extend(below.map(|file| {
            json!({ "module_path": file.module_path, "crate": file.crate_name, "file_path": file.path, "parsed": file.parsed, "inline": false })
        }));
    }
    if let Some(room) = (MAX_INSPECTED_ITEMS + 1).checked_sub(list.len()) {
        let most = u64::try_from(room).unwrap_or(u64::MAX);
        let inline = items::inline_modules(workspace.db, version, wanted, most)?;
        list.extend(inline.into_iter().map(|module| {
            json!({ "module_path": module.module_path, "crate": module.crate_name, "file_path": module.path, "parsed": module.parsed, "inline": true })
        }));
    }
    let complete = list.len() <= MAX_INSPECTED_ITEMS;
    list.truncate(MAX_INSPECTED_ITEMS);
    Ok(json!({ "modules": list, "complete": complete }))
}

/// Returns true if a module is `above` or inside it.
fn is_below(above: &str, module: &str, separator: &str) -> bool {
    module
        .strip_prefix(above)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(separator))
}

fn inspect_file<D: Database>(
    workspace: &Workspace<'_, D>,
    version: u64,
    path: &FilePath,
) -> Result<Value> {
    let file = files::require(workspace.db, version, path)?;
    let bytes = files::content(workspace.db, file.content)?;
    let list = items::of_file(workspace.db, version, &file.path)?;
    let text = std::str::from_utf8(&bytes).unwrap_or_default();
    let shown: Vec<Value> = list
        .iter()
        .take(MAX_INSPECTED_ITEMS)
        .map(|item| {
            json!({
                "canon": item.canon,
                "node_type": item.kind.word(),
                "has_span": text.get(item.span.clone()).is_some(),
                "span": [item.span.start, item.span.end],
                "has_hash": !item.tracking_hash.is_empty(),
                "valid_from": item.valid_from,
            })
        })
        .collect();
    Ok(json!({
        "file_path": file.path,
        "module_path": file.module_path,
        "crate": file.crate_name,
        "namespace": file.namespace,
        "hash_is_current": file_hash(&bytes).to_string() == file.file_hash,
        "parsed": file.parsed,
        "reason": file.reason,
        "fileItems": list.len(),
        "complete": shown.len() == list.len(),
        "spans": shown,
    }))
}
