//! Approved edits and their reverts as steps from one hash of a file to another, and the steps that
//! are not on disk yet.
//!
//! The steps of a file are a chain. Usually the hash in the workspace is the end of the chain, and
//! the hash on disk is somewhere in it. If the workspace has another hash than the end of the
//! chain, somebody else wrote the file later, and none of the steps needs to be written.

use std::collections::{BTreeMap, BTreeSet};

use code_model::project::FilePath;

use crate::client::{Client, Proposal};
use crate::directory::OWN_FOLDER;
use crate::failure::{Failure, Result};
use crate::memory::Memory;

/// The application of a proposal, or its revert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The request id of the proposal.
    pub request: String,
    /// True if it reverts the proposal.
    pub is_revert: bool,
    /// The version that it created.
    pub version: u64,
    /// Its files.
    pub files: Vec<Change>,
}

impl Step {
    /// Returns its name for people.
    pub fn title(&self) -> String {
        let request = crate::terminal::named(&self.request);
        if self.is_revert {
            format!("revert of {request}")
        } else {
            request
        }
    }
}

/// The change of a file by a step. An older server does not report the hash before the step; such a
/// step is never written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The path of the file.
    pub path: FilePath,
    /// The hash of the file before the step.
    pub from: Option<String>,
    /// The hash of the file after the step.
    pub to: Option<String>,
}

/// The position of the disk in the chain of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Nothing needs to be written.
    Settled,
    /// The steps from this index of the chain on are not on disk.
    Waiting(usize),
    /// The workspace has an approved edit, but the content on disk is not what the edit was made
    /// for.
    Conflict,
}

/// All steps, the oldest first.
#[derive(Debug, Default)]
pub struct Steps(pub Vec<Step>);

impl Steps {
    /// Loads the steps from the server.
    ///
    /// # Errors
    /// The errors of the server; [`Failure::Unusable`] for a path outside of the directory.
    pub fn load(client: &Client) -> Result<Self> {
        let mut steps = Vec::new();
        for proposal in client.proposals("applied")? {
            steps.extend(of_proposal(&proposal)?);
        }
        steps.sort_by_key(|step| step.version);
        Ok(Self(steps))
    }

    /// Returns the files that have steps.
    pub fn paths(&self) -> BTreeSet<&FilePath> {
        let files = self.0.iter().flat_map(|step| &step.files);
        files.map(|change| &change.path).collect()
    }

    /// Returns the steps of a file, each with its index in the list of all steps.
    pub fn chain(&self, path: &FilePath) -> Vec<(usize, &Change)> {
        let steps = self.0.iter().enumerate();
        steps
            .flat_map(|(index, step)| step.files.iter().map(move |change| (index, change)))
            .filter(|(_, change)| change.path == *path)
            .collect()
    }

    fn chains(&self) -> BTreeMap<&FilePath, Vec<&Change>> {
        let mut chains = BTreeMap::<&FilePath, Vec<&Change>>::new();
        for change in self.0.iter().flat_map(|step| &step.files) {
            chains.entry(&change.path).or_default().push(change);
        }
        chains
    }

    /// Returns the position of the disk in the chain of each file. `differs` holds the files that
    /// are different in the workspace; files that are the same are remembered.
    ///
    /// # Errors
    /// The errors of the server.
    pub fn standings(
        &self,
        client: &Client,
        disk: &BTreeMap<String, String>,
        differs: &BTreeSet<String>,
        memory: &mut Memory,
    ) -> Result<BTreeMap<FilePath, Standing>> {
        let mut standings = BTreeMap::new();
        for (path, chain) in self.chains() {
            let on_disk = disk.get(path.as_str()).map(String::as_str);
            let last = chain.last().and_then(|change| change.to.as_deref());
            if !differs.contains(path.as_str()) {
                if let (Some(hash), true) = (on_disk, on_disk == last) {
                    memory.take(path.as_str(), hash);
                }
                standings.insert(path.clone(), Standing::Settled);
                continue;
            }
            // The server is asked only about files that may need a write: an old workspace has
            // thousands of files.
            let taken = memory.taken(path.as_str());
            let is_open = last.is_some() && on_disk != last && taken != last;
            let standing = if is_open && client.hash(path.as_str())?.as_deref() == last {
                position(&chain, on_disk)
            } else {
                Standing::Settled
            };
            standings.insert(path.clone(), standing);
        }
        Ok(standings)
    }
}

