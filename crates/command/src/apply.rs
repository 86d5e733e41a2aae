//! `codemode apply`: writes approved edits to disk. Each proposal is written as a whole, and only
//! if the disk has the content that its edits were applied to.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use code_model::hash::file_hash;
use code_model::project::FilePath;

use crate::approved::{Standing, Step, Steps};
use crate::client::Client;
use crate::directory::{Content, Directory, Hashes, Replacement};
use crate::failure::{Ending, Failure, Result};
use crate::memory::Memory;
use crate::terminal::{named, say};

/// The files that prevent a step from being written, each with the reason.
type Complaints = Vec<(FilePath, String)>;

/// The hashes of files on disk.
type OnDisk = BTreeMap<String, String>;

/// A file that a step writes.
struct Need {
    path: FilePath,
    from: String,
    to: String,
}

/// The outcome of writing a proposal.
enum Outcome {
    Written(Vec<FilePath>),
    OnDisk,
    LeftOut(Complaints),
}

/// Writes approved edits to disk: all of them, or those of one request.
///
/// # Errors
/// The errors of the server and of the file system. Files that were written before an error stay.
pub fn apply(
    client: &Client,
    directory: &Directory,
    request: Option<&str>,
    out: &mut dyn Write,
) -> Result<Ending> {
    if let Some(request) = request {
        let proposal = client.proposal(request)?;
        if proposal.applied_version.is_none() {
            let status = named(&proposal.status);
            say(
                out,
                &format!(
                    "{} is {status}: only an approved proposal can be written",
                    named(request)
                ),
            );
            return Ok(Ending::LeftOut);
        }
    }
    let steps = Steps::load(client)?;
    let (disk, irregular) = present(directory, &steps)?;
    let known = disk
        .iter()
        .map(|(path, hash)| (path.as_str(), hash.as_str()));
    let scan = client.scan(known, false)?;
    let missing = steps
        .paths()
        .into_iter()
        .map(|path| path.as_str().to_owned());
    let missing = missing.filter(|path| !disk.contains_key(path));
    let differs: BTreeSet<String> = scan.changed.into_iter().chain(missing).collect();
    let mut memory = Memory::load(directory, client.address());
    let standings = steps.standings(client, &disk, &differs, &mut memory)?;
    let mut run = Run {
        client,
        directory,
        steps: &steps,
        standings,
        irregular,
        memory,
    };
    let ending = run.all(request, out);
    // The written files are remembered even if a later proposal failed.
    run.memory.save(directory)?;
    ending
}

/// Returns the hashes on disk of the files that have steps, and the paths that must not be read or
/// written. If a server names a file that was never sent, it learns nothing of that file, and the
/// file is not written.
fn present(
    directory: &Directory,
    steps: &Steps,
) -> Result<(OnDisk, BTreeMap<FilePath, &'static str>)> {
    let (mut disk, mut irregular) = (BTreeMap::new(), BTreeMap::new());
    let sent = directory.list(&mut Hashes::default()).files;
    for path in steps.paths() {
        match directory.read(path)? {
            Content::Missing => {}
            Content::Bytes(_) if !sent.contains_key(path.as_str()) => {
                irregular.insert(
                    path.clone(),
                    "is ignored, so it is not one of the files that are synchronised",
                );
            }
            Content::Irregular(what) => {
                irregular.insert(path.clone(), what);
            }
            Content::Bytes(bytes) => {
                disk.insert(path.as_str().to_owned(), file_hash(&bytes).to_string());
            }
        }
    }
    Ok((disk, irregular))
}

struct Run<'a> {
    client: &'a Client,
    directory: &'a Directory,
    steps: &'a Steps,
    standings: BTreeMap<FilePath, Standing>,
    irregular: BTreeMap<FilePath, &'static str>,
    memory: Memory,
}

