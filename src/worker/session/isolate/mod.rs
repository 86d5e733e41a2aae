//! Runs programs: an isolate for each, the door to its object, a watchdog, and a response in any
//! case.
//!
//! * `bindings` is the Worker Loader, `door` the calls that a program may make, `elsewhere` those
//!   that graphs and code workspaces serve, `response` what the client gets, `shortly` programs that
//!   JavaScript starts by itself.
//!
//! The watchdog's clock is paused while a call of the program is served. When it fires, or when the
//! client of a live response goes away, the program is asked to end and to report the results that
//! it has. A program that ignores this is abandoned, and its result is reported as lost.

mod bindings;
mod door;
mod elsewhere;
mod label;
mod lifetime;
mod response;
mod shortly;

use sandbox::SandboxError;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use futures::future::{Either, select};
use serde_json::json;
use uuid::Uuid;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use worker::Delay;

use super::super::addresses::ADOPTED_HEADER;
use super::call::Call;
use crate::config::Config;
use crate::limits::{EXECUTION_QUEUE_MS, EXECUTION_STOP_MS, MAX_EXECUTION_WAIT_MS};
use crate::worker::bindings::thrown_text;
use crate::worker::instance;
use crate::worker::object::events::Events;
use crate::worker::storage::ObjectDatabase;
use base::names::object_name;
use base::{Error, Result};
use program::PreparedProgram;
use sandbox::failure::Failure;
use sandbox::host_calls::HostCalls;
use sandbox::isolate_pool::{IsolatePool, Lease};
use sandbox::queue::{Entry, Permit, Queue};
use sandbox::recent::RecentPrograms;
use sandbox::report::Report;
use sandbox::request::{Isolate, Request};
use sandbox::result_table::{ResultReply, keep_within};
use sandbox::runtime::Parts;
use session::executions::{self, Execution};
use tools::gateway::{Connections, PassedHeaders};
use tools::host::{HOST_TOOLS, HostTools};
use tools::server::HOST;

use bindings::{Launched, launch, report_and_result, run_options, taken, worker_code};
use door::{Host, Run};
use lifetime::Lifetime;
use response::conclude;

/// The name of the binding in `[[worker_loaders]]`.
const LOADER: &str = "LOADER";

/// The characters of a progress message: a line for people, too short to move data past the limits
/// of a result.
const PROGRESS_CHARACTERS: usize = 500;

/// The time for which log entries are collected before they leave the isolate. Each message is a
/// separate call, and nobody notices a tenth of a second.
const FLUSH_MS: u32 = 100;

/// The wait before the record of a run is written. A write would hold back the response, which has
/// left by then.
const WRITE_DOWN_MS: u64 = 1_000;

/// The interval at which the watchdog checks that the client of a live response is still connected.
/// Each check wakes the object, and a program that nobody waits for runs no longer than this.
const WATCH_MS: u64 = 500;

/// The state that an object keeps for its programs.
#[derive(Debug, Default, Clone)]
pub struct Sandboxes {
    queue: Rc<Queue>,
    /// The place of a program that runs already and is about to be taken over.
    reserved: Rc<RefCell<Option<Reservation>>>,
    /// Tool calls that wait for the caller that sent their program.
    pub host_calls: Rc<HostCalls>,
    kept: Rc<IsolatePool>,
    recent: Rc<RecentPrograms>,
    /// The connections to the servers whose tools programs call.
    connections: Rc<Connections>,
    /// A number that rises when the session is deleted.
    generation: Rc<Cell<u64>>,
    /// Runs whose records are not written yet. A write holds back everything that the object sends
    /// until it is on disk, so it waits for a quiet moment, or for a request that reads the log.
    unwritten: Rc<RefCell<Vec<Execution>>>,
    /// True while a task waits for that moment.
    writing: Rc<Cell<bool>>,
}

impl Sandboxes {
    /// Makes it with the connections of the object.
    pub fn new(connections: &Rc<Connections>) -> Self {
        Self {
            connections: Rc::clone(connections),
            ..Self::default()
        }
    }

    /// Handles the deletion of the session: running programs lose it, and no isolate is used again.
    pub fn forget(&self) {
        self.generation.set(self.generation.get() + 1);
        self.kept.forget();
        self.host_calls.forget();
        self.unwritten.borrow_mut().clear();
    }

