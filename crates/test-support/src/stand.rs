//! Everything that a session of a test needs in addition to its database.

use database::Database;
use session::statement_cache::StatementCache;
use session::{Session, Settings};

/// The time of tests, in milliseconds since 1970: 2026-11-21T22:10:00Z.
pub const NOW_MS: u64 = 1_795_299_000_000;

/// The settings, time, name and statement cache of a session.
pub struct Stand {
    settings: Settings,
    cache: StatementCache,
    now_ms: u64,
    name: &'static str,
}

impl Stand {
    /// Makes a stand with the settings of a deployment.
    pub fn new(settings: &Settings) -> Self {
        Self {
            settings: settings.clone(),
            cache: StatementCache::default(),
            now_ms: NOW_MS,
            name: "test",
        }
    }

    /// Sets the time.
    pub fn at(self, now_ms: u64) -> Self {
        Self { now_ms, ..self }
    }

    /// Sets the name.
    pub fn named(self, name: &'static str) -> Self {
        Self { name, ..self }
    }

    /// Returns the session of a database.
    pub fn session<'a, D: Database>(&'a self, db: &'a D) -> Session<'a, D> {
        Session {
            db,
            settings: &self.settings,
            now_ms: self.now_ms,
            name: self.name,
            cache: &self.cache,
            scope: None,
        }
    }
}
