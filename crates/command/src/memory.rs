//! The memory of the command for a directory: for each file with approved edits, the hash that disk
//! and workspace last had in common. It distinguishes an edit that was written to disk and then
//! changed from one that is not on disk.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read as _;

use serde::{Deserialize, Serialize};

use crate::directory::{Directory, OWN_FOLDER, write_new};
use crate::failure::{Failure, Result};
use crate::limits::MAX_MEMORY_BYTES;

const NAME: &str = "state.json";

/// The saved state.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    /// The address of the workspace. For another workspace the state is not valid.
    address: String,
    /// The paths, each with the hash that disk and workspace last had in common.
    taken: BTreeMap<String, String>,
    #[serde(skip)]
    is_changed: bool,
}

impl Memory {
    /// Loads the state. An unreadable file counts as missing: then files are left out rather than
    /// sent.
    pub fn load(directory: &Directory, address: &str) -> Self {
        let empty = Self {
            address: address.to_owned(),
            ..Self::default()
        };
        let folder = directory.root().join(OWN_FOLDER);
        if !fs::symlink_metadata(&folder).is_ok_and(|metadata| metadata.is_dir()) {
            return empty;
        }
        let mut text = String::new();
        let read = File::open(folder.join(NAME))
            .and_then(|file| file.take(MAX_MEMORY_BYTES).read_to_string(&mut text));
        let found = read
            .ok()
            .and_then(|_| serde_json::from_str::<Self>(&text).ok());
        found
            .filter(|found| found.address == address)
            .unwrap_or(empty)
    }

    /// Returns the hash that disk and workspace last had in common.
    pub fn taken(&self, path: &str) -> Option<&str> {
        self.taken.get(path).map(String::as_str)
    }

    /// Records that disk and workspace have the same hash.
    pub fn take(&mut self, path: &str, hash: &str) {
        if self.taken(path) != Some(hash) {
            self.taken.insert(path.to_owned(), hash.to_owned());
            self.is_changed = true;
        }
    }

    /// Saves the state, if it changed.
    ///
    /// # Errors
    /// [`Failure::Local`].
    pub fn save(&mut self, directory: &Directory) -> Result<()> {
        if !self.is_changed {
            return Ok(());
        }
        let folder = directory.own_folder()?;
        let (path, temporary) = (
            folder.join(NAME),
            folder.join(format!("{}-{NAME}", std::process::id())),
        );
        let text = serde_json::to_string_pretty(self).unwrap_or_default();
        drop(fs::remove_file(&temporary));
        write_new(&temporary, text.as_bytes(), None)?;
        fs::rename(&temporary, &path).map_err(Failure::local("replace", &path))?;
        self.is_changed = false;
        Ok(())
    }
}
