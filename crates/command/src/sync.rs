//! `codemode sync`: sends the changes of the directory to the workspace. The directory decides,
//! with one exception: a file with an approved edit that is not on disk stays unchanged in the
//! workspace.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use code_model::project::FilePath;
use flate2::Compression;
use flate2::write::GzEncoder;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::approved::{Standing, Steps};
use crate::client::{Client, Scan, Written};
use crate::comparison::{Comparison, compare};
use crate::directory::{Content, Directory, Hashes, Listing};
use crate::failure::{Ending, Failure, Result};
use crate::limits::{MAX_DELETED_FILES, MAX_SENT_BYTES, MAX_SENT_FILES, MAX_SHOWN_FILES};
use crate::terminal::{named, say};

/// A manifest determines which crate the files beside it belong to. It is sent first, so that these
/// files are assigned to a crate only once.
const MANIFEST: &str = "Cargo.toml";
/// The mode of files in an archive, readable by all: the workspace does not store modes.
const ARCHIVED_MODE: u32 = 0o644;

/// The handling of files with an approved edit that is not on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnwrittenEdits {
    /// They are not sent.
    LeaveOut,
    /// They are sent, and the edit is lost.
    Overwrite,
}

/// The result of a sync.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct SyncResult {
    sent: usize,
    deleted: usize,
    held: BTreeMap<String, Standing>,
    overwritten: Vec<String>,
    twins: BTreeMap<String, Vec<String>>,
    version: u64,
}

/// Brings the workspace in step with the directory, and reports the result on `out`.
///
/// # Errors
/// The errors of the server. Files that were sent before an error stay.
pub fn sync(
    client: &Client,
    directory: &Directory,
    hashes: &mut Hashes,
    unwritten: UnwrittenEdits,
    out: &mut dyn Write,
) -> Result<(Ending, Listing)> {
    let comparison = compare(client, directory, hashes)?;
    let Comparison {
        listing,
        scan,
        mut held,
        ..
    } = comparison;
    if unwritten == UnwrittenEdits::Overwrite {
        for path in std::mem::take(&mut held).into_keys() {
            say(
                out,
                &format!(
                    "overwrites an approved edit that is not on disk: {}",
                    named(&path)
                ),
            );
        }
    }
    if listing.files.is_empty() && !scan.deleted.is_empty() {
        return Err(Failure::Usage {
            message: format!(
                "the directory has no files, so all {} files of the workspace would be deleted",
                scan.deleted.len()
            ),
            hint: "check the directory; DELETE on the address of the workspace deletes it",
        });
    }
    let mut run = Run {
        client,
        directory,
        listing: &listing,
        unwritten,
        bar: bar(scan
            .added
            .len()
            .saturating_add(scan.changed.len())
            .saturating_add(scan.deleted.len())),
        done: SyncResult {
            version: scan.version,
            held,
            ..SyncResult::default()
        },
    };
    let outcome = run.all(&scan);
    run.bar.finish_and_clear();
    let done = run.done;
    report(&done, &listing, out);
    if let Err(failure) = outcome {
        let left = scan.added.len() + scan.changed.len() + scan.deleted.len();
        say(
            out,
            &format!(
                "{} of {left} changes were sent before the error",
                done.sent + done.deleted
            ),
        );
        return Err(failure);
    }
    let is_whole = done.held.is_empty()
        && done.overwritten.is_empty()
        && listing.left_out.is_empty()
        && listing.unread.is_empty();
    Ok((
        if is_whole {
            Ending::Done
        } else {
            Ending::LeftOut
        },
        listing,
    ))
}

/// Returns a progress bar.
fn bar(changes: usize) -> ProgressBar {
    let length = u64::try_from(changes).unwrap_or(u64::MAX);
    // It is hidden if standard error is not a terminal.
    let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} files, {elapsed}") {
        bar.set_style(style);
    }
    bar
}

struct Run<'a> {
    client: &'a Client,
    directory: &'a Directory,
    listing: &'a Listing,
    unwritten: UnwrittenEdits,
    bar: ProgressBar,
    done: SyncResult,
}

