//! The calls that a running program may make to its object: the operations of the session, streams
//! of rows, copies to the tenant's D1 database, knowledge graphs, code workspaces, and the tools of
//! other servers.
//!
//! Each call has the body and the response of `POST /api/codemode/sessions/{session}`, so every
//! check of the HTTP contract applies here, too. A call is served at once; only persistent tables,
//! other objects and tools, which are in `tool_calls`, make it wait.

mod tool_calls;

pub use self::tool_calls::Host;

use base::CommonError;
use database::DatabaseError;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::time::Duration;

use futures::future::{AbortHandle, Aborted, abortable};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::future_to_promise;
use worker::Delay;

use super::super::super::addresses::{CONFIRM_HEADER, PERSON_HEADER};
use super::super::call::Call;
use super::super::persistent_tables::{self, PersistentRequestKind};
use super::Sandboxes;
use super::elsewhere::{ObjectOperation, Place};
use super::label::{CHECK, CODE, GRAPH, Label, TOOL_OPERATIONS, is_part_of_stream, operation_of};
use super::lifetime::Lifetime;
use crate::api::envelope;
use crate::limits::{MAX_CALLS_IN_FLIGHT, MAX_OPEN_STREAMS};
use crate::worker::instance;
use crate::worker::object::events::Events;
use crate::worker::servers::{self, Servers};
use crate::worker::storage::ObjectCursor;
use base::{Error, Result};
use mcp_product::confirmation::refuse_persistent_drop;
use sandbox::journal::Journal;
use sandbox::limits::MAX_EXECUTION_CALLS;
use sandbox::report::LogEntry;
use session::persistent::{self, Addressed};
use session::query;
use session::row_stream::RowStream;
use session::{self, bulk};
use tools::gateway::PassedHeaders;

/// The longest time in which a program makes calls without a pause. Other requests wait that long.
/// A pause costs the program a few hundredths of this time.
const WORK_WITHOUT_REST_MS: u64 = 50;

/// The length of a pause: any timer will do.
const REST: Duration = Duration::from_millis(1);

/// The calls that a program may make under a row scope; all others are refused. The operations
/// of the session check the scope themselves, too. `callTool` is not in the list, because results
/// of tools are staged as tables, whose rows belong to no scope.
const SCOPED: &[&str] = &[
    "exec",
    "query",
    "batchInsert",
    "insertPieces",
    "openStream",
    "readStream",
    "closeStream",
    "getTables",
    "getColumns",
    "hasColumn",
    "describeTable",
    "findColumn",
    "listTools",
    "searchTools",
    "describeTool",
    CHECK,
];

/// A call that waits for another server.
struct Waiting {
    handle: AbortHandle,
    label: Label,
    began_ms: u64,
}

/// One run, as its door sees it.
pub struct Run {
    /// The request, with the session.
    pub call: Call,
    /// `env` of the object.
    pub env: JsValue,
    /// The record of the run so far.
    pub journal: RefCell<Journal>,
    /// The sender of the run's events, for a client that reads them.
    pub events: Events,
    /// The time when its isolate was launched, if it was.
    pub launched_ms: Cell<Option<u64>>,
    /// The time when the program began, if it has.
    pub started_ms: Cell<Option<u64>>,
    /// A check that the session is still the one with which the run began.
    pub session_lifetime: Lifetime,
    sandboxes: Sandboxes,
    /// The servers, with the headers that the caller passes through. Only this run uses them.
    servers: Servers,
    /// The tools that the caller runs itself.
    pub host: Option<Host>,
    /// Calls to other servers, by number; they end when the run does.
    waiting_for_servers: RefCell<BTreeMap<u64, Waiting>>,
    waited_ms: Cell<u64>,
    waiting_since_ms: Cell<u64>,
    in_flight: Cell<usize>,
    closed: Cell<bool>,
    streams: RefCell<HashMap<u64, RowStream<ObjectCursor>>>,
    next_number: Cell<u64>,
    /// The last time at which the process could serve others.
    rested_ms: Cell<u64>,
}

#[derive(Deserialize)]
struct CheckAsked<'a> {
    #[serde(borrow)]
    request: &'a RawValue,
}

#[derive(Deserialize)]
struct StreamNamed {
    stream: Option<u64>,
}

