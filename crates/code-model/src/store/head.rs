//! The single row about a workspace, with its version and its counters, and the version that a
//! request names.

use base::{Error, Result};
use database::{Bind, Database, DatabaseExt};

use super::rows::{number, row};
use crate::CodeError;

const LOAD: &str = "SELECT created_at, updated_at, version, floor, file_count, item_count, byte_count, past_bytes, next_file, next_content, \
     next_item FROM code_workspace";
const SAVE: &str = "UPDATE code_workspace SET created_at = coalesce(created_at, ?1), updated_at = ?1, version = ?2, floor = ?3, file_count = ?4, \
     item_count = ?5, byte_count = ?6, past_bytes = ?7, next_file = ?8, next_content = ?9, next_item = ?10";
const VERSION_AT: &str =
    "SELECT coalesce(max(version), 0) FROM code_versions WHERE created_at <= ?1";

const PAST_FILES: &str = "SELECT count(*), coalesce(sum(byte_len), 0) FROM code_files WHERE valid_from <= ?1 AND valid_to > ?1";
const PAST_ITEMS: &str = "SELECT count(*) FROM code_items WHERE valid_from <= ?1 AND valid_to > ?1";

/// The size of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Totals {
    /// The number of files.
    pub files: u64,
    /// The number of items.
    pub items: u64,
    /// The bytes of the files.
    pub bytes: u64,
}

/// The version that a request names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AsOf {
    /// The present version.
    #[default]
    Now,
    /// The version with this number.
    Version(u64),
    /// The version that was present at this time, in milliseconds since 1970.
    Time(u64),
}

/// The row about the workspace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Head {
    /// The time of its first write; `None` if there was none.
    pub created_at: Option<u64>,
    /// The time of its last write.
    pub updated_at: Option<u64>,
    /// Its version.
    pub version: u64,
    /// The oldest version that can be read.
    pub floor: u64,
    /// The number of its files.
    pub files: u64,
    /// The number of its items.
    pub items: u64,
    /// The bytes of its files.
    pub bytes: u64,
    /// The bytes of past files.
    pub past_bytes: u64,
    pub(crate) next_file: u64,
    pub(crate) next_content: u64,
    pub(crate) next_item: u64,
}

impl Head {
    /// Loads the row.
    ///
    /// # Errors
    /// Errors of the engine.
    pub fn load<D: Database>(db: &D) -> Result<Self> {
        let head = row(db, LOAD, &[], |row| Self {
            created_at: row.optional_number(),
            updated_at: row.optional_number(),
            version: row.number(),
            floor: row.number(),
            files: row.number(),
            items: row.number(),
            bytes: row.number(),
            past_bytes: row.number(),
            next_file: row.number(),
            next_content: row.number(),
            next_item: row.number(),
        })?;
        head.ok_or_else(|| Error::internal("the workspace has no row"))
    }

    /// Returns the size of a version. For the present one it is stored, for others it is counted.
    pub(crate) fn totals<D: Database>(&self, db: &D, version: u64) -> Result<Totals> {
        if version == self.version {
            return Ok(Totals {
                files: self.files,
                items: self.items,
                bytes: self.bytes,
            });
        }
        let binds = [Bind::number(version)];
        let (files, bytes) =
            row(db, PAST_FILES, &binds, |row| (row.number(), row.number()))?.unwrap_or_default();
        let items = number(db, PAST_ITEMS, &binds)?;
        Ok(Totals {
            files,
            items,
            bytes,
        })
    }

    pub(crate) fn save<D: Database>(&self, db: &D, now_ms: u64) -> Result<()> {
        let numbers = [
            now_ms,
            self.version,
            self.floor,
            self.files,
            self.items,
            self.bytes,
            self.past_bytes,
            self.next_file,
            self.next_content,
            self.next_item,
        ];
        db.run(SAVE, &numbers.map(Bind::number)).map(drop)
    }

    /// Returns the version that a request names.
    ///
    /// # Errors
    /// [`CodeError::VersionNotKept`] if the history does not have it.
    pub fn at<D: Database>(&self, db: &D, as_of: AsOf) -> Result<u64> {
        let version = match as_of {
            AsOf::Now => return Ok(self.version),
            AsOf::Version(version) => version,
            AsOf::Time(time_ms) => number(db, VERSION_AT, &[Bind::number(time_ms)])?,
        };
        if (self.floor..=self.version).contains(&version) {
            return Ok(version);
        }
        Err(Error::from(CodeError::VersionNotKept {
            version,
            oldest: self.floor,
            newest: self.version,
        }))
    }
}
