//! The parts of a session that concern programs, on real SQLite. Programs themselves run in
//! workerd: tests/worker/programs*.test.mjs.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at its first surprise; clippy.toml allows this in test functions, and here the helpers may, too"
)]

mod executions;
mod keep;
mod pieces;
mod prompt;

use session::Session;
use session::Settings;
use session::statement_cache::StatementCache;

use test_support::HostDatabase;
use test_support::NOW_MS;

/// Calls `work` with a session that has the default settings.
fn in_session<T>(db: &HostDatabase, work: impl FnOnce(&Session<'_, HostDatabase>) -> T) -> T {
    let (settings, cache): (Settings, StatementCache) =
        (Settings::default(), StatementCache::default());
    work(&Session {
        db,
        settings: &settings,
        now_ms: NOW_MS,
        name: "test",
        cache: &cache,
        scope: None,
    })
}
