//! What differs: between a directory and the workspace, and between what is stored and what a parser reads in it.

use std::collections::HashMap;

use base::{Error, Result};
use database::Database;
use serde_json::{Value, json};

use crate::arguments::Arguments;
use crate::hash::file_hash;
use crate::limits::{MAX_INSPECTED_ITEMS, MAX_SCANNED_FILES, SEARCHED_FILES_AT_A_TIME};
use crate::parse::rules;
use crate::project::FilePath;
use crate::store::files::{self, FileFilter};
use crate::store::items;
use crate::{Head, Reply, Workspace};

/// `scan_for_change`: which of these files, each with the hash over its bytes, the workspace does not have like this. With `complete`, what is
/// not among them is deleted there.
pub(crate) fn scan<D: Database>(workspace: &Workspace<'_, D>, arguments: &str) -> Result<Reply> {
    let arguments = Arguments::parse(arguments, &["files", "complete"])?;
    let list = arguments
        .list("files")?
        .ok_or_else(|| arguments.missing("files"))?;
    if list.len() > MAX_SCANNED_FILES {
        return Err(Error::invalid(format!(
            "files has {} entries, the limit is {MAX_SCANNED_FILES}",
            list.len()
        )));
    }
    let mut given: HashMap<String, String> = HashMap::with_capacity(list.len());
    let mut refused = Vec::new();
    for (index, value) in list.iter().enumerate() {
        let entry = Arguments::of(
            value.clone(),
            format!("files[{index}]."),
            &["file_path", "file_hash"],
        )?;
        let path = entry.required("file_path")?;
        match FilePath::parse_given(path, &workspace.settings.root) {
            Ok(path) => drop(given.insert(
                path.as_str().to_owned(),
                entry.required("file_hash")?.to_owned(),
            )),
            Err(error) => refused.push(json!({ "file_path": path, "error": error.to_json() })),
        }
    }
    let head = Head::load(workspace.db)?;
    let (mut changed, mut deleted, mut unchanged) = (Vec::new(), Vec::new(), 0_u64);
    let complete = arguments.flag("complete")?;
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

/// `inspect`: module paths with their files, and whether the spans and hashes of a version are those of its texts.
pub(crate) fn inspect<D: Database>(workspace: &Workspace<'_, D>, arguments: &str) -> Result<Reply> {
    let arguments = Arguments::parse(arguments, &["file_path", "module_path", "asOf"])?;
    let head = Head::load(workspace.db)?;
    let version = head.at(workspace.db, arguments.as_of()?)?;
    let fields = if arguments.has("file_path") {
        let path = arguments.path("file_path", &workspace.settings.root)?;
        inspect_file(workspace, version, &path)?
    } else {
        modules(workspace, version, arguments.text("module_path")?)?
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

fn modules<D: Database>(
    workspace: &Workspace<'_, D>,
    version: u64,
    wanted: Option<&str>,
) -> Result<Value> {
    let mut list = Vec::new();
    let mut last = String::new();
    // One more than is listed shows that there are more.
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

/// Whether a module is another one, or in it.
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
