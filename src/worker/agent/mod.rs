//! The Durable Object `AgentThread`: one chat thread, the single writer of its SQLite database.
//!
//! `serve` handles routes, `call` is one request, `world` implements the platform for the domain,
//! `writer` is the model (with `ai`) or the planner, `asking` sends requests to other objects,
//! `driving` keeps the thread at its work, and `stream` sends events to readers.
//!
//! A thread lives until it is deleted. A thread in which no question was ever asked deletes itself.

pub mod ai;
mod asking;
mod call;
mod driving;
mod serve;
mod stream;
mod world;
mod writer;

use std::cell::Cell;
use std::rc::Rc;

use wasm_bindgen::JsValue;
use web_sys::Request;

use super::instance;
use super::object::{Kind, Object, Served, Work, export_object};
use super::storage::ObjectDatabase;
use crate::config::Config;
use crate::limits::{UNFINISHED_TURN_MS, UNUSED_THREAD_MS};
use ::agent::state::Step;
use ::agent::store::Store;
use base::Result;
use database::migrations::Migration;

use stream::Readers;

export_object!("objects-module", AgentThread, Agent);

/// The state of a thread that an instance holds in memory.
pub struct Agent {
    /// The readers of the thread's events.
    readers: Rc<Readers>,
    /// True while a task works on the thread.
    driving: Cell<bool>,
}

impl Kind for Agent {
    const NAME: &'static str = "agent";
    const MIGRATIONS: &'static [Migration] = ::agent::MIGRATIONS;

    fn new(_env: &JsValue) -> Self {
        Self {
            readers: Rc::default(),
            driving: Cell::new(false),
        }
    }

    fn due_times_ms(database: &ObjectDatabase, _config: &Config) -> Result<Vec<u64>> {
        let now_ms = instance::now_ms();
        let store = Store {
            db: database,
            now_ms,
        };
        let Some(head) = store.head()? else {
            return Ok(vec![now_ms.saturating_add(UNUSED_THREAD_MS)]);
        };
        Ok(match (head.step, head.values.approval) {
            (Step::HumanApproval, Some(approval)) => vec![approval.expires_at_ms],
            (step, _) if step.is_running() => vec![now_ms.saturating_add(UNFINISHED_TURN_MS)],
            _ => Vec::new(),
        })
    }

    fn ring(object: Rc<Object<Self>>) -> Work {
        Box::pin(object.go_on())
    }

    fn serve(object: Rc<Object<Self>>, request: Request) -> Served {
        Box::pin(object.respond(request))
    }

    fn forget(&self, _env: &JsValue) {
        self.readers.rang();
    }
}