    /// Writes the records of finished runs. Every request that may read the log calls it first. If
    /// a record cannot be written, for example because the database is full, the request does not
    /// fail; the operator gets a warning.
    pub fn write_down(&self, database: &ObjectDatabase) {
        for execution in self.unwritten.take() {
            if let Err(error) = executions::record(database, &execution) {
                let message = format!("an execution could not be written down: {error}");
                web_sys::console::error_1(&JsValue::from_str(&message));
            }
        }
    }

    /// Queues the record of a run, to be written soon.
    fn remember(&self, execution: Execution, database: ObjectDatabase) {
        self.unwritten.borrow_mut().push(execution);
        if self.writing.replace(true) {
            return;
        }
        let sandboxes = self.clone();
        spawn_local(async move {
            Delay::from(Duration::from_millis(WRITE_DOWN_MS)).await;
            sandboxes.writing.set(false);
            sandboxes.write_down(&database);
        });
    }

    /// Returns the present life of the session.
    fn lifetime(&self) -> Lifetime {
        Lifetime::of_present(&self.generation)
    }

    /// Returns true if no program runs or waits, and no record of one waits to be written.
    pub fn is_quiet(&self) -> bool {
        self.is_idle() && self.unwritten.borrow().is_empty()
    }

    /// Returns true if no program runs or waits.
    fn is_idle(&self) -> bool {
        self.queue.is_idle()
    }

    /// Reserves a place for a program that runs already.
    pub fn reserve_place(&self) {
        if let Ok(Entry::Free(permit)) = self.queue.enter() {
            let lifetime = self.lifetime();
            self.reserved
                .replace(Some(Reservation { permit, lifetime }));
        }
    }

    /// Takes the place of a program that runs already.
    pub fn take_reservation(&self) -> Option<Reservation> {
        self.reserved.take()
    }

    /// Waits for a free place in the queue.
    async fn enter(&self, events: &Events) -> Result<Permit> {
        let mut receiver = match self.queue.enter()? {
            Entry::Free(permit) => return Ok(permit),
            Entry::Wait(receiver) => receiver,
        };
        let patience_ends_ms = instance::now_ms() + u64::from(EXECUTION_QUEUE_MS);
        while instance::now_ms() < patience_ends_ms && !events.is_abandoned() {
            let moment = Delay::from(Duration::from_millis(WATCH_MS));
            match select(receiver, moment).await {
                Either::Left((Ok(permit), _)) => return Ok(permit),
                Either::Left((Err(_), _)) => break,
                Either::Right((_, waiting)) => receiver = waiting,
            }
        }
        Err(Error::from(SandboxError::SandboxBusy {
            message: format!("no program of this session ended within {EXECUTION_QUEUE_MS} ms"),
        }))
    }
}

/// The place of a program that runs already, and the session with which it began.
#[derive(Debug)]
pub struct Reservation {
    permit: Permit,
    lifetime: Lifetime,
}

/// A request that may run: every error that has an HTTP status of its own is excluded.
pub struct PreparedRun {
    call: Call,
    env: JsValue,
    loader: JsValue,
    request: Request,
    passed: PassedHeaders,
    host: Option<HostTools>,
}

impl PreparedRun {
    /// Reads the body.
    ///
    /// # Errors
    /// [`SandboxError::SandboxUnavailable`], or an error in the body.
    pub async fn read(mut call: Call, env: &JsValue) -> std::result::Result<Self, (Call, Error)> {
        let body = match call.text().await {
            Ok(body) => body,
            Err(error) => return Err((call, error)),
        };
        let Some(loader) = instance::binding(env, LOADER) else {
            return Err((call, Error::from(SandboxError::SandboxUnavailable)));
        };
        let read = Request::parse(&body).and_then(|request| {
            let scope = request.scope.as_ref();
            let scope = scope.map(|asked| asked.resolve(&call.config.session));
            let host = host_tools(&call, &request)?;
            Ok((scope.transpose()?, request, call.passed()?, host))
        });
        match read {
            Ok((scope, request, passed, host)) => {
                call.scope = scope.map(Rc::new);
                Ok(Self {
                    call,
                    env: env.clone(),
                    loader,
                    request,
                    passed,
                    host,
                })
            }
            Err(error) => Err((call, error)),
        }
    }

