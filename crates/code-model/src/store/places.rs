//! Where the files of a workspace stand, from the manifests and the declared modules that it has.

use std::collections::HashMap;

use base::Result;
use database::{Bind, Database};

use super::files::{self, content};
use super::rows::{OPEN, Row, number, rows};
use crate::limits::{MAX_FILES, MAX_MANIFESTS};
use crate::model::Placement;
use crate::parse::cargo::{Declaration, Layout, Manifest, overrides};

const EXISTS: &str = "SELECT count(*) FROM code_files WHERE path = ?1 AND valid_to = ?2";
const HAS_DECLARED_PATHS: &str = "SELECT EXISTS (SELECT 1 FROM code_items WHERE declares IS NOT NULL AND declares <> '' AND valid_to = ?1)";
const DECLARATIONS: &str = "SELECT i.path, f.module_path, i.module_path, i.name, i.declares FROM code_items AS i \
     JOIN code_files AS f ON f.path = i.path AND f.valid_to = ?1 WHERE i.declares IS NOT NULL AND i.valid_to = ?1 ORDER BY i.path, i.item LIMIT ?2";
const PLACED: &str = "SELECT path, crate_name, namespace, module_path FROM code_files WHERE valid_to = ?1 ORDER BY path";

/// Whether a file stands now.
pub(super) fn exists<D: Database>(db: &D, path: &str) -> bool {
    number(db, EXISTS, &[Bind::text(path), Bind::number(OPEN)]).is_ok_and(|count| count > 0)
}

/// The layout that the present manifests make, with these changed: none is a manifest that is deleted.
pub(super) fn layout<D: Database>(
    db: &D,
    version: u64,
    root: &str,
    changed: &HashMap<&str, Option<&[u8]>>,
) -> Result<Layout> {
    let mut manifests = Vec::new();
    let mut read = |path: &str, bytes: &[u8]| {
        // A manifest that cannot be read is no crate: its files are still files.
        manifests.extend(
            std::str::from_utf8(bytes)
                .ok()
                .and_then(|text| Manifest::parse(path, text).ok()),
        );
    };
    for file in files::manifests(db, version, MAX_MANIFESTS)? {
        if !changed.contains_key(file.path.as_str()) {
            read(&file.path, &content(db, file.content)?);
        }
    }
    for (path, bytes) in changed {
        if let Some(bytes) = bytes {
            read(path, bytes);
        }
    }
    manifests.sort_by(|one, other| one.folder.cmp(&other.folder));
    Ok(Layout::new(&manifests, root))
}

/// The modules of files that `#[path]` declares, in the rows that stand.
pub(super) fn declared<D: Database>(db: &D, layout: &Layout) -> Result<HashMap<String, String>> {
    if number(db, HAS_DECLARED_PATHS, &[Bind::number(OPEN)])? == 0 {
        return Ok(HashMap::new());
    }
    let file_exists = |path: &str| exists(db, path);
    let declarations = rows(
        db,
        DECLARATIONS,
        &[Bind::number(OPEN), Bind::number(MAX_FILES)],
        |row| {
            let (file, stored, module_path) = (row.text(), row.text(), row.text());
            let file_module = layout.place(&file, &file_exists).module_path;
            let inner = module_path.strip_prefix(&stored).unwrap_or_default();
            Declaration {
                module_path: format!("{file_module}{inner}"),
                file,
                file_module,
                name: row.text(),
                path: row.optional_text().filter(|path| !path.is_empty()),
            }
        },
    )?;
    Ok(overrides(&declarations, &file_exists))
}

/// The files that stand elsewhere than the layout says, with where they belong.
pub(super) fn misplaced<D: Database>(db: &D, layout: &Layout) -> Result<Vec<Placement>> {
    let file_exists = |path: &str| exists(db, path);
    let placed = rows(db, PLACED, &[Bind::number(OPEN)], |row: &mut Row| {
        let stored = (row.text(), row.text(), row.text(), row.text());
        let placement = layout.place(&stored.0, &file_exists);
        let found = (
            placement.path.clone(),
            placement.crate_name.clone(),
            placement.namespace.to_string(),
            placement.module_path.clone(),
        );
        (found != stored).then_some(placement)
    })?;
    Ok(placed.into_iter().flatten().collect())
}
