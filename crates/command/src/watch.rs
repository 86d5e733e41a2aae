//! `codemode sync --watch`: syncs after each change, once the directory is quiet.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use notify::event::ModifyKind;
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use crate::client::Client;
use crate::directory::{Directory, Hashes, Listing, OWN_FOLDER};
use crate::failure::{Ending, Failure, Result};
use crate::limits::{MAX_UNQUIET_MS, QUIET_MS, RETRY_MS};
use crate::sync::{UnwrittenEdits, sync};
use crate::terminal::say;

/// True if each folder has a watcher of its own. On Linux, a recursive watcher would also watch
/// everything that git ignores.
const IS_BY_FOLDER: bool = cfg!(target_os = "linux");

/// An event of the watcher.
type WatchEvent = notify::Result<Event>;

/// Watches a directory until the process ends.
///
/// # Errors
/// [`Failure::Watch`] if the system cannot report changes. A sync that fails is reported on `err`
/// and repeated.
pub fn watch(
    client: &Client,
    directory: &Directory,
    unwritten: UnwrittenEdits,
    (out, err): (&mut dyn Write, &mut dyn Write),
) -> Result<Ending> {
    let (sender, changes) = channel();
    let watcher = notify::recommended_watcher(move |event: WatchEvent| {
        // There is no receiver when the process ends.
        drop(sender.send(event));
    });
    let mut watched = Watched {
        watcher: watcher.map_err(refused(directory.root()))?,
        folders: BTreeSet::new(),
    };
    let mut hashes = Hashes::default();
    watched.follow(directory, &directory.list(&mut hashes))?;
    let mut last: Option<Listing> = None;
    let mut is_told = false;
    loop {
        let listing = directory.list(&mut hashes);
        // A file may have been created in a folder before the folder was watched.
        if watched.follow(directory, &listing)? {
            continue;
        }
        let mut retry = None;
        if last.as_ref() != Some(&listing) {
            match sync(client, directory, &mut hashes, unwritten, out) {
                Ok((_, listing)) => last = Some(listing),
                Err(failure) => {
                    say(err, &format!("error: {failure}"));
                    last = None;
                    retry = Some(Duration::from_millis(RETRY_MS));
                }
            }
        }
        if !is_told {
            is_told = true;
            say(out, &format!("watching {}", directory.root().display()));
        }
        // A pipe would buffer lines that somebody waits for.
        drop(out.flush());
        let Some(moved) = wait(&changes, directory.root(), retry) else {
            return Ok(Ending::Done);
        };
        watched.recall(&moved);
    }
}

struct Watched {
    watcher: RecommendedWatcher,
    folders: BTreeSet<PathBuf>,
}

impl Watched {
    /// Forgets folders that were created, removed or moved: another folder may have the same name,
    /// and is not watched yet.
    fn recall(&mut self, moved: &[PathBuf]) {
        self.folders
            .retain(|folder| !moved.iter().any(|moved| folder.starts_with(moved)));
    }

    /// Watches new folders. Returns true if there were any.
    fn follow(&mut self, directory: &Directory, listing: &Listing) -> Result<bool> {
        let root = [directory.root().to_owned()];
        let (folders, mode) = if IS_BY_FOLDER {
            (listing.folders.as_slice(), RecursiveMode::NonRecursive)
        } else {
            (root.as_slice(), RecursiveMode::Recursive)
        };
        // A folder that no longer exists is not watched, and may return later.
        let present: BTreeSet<&PathBuf> = folders.iter().collect();
        self.folders.retain(|folder| present.contains(folder));
        let mut has_more = false;
        for folder in folders {
            if self.folders.contains(folder) {
                continue;
            }
            match self.watcher.watch(folder, mode) {
                Ok(()) => {
                    self.folders.insert(folder.clone());
                    has_more = true;
                }
                // The folder has been deleted already.
                Err(_) if !folder.exists() => {}
                Err(error) => return Err(refused(folder)(error)),
            }
        }
        Ok(has_more)
    }
}

fn refused(path: &Path) -> impl FnOnce(notify::Error) -> Failure {
    let path = path.to_owned();
    move |error| Failure::Watch {
        path,
        reason: error.to_string(),
    }
}

/// Returns true if an event may concern files that are synced.
fn is_about_files(event: &WatchEvent, root: &Path) -> bool {
    let Ok(event) = event else {
        // Events were lost: anything may have changed.
        return true;
    };
    let own = root.join(OWN_FOLDER);
    !matches!(event.kind, EventKind::Access(_))
        && (event.paths.is_empty() || event.paths.iter().any(|path| !path.starts_with(&own)))
}

/// Waits for a change and then for quiet. Returns the paths that were created, removed or moved
/// meanwhile, or nothing if no more changes can arrive.
fn wait(
    changes: &Receiver<WatchEvent>,
    root: &Path,
    retry: Option<Duration>,
) -> Option<Vec<PathBuf>> {
    let mut moved = Vec::new();
    let until = retry.map(|retry| Instant::now() + retry);
    loop {
        let event = match until {
            None => changes.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(until) => changes.recv_timeout(until.saturating_duration_since(Instant::now())),
        };
        match event {
            Ok(event) => {
                note(&event, root, &mut moved);
                if is_about_files(&event, root) {
                    break;
                }
            }
            Err(RecvTimeoutError::Timeout) => return Some(moved),
            Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
    let quiet = Duration::from_millis(QUIET_MS);
    let end = Instant::now() + Duration::from_millis(MAX_UNQUIET_MS);
    while Instant::now() < end {
        match changes.recv_timeout(quiet) {
            Ok(event) => note(&event, root, &mut moved),
            Err(RecvTimeoutError::Timeout) => break,
            Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
    Some(moved)
}

/// Records the paths that an event created, removed or moved; the whole directory if events were
/// lost.
fn note(event: &WatchEvent, root: &Path, moved: &mut Vec<PathBuf>) {
    match event {
        Ok(event) if event.need_rescan() => moved.push(root.to_owned()),
        Ok(event) => {
            let is_move = matches!(
                event.kind,
                EventKind::Create(_)
                    | EventKind::Remove(_)
                    | EventKind::Modify(ModifyKind::Name(_))
            );
            if is_move {
                moved.extend(event.paths.iter().cloned());
            }
        }
        Err(_) => moved.push(root.to_owned()),
    }
}
