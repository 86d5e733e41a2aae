//! The notes of a workspace to its tenant's index: that it was used, with its size, and that it was
//! deleted.
//!
//! A use is reported at most once in some minutes, after the response. If a note does not arrive,
//! the next write sends another.

use std::cell::Cell;
use std::rc::Rc;

use serde_json::json;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::spawn_local;

use super::super::instance;
use super::super::notes::send;
use super::super::object::Object;
use super::Code;
use super::call::Call;
use crate::limits::WORKSPACE_NOTE_RESOLUTION_MS;
use ::code_model::Head;
use database::Database as _;
use index::{Note, ObjectKind};

/// The time of the last note, in milliseconds since 1970.
#[derive(Clone, Default)]
pub struct Told(Rc<Cell<Option<u64>>>);

impl Told {
    /// Forgets the time when the workspace is deleted.
    pub fn forget(&self) {
        self.0.set(None);
    }
}

/// Reports a write; nobody waits for the note.
pub fn tell(object: &Rc<Object<Code>>, call: &Call) {
    let (now_ms, told) = (instance::now_ms(), object.kind.told.clone());
    let is_fresh = told
        .0
        .get()
        .is_some_and(|told_ms| now_ms.saturating_sub(told_ms) < WORKSPACE_NOTE_RESOLUTION_MS);
    if is_fresh {
        return;
    }
    // The write is committed; an outdated entry in the list is no failure of it.
    let Ok(head) = Head::load(call.database()) else {
        return;
    };
    told.0.set(Some(now_ms));
    let note = Note::Used {
        kind: ObjectKind::Workspace,
        name: call.workspace.clone(),
        size_bytes: call.database().size_bytes(),
        last_use_ms: now_ms,
        expires_at_ms: None,
        details: Some(json!({ "files": head.files, "items": head.items, "version": head.version })),
    };
    let (env, tenant) = (object.env.clone(), call.tenant.clone());
    spawn_local(async move {
        if !send(&env, &tenant, &note).await {
            told.forget();
        }
    });
}

/// Removes a deleted workspace from the list.
pub async fn remove(env: &JsValue, tenant: &str, workspace: &str) {
    let note = Note::Deleted {
        kind: ObjectKind::Workspace,
        name: workspace.to_owned(),
    };
    send(env, tenant, &note).await;
}