impl Run {
    /// Makes a run that has not begun.
    pub fn new(
        call: Call,
        env: JsValue,
        events: Events,
        sandboxes: &Sandboxes,
        passed: PassedHeaders,
        host: Option<Host>,
    ) -> Self {
        let (tenant, connections) = (&call.record.tenant, &sandboxes.connections);
        Self {
            servers: Servers::new(&call.config, tenant, connections, passed),
            host,
            call,
            env,
            journal: RefCell::default(),
            events,
            launched_ms: Cell::new(None),
            started_ms: Cell::new(None),
            session_lifetime: sandboxes.lifetime(),
            sandboxes: sandboxes.clone(),
            waiting_for_servers: RefCell::default(),
            waited_ms: Cell::new(0),
            waiting_since_ms: Cell::new(0),
            in_flight: Cell::new(0),
            closed: Cell::new(false),
            streams: RefCell::default(),
            next_number: Cell::new(1),
            rested_ms: Cell::new(instance::now_ms()),
        }
    }

    /// Returns the time in which the program waited for its object. Its own clock was paused.
    pub fn waited_ms(&self) -> u64 {
        self.waited_ms.get()
    }

    /// Returns true if a call is being served.
    pub fn is_waiting(&self) -> bool {
        self.in_flight.get() > 0
    }

    /// Ends the run: it answers no more calls, closes every cursor, and waits for no server.
    pub fn close(&self) {
        self.closed.set(true);
        self.streams.borrow_mut().clear();
        let now_ms = instance::now_ms();
        for (_, waiting) in self.waiting_for_servers.take() {
            waiting.handle.abort();
            // The call was sent, so its changes may have been made.
            let took_ms = now_ms.saturating_sub(waiting.began_ms);
            let code = Some("EXECUTION_ABORTED");
            let (server, tool) = (&waiting.label.server, &waiting.label.tool);
            let call = self
                .journal
                .borrow_mut()
                .called_tool(server, tool, code, took_ms);
            self.events.send("call", || call);
        }
    }

    /// Handles a message that expects no response.
    pub fn note(&self, kind: &str, text: &str) {
        if self.closed.get() {
            return;
        }
        match kind {
            "started" if self.started_ms.get().is_none() => {
                self.started_ms.set(Some(instance::now_ms()));
                self.events.send("started", || json!({}));
            }
            "logs" => match serde_json::from_str::<Vec<LogEntry>>(text) {
                Ok(entries) => self.log(entries),
                Err(_) => self.journal.borrow_mut().dropped(1),
            },
            "progress" => {
                if let Ok((text, fraction)) = serde_json::from_str::<(String, Option<f64>)>(text)
                    && self.journal.borrow_mut().may_progress()
                {
                    let text = base::text::first(&text, super::PROGRESS_CHARACTERS);
                    self.events
                        .send("progress", || json!({ "text": text, "fraction": fraction }));
                }
            }
            _ => {}
        }
    }

    /// Adds entries to the program's log.
    pub fn log(&self, entries: Vec<LogEntry>) {
        let mut journal = self.journal.borrow_mut();
        for entry in entries {
            if let Some(entry) = journal.log(entry) {
                self.events.send("console", || entry.clone());
            }
        }
    }

    /// Answers a call with a text, or with the promise of one.
    pub fn answer(self: &Rc<Self>, body: String) -> JsValue {
        let operation = operation_of(&body);
        if let Err(error) = self.admit(operation) {
            return JsValue::from_str(&error);
        }
        let began_ms = instance::now_ms();
        if self.in_flight.replace(self.in_flight.get() + 1) == 0 {
            self.waiting_since_ms.set(began_ms);
        }
        if self.call.scope.is_some() && !SCOPED.contains(&operation) {
            let label = Label::of(operation);
            let refused = Err(session::scope::refused(&label.tool));
            return JsValue::from_str(&self.finish(&label, began_ms, refused));
        }
        if TOOL_OPERATIONS.contains(&operation) {
            return self.ask_server(operation, body, began_ms);
        }
        match operation {
            GRAPH => return self.ask_elsewhere(Place::Graph, operation, body, began_ms),
            CODE => return self.ask_elsewhere(Place::Code, operation, body, began_ms),
            _ => {}
        }
        let label = Label::of(operation);
        let waits = operation == "persist"
            || matches!(persistent::addressed(&body), Ok(Addressed::Persistent));
        if !waits {
            let answer = self.operate(operation, &body);
            return self.after_a_rest(self.finish(&label, began_ms, answer));
        }
        let run = Rc::clone(self);
        future_to_promise(async move {
            let answer = run.operate_persistently(operation, &body).await;
            Ok(JsValue::from_str(&run.finish(&label, began_ms, answer)))
        })
        .into()
    }

