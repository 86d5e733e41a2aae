//! The notes of a graph to its tenant's index: that it was used, with its name and size, and that
//! it was deleted.
//!
//! A use is reported at most once in some minutes and a new name at once, both after the response.
//! If a note does not arrive, the next change sends another.

use std::cell::Cell;
use std::rc::Rc;

use wasm_bindgen::JsValue;
use wasm_bindgen_futures::spawn_local;

use super::super::instance;
use super::super::notes::send;
use super::super::object::Object;
use super::Graph;
use super::call::Call;
use crate::limits::GRAPH_NOTE_RESOLUTION_MS;
use database::Database as _;
use index::{Note, ObjectKind};

/// The time of the last note, in milliseconds since 1970.
#[derive(Clone, Default)]
pub struct LastNote(Rc<Cell<Option<u64>>>);

impl LastNote {
    /// Forgets the time when the graph is deleted.
    pub fn forget(&self) {
        self.0.set(None);
    }
}

/// The urgency of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoteUrgency {
    /// At once, because a list shows the changed value.
    AtOnce,
    /// At most once in some minutes.
    InTime,
}

/// Reports a change; nobody waits for the note.
pub fn tell(object: &Rc<Object<Graph>>, call: &Call, when: NoteUrgency) {
    let (now_ms, told) = (instance::now_ms(), object.kind.told.clone());
    let is_fresh = told
        .0
        .get()
        .is_some_and(|told_ms| now_ms.saturating_sub(told_ms) < GRAPH_NOTE_RESOLUTION_MS);
    if is_fresh && when == NoteUrgency::InTime {
        return;
    }
    // The change is committed; an outdated entry in the list is no failure of it.
    let Ok(details) = ::graph::summary(&call.graph()) else {
        return;
    };
    told.0.set(Some(now_ms));
    let note = Note::Used {
        kind: ObjectKind::Graph,
        name: call.conversation.clone(),
        size_bytes: call.database().size_bytes(),
        last_use_ms: now_ms,
        expires_at_ms: None,
        details: Some(details),
    };
    let (env, tenant) = (object.env.clone(), call.tenant.clone());
    spawn_local(async move {
        if !send(&env, &tenant, &note).await {
            told.forget();
        }
    });
}

/// Removes a deleted graph from the list.
pub async fn remove(env: &JsValue, tenant: &str, conversation: &str) {
    let note = Note::Deleted {
        kind: ObjectKind::Graph,
        name: conversation.to_owned(),
    };
    send(env, tenant, &note).await;
}
