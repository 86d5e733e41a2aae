//! Serves the requests to a session that concern the tenant's persistent tables.

use wasm_bindgen::JsValue;

use super::super::d1::Remote;
use super::super::storage::ObjectDatabase;
use crate::config::Config;
use base::Result;
use session::persistent::{self, Persistent};
use session::{Reply, Session};

/// The kinds of requests to the persistent database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PersistentRequestKind {
    /// An operation with `"target":"persistent"`.
    Operation,
    /// A copy of a table of the session.
    Copy,
}

/// Serves a request to the persistent database.
///
/// # Errors
/// [`session::SessionError::PersistentUnavailable`] without the binding, or those of the operation.
pub async fn run(
    env: &JsValue,
    tenant: &str,
    config: &Config,
    session: &Session<'_, ObjectDatabase>,
    confirmed: Option<&str>,
    wanted: PersistentRequestKind,
    body: &str,
) -> Result<Reply> {
    let remote = Remote::of(env)?;
    let persistent = Persistent::new(&remote, tenant, &config.session, session.now_ms)
        .within(session.scope)
        .confirmed(confirmed);
    match wanted {
        PersistentRequestKind::Operation => session::dispatch_persistent(&persistent, body).await,
        PersistentRequestKind::Copy => persistent::persist(&persistent, session, body).await,
    }
}
