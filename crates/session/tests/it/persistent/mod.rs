//! Persistent tables: one database, several tenants, on real SQLite.

mod approved;
mod copying;
mod dropping;
mod isolation;
mod paging;
mod remote;
mod rewriting;
mod statements;

use base::Error;
use futures::FutureExt as _;
use serde_json::{Value, json};
use session::Session;
use session::Settings;
use session::persistent::{Persistent, dispatch, persist};
use session::statement_cache::StatementCache;
use sql_gate::SqlError;

pub use remote::HostRemote;

use test_support::HostDatabase;
use test_support::NOW_MS;

/// Returns the reply or the error of an operation of a tenant.
fn operation(remote: &HostRemote, tenant: &str, body: &Value) -> Result<Value, Error> {
    operation_under(&Settings::default(), remote, tenant, body)
}

/// Does the same with the test's own settings.
fn operation_under(
    settings: &Settings,
    remote: &HostRemote,
    tenant: &str,
    body: &Value,
) -> Result<Value, Error> {
    let persistent = Persistent::new(remote, tenant, settings, NOW_MS);
    let answer = dispatch(&persistent, &body.to_string())
        .now_or_never()
        .unwrap()?;
    Ok(test_support::body(&answer))
}

fn exec(remote: &HostRemote, tenant: &str, sql: &str) -> Value {
    operation(remote, tenant, &json!({"operation": "exec", "sql": sql}))
        .unwrap_or_else(|error| panic!("{error:?}: {sql}"))
}

/// Returns the rows of a query, as arrays.
fn rows(remote: &HostRemote, tenant: &str, sql: &str) -> Value {
    let body = json!({"operation": "query", "sql": sql, "rowFormat": "array"});
    operation(remote, tenant, &body).unwrap_or_else(|error| panic!("{error:?}: {sql}"))["results"]
        .take()
}

fn error(remote: &HostRemote, tenant: &str, sql: &str) -> Error {
    match operation(remote, tenant, &json!({"operation": "exec", "sql": sql})) {
        Err(error) => error,
        Ok(answer) => panic!("{sql}: {answer}"),
    }
}

/// Returns the rule that refused a statement.
fn reason(remote: &HostRemote, tenant: &str, sql: &str) -> &'static str {
    match error(remote, tenant, sql).into_problem() {
        Ok(SqlError::SqlBlocked { reason, .. }) => reason,
        other => panic!("{sql}: {other:?}"),
    }
}

/// Copies a table of a session.
fn copy(
    remote: &HostRemote,
    tenant: &str,
    session: &HostDatabase,
    body: &Value,
) -> Result<Value, Error> {
    let settings = Settings::default();
    let persistent = Persistent::new(remote, tenant, &settings, NOW_MS);
    let cache = StatementCache::default();
    let session = Session {
        db: session,
        settings: &settings,
        cache: &cache,
        scope: None,
        now_ms: NOW_MS,
        name: "test",
    };
    let answer = persist(&persistent, &session, &body.to_string())
        .now_or_never()
        .unwrap()?;
    Ok(test_support::body(&answer))
}