    /// Runs the program to its end and returns the text of the response. A failure of the program
    /// is a response; an error means that it could not be run.
    ///
    /// # Errors
    /// [`SandboxError::SandboxBusy`], or those of the engine.
    pub async fn execute(
        self,
        sandboxes: &Sandboxes,
        events: Events,
        reservation: Option<Reservation>,
    ) -> Result<String> {
        let execution_id = Uuid::new_v4().to_string();
        let mut run = Run::new(
            self.call,
            self.env,
            events,
            sandboxes,
            self.passed,
            self.host
                .map(|tools| Host::new(tools, execution_id.clone())),
        );
        let permit = reservation.map(|Reservation { permit, lifetime }| {
            run.session_lifetime = lifetime;
            permit
        });
        let run = Rc::new(run);
        let outcome = match sandboxes.recent.prepare(&self.request.code) {
            Err(error) => Ok(Err(Failure::compile(error))),
            Ok(prepared) => {
                let attempt = Attempt {
                    run: &run,
                    request: &self.request,
                    prepared,
                    adopted: run.call.received.header(ADOPTED_HEADER),
                };
                let made = attempt.make(&self.loader, sandboxes, &execution_id, permit);
                made.await
            }
        };
        let answer = outcome.and_then(|outcome| {
            conclude(&run, sandboxes, &self.request.code, &execution_id, outcome)
        });
        match &answer {
            Ok((_, code)) => run
                .call
                .close(code, answer.as_ref().map_or(0, |(text, _)| text.len())),
            Err(error) => {
                run.events.send("error", || error.to_json());
                run.call.close(error.code(), 0);
            }
        }
        run.events
            .send("done", || json!({ "executionId": execution_id }));
        answer.map(|(text, _)| text)
    }
}

/// Returns the tools that a request provides.
fn host_tools(call: &Call, request: &Request) -> Result<Option<HostTools>> {
    let Some(list) = request.host_tools.as_deref() else {
        return Ok(None);
    };
    if !call.wants_events() {
        return Err(Error::invalid_with_hint(
            format!("{HOST_TOOLS} needs a live response: calls of the tools are events of it"),
            "send the header accept: text/event-stream, and respond to each event host_call",
        ));
    }
    let servers = &call.config.servers;
    let is_taken =
        |server: &tools::Server| server.name == HOST && server.serves(&call.record.tenant);
    if servers.iter().any(is_taken) {
        return Err(Error::invalid_with_hint(
            format!("{HOST_TOOLS} cannot be used: a server of this deployment is called {HOST}"),
            "ask the operator to give the server another name in MCP_SERVERS",
        ));
    }
    HostTools::parse(list, request.host_call_timeout_ms).map(Some)
}

/// One run of a program in an isolate.
struct Attempt<'a> {
    run: &'a Rc<Run>,
    request: &'a Request,
    prepared: Rc<PreparedProgram>,
    /// The number of the program if it runs already.
    adopted: Option<String>,
}

