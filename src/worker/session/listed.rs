//! The notes of a session to its tenant's index: that it was used, and that it was deleted.
//!
//! A use is reported when the time of last use was written, so at most once in 5 minutes, and never
//! before the response. If a note does not arrive, the next request sends another. A deployment
//! without the index has no list; everything else works.

use std::cell::Cell;
use std::rc::Rc;

use wasm_bindgen::JsValue;
use wasm_bindgen_futures::spawn_local;

use super::super::notes::send;
use super::super::storage::ObjectDatabase;
use database::Database;
use index::{Note, ObjectKind};

/// The time of a use that was not reported to the index yet.
pub type UnreportedUse = Rc<Cell<Option<u64>>>;

/// Reports a use; nobody waits for the note.
pub fn tell(
    env: &JsValue,
    tenant: &str,
    name: &str,
    database: &ObjectDatabase,
    ttl_seconds: u64,
    untold: &UnreportedUse,
) {
    let Some(last_use_ms) = untold.take() else {
        return;
    };
    let note = Note::Used {
        kind: ObjectKind::Session,
        name: name.to_owned(),
        size_bytes: database.size_bytes(),
        last_use_ms,
        expires_at_ms: Some(session::expiry::expires_at_ms(last_use_ms, ttl_seconds)),
        details: None,
    };
    let (env, tenant, untold) = (env.clone(), tenant.to_owned(), Rc::clone(untold));
    spawn_local(async move {
        if !send(&env, &tenant, &note).await {
            untold.set(Some(last_use_ms));
        }
    });
}

/// Removes a deleted session from the list. If this fails, the list corrects itself later.
pub async fn remove(env: &JsValue, tenant: &str, name: &str) {
    let note = Note::Deleted {
        kind: ObjectKind::Session,
        name: name.to_owned(),
    };
    send(env, tenant, &note).await;
}
