//! The Durable Object `KnowledgeGraph`: the graph of one conversation, the single writer of its
//! SQLite database.
//!
//! `serve` handles routes, `call` is one request, `operate` serves an operation without a request,
//! `events` streams changes to readers, `tables` reaches the tables of sessions, and `listed` sends
//! notes to the tenant's index.
//!
//! A graph lives until it is deleted. A graph that was only read and never written deletes itself.

mod call;
mod events;
mod listed;
mod operate;
mod serve;
mod tables;

use std::rc::Rc;

use wasm_bindgen::JsValue;
use web_sys::Request;

use super::instance;
use super::object::{Kind, Object, Served, Work, export_object};
use super::storage::ObjectDatabase;
use crate::config::Config;
use crate::limits::UNUSED_GRAPH_MS;
use base::Result;
use database::migrations::Migration;
use session::statement_cache::StatementCache;

use ::graph::Memory;
use ::graph::readers::Readers;

export_object!("objects-module", KnowledgeGraph, Graph);

#[cfg(feature = "objects-module")]
#[wasm_bindgen::prelude::wasm_bindgen]
impl KnowledgeGraph {
    /// Serves an operation of a client; see `operate`.
    #[must_use]
    pub fn operate(
        &self,
        tenant: String,
        conversation: String,
        method: &str,
        path: &str,
        actor: Option<String>,
        body: Vec<u8>,
    ) -> Option<Vec<u8>> {
        let names = (tenant, conversation);
        let actor = actor.as_deref();
        self.object.operate_now(names, method, path, actor, body)
    }
}

/// The state of a graph that an instance holds in memory.
pub struct Graph {
    /// The statements of `query` that were reviewed before.
    cache: Rc<StatementCache>,
    /// The row about the graph.
    memory: Rc<Memory>,
    /// The readers of changes.
    readers: Rc<Readers>,
    /// The time of the last note to the tenant's index.
    told: listed::LastNote,
}

impl Kind for Graph {
    const NAME: &'static str = "graph";
    const MIGRATIONS: &'static [Migration] = ::graph::MIGRATIONS;

    fn new(_env: &JsValue) -> Self {
        Self {
            cache: Rc::default(),
            memory: Rc::default(),
            readers: Rc::default(),
            told: listed::LastNote::default(),
        }
    }

    fn due_times_ms(database: &ObjectDatabase, _config: &Config) -> Result<Vec<u64>> {
        Ok(if ::graph::exists(database)? {
            Vec::new()
        } else {
            vec![instance::now_ms().saturating_add(UNUSED_GRAPH_MS)]
        })
    }

    fn ring(object: Rc<Object<Self>>) -> Work {
        Box::pin(async move {
            if !::graph::exists(&object.database())? && !object.is_running() {
                object.delete().await?;
            }
            Ok(())
        })
    }

    fn serve(object: Rc<Object<Self>>, request: Request) -> Served {
        Box::pin(object.respond(request))
    }

    fn forget(&self, _env: &JsValue) {
        self.cache.forget();
        self.memory.forget();
        self.told.forget();
        self.readers.deleted();
    }
}
