//! A workspace in memory, and what a test reads of it.

use std::cell::Cell;

use base::Result;
use code::project::FilePath;
use code::{Changes, Committed, FileWrite, Settings, Workspace, write_files};
use database::migrations;

use crate::support::host::HostDatabase;

/// 2026-11-21T22:10:00Z.
pub const NOW_MS: u64 = 1_795_299_000_000;

/// Words as the tests need them: lower case, split at what is neither letter nor digit.
pub fn words(text: &str) -> String {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    words.join(" ")
}

/// A workspace with a clock that goes on with each request.
pub struct World {
    pub db: HostDatabase,
    pub settings: Settings,
    now_ms: Cell<u64>,
}

impl World {
    pub fn new() -> Self {
        Self::with(Settings::default())
    }

    pub fn with(settings: Settings) -> Self {
        let db = HostDatabase::new();
        migrations::apply(&db, code::MIGRATIONS, NOW_MS).unwrap();
        Self {
            db,
            settings,
            now_ms: NOW_MS.into(),
        }
    }

    pub fn workspace(&self) -> Workspace<'_, HostDatabase> {
        self.now_ms.set(self.now_ms.get() + 1);
        Workspace {
            db: &self.db,
            settings: &self.settings,
            now_ms: self.now_ms.get(),
            actor: "api",
            words: &words,
        }
    }

    pub fn write(&self, files: &[(&str, &str)]) -> Committed {
        self.try_write(files).unwrap()
    }

    pub fn try_write(&self, files: &[(&str, &str)]) -> Result<Committed> {
        write_files(&self.workspace(), "test", &changes(files, &[]))
    }

    pub fn delete(&self, paths: &[&str]) -> Committed {
        write_files(&self.workspace(), "test", &changes(&[], paths)).unwrap()
    }
}

pub fn changes(files: &[(&str, &str)], deletes: &[&str]) -> Changes {
    let path = |path: &str| FilePath::parse(path).unwrap();
    Changes {
        writes: files
            .iter()
            .map(|(name, text)| FileWrite {
                path: path(name),
                bytes: text.as_bytes().to_vec(),
                modified_ms: NOW_MS,
            })
            .collect(),
        deletes: deletes.iter().map(|name| path(name)).collect(),
    }
}