    /// Returns the response to a call at once, or after a pause if there was none for a while.
    /// Calls and their responses are events within the process; as long as one is ready, workerd
    /// runs no timer and reads nothing from the network.
    fn after_a_rest(&self, text: String) -> JsValue {
        let now_ms = instance::now_ms();
        if now_ms.saturating_sub(self.rested_ms.get()) < WORK_WITHOUT_REST_MS {
            return JsValue::from_str(&text);
        }
        self.rested_ms.set(now_ms);
        future_to_promise(async move {
            Delay::from(REST).await;
            Ok(JsValue::from_str(&text))
        })
        .into()
    }

    /// Answers with the promise of another server's response. It ends with the run.
    fn ask_server(
        self: &Rc<Self>,
        operation: &'static str,
        body: String,
        began_ms: u64,
    ) -> JsValue {
        let label = Label::of_tool(operation, &body);
        let run = Rc::clone(self);
        let asking = Rc::clone(self);
        let (answer, handle) = abortable(async move { asking.ask(operation, &body).await });
        let number = self.next_number();
        let waiting = Waiting {
            handle,
            label: label.clone(),
            began_ms,
        };
        self.waiting_for_servers
            .borrow_mut()
            .insert(number, waiting);
        future_to_promise(async move {
            let answer = answer.await;
            run.waiting_for_servers.borrow_mut().remove(&number);
            Ok(match answer {
                Ok(answer) => JsValue::from_str(&run.finish(&label, began_ms, answer)),
                // The run is over, so the call is recorded already. Nobody receives this value.
                Err(Aborted) => JsValue::NULL,
            })
        })
        .into()
    }

    /// Answers with the promise of the response of a graph's or workspace's object.
    fn ask_elsewhere(
        self: &Rc<Self>,
        place: Place,
        operation: &'static str,
        body: String,
        began_ms: u64,
    ) -> JsValue {
        let run = Rc::clone(self);
        future_to_promise(async move {
            let asked = ObjectOperation::parse(place, &body);
            let named = asked.as_ref().map_or("", ObjectOperation::operation);
            let label = Label::of_elsewhere(operation, named);
            let answer = match &asked {
                Ok(asked) => run.done_elsewhere(asked).await,
                Err(error) => Err(error.clone()),
            };
            Ok(JsValue::from_str(&run.finish(&label, began_ms, answer)))
        })
        .into()
    }

    async fn done_elsewhere(&self, asked: &ObjectOperation) -> Result<String> {
        let tenant = &self.call.record.tenant;
        if self.call.received.header(PERSON_HEADER).is_some()
            && let Some(instead) = asked.refuse_decision(&self.env, tenant).await?
        {
            return Ok(instead);
        }
        asked.ask(&self.env, tenant).await
    }

    /// Checks that one more call is allowed. Returns the text of the refusal otherwise.
    fn admit(&self, operation: &str) -> std::result::Result<(), String> {
        let refusal = |code: &str, message: &str, hint: &str| {
            json!({ "success": false, "error": { "code": code, "message": message, "hint": hint } })
                .to_string()
        };
        if self.closed.get() {
            return Err(refusal(
                "EXECUTION_ABORTED",
                "the run is over",
                "await every call before the program returns",
            ));
        }
        if self.in_flight.get() >= MAX_CALLS_IN_FLIGHT {
            return Err(refusal(
                "CALL_LIMIT",
                &format!("{MAX_CALLS_IN_FLIGHT} calls are in flight already"),
                "call through helpers, which waits",
            ));
        }
        let calls = self.journal.borrow().calls() + self.in_flight.get();
        if !is_part_of_stream(operation) && calls >= MAX_EXECUTION_CALLS {
            let refused = refusal(
                "CALL_LIMIT",
                &format!("a run may make {MAX_EXECUTION_CALLS} calls"),
                "insert many records with one helpers.db.batchInsert, read many rows with one helpers.db.query or helpers.db.stream, and let SQL do the loop",
            );
            // The isolate recognises this refusal by its beginning, and makes no more calls.
            return Err(refused.replacen('{', r#"{"exhausted":true,"#, 1));
        }
        Ok(())
    }

    /// Records the call and renders its response.
    fn finish(&self, label: &Label, began_ms: u64, answer: Result<String>) -> String {
        let now_ms = instance::now_ms();
        let took_ms = now_ms.saturating_sub(began_ms);
        self.in_flight.set(self.in_flight.get().saturating_sub(1));
        if self.in_flight.get() == 0 {
            let waited_ms = now_ms.saturating_sub(self.waiting_since_ms.get());
            self.waited_ms.set(self.waited_ms.get() + waited_ms);
        }
        let code = match &answer {
            Ok(text) if matches!(label.operation, GRAPH | CODE) => envelope::failure_code(text),
            Ok(_) => None,
            Err(error) => Some(error.code()),
        };
        if !is_part_of_stream(label.operation) {
            let mut journal = self.journal.borrow_mut();
            if let Some(code) = code.filter(|_| label.operation == "callTool") {
                journal.answered.failed(&label.server, &label.tool, code);
            }
            let call = journal.called_tool(&label.server, &label.tool, code, took_ms);
            drop(journal);
            self.events.send("call", || call);
        }
        answer.unwrap_or_else(|error| {
            if label.operation == "callTool" {
                servers::failed_for_program(&label.server, &label.tool, &error)
            } else {
                envelope::failure(&error)
            }
        })
    }

    fn operate(&self, operation: &str, body: &str) -> Result<String> {
        self.session_lifetime.check()?;
        if operation == "getMetrics" || body.contains("execution_logs") {
            self.sandboxes.write_down(self.call.session()?.db);
        }
        match operation {
            "insertPieces" => {
                let inserted = bulk::insert_pieces(&self.call.session()?, body)?;
                Ok(envelope::answered(&inserted))
            }
            CHECK => self.check_graphql(body),
            "openStream" => self.open_stream(body),
            "readStream" => self.read_stream(body),
            "closeStream" => {
                self.streams.borrow_mut().remove(&stream_of(body)?);
                Ok(envelope::success(Value::Null))
            }
            _ => {
                let answer = session::dispatch(&self.call.session()?, body)?;
                Ok(envelope::answered(&answer))
            }
        }
    }

    /// Does the same as `POST /graphql/check`, with the same limit.
    fn check_graphql(&self, body: &str) -> Result<String> {
        let asked: CheckAsked<'_> = serde_json::from_str(body).map_err(|_| {
            Error::invalid_with_hint(
                "the call has no request to check",
                "call validateGraphQLData(response, {query, variables})",
            )
        })?;
        let request = asked.request.get();
        let limit_bytes = self.call.config.max_request_bytes;
        if request.len() > limit_bytes {
            return Err(Error::from(CommonError::TooBig {
                message: format!(
                    "the response and what was asked are larger than {limit_bytes} bytes"
                ),
                hint: "pass the part of the response that matters".to_owned(),
            }));
        }
        servers::fields(tools_graphql::check_request(request)?)
    }

