//! The Durable Object `CodeModeDatabase`: one session, the single writer of its SQLite database.
//!
//! `serve` handles routes, `call` is one request and `usage` its database and its log line,
//! `operate` serves an operation without a request, `proxy` handles tool calls, `table_requests`
//! reads requests about a table, `persistent_tables` are the tables in D1, `listed` sends notes to
//! the tenant's index, `repeated` knows the statements that are repeated outside of WebAssembly,
//! `own_requests` serves the internal requests of the front Worker and other
//! objects, and `isolate` runs the programs of models in isolates of their own.

mod call;
mod isolate;
mod listed;
mod operate;
mod own_requests;
mod persistent_tables;
mod proxy;
mod repeated;
mod serve;
mod table_requests;
mod usage;

use std::rc::Rc;

use wasm_bindgen::JsValue;

use super::object::{Kind, Object, Served, Work, export_object};
use super::storage::ObjectDatabase;
use crate::config::Config;
use base::Result;
use database::migrations::Migration;
use session::statement_cache::StatementCache;
use tools::gateway::Connections;

use isolate::Sandboxes;

pub use operate::{answer, answer_text};

export_object!("main-module", CodeModeDatabase, Session);

#[cfg(feature = "main-module")]
#[wasm_bindgen::prelude::wasm_bindgen]
impl CodeModeDatabase {
    /// Serves an operation of a client or of a tool; see `operate`.
    #[must_use]
    pub fn operate(&self, tenant: String, name: String, body: Vec<u8>) -> Option<Vec<u8>> {
        self.object.operate_now(tenant, name, body)
    }

    /// Records a request whose body did not arrive; see `operate`.
    #[must_use]
    pub fn interrupted(
        &self,
        tenant: String,
        name: String,
        kind: &str,
        thrown: &wasm_bindgen::JsValue,
    ) -> Vec<u8> {
        self.object.interrupted(tenant, name, kind, thrown)
    }

    /// Returns the generation of the schema while nothing else goes on; see `repeated`.
    #[must_use]
    pub fn quiet_generation(&self) -> Option<u32> {
        self.object.quiet_generation()
    }

    /// Returns true if the session has receivers of change events.
    #[must_use]
    pub fn is_watched(&self) -> bool {
        self.object.is_watched()
    }

    /// Decides if the statement of a body may be repeated by `js/statements.js`; see `repeated`.
    #[must_use]
    pub fn repetition(&self, tenant: &str, name: &str, body: &str) -> Option<JsValue> {
        self.object.repetition(tenant, name, body)
    }

    /// Records statements that `js/statements.js` has run.
    ///
    /// # Errors
    /// An exception with the reason.
    pub fn statements_ended(&self, tenant: &str, name: &str, ended: &str) -> Result<(), JsValue> {
        let recorded = self.object.statements_ended(tenant, name, ended);
        recorded.map_err(|error| JsValue::from_str(&error.to_string()))
    }

    /// Returns true if a program may start without asking here; see `isolate::shortly`.
    #[must_use]
    pub fn may_run_shortly(&self) -> bool {
        self.object.may_run_shortly()
    }

    /// Reserves a place for a program that runs already.
    pub fn reserve_place(&self) {
        self.object.reserve_place();
    }

    /// Prepares the program of a body for `js/programs.js`.
    #[must_use]
    pub fn prepare_body(&self, tenant: &str, body: &str) -> Option<JsValue> {
        self.object.prepare_body(tenant, body)
    }

    /// Prepares the program of a body with these fields alone, which JavaScript has parsed.
    #[must_use]
    pub fn prepare_program(
        &self,
        tenant: &str,
        code: String,
        input: Option<String>,
        timeout_ms: Option<f64>,
        max_result_bytes: Option<f64>,
    ) -> Option<JsValue> {
        let request =
            sandbox::request::Request::of_fields(code, input, timeout_ms, max_result_bytes)?;
        self.object.prepare_program(tenant, &request)
    }

    /// Writes down programs that `js/programs.js` has run.
    ///
    /// # Errors
    /// An exception with the reason.
    pub fn programs_ended(&self, tenant: &str, name: &str, ended: &str) -> Result<(), JsValue> {
        let written = self.object.programs_ended(tenant, name, ended);
        written.map_err(|error| JsValue::from_str(&error.to_string()))
    }
}

/// The state of a session that an instance holds in memory.
pub struct Session {
    /// The statements that were reviewed before.
    cache: Rc<StatementCache>,
    /// The use that was not reported to the tenant's index yet.
    untold: listed::UnreportedUse,
    /// The running programs.
    sandboxes: Sandboxes,
    /// The connections to the servers whose tools it calls.
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

    fn due_times_ms(database: &ObjectDatabase, config: &Config) -> Result<Vec<u64>> {
        serve::end_ms(database, config).map(|end_ms| vec![end_ms])
    }

    fn ring(object: Rc<Object<Self>>) -> Work {
        Box::pin(object.expire())
    }

    fn serve(object: Rc<Object<Self>>, request: web_sys::Request) -> Served {
        Box::pin(object.respond(request))
    }

    fn forget(&self, env: &JsValue) {
        self.forget_all(env);
    }
}
