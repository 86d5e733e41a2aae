//! What a session tells its tenant's index: that it was used, and that it is deleted.
//!
//! A use is told when the time of last use was written, so at most once in 5 minutes, behind the response and never before it. What could not be
//! told is told with the next request. A deployment without the index has no list, and everything else works.

use std::cell::Cell;
use std::rc::Rc;

use wasm_bindgen::JsValue;
use wasm_bindgen_futures::spawn_local;

use super::super::notes::send;
use super::super::storage::ObjectDatabase;
use database::Database;
use index::{Note, ObjectKind};

/// The time of a use that the index has not been told.
pub type Untold = Rc<Cell<Option<u64>>>;

/// Tells a use without anybody waiting for it.
pub fn tell(
    env: &JsValue,
    tenant: &str,
    name: &str,
    database: &ObjectDatabase,
    ttl_seconds: u64,
    untold: &Untold,
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

/// Takes a deleted session off the list. The list puts itself right later where this fails.
pub async fn remove(env: &JsValue, tenant: &str, name: &str) {
    let note = Note::Deleted {
        kind: ObjectKind::Session,
        name: name.to_owned(),
    };
    send(env, tenant, &note).await;
}
