//! The Durable Object `CodeModeDatabase`: one session, the single writer of its SQLite database.
//!
//! `serve` does what routes ask, `call` is one request, `table_requests` reads those about a table, `d1` is the way to the persistent
//! database, `listed` tells the tenant's index of the session.

mod call;
pub mod d1;
mod listed;
mod serve;
mod table_requests;

use std::rc::Rc;

use futures::future::LocalBoxFuture;
use wasm_bindgen::JsValue;
use web_sys::{Request, Response};

use super::instance;
use super::isolate::Sandboxes;
use super::object::{Class, Kind, Object, export_object};
use super::servers::Servers;
use super::storage::ObjectDatabase;
use crate::config::Config;
use base::Result;
use database::migrations::Migration;
use session::expiry;
use session::statement_cache::StatementCache;
use tools::gateway::Connections;

pub use call::{Call, Streaming, operation_named_first};

/// As others reach it.
pub const SESSION: Class = Class {
    binding: "CODEMODE_DB",
    in_words: "the session's database",
};

export_object!(
    /// Named in `wrangler.toml`.
    CodeModeDatabase,
    Session
);

/// What an instance remembers of a session.
pub struct Session {
    /// Statements seen before.
    cache: Rc<StatementCache>,
    /// What the tenant's index has not been told.
    untold: listed::Untold,
    /// Programs that run.
    sandboxes: Sandboxes,
    /// To the servers whose tools it calls.
    connections: Rc<Connections>,
}

impl Kind for Session {
    const NAME: &'static str = "session";
    const MIGRATIONS: &'static [Migration] = session::MIGRATIONS;

    fn new(_env: &JsValue) -> Self {
        let connections = Rc::new(Connections::of_an_object());
        Self {
            cache: Rc::default(),
            untold: Rc::default(),
            sandboxes: Sandboxes::new(&connections),
            connections,
        }
    }

    fn start(database: &ObjectDatabase) -> Result<()> {
        session::sweep(database)
    }

    /// It ends a time to live after its last use.
    fn due_times_ms(database: &ObjectDatabase, config: &Config) -> Result<Vec<u64>> {
        let used_ms = expiry::last_use_ms(database)?.unwrap_or_else(instance::now_ms);
        Ok(vec![expiry::expires_at_ms(
            used_ms,
            config.session.session_ttl_seconds,
        )])
    }

    fn ring(object: Rc<Object<Self>>) -> LocalBoxFuture<'static, Result<()>> {
        Box::pin(object.expire())
    }

    fn serve(
        object: Rc<Object<Self>>,
        request: Request,
    ) -> LocalBoxFuture<'static, Result<Response, JsValue>> {
        Box::pin(object.respond(request))
    }

    fn forget(&self, env: &JsValue) {
        self.cache.forget();
        self.untold.take();
        self.sandboxes.forget();
        if let Ok(config) = instance::config(env) {
            // The tenant means nothing to a goodbye.
            let servers = Servers::new(&config, "", &self.connections);
            servers.gateway().close();
        }
    }
}