/// Returns the position of a hash in a chain whose end is the hash in the workspace.
fn position(chain: &[&Change], on_disk: Option<&str>) -> Standing {
    let mut wanted: Option<&str> = None;
    for (index, change) in chain.iter().enumerate().rev() {
        let continues = wanted.is_none() || change.to.as_deref() == wanted;
        let (true, Some(from)) = (continues, change.from.as_deref()) else {
            break;
        };
        if on_disk == Some(from) {
            return Standing::Waiting(index);
        }
        wanted = Some(from);
    }
    Standing::Conflict
}

/// Returns the steps of a proposal.
///
/// # Errors
/// [`Failure::Unusable`] for a path outside of the directory.
fn of_proposal(proposal: &Proposal) -> Result<Vec<Step>> {
    let mut applied = Vec::new();
    for file in &proposal.files {
        let path = written_path(&file.file_path)?;
        applied.push(Change {
            path,
            from: file.applied_to_hash.clone(),
            to: file.new_file_hash.clone(),
        });
    }
    let reverted = applied.iter().map(|change| Change {
        path: change.path.clone(),
        from: change.to.clone(),
        to: change.from.clone(),
    });
    let reverted: Vec<Change> = reverted.collect();
    let step = |version: Option<u64>, is_revert, files| {
        version.map(|version| Step {
            request: proposal.request_id.clone(),
            is_revert,
            version,
            files,
        })
    };
    let steps = [
        step(proposal.applied_version, false, applied),
        step(proposal.reverted_version, true, reverted),
    ];
    Ok(steps.into_iter().flatten().collect())
}

/// Parses the path of a file that the server names for writing.
fn written_path(path: &str) -> Result<FilePath> {
    let unusable = |reason: String| Failure::Unusable {
        what: "list_proposals".to_owned(),
        reason: format!("it names a file that a workspace cannot have: {reason}"),
    };
    let first = path.split('/').next().unwrap_or_default();
    // Some file systems ignore case.
    if first.eq_ignore_ascii_case(OWN_FOLDER) {
        return Err(unusable(format!("{OWN_FOLDER} belongs to this command")));
    }
    FilePath::parse(path).map_err(|error| unusable(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::{Change, Standing, position};
    use code_model::project::FilePath;

    fn chain(steps: &[(&str, &str)]) -> Vec<Change> {
        let hash = |hash: &str| (!hash.is_empty()).then(|| hash.to_owned());
        steps
            .iter()
            .map(|(from, to)| Change {
                path: FilePath::parse("a").unwrap(),
                from: hash(from),
                to: hash(to),
            })
            .collect()
    }

    #[test]
    fn the_disk_is_where_its_hash_is_in_the_chain() {
        for (steps, disk, expected) in [
            (&[("a", "b")][..], Some("a"), Standing::Waiting(0)),
            (&[("a", "b"), ("b", "c")], Some("a"), Standing::Waiting(0)),
            (&[("a", "b"), ("b", "c")], Some("b"), Standing::Waiting(1)),
            // A reverted edit that was approved again: the later of the two positions counts.
            (
                &[("a", "b"), ("b", "a"), ("a", "b")],
                Some("a"),
                Standing::Waiting(2),
            ),
            (&[("a", "b")], Some("x"), Standing::Conflict),
            (&[("a", "b")], None, Standing::Conflict),
            // Somebody wrote the file between the two edits.
            (&[("a", "b"), ("c", "d")], Some("a"), Standing::Conflict),
            (&[("a", "b"), ("c", "d")], Some("c"), Standing::Waiting(1)),
            // A server that does not report the hash before the edit.
            (&[("", "b")], Some("a"), Standing::Conflict),
        ] {
            let steps = chain(steps);
            let steps: Vec<&Change> = steps.iter().collect();
            assert_eq!(position(&steps, disk), expected, "{steps:?} {disk:?}");
        }
    }
}
