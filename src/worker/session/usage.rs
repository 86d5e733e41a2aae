//! One use of a session: its database, its scope, and its line in the log.

use std::rc::Rc;

use wasm_bindgen::JsValue;

use super::super::instance;
use super::super::object::{Kind, Object};
use super::super::storage::ObjectDatabase;
use super::super::telemetry::Record;
use super::listed::{self, UnreportedUse};
use crate::config::Config;
use base::Result;
use session::statement_cache::StatementCache;
use session::totals::CompletedOperation;
use session::{Session, expiry};
use sql_scope::Scope;

/// The first bytes of a body that are searched for the name of its operation, which clients write
/// before the data.
const OPERATION_WITHIN_BYTES: usize = 256;

/// One use.
pub struct Usage {
    /// The session's name.
    pub name: String,
    /// The settings in force.
    pub config: Rc<Config>,
    /// The record for the log.
    pub record: Record,
    /// The scope of the rows that every operation may see, if the whole request has one.
    pub scope: Option<Rc<Scope>>,
    env: JsValue,
    database: ObjectDatabase,
    cache: Rc<StatementCache>,
    untold: UnreportedUse,
    started_ms: u64,
}

impl Usage {
    /// Begins a use. `operation` is its name in the log.
    ///
    /// # Errors
    /// Those of the settings.
    pub fn new(
        object: &Object<super::Session>,
        tenant: String,
        name: String,
        operation: &'static str,
    ) -> Result<Self> {
        let record = Record {
            kind: super::Session::NAME,
            tenant,
            session: name.clone(),
            operation: operation.to_owned(),
            ..Record::default()
        };
        Ok(Self {
            name,
            config: instance::config(&object.env)?,
            record,
            scope: None,
            env: object.env.clone(),
            database: object.database(),
            cache: Rc::clone(&object.kind.cache),
            untold: Rc::clone(&object.kind.untold),
            started_ms: instance::now_ms(),
        })
    }

    /// Returns the session as of now. Each use of it extends its life.
    ///
    /// # Errors
    /// Those of the engine.
    pub fn session(&self) -> Result<Session<'_, ObjectDatabase>> {
        let ttl_seconds = self.config.session.session_ttl_seconds;
        let now_ms = touch(&self.database, &self.cache, &self.untold, ttl_seconds)?;
        Ok(Session {
            db: &self.database,
            settings: &self.config.session,
            now_ms,
            name: &self.name,
            cache: &self.cache,
            scope: self.scope.as_deref(),
        })
    }

    /// Sets the operation of a body for the log. If the name is not at the beginning of the body,
    /// the name of the route stays.
    pub fn name_operation(&mut self, body: &str) {
        if let Some(known) = operation_named_first(body, session::NAMES) {
            self.record.operation = known.to_owned();
        }
    }

    /// Sets the duration of a use that is over.
    pub fn lasted(&mut self, duration_ms: u64) {
        self.started_ms = instance::now_ms().saturating_sub(duration_ms);
    }

    /// Writes the log line of a request that other tasks still hold.
    pub fn close(&self, code: &'static str, bytes_out: usize) {
        let mut record = self.record.clone();
        record.bytes_out = bytes_out as u64;
        self.write(record, code);
    }

    /// Writes the log line.
    pub fn finish(&mut self, code: &'static str) {
        let record = std::mem::take(&mut self.record);
        self.write(record, code);
    }

    fn write(&self, mut record: Record, code: &'static str) {
        record.counters += self.database.spent();
        record.duration_ms = instance::now_ms().saturating_sub(self.started_ms);
        record.code = code;
        let finished = CompletedOperation {
            operation: &record.operation,
            code,
            counters: record.counters,
            bytes_in: record.bytes_in,
            bytes_out: record.bytes_out,
        };
        self.cache.totals.add(instance::now_ms(), &finished);
        let (tenant, name) = (record.tenant.as_str(), self.name.as_str());
        let ttl_seconds = self.config.session.session_ttl_seconds;
        listed::tell(
            &self.env,
            tenant,
            name,
            &self.database,
            ttl_seconds,
            &self.untold,
        );
        record.write(&self.env, self.config.operation_log);
    }
}

/// Records a use of the session, for the index too, and returns its time.
///
/// # Errors
/// Those of the engine.
pub fn touch(
    database: &ObjectDatabase,
    cache: &StatementCache,
    untold: &UnreportedUse,
    ttl_seconds: u64,
) -> Result<u64> {
    let now_ms = instance::now_ms();
    if expiry::touch_remembering(database, &cache.last_use_ms, now_ms, ttl_seconds)? {
        untold.set(Some(now_ms));
    }
    Ok(now_ms)
}

/// Returns the operation that a body names at its beginning, where the prelude and most clients
/// write it. Parsing a large batch twice would cost too much.
pub fn operation_named_first(body: &str, known: &[&'static str]) -> Option<&'static str> {
    let beginning = body
        .get(..body.floor_char_boundary(OPERATION_WITHIN_BYTES))
        .unwrap_or_default();
    let (_, rest) = beginning.split_once("\"operation\"")?;
    let value = rest.trim_start().strip_prefix(':')?.trim_start();
    let name = value.strip_prefix('"')?.split('"').next()?;
    known.iter().find(|known| **known == name).copied()
}

/// Returns the operation of a session with this name.
pub fn known_operation(name: &str) -> Option<&'static str> {
    session::NAMES.iter().find(|known| **known == name).copied()
}
