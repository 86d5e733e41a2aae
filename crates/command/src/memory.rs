//! What the command remembers of a directory: for each file with approved edits the hash that it had when disk and workspace were the same. So an
//! edit that was written to disk and then worked on is known from one that is not on disk.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read as _;

use serde::{Deserialize, Serialize};

use crate::directory::{Directory, OWN_FOLDER, write_new};
use crate::failure::{Failure, Result};
use crate::limits::MAX_MEMORY_BYTES;

const NAME: &str = "state.json";

/// What is remembered.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    /// The address of the workspace: another one knows nothing of it.
    address: String,
    /// Paths with the hash that disk and workspace had in common last.
    taken: BTreeMap<String, String>,
    #[serde(skip)]
    is_changed: bool,
}

impl Memory {
    /// Reads it. What is not readable is as if it were not there: a file is then rather left out than sent.
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

    /// The hash that disk and workspace had in common last.
    pub fn taken(&self, path: &str) -> Option<&str> {
        self.taken.get(path).map(String::as_str)
    }

    /// Remembers that disk and workspace are the same.
    pub fn take(&mut self, path: &str, hash: &str) {
        if self.taken(path) != Some(hash) {
            self.taken.insert(path.to_owned(), hash.to_owned());
            self.is_changed = true;
        }
    }

    /// Writes it, if it changed.
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