    async fn operate_persistently(&self, operation: &str, body: &str) -> Result<String> {
        self.session_lifetime.check()?;
        if self.call.received.header(CONFIRM_HEADER).is_some() {
            refuse_persistent_drop(operation, body)?;
        }
        let wanted = if operation == "persist" {
            PersistentRequestKind::Copy
        } else {
            PersistentRequestKind::Operation
        };
        let answer = persistent_tables::run(
            &self.env,
            &self.call.record.tenant,
            &self.call.config,
            &self.call.session()?,
            None,
            wanted,
            body,
        )
        .await?;
        Ok(envelope::answered(&answer))
    }

    fn open_stream(&self, body: &str) -> Result<String> {
        persistent::require_session(body)?;
        if self.streams.borrow().len() >= MAX_OPEN_STREAMS {
            return Err(Error::from(DatabaseError::Busy {
                message: format!("{MAX_OPEN_STREAMS} streams of this program are open"),
            }));
        }
        let session = self.call.session()?;
        let rows = session.stream(&query::Request::parse_open_stream(body)?)?;
        let id = self.next_number();
        let columns = rows.columns().to_vec();
        self.streams.borrow_mut().insert(id, rows);
        Ok(envelope::success(
            json!({ "stream": id, "columns": columns }),
        ))
    }

    /// Returns the next number of a stream or a call.
    fn next_number(&self) -> u64 {
        let number = self.next_number.get();
        self.next_number.set(number + 1);
        number
    }

    fn read_stream(&self, body: &str) -> Result<String> {
        let id = stream_of(body)?;
        self.call.session()?;
        let mut streams = self.streams.borrow_mut();
        let rows = streams
            .get_mut(&id)
            .ok_or_else(|| Error::invalid(format!("no stream {id} is open")))?;
        let piece = rows.next_rows();
        let notice = rows.notice();
        if !matches!(piece, Ok((_, false))) {
            streams.remove(&id);
        }
        let (list, done) = piece?;
        let notice = match notice {
            Some(notice) if done => format!(r#""notice":{},"#, json!(notice)),
            _ => String::new(),
        };
        Ok(format!(
            r#"{{"success":true,"done":{done},{notice}"rows":[{list}]}}"#
        ))
    }
}

fn stream_of(body: &str) -> Result<u64> {
    serde_json::from_str::<StreamNamed>(body)
        .ok()
        .and_then(|named| named.stream)
        .ok_or_else(|| Error::invalid("the field stream must be the number of a stream"))
}
