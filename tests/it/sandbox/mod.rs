//! What the object keeps of programs, on real SQLite. Programs themselves run in workerd: tests/worker/programs*.test.mjs.

mod executions;
mod keep;
mod pieces;
mod prompt;

use codemode_database::config::Config;
use codemode_database::session::Session;
use codemode_database::session::statement_cache::StatementCache;

use crate::session::{NOW_MS, config};
use crate::support::HostDatabase;

/// A session with the default settings.
fn in_session<T>(db: &HostDatabase, work: impl FnOnce(&Session<'_, HostDatabase>) -> T) -> T {
    let (config, cache): (Config, StatementCache) = (config(), StatementCache::default());
    work(&Session {
        db,
        settings: &config.session,
        now_ms: NOW_MS,
        name: "test",
        cache: &cache,
        scope: None,
    })
}
