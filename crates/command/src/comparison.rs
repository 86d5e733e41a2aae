//! Compares a directory with its workspace, and finds the differences that are approved edits.

use std::collections::{BTreeMap, BTreeSet};

use code_model::limits::MAX_SCANNED_FILES;

use crate::approved::{Standing, Steps};
use crate::client::{Client, Scan};
use crate::directory::{Directory, Hashes, Listing};
use crate::failure::{Failure, Result};
use crate::limits::MAX_SCAN_BYTES;
use crate::memory::Memory;

/// An upper estimate of the bytes of JSON around a path and its hash.
const ENTRY_BYTES: usize = 100;

/// The comparison of a directory with its workspace.
pub struct Comparison {
    /// The files on disk.
    pub listing: Listing,
    /// The differences.
    pub scan: Scan,
    /// Approved edits.
    pub steps: Steps,
    /// Files with approved edits that are not on disk.
    pub held: BTreeMap<String, Standing>,
}

/// Compares a directory with its workspace.
///
/// # Errors
/// The errors of the server; [`Failure::Usage`] for more files than a workspace may have.
pub fn compare(client: &Client, directory: &Directory, hashes: &mut Hashes) -> Result<Comparison> {
    let listing = directory.list(hashes);
    require_few(listing.files.len())?;
    let mut scan = scan(client, &listing.files, MAX_SCAN_BYTES)?;
    // A file that exists but could not be read is not deleted.
    scan.deleted
        .retain(|path| !listing.left_out.contains_key(path));
    if !listing.unread.is_empty() {
        scan.deleted.clear();
    }
    let steps = Steps::load(client)?;
    let mut memory = Memory::load(directory, client.address());
    let held = held(client, &steps, &listing, &differing(&scan), &mut memory)?;
    memory.save(directory)?;
    Ok(Comparison {
        listing,
        scan,
        steps,
        held,
    })
}

/// Returns the files of the workspace that a sync would change.
fn differing(scan: &Scan) -> BTreeSet<String> {
    scan.changed.iter().chain(&scan.deleted).cloned().collect()
}

fn held(
    client: &Client,
    steps: &Steps,
    listing: &Listing,
    differs: &BTreeSet<String>,
    memory: &mut Memory,
) -> Result<BTreeMap<String, Standing>> {
    let standings = steps.standings(client, &listing.files, differs, memory)?;
    let held = standings
        .into_iter()
        .filter(|(_, standing)| *standing != Standing::Settled);
    Ok(held
        .map(|(path, standing)| (path.as_str().to_owned(), standing))
        .collect())
}

fn require_few(files: usize) -> Result<()> {
    if files <= MAX_SCANNED_FILES {
        return Ok(());
    }
    Err(Failure::Usage {
        message: format!(
            "the directory has {files} files, but a workspace can have at most {MAX_SCANNED_FILES}"
        ),
        hint: "exclude generated folders with a .gitignore, or sync parts of the directory as separate workspaces",
    })
}

/// Compares files, each with its hash. If the list exceeds the size of one request, it is sent in
/// pieces, and deleted files are found by listing the workspace.
///
/// # Errors
/// The errors of the server.
pub fn scan(client: &Client, files: &BTreeMap<String, String>, most_bytes: usize) -> Result<Scan> {
    let pieces = pieces(files, most_bytes);
    let is_whole = pieces.len() == 1;
    let mut whole = Scan::default();
    for piece in pieces {
        let found = client.scan(piece.into_iter(), is_whole)?;
        whole.version = found.version;
        whole.added.extend(found.added);
        whole.changed.extend(found.changed);
        whole.deleted.extend(found.deleted);
    }
    if !is_whole {
        let paths = client.paths()?.into_iter();
        whole.deleted = paths.filter(|path| !files.contains_key(path)).collect();
    }
    Ok(whole)
}

/// Divides the files into lists of at most `most_bytes` bytes of JSON. Returns at least one list.
fn pieces(files: &BTreeMap<String, String>, most_bytes: usize) -> Vec<Vec<(&str, &str)>> {
    let (mut pieces, mut piece, mut bytes) = (Vec::new(), Vec::new(), 0_usize);
    for (path, hash) in files {
        // Each byte of a path may become two in JSON. Control characters would become six, but
        // paths have none.
        let entry = path.len().saturating_mul(2).saturating_add(ENTRY_BYTES);
        if bytes.saturating_add(entry) > most_bytes && !piece.is_empty() {
            pieces.push(std::mem::take(&mut piece));
            bytes = 0;
        }
        bytes = bytes.saturating_add(entry);
        piece.push((path.as_str(), hash.as_str()));
    }
    pieces.push(piece);
    pieces
}

#[cfg(test)]
mod tests {
    use super::{MAX_SCANNED_FILES, require_few};

    #[test]
    fn more_files_than_a_workspace_takes_are_refused_before_anything_is_sent() {
        assert!(require_few(MAX_SCANNED_FILES).is_ok());
        let refusal = require_few(MAX_SCANNED_FILES + 1).unwrap_err();
        assert_eq!(
            refusal.to_string(),
            "the directory has 50001 files, but a workspace can have at most 50000"
        );
    }
}