impl Attempt<'_> {
    /// Waits for a free place, runs the program, and keeps its result.
    async fn make(
        &self,
        loader: &JsValue,
        sandboxes: &Sandboxes,
        execution_id: &str,
        permit: Option<Permit>,
    ) -> Result<std::result::Result<ResultReply, Failure>> {
        let _permit = match permit {
            Some(permit) => permit,
            None => sandboxes.enter(&self.run.events).await?,
        };
        let config = &self.run.call.config;
        let lease = match self.request.isolate {
            Isolate::Fresh => None,
            // Values that a run leaves in globals must not reach another tenant.
            Isolate::Kept if self.run.call.scope.is_some() => None,
            Isolate::Kept => sandboxes.kept.lease(
                &object_name(&self.run.call.record.tenant, &self.run.call.name),
                &self.prepared.module,
            ),
        };
        let code = code_of(self.request, &self.prepared, config)?;
        let options = self.options()?;
        let ended = self
            .run_in(loader, lease.as_ref().map(Lease::name), &code, &options)
            .await;
        let outcome = self.judge(ended);
        if let (Some(lease), Ok(_)) = (lease, &outcome) {
            lease.give_back();
        }
        self.run.close();
        match outcome {
            Err(failure) => Ok(Err(failure)),
            Ok(text) => self.keep(execution_id, text),
        }
    }

    /// Makes the options of the runtime besides the program. The journal gets the names of the
    /// servers, for its hints.
    fn options(&self) -> Result<JsValue> {
        let call = &self.run.call;
        let mut servers = servers_of(&call.config, &call.record.tenant);
        servers.extend(self.run.host.as_ref().map(|_| (HOST, HOST)));
        self.run
            .journal
            .borrow_mut()
            .answered
            .know_servers(servers.iter().map(|(name, _)| *name));
        let flush_ms = if self.run.events.are_live() {
            0
        } else {
            FLUSH_MS
        };
        options_of(self.request, &self.prepared, &servers, flush_ms)
    }

    /// Launches the program and watches it to its end. `warm` is the name of an isolate that may
    /// still exist.
    async fn run_in(
        &self,
        loader: &JsValue,
        warm: Option<&str>,
        code: &JsValue,
        options: &JsValue,
    ) -> RunEnd {
        let (run_of_call, run_of_note) = (Rc::clone(self.run), Rc::clone(self.run));
        let on_call: Closure<dyn FnMut(String) -> JsValue> =
            Closure::new(move |text: String| run_of_call.answer(text));
        let on_note: Closure<dyn FnMut(String, String)> =
            Closure::new(move |kind: String, text: String| run_of_note.note(&kind, &text));
        let launched = match self.adopted.as_ref() {
            Some(number) => number
                .parse()
                .ok()
                .and_then(taken)
                .ok_or_else(|| JsValue::from_str("the program that was started is gone")),
            None => launch(loader, warm, code, options),
        };
        match launched {
            Ok(launched) => {
                self.run.launched_ms.set(Some(launched.began_ms() as u64));
                launched.connect(&on_call, &on_note);
                // An adopted program began before its note was passed on.
                if self.adopted.is_some() && self.run.started_ms.get().is_some() {
                    self.run.started_ms.set(self.run.launched_ms.get());
                }
                let ended = self.watch(&launched).await;
                // Must precede the drop of the closures, which nothing may call afterwards.
                launched.close();
                ended
            }
            Err(thrown) => RunEnd::Failed(thrown_text(&thrown)),
        }
    }

    /// Keeps the result, unless the session was deleted while the program ran.
    fn keep(
        &self,
        execution_id: &str,
        text: String,
    ) -> Result<std::result::Result<ResultReply, Failure>> {
        if let Err(error) = self.run.session_lifetime.check() {
            return Ok(Err(Failure::of_session(&error)));
        }
        let session = self.run.call.session()?;
        let kept = keep_within(&session, execution_id, text, self.request.max_result_bytes);
        Ok(kept.map_err(|error| Failure::unkept(&error)))
    }

    /// Waits until the program has responded, or must be ended.
    async fn watch(&self, launched: &Launched) -> RunEnd {
        let mut outcome = JsFuture::from(launched.outcome());
        let code = loop {
            let Some(wait_ms) = self.left_ms() else {
                break "EXECUTION_TIMEOUT";
            };
            if self.run.events.is_abandoned() {
                break "EXECUTION_ABORTED";
            }
            let wait_ms = if self.run.events.are_live() {
                wait_ms.min(WATCH_MS)
            } else {
                wait_ms
            };
            match select(outcome, Delay::from(Duration::from_millis(wait_ms.max(1)))).await {
                Either::Left((ended, _)) => return RunEnd::of(ended),
                Either::Right((_, still)) => outcome = still,
            }
        };
        let _asked = launched.stop(code);
        let grace = Delay::from(Duration::from_millis(EXECUTION_STOP_MS.into()));
        match select(outcome, grace).await {
            Either::Left((ended, _)) => RunEnd::of(ended),
            Either::Right(_) if code == "EXECUTION_ABORTED" => RunEnd::Aborted,
            Either::Right(_) => RunEnd::Silent,
        }
    }

    /// Returns the remaining time of the program; `None` if it is over.
    fn left_ms(&self) -> Option<u64> {
        let began_ms = self.run.started_ms.get().or(self.run.launched_ms.get())?;
        let waited_ms = self.run.waited_ms().min(MAX_EXECUTION_WAIT_MS.into());
        let end_ms = began_ms + u64::from(self.request.timeout_ms) + waited_ms;
        let now_ms = instance::now_ms();
        if self.run.is_waiting() && now_ms < end_ms + u64::from(MAX_EXECUTION_WAIT_MS) {
            return Some(end_ms.saturating_sub(now_ms).max(WATCH_MS));
        }
        end_ms.checked_sub(now_ms).filter(|left| *left > 0)
    }

    /// Returns the JSON text of the result, or the failure.
    fn judge(&self, ended: RunEnd) -> std::result::Result<String, Failure> {
        let started = self.run.started_ms.get().is_some();
        let (report, result) = match ended {
            RunEnd::Answered(report, result) => (report, result),
            RunEnd::Failed(message) => {
                return Err(Failure::platform(&message, started, &self.prepared));
            }
            RunEnd::Aborted => return Err(Failure::aborted()),
            RunEnd::Silent if started => return Err(Failure::lost(self.request.timeout_ms)),
            RunEnd::Silent => return Err(Failure::platform("", false, &self.prepared)),
        };
        let Some(report) = Report::parse(&report) else {
            return Err(Failure::platform(
                "the report cannot be read",
                true,
                &self.prepared,
            ));
        };
        self.run.log(report.logs);
        self.run.journal.borrow_mut().dropped(report.dropped);
        match (report.error, result) {
            (Some(thrown), _) if thrown.code == "EXECUTION_TIMEOUT" => {
                Err(Failure::timeout(self.request.timeout_ms))
            }
            (Some(thrown), _) => Err(Failure::thrown(
                thrown,
                &self.prepared,
                &self.request.code,
                &self.run.journal.borrow().answered,
            )),
            (None, Some(result)) => Ok(result),
            (None, None) => Err(Failure::platform(
                "the report has no result",
                true,
                &self.prepared,
            )),
        }
    }
}

