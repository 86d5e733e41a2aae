//! Commits one request as one version: its changes of files and items, together with its row in the
//! history.

use std::collections::{HashMap, HashSet};

use base::{CommonError, Error, Result};
use database::{Bind, Database, DatabaseExt};

use super::files::{self, FileRow};
use super::head::Head;
use super::write::{Incoming, Writer, count};
use super::{places, retention};
use crate::limits::{MAX_FILE_BYTES, MAX_FILES, MAX_REPLACED_ROUNDS, MAX_WORKSPACE_BYTES};
use crate::parse::MANIFEST_NAME;
use crate::parse::cargo::Layout;
use crate::project::FilePath;
use crate::{CodeError, Workspace};

const RECORD: &str = "INSERT INTO code_versions (version, kind, description, actor, created_at, files_written, files_deleted, items_added, \
     items_ended, ended_bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

/// A file to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileWrite {
    /// Its path.
    pub path: FilePath,
    /// The whole content.
    pub bytes: Vec<u8>,
    /// The time of its last change at its origin, in milliseconds since 1970.
    pub modified_ms: u64,
}

/// The changes of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// Files to write.
    pub writes: Vec<FileWrite>,
    /// Files to delete.
    pub deletes: Vec<FilePath>,
}

/// The result of writing a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenFile {
    /// Its path.
    pub path: String,
    /// The hash of its bytes.
    pub file_hash: String,
    /// The hash of its tokens.
    pub tracking_hash: String,
    /// True if anything changed.
    pub changed: bool,
    /// True if the whole file was parsed.
    pub parsed: bool,
    /// The reason why it was not.
    pub reason: Option<String>,
    /// The number of its items, or 0 if nothing changed.
    pub items: usize,
    /// Other files that some systems do not distinguish from this one.
    pub same_on_some_systems: Vec<String>,
}

/// The result of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Commit {
    /// The version after the request.
    pub version: u64,
    /// True if the request made a version.
    pub stepped: bool,
    /// The written files, in the order of the request.
    pub files: Vec<WrittenFile>,
    /// The deleted files.
    pub deleted: Vec<String>,
    /// The number of files that the request did not name, but whose crate or module changed because
    /// of a manifest or a declared module.
    pub moved: u64,
    /// The number of added item rows.
    pub items_added: u64,
    /// The number of ended item rows.
    pub items_ended: u64,
}

/// Writes a version within a transaction of the caller. `kind` and `description` are for the
/// history.
pub(crate) fn write<D: Database>(
    workspace: &Workspace<'_, D>,
    kind: &str,
    description: &str,
    changes: &Changes,
) -> Result<Commit> {
    check(changes)?;
    let db = workspace.db;
    let mut head = Head::load(db)?;
    let base = head.version;
    head.version += 1;
    let mut committed = Commit {
        version: base,
        ..Commit::default()
    };
    let manifests = changed_manifests(changes);
    let plain = places::layout(db, base, &workspace.settings.root, &manifests)?;
    let before = places::declared(db, &plain)?;
    let layout = plain.clone().with_overrides(before.clone());
    let mut writer = Writer {
        workspace,
        head,
        items_added: 0,
        items_ended: 0,
        ended_bytes: 0,
        read_bytes: 0,
        read_items: 0,
    };
    let mut structure_changed = !manifests.is_empty();
    for path in &changes.deletes {
        if let Some(present) = files::find(db, base, path.as_str())? {
            structure_changed |= is_target(path.as_str());
            writer.delete(&present)?;
            committed.deleted.push(present.path);
        }
    }
    let arriving: HashSet<&str> = changes
        .writes
        .iter()
        .map(|write| write.path.as_str())
        .collect();
    let exists = |path: &str| arriving.contains(path) || places::exists(db, path);
    for write in &changes.writes {
        let present = files::find(db, base, write.path.as_str())?;
        structure_changed |= present.is_none() && is_target(write.path.as_str());
        committed
            .files
            .push(put(&mut writer, &layout, &exists, write, present)?);
    }
    let after = places::declared(db, &plain)?;
    if structure_changed || after != before {
        committed.moved = replace(&mut writer, &plain, &mut committed)?;
    }
    for file in &mut committed.files {
        file.same_on_some_systems = files::twins(db, writer.head.version, &file.path)?;
    }
    let changed = committed.files.iter().filter(|file| file.changed).count();
    committed.stepped = changed > 0 || committed.moved > 0 || !committed.deleted.is_empty();
    (committed.items_added, committed.items_ended) = (writer.items_added, writer.items_ended);
    if committed.stepped {
        committed.version = writer.head.version;
        let written = count(changed) + committed.moved;
        record(
            &mut writer,
            kind,
            description,
            written,
            count(committed.deleted.len()),
        )?;
    }
    Ok(committed)
}

/// Writes a version in a transaction of its own.
pub(crate) fn commit<D: Database>(
    workspace: &Workspace<'_, D>,
    kind: &str,
    description: &str,
    changes: &Changes,
) -> Result<Commit> {
    let mut committed = None;
    workspace.db.transaction(&mut || {
        committed = Some(write(workspace, kind, description, changes)?);
        Ok(())
    })?;
    committed.ok_or_else(|| Error::internal("a transaction did not run"))
}

