//! The Durable Object `CodeWorkspace`: the files of one workspace with their index, the single
//! writer of its SQLite database.
//!
//! `serve` handles routes, `call` is one request, `embedding` makes vectors, and `listed` sends
//! notes to the tenant's index.
//!
//! A workspace lives until it is deleted. A workspace that was only read and never written deletes
//! itself.

mod call;
mod embedding;
mod listed;
mod serve;

use std::cell::RefCell;
use std::rc::Rc;

use wasm_bindgen::JsValue;
use web_sys::Request;

use super::instance;
use super::object::{Kind, Object, Served, Work, export_object};
use super::storage::ObjectDatabase;
use crate::config::Config;
use crate::limits::UNUSED_WORKSPACE_MS;
use base::Result;
use code::operate::Memory;
use database::migrations::Migration;

export_object!("objects-module", CodeWorkspace, Code);

/// The state of a workspace that an instance holds in memory.
pub struct Code {
    memory: RefCell<Memory>,
    /// The state of the model that makes its vectors.
    embedding: embedding::State,
    /// The time of the last note to the tenant's index.
    told: listed::Told,
}

impl Kind for Code {
    const NAME: &'static str = "code";
    const MIGRATIONS: &'static [Migration] = ::code_model::MIGRATIONS;

    fn new(_env: &JsValue) -> Self {
        Self {
            memory: RefCell::new(Memory {
                vectors: embedding::none_yet(),
                recent: None,
            }),
            embedding: embedding::State::default(),
            told: listed::Told::default(),
        }
    }

    fn due_times_ms(database: &ObjectDatabase, _config: &Config) -> Result<Vec<u64>> {
        Ok(if ::code_model::exists(database)? {
            Vec::new()
        } else {
            vec![instance::now_ms().saturating_add(UNUSED_WORKSPACE_MS)]
        })
    }

    fn ring(object: Rc<Object<Self>>) -> Work {
        Box::pin(async move {
            if !::code_model::exists(&object.database())? && !object.is_running() {
                object.delete().await?;
            }
            Ok(())
        })
    }

    fn serve(object: Rc<Object<Self>>, request: Request) -> Served {
        Box::pin(object.respond(request))
    }

    fn forget(&self, _env: &JsValue) {
        let mut memory = self.memory.borrow_mut();
        memory.vectors.forget();
        memory.recent = None;
        self.told.forget();
    }
}
