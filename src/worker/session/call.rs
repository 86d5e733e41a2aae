//! One request inside the object: its task, its database, and its line in the log.

use std::cell::Cell;
use std::rc::Rc;

use wasm_bindgen::JsValue;

use super::super::addresses::{PASSED_HEADER, SESSION_HEADER, TENANT_HEADER};
use super::super::body::{IncomingBody, read_text};
use super::super::instance;
use super::super::object::{Kind, Object};
use super::super::received::IncomingRequest;
use super::super::storage::ObjectDatabase;
use super::super::telemetry::Record;
use super::listed::{self, UnreportedUse};
use crate::api::routes::{self, Entry, ServedBy, SessionTask, query_parameter};
use crate::config::Config;
use base::formulas::Formulas;
use base::{Error, Result};
use session::export::ExportFormat;
use session::statement_cache::StatementCache;
use session::totals::CompletedOperation;
use session::{Session, expiry};
use sql_scope::Scope;
use tools::gateway::{Connections, PassedHeaders};

/// The first bytes of a body that are searched for the name of its operation, which clients write
/// before the data.
const OPERATION_WITHIN_BYTES: usize = 256;

/// One request.
pub struct Call {
    /// The request that the front Worker passed on.
    pub received: IncomingRequest,
    /// The query string.
    pub query: String,
    /// The route.
    pub entry: &'static Entry,
    /// The work that it requests.
    pub task: SessionTask,
    /// The session's name.
    pub name: String,
    /// The table that the path names, or an empty text.
    pub table: String,
    /// The settings in force.
    pub config: Rc<Config>,
    /// The record for the log.
    pub record: Record,
    /// The requested format of an operation's rows.
    pub rows_as: ExportFormat,
    /// The treatment of formulas in CSV.
    pub formulas: Formulas,
    /// The scope of the rows that every operation may see, if the whole request has one.
    pub scope: Option<Rc<Scope>>,
    env: JsValue,
    database: ObjectDatabase,
    cache: Rc<StatementCache>,
    untold: UnreportedUse,
    started_ms: u64,
}

impl Call {
    /// Reads everything except the body.
    ///
    /// # Errors
    /// Those of the route and the settings.
    pub fn read(received: IncomingRequest, object: &Object<super::Session>) -> Result<Self> {
        let address = received.address();
        let route = routes::route(received.method(), address.path)?;
        let ServedBy::Session { task, .. } = route.entry.place else {
            return Err(Error::internal("the route is not one of a session"));
        };
        let named = |name: &str| {
            let value = received.header(name);
            value.ok_or_else(|| Error::internal(format!("a request without {name}")))
        };
        let session = named(SESSION_HEADER)?;
        let record = Record {
            kind: super::Session::NAME,
            tenant: named(TENANT_HEADER)?,
            session: session.clone(),
            operation: route.entry.name.to_owned(),
            ..Record::default()
        };
        Ok(Self {
            query: address.query.to_owned(),
            entry: route.entry,
            task,
            name: session,
            table: route.table.unwrap_or_default(),
            config: instance::config(&object.env)?,
            record,
            rows_as: ExportFormat::Json,
            formulas: Formulas::Keep,
            env: object.env.clone(),
            database: object.database(),
            scope: None,
            cache: Rc::clone(&object.kind.cache),
            untold: Rc::clone(&object.kind.untold),
            started_ms: instance::now_ms(),
            received,
        })
    }

    /// Returns a parameter of the query string.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for a broken escape.
    pub fn parameter(&self, name: &str) -> Result<Option<String>> {
        query_parameter(&self.query, name)
    }

    /// Returns the `Accept` header.
    pub fn accept(&self) -> Option<String> {
        self.received.header("accept")
    }

    /// Returns true if the client requested server-sent events.
    pub fn wants_events(&self) -> bool {
        self.accept()
            .is_some_and(|accept| accept.contains("text/event-stream"))
    }

    /// Returns the headers that the caller passes through to servers, for this request alone.
    ///
    /// # Errors
    /// Those of [`PassedHeaders::read`].
    pub fn passed(&self) -> Result<PassedHeaders> {
        let text = self.received.header(PASSED_HEADER);
        let headers: Vec<(String, String)> = text
            .map(|text| serde_json::from_str(&text))
            .transpose()
            .map_err(|_| Error::internal("what is passed through cannot be read"))?
            .unwrap_or_default();
        let (servers, tenant) = (&self.config.servers, &self.record.tenant);
        PassedHeaders::read(&headers, servers, tenant, Connections::of_an_object())
    }

    /// Opens the body, to read it piece by piece.
    ///
    /// # Errors
    /// As [`IncomingBody::open`].
    pub fn body(&self) -> Result<IncomingBody> {
        IncomingBody::open(
            &self.received.request,
            self.entry.body.limit_bytes(&self.config),
        )
    }

    /// Reads the whole body.
    ///
    /// # Errors
    /// As [`read_text`].
    pub async fn text(&mut self) -> Result<String> {
        let text = read_text(&self.received, self.entry.body.limit_bytes(&self.config)).await?;
        self.record.bytes_in = text.len() as u64;
        Ok(text)
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

    /// Turns the request into one whose response has begun.
    pub fn streaming(self) -> Streaming {
        Streaming {
            call: self,
            code: "CANCELLED",
            bytes_out: Cell::new(0),
        }
    }
}

/// A request whose response is being sent. It writes its log line when it is dropped, because a
/// reader may go away at any time.
pub struct Streaming {
    /// The request.
    pub call: Call,
    /// The code of its end: that the reader went away, unless it is set to another.
    pub code: &'static str,
    bytes_out: Cell<u64>,
}

impl Streaming {
    /// Adds a piece to the bytes that were sent.
    pub fn count(&self, piece: &[u8]) {
        self.bytes_out
            .set(self.bytes_out.get() + piece.len() as u64);
    }
}

impl Drop for Streaming {
    fn drop(&mut self) {
        self.call.record.bytes_out = self.bytes_out.get();
        self.call.finish(self.code);
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