/// Returns the name and the mappings of each server of a tenant.
fn servers_of<'c>(config: &'c Config, tenant: &str) -> Vec<(&'c str, &'c str)> {
    let configured = config.servers.iter();
    configured
        .filter(|server| server.serves(tenant))
        .map(|server| (server.name.as_str(), server.mappings.as_str()))
        .collect()
}

/// Makes the description of the Worker of a program.
fn code_of(request: &Request, prepared: &PreparedProgram, config: &Config) -> Result<JsValue> {
    let parts = match request.isolate {
        Isolate::Fresh => Parts::of(prepared.reach.as_ref(), request.has_input()),
        // Another run of the same isolate may have an input.
        Isolate::Kept => Parts::ALL,
    };
    let (cpu_ms, mappings) = (config.execution_cpu_ms, &config.session.mappings);
    worker_code(&prepared.module, parts, cpu_ms, mappings).map_err(refused)
}

/// Makes the options of the runtime.
fn options_of(
    request: &Request,
    prepared: &PreparedProgram,
    servers: &[(&str, &str)],
    flush_ms: u32,
) -> Result<JsValue> {
    let (places, timeout_ms) = (prepared.places(), request.timeout_ms);
    run_options(&request.input, servers, &places, timeout_ms, flush_ms).map_err(refused)
}

/// The end of a program, as the object saw it.
enum RunEnd {
    /// It ended with a report and perhaps a result.
    Answered(String, Option<String>),
    /// The platform failed with this message.
    Failed(String),
    /// Its client went away and it did not respond any more.
    Aborted,
    /// It was asked to end and did not respond.
    Silent,
}

impl RunEnd {
    fn of(outcome: std::result::Result<JsValue, JsValue>) -> Self {
        match outcome {
            Ok(answer) => {
                let (report, result) = report_and_result(&answer);
                Self::Answered(report, result)
            }
            Err(thrown) => Self::Failed(thrown_text(&thrown)),
        }
    }
}

fn refused(thrown: JsValue) -> Error {
    Error::internal(format!(
        "the isolate could not be described: {}",
        thrown_text(&thrown)
    ))
}