fn check(changes: &Changes) -> Result<()> {
    let mut seen = HashSet::new();
    let paths = changes
        .writes
        .iter()
        .map(|write| &write.path)
        .chain(&changes.deletes);
    for path in paths {
        if !seen.insert(path.as_str()) {
            return Err(Error::invalid(format!("{} is named twice", path.as_str())));
        }
    }
    match changes
        .writes
        .iter()
        .find(|write| write.bytes.len() > MAX_FILE_BYTES)
    {
        None => Ok(()),
        Some(write) => Err(Error::from(CommonError::TooBig {
            message: format!(
                "{} has {} bytes, the limit is {MAX_FILE_BYTES}",
                write.path.as_str(),
                write.bytes.len()
            ),
            hint: "leave the file out, or split it".to_owned(),
        })),
    }
}

/// Returns the manifests among the written and deleted files; `None` for a deleted one.
fn changed_manifests(changes: &Changes) -> HashMap<&str, Option<&[u8]>> {
    let is_manifest = |path: &str| path.rsplit('/').next() == Some(MANIFEST_NAME);
    let written = changes
        .writes
        .iter()
        .map(|write| (write.path.as_str(), Some(write.bytes.as_slice())));
    let deleted = changes.deletes.iter().map(|path| (path.as_str(), None));
    written
        .chain(deleted)
        .filter(|(path, _)| is_manifest(path))
        .collect()
}

/// Returns true if a file may make its folder a target: a `main.rs`.
fn is_target(path: &str) -> bool {
    path.rsplit('/').next() == Some("main.rs")
}

fn put<D: Database>(
    writer: &mut Writer<'_, D>,
    layout: &Layout,
    exists: &dyn Fn(&str) -> bool,
    write: &FileWrite,
    present: Option<FileRow>,
) -> Result<WrittenFile> {
    let placement = layout.place(write.path.as_str(), exists);
    let hash = crate::hash::file_hash(&write.bytes).to_string();
    if let Some(present) = present
        .as_ref()
        .filter(|present| present.file_hash == hash && present.is_placed(&placement))
    {
        return Ok(WrittenFile {
            path: present.path.clone(),
            file_hash: hash,
            tracking_hash: present.tracking_hash.clone(),
            changed: false,
            parsed: present.parsed,
            reason: present.reason.clone(),
            items: 0,
            same_on_some_systems: Vec::new(),
        });
    }
    let incoming = Incoming {
        placement,
        bytes: &write.bytes,
        modified_ms: write.modified_ms,
        present,
    };
    let parsed = writer.put(&incoming)?;
    Ok(WrittenFile {
        path: write.path.as_str().to_owned(),
        file_hash: hash,
        tracking_hash: parsed.tracking_hash.to_string(),
        changed: true,
        parsed: parsed.parsed,
        reason: parsed.reason,
        items: parsed.items.len(),
        same_on_some_systems: Vec::new(),
    })
}

/// Rewrites the files whose crate or module has changed. Such a file may declare modules, so that
/// others change as well.
fn replace<D: Database>(
    writer: &mut Writer<'_, D>,
    plain: &Layout,
    committed: &mut Commit,
) -> Result<u64> {
    let db = writer.workspace.db;
    let mut moved = HashSet::new();
    for _ in 0..MAX_REPLACED_ROUNDS {
        let layout = plain.clone().with_overrides(places::declared(db, plain)?);
        let misplaced = places::misplaced(db, &layout)?;
        if misplaced.is_empty() {
            break;
        }
        for placement in misplaced {
            // A row that this version has written is in no earlier version, so it is overwritten.
            let Some(present) = files::find(db, writer.head.version, &placement.path)? else {
                continue;
            };
            let bytes = files::content(db, present.content)?;
            let path = placement.path.clone();
            let modified_ms = present.modified_ms;
            let parsed = writer.put(&Incoming {
                placement,
                bytes: &bytes,
                modified_ms,
                present: Some(present),
            })?;
            match committed.files.iter_mut().find(|file| file.path == path) {
                Some(file) => {
                    file.tracking_hash = parsed.tracking_hash.to_string();
                    file.changed = true;
                }
                None => drop(moved.insert(path)),
            }
        }
    }
    Ok(count(moved.len()))
}

fn record<D: Database>(
    writer: &mut Writer<'_, D>,
    kind: &str,
    description: &str,
    written: u64,
    deleted: u64,
) -> Result<()> {
    let workspace = writer.workspace;
    let head = &mut writer.head;
    for (what, size, limit) in [
        ("files", head.files, MAX_FILES),
        ("bytes", head.bytes, MAX_WORKSPACE_BYTES),
    ] {
        // A request that only deletes is allowed even in a workspace that is too large.
        if size > limit && written > 0 {
            return Err(Error::from(CodeError::Full { what, size, limit }));
        }
    }
    head.past_bytes += writer.ended_bytes;
    let binds = [
        Bind::number(head.version),
        Bind::text(kind),
        Bind::text(description),
        Bind::text(workspace.actor),
        Bind::number(workspace.now_ms),
        Bind::number(written),
        Bind::number(deleted),
        Bind::number(writer.items_added),
        Bind::number(writer.items_ended),
        Bind::number(writer.ended_bytes),
    ];
    workspace.db.run(RECORD, &binds)?;
    retention::apply(workspace.db, head, workspace.settings)?;
    head.save(workspace.db, workspace.now_ms)
}