impl Run<'_> {
    fn is_held(&self, path: &str) -> bool {
        self.done.held.contains_key(path)
    }

    fn all(&mut self, scan: &Scan) -> Result<()> {
        let mut paths: Vec<&str> = scan
            .added
            .iter()
            .chain(&scan.changed)
            .map(String::as_str)
            .collect();
        paths.sort_by_key(|path| (path.rsplit('/').next() != Some(MANIFEST), *path));
        let (mut batch, mut bytes) = (Vec::new(), 0_usize);
        for path in paths {
            // Only listed files are read, so a server cannot name files to read.
            let Some(path) = self
                .listing
                .files
                .get_key_value(path)
                .and_then(|(path, _)| FilePath::parse(path).ok())
            else {
                continue;
            };
            if self.is_held(path.as_str()) {
                continue;
            }
            // The file may have been deleted, or replaced by something else. The next sync handles
            // that.
            let Content::Bytes(content) = self.directory.read(&path)? else {
                continue;
            };
            if batch.len() >= MAX_SENT_FILES || bytes.saturating_add(content.len()) > MAX_SENT_BYTES
            {
                self.send(&std::mem::take(&mut batch))?;
                bytes = 0;
            }
            bytes = bytes.saturating_add(content.len());
            batch.push((path, content));
        }
        self.send(&batch)?;
        let deleted: Vec<String> = scan
            .deleted
            .iter()
            .filter(|path| !self.is_held(path))
            .cloned()
            .collect();
        for piece in deleted.chunks(MAX_DELETED_FILES) {
            let written = self.client.delete(piece)?;
            self.done.deleted += piece.len();
            self.bar.inc(u64::try_from(piece.len()).unwrap_or_default());
            self.stepped(&written, piece.iter().map(String::as_str))?;
        }
        Ok(())
    }

    fn send(&mut self, batch: &[(FilePath, Vec<u8>)]) -> Result<()> {
        // An edit may have been approved since the last batch.
        let batch: Vec<&(FilePath, Vec<u8>)> = batch
            .iter()
            .filter(|(path, _)| !self.is_held(path.as_str()))
            .collect();
        if batch.is_empty() {
            return Ok(());
        }
        let written = self.client.write(&archive(self.directory, &batch)?)?;
        self.done.sent += batch.len();
        self.bar.inc(u64::try_from(batch.len()).unwrap_or_default());
        for file in written
            .files
            .iter()
            .filter(|file| !file.same_on_some_systems.is_empty())
        {
            self.done
                .twins
                .insert(file.file_path.clone(), file.same_on_some_systems.clone());
        }
        self.stepped(&written, batch.iter().map(|(path, _)| path.as_str()))
    }

    /// Compares the version after a write with the expected one. Each write creates one version; if
    /// there are more, somebody else wrote too, and edits may have been approved.
    fn stepped<'p>(
        &mut self,
        written: &Written,
        paths: impl Iterator<Item = &'p str>,
    ) -> Result<()> {
        let before = std::mem::replace(&mut self.done.version, written.version);
        if written.version <= before.saturating_add(1) {
            return Ok(());
        }
        let steps = Steps::load(self.client)?;
        let sent: BTreeSet<&str> = paths.collect();
        for step in steps
            .0
            .iter()
            .filter(|step| step.version > before && step.version < written.version)
        {
            for change in &step.files {
                let path = change.path.as_str();
                if sent.contains(path) {
                    let (path, title) = (named(path), step.title());
                    let lost = format!("{path}: {title} (version {})", step.version);
                    self.done.overwritten.push(lost);
                } else if self.unwritten == UnwrittenEdits::LeaveOut {
                    self.done.held.insert(path.to_owned(), Standing::Waiting(0));
                }
            }
        }
        Ok(())
    }
}

/// Returns a packed archive of files, each with the time of its last change.
fn archive(directory: &Directory, files: &[&(FilePath, Vec<u8>)]) -> Result<Vec<u8>> {
    let pack = || -> std::io::Result<Vec<u8>> {
        let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::default()));
        for (path, content) in files {
            let mut header = tar::Header::new_gnu();
            header.set_size(u64::try_from(content.len()).unwrap_or(u64::MAX));
            header.set_mode(ARCHIVED_MODE);
            header.set_mtime(directory.modified_seconds(path));
            archive.append_data(&mut header, path.as_str(), content.as_slice())?;
        }
        archive.into_inner()?.finish()
    };
    pack().map_err(|error| Failure::Unusable {
        what: "packing".to_owned(),
        reason: error.to_string(),
    })
}

fn report(done: &SyncResult, listing: &Listing, out: &mut dyn Write) {
    let tell = |out: &mut dyn Write, lines: &mut dyn Iterator<Item = String>, count: usize| {
        for line in lines.take(MAX_SHOWN_FILES) {
            say(out, &line);
        }
        if count > MAX_SHOWN_FILES {
            say(out, &format!("and {} more", count - MAX_SHOWN_FILES));
        }
    };
    let held = &mut done
        .held
        .iter()
        .map(|(path, standing)| held_line(path, *standing));
    tell(out, held, done.held.len());
    let lost = &mut done
        .overwritten
        .iter()
        .map(|lost| format!("overwrote an edit that was approved in the meantime: {lost}"));
    tell(out, lost, done.overwritten.len());
    tell(out, &mut left_out_lines(listing), listing.left_out.len());
    tell(
        out,
        &mut listing.unread.iter().map(|reason| {
            format!("could not be read, so nothing is deleted in the workspace: {reason}")
        }),
        listing.unread.len(),
    );
    let twins = &mut done.twins.iter().map(|(path, others)| {
        let others: Vec<String> = others.iter().map(|other| named(other)).collect();
        format!(
            "{} and {} are the same file on some systems",
            named(path),
            others.join(", ")
        )
    });
    tell(out, twins, done.twins.len());
    say(
        out,
        &format!(
            "version {}: {} files sent, {} deleted",
            done.version, done.sent, done.deleted
        ),
    );
}

/// Returns a line for each file that is not sent, with the reason.
pub fn left_out_lines(listing: &Listing) -> impl Iterator<Item = String> {
    let files = listing.left_out.iter();
    files.map(|(path, reason)| format!("left out: {}: {reason}", named(path)))
}

/// Returns advice on a file with an approved edit that is not on disk.
pub fn held_line(path: &str, standing: Standing) -> String {
    let path = named(path);
    match standing {
        Standing::Conflict => format!(
            "not sent: {path} has an approved edit, and was changed on disk as well: put it back (such as with git stash), run codemode apply, then \
             make your change; or send it with --overwrite"
        ),
        Standing::Waiting(_) | Standing::Settled => {
            format!("not sent: {path} has an approved edit that is not on disk: run codemode apply")
        }
    }
}