impl Run<'_> {
    fn all(&mut self, request: Option<&str>, out: &mut dyn Write) -> Result<Ending> {
        let (mut written, mut left_out) = (0_usize, 0_usize);
        let steps = self.steps.0.iter().enumerate();
        let wanted =
            steps.filter(|(_, step)| request.is_none_or(|request| step.request == request));
        for (index, step) in wanted {
            match self.one(index, step)? {
                Outcome::OnDisk if request.is_some() => {
                    say(out, &format!("{}: already on disk", step.title()))
                }
                Outcome::OnDisk => {}
                Outcome::Written(paths) => {
                    written += paths.len();
                    for path in paths {
                        let path = named(path.as_str());
                        say(out, &format!("{}: wrote {path}", step.title()));
                    }
                }
                Outcome::LeftOut(reasons) => {
                    left_out += 1;
                    for (path, reason) in reasons {
                        let (path, title) = (named(path.as_str()), step.title());
                        say(out, &format!("{title}: not written: {path} {reason}"));
                    }
                }
            }
        }
        if left_out > 0 {
            say(
                out,
                "a proposal is written completely or not at all: restore the named files (for example with git stash), run codemode apply, then make your changes again",
            );
            return Ok(Ending::LeftOut);
        }
        if written == 0 {
            say(out, "nothing to write: the approved edits are on disk");
        }
        Ok(Ending::Done)
    }

    /// Returns the position of a step in the chain of one of its files.
    fn position(&self, index: usize, path: &FilePath) -> usize {
        let chain = self.steps.chain(path);
        chain
            .iter()
            .position(|(step, _)| *step == index)
            .unwrap_or(usize::MAX)
    }

    /// Returns the files that a step would write, and those that prevent it.
    fn needs(&self, index: usize, step: &Step) -> (Vec<Need>, Complaints) {
        let (mut needed, mut blocked, mut uncertain) = (Vec::new(), Vec::new(), Vec::new());
        for change in &step.files {
            let path = &change.path;
            let complaint = match self.standings.get(path) {
                None | Some(Standing::Settled) => continue,
                Some(Standing::Waiting(next)) => {
                    let position = self.position(index, path);
                    if *next > position {
                        continue;
                    }
                    if *next == position {
                        match (&change.from, &change.to) {
                            (Some(from), Some(to)) => {
                                needed.push(Need {
                                    path: path.clone(),
                                    from: from.clone(),
                                    to: to.clone(),
                                });
                                continue;
                            }
                            _ => "was edited by an older server, which does not report the version before the edit"
                                .to_owned(),
                        }
                    } else {
                        "has an earlier edit that is not on disk: apply that first".to_owned()
                    }
                }
                Some(Standing::Conflict) => {
                    let what = self.irregular.get(path).copied();
                    let complaint = what
                        .unwrap_or("does not have the content that the edit was applied to")
                        .to_owned();
                    // It is unknown if an earlier step of the file was ever on disk, so this
                    // conflict counts only if the step needs to write another file.
                    if self.position(index, path).saturating_add(1) < self.steps.chain(path).len() {
                        uncertain.push((path.clone(), complaint));
                        continue;
                    }
                    complaint
                }
            };
            blocked.push((path.clone(), complaint));
        }
        if !needed.is_empty() {
            blocked.append(&mut uncertain);
        }
        (needed, blocked)
    }

    /// Fetches the content that a step gave a file. The server may no longer keep that version;
    /// then the present version is used if it has the same hash.
    fn bytes(&self, path: &FilePath, version: u64, hash: &str) -> Result<Vec<u8>> {
        match self.client.bytes(path, Some(version), hash) {
            Err(refusal @ Failure::Refused { .. }) => {
                self.client.bytes(path, None, hash).map_err(|_| refusal)
            }
            bytes => bytes,
        }
    }

    /// Writes a step. All files are fetched and checked before the first one is replaced.
    fn one(&mut self, index: usize, step: &Step) -> Result<Outcome> {
        let (needed, blocked) = self.needs(index, step);
        if !blocked.is_empty() {
            for Need { path, .. } in &needed {
                self.standings.insert(path.clone(), Standing::Conflict);
            }
            return Ok(Outcome::LeftOut(blocked));
        }
        if needed.is_empty() {
            return Ok(Outcome::OnDisk);
        }
        let mut replacements: Vec<Replacement> = Vec::with_capacity(needed.len());
        for (number, Need { path, from, to }) in needed.iter().enumerate() {
            let bytes = match self.bytes(path, step.version, to) {
                // A proposal that cannot be fetched does not stop the others.
                Err(failure @ Failure::Refused { .. }) => {
                    let reason = format!("cannot be fetched: {failure}");
                    return Ok(Outcome::LeftOut(vec![(path.clone(), reason)]));
                }
                bytes => bytes?,
            };
            replacements.push(self.directory.prepare(path, from, &bytes, number)?);
        }
        let mut changed = Vec::new();
        for replacement in &replacements {
            if !self.directory.is_current(replacement)? {
                let reason = "changed while it was being written".to_owned();
                changed.push((replacement.path.clone(), reason));
            }
        }
        if !changed.is_empty() {
            return Ok(Outcome::LeftOut(changed));
        }
        for (replacement, Need { path, to, .. }) in replacements.into_iter().zip(&needed) {
            replacement.finish()?;
            self.memory.take(path.as_str(), to);
            self.standings.insert(
                path.clone(),
                Standing::Waiting(self.position(index, path).saturating_add(1)),
            );
        }
        Ok(Outcome::Written(
            needed.into_iter().map(|need| need.path).collect(),
        ))
    }
}
