//! Handlers of the routes of a session. A handler reads the body, calls the domain, and makes a
//! response of the result.

use session::SessionError;
use std::rc::Rc;

use futures::{FutureExt, StreamExt, stream};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Request, Response};

use super::super::addresses::{ADOPTED_HEADER, BASIS_HEADER};
use super::super::bindings::thrown_text;
use super::super::object::events::{self, Events};
use super::super::object::{Object, OperationGuard};
use super::super::pieces::{Outlet, Pieces, pieces};
use super::super::received::IncomingRequest;
use super::super::servers::Servers;
use super::super::storage::ObjectDatabase;
use super::super::{instance, reply};
use super::call::{Call, Streaming};
use super::isolate::PreparedRun;
use super::persistent_tables::{self, PersistentRequestKind};
use super::table_requests::{drop_request, load_request};
use super::{Session, listed};
use crate::api::disposition::attachment;
use crate::api::envelope;
use crate::api::routes::SessionTask;
use crate::config::Config;
use base::formulas::Formulas;
use base::{Error, Result};
use net::event_stream::EventStream;
use sandbox::prompt;
use sandbox::tool_description::Form;
use session::bulk::Load;
use session::confirmation;
use session::dump::Dump;
use session::executions;
use session::expiry::{self, AlarmAction};
use session::export::{Export, ExportFormat};
use session::persistent::{self, Addressed};
use session::tabular::{self, Tabular};
use session::{self, Reply, query};
use tools::gateway::PassedHeaders;
use tools::host::HostCallEnd;

/// The response of an endpoint: a text, or pieces that are made when the reader requests them.
enum ResponseBody {
    Text(String),
    Other {
        content_type: &'static str,
        text: String,
    },
    Events(Response),
    Rows(Tabular),
    Pieces {
        content_type: &'static str,
        /// The name of the file under which the response may be saved.
        file: Option<String>,
        first: Option<Vec<u8>>,
        rest: Pieces,
    },
}

impl Session {
    /// Forgets the state that belongs to a deleted session.
    pub(super) fn forget_all(&self, env: &JsValue) {
        self.cache.forget();
        self.untold.take();
        self.sandboxes.forget();
        if let Ok(config) = instance::config(env) {
            // Closing the connections does not depend on the tenant.
            let servers = Servers::new(&config, "", &self.connections, PassedHeaders::default());
            servers.gateway().close();
        }
    }
}

/// Returns when the session ends: its time to live after its last use.
pub(super) fn end_ms(database: &ObjectDatabase, config: &Config) -> Result<u64> {
    let used_ms = expiry::last_use_ms(database)?.unwrap_or_else(instance::now_ms);
    let ttl_seconds = config.session.session_ttl_seconds;
    Ok(expiry::expires_at_ms(used_ms, ttl_seconds))
}

/// The result of an endpoint, before it is a response.
enum EndpointResult {
    /// The answer of an operation.
    Reply(Reply),
    /// JSON text.
    Json(String),
    /// Text of another type.
    Text(&'static str, String),
}

impl EndpointResult {
    fn reply(self, rows_as: ExportFormat, formulas: Formulas) -> Result<ResponseBody> {
        Ok(match self {
            Self::Reply(answer) if rows_as == ExportFormat::Json => {
                ResponseBody::Text(envelope::answered(&answer))
            }
            Self::Reply(answer) => ResponseBody::Rows(tabular::render(&answer, rows_as, formulas)?),
            Self::Json(text) => ResponseBody::Text(text),
            Self::Text(content_type, text) => ResponseBody::Other { content_type, text },
        })
    }
}

impl ResponseBody {
    /// Returns the bytes of a response that exists as a whole.
    fn bytes(&self) -> u64 {
        let bytes = match self {
            Self::Text(text) | Self::Other { text, .. } => text.len(),
            Self::Rows(rows) => rows.text.len(),
            Self::Events(_) | Self::Pieces { .. } => 0,
        };
        bytes as u64
    }
}

impl Object<Session> {
    /// Serves a request of the front Worker.
    pub(super) async fn respond(self: Rc<Self>, request: Request) -> Result<Response, JsValue> {
        let received = match IncomingRequest::from_front(request) {
            Ok(received) => received,
            Err(error) => return reply::failure(&error),
        };
        if let Some(response) = self.respond_to_front(&received).await {
            return response;
        }
        let call = match Call::read(received, &self) {
            Ok(call) => call,
            Err(error) => return reply::failure(&error),
        };
        match self.perform(call).await {
            Ok(ResponseBody::Text(text)) => reply::json(&text, 200),
            Ok(ResponseBody::Other { content_type, text }) => reply::text(content_type, &text),
            Ok(ResponseBody::Events(response)) => Ok(response),
            Ok(ResponseBody::Rows(rows)) => reply::tabular(&rows),
            Ok(ResponseBody::Pieces {
                content_type,
                file,
                first,
                rest,
            }) => {
                let pieces = stream::iter(first.map(Ok)).chain(rest);
                reply::stream(content_type, file.as_deref(), pieces)
            }
            Err(error) => reply::failure(&error),
        }
    }

    /// Calls the handler of the endpoint. Each kind of endpoint is a boxed future, so that a
    /// request compiles only the code of its kind: V8 discards the code of its baseline compiler
    /// whenever an isolate is created, which every program does.
    async fn perform(self: &Rc<Self>, mut call: Call) -> Result<ResponseBody> {
        let running = OperationGuard::start(self);
        let outcome = match call.task {
            SessionTask::Stream | SessionTask::Export | SessionTask::Dump => {
                return self.stream(call, running).boxed_local().await;
            }
            SessionTask::Execute => return self.execute(call, running).boxed_local().await,
            SessionTask::Load => self.take_in(&mut call).boxed_local().await,
            SessionTask::Proxy if call.wants_events() => {
                let live = self.proxy_live(call, running).boxed_local();
                return live.await.map(ResponseBody::Events);
            }
            SessionTask::Proxy => {
                let proxied = self.proxy(&mut call).boxed_local();
                proxied.await.map(EndpointResult::Json)
            }
            SessionTask::Operate
            | SessionTask::Metrics
            | SessionTask::Delete
            | SessionTask::Persist
            | SessionTask::DropTable
            | SessionTask::Unpersist
            | SessionTask::Executions
            | SessionTask::HostCall
            | SessionTask::Prompt => self.answer(&mut call).boxed_local().await,
        };
        let reply = outcome.and_then(|made| made.reply(call.rows_as, call.formulas));
        match &reply {
            Ok(reply) => {
                call.record.bytes_out = reply.bytes();
                call.finish("OK");
            }
            Err(error) => call.finish(error.code()),
        }
        reply
    }

    /// Runs a program. For a client that reads events, the program runs after the response has
    /// begun.
    async fn execute(
        self: &Rc<Self>,
        mut call: Call,
        running: OperationGuard<Session>,
    ) -> Result<ResponseBody> {
        let sandboxes = &self.kind.sandboxes;
        let adopted = call.received.header(ADOPTED_HEADER);
        let reservation = adopted.and_then(|_| sandboxes.take_reservation());
        // The session of a program that runs already was prepared. If it was deleted since, the
        // program must not make it again.
        if reservation.is_none()
            && let Err(error) = self.prepare().await
        {
            call.finish(error.code());
            return Err(error);
        }
        let wants_events = call.wants_events();
        let ready = match PreparedRun::read(call, &self.env).await {
            Ok(ready) => ready,
            Err((mut call, error)) => {
                call.finish(error.code());
                return Err(error);
            }
        };
        if !wants_events {
            return ready
                .execute(sandboxes, Events::default(), reservation)
                .await
                .map(ResponseBody::Text);
        }
        let (told, listener) = Events::live(EventStream::default());
        // Headers are sent with the first piece. Without it, the object would not notice that a
        // client leaves while its program waits in the queue.
        told.greet();
        let sandboxes = sandboxes.clone();
        spawn_local(async move {
            let _running = running;
            // An error was sent as an event already.
            let _told = ready.execute(&sandboxes, told, None).await;
        });
        reply::stream(events::CONTENT_TYPE, None, events::body(listener))
            .map(ResponseBody::Events)
            .map_err(|thrown| Error::internal(thrown_text(&thrown)))
    }

    /// Prepares the object and runs a load.
    async fn take_in(self: &Rc<Self>, call: &mut Call) -> Result<EndpointResult> {
        self.prepare().await?;
        self.kind.sandboxes.write_down(&self.database());
        self.load(call).await.map(EndpointResult::Reply)
    }

    /// Serves the other endpoints, whose response is one text.
    async fn answer(self: &Rc<Self>, call: &mut Call) -> Result<EndpointResult> {
        #[cfg(feature = "fault-injection")]
        if let Some(text) = super::super::faults::object(&call.query, &self.storage).await? {
            return Ok(EndpointResult::Json(text));
        }
        if call.task == SessionTask::Delete {
            if let Some(basis) = call.received.header(BASIS_HEADER) {
                self.prepare().await?;
                confirmation::require_whole_basis(&self.database(), &basis)?;
            }
            self.delete().await?;
            listed::remove(&self.env, &call.record.tenant, &call.name).await;
            return Ok(EndpointResult::Reply(Reply::default()));
        }
        self.prepare().await?;
        self.kind.sandboxes.write_down(&self.database());
        let answer = match call.task {
            SessionTask::Operate => {
                let body = call.text().await?;
                let format = call.parameter("format")?;
                call.rows_as = tabular::wanted(&body, format.as_deref(), call.accept().as_deref())?;
                call.formulas = formulas(call, call.rows_as)?;
                self.operate(call, &body).await
            }
            SessionTask::Metrics => {
                let metrics = r#"{"operation":"getMetrics"}"#;
                session::dispatch(&call.session()?, metrics)
            }
            SessionTask::HostCall => {
                let end = HostCallEnd::parse(&call.text().await?)?;
                self.kind.sandboxes.host_calls.end(end)?;
                Ok(Reply::default())
            }
            SessionTask::Executions => {
                let limit = call.parameter("limit")?;
                executions::list(&call.session()?, limit.as_deref())
            }
            SessionTask::Prompt => {
                let tool = call.parameter("tool")?;
                let form = Form::from_parameters(tool, call.parameter("form")?.as_deref())?;
                let servers = self.servers_of(call)?;
                let servers = servers.for_prompt().await;
                let text = form.render_for(&call.session()?, &servers)?;
                return Ok(EndpointResult::Text(prompt::CONTENT_TYPE, text));
            }
            SessionTask::Persist => {
                let body = call.text().await?;
                self.persistent(call, PersistentRequestKind::Copy, &body)
                    .await
            }
            SessionTask::DropTable | SessionTask::Unpersist => {
                let body = drop_request(call)?;
                self.operate(call, &body).await
            }
            SessionTask::Delete
            | SessionTask::Stream
            | SessionTask::Export
            | SessionTask::Dump
            | SessionTask::Execute
            | SessionTask::Load
            | SessionTask::Proxy => Err(Error::internal(format!(
                "{:?} does not belong here",
                call.task
            ))),
        };
        answer.map(EndpointResult::Reply)
    }

    /// Runs one operation of the session database.
    pub(super) async fn operate(&self, call: &mut Call, body: &str) -> Result<Reply> {
        call.name_operation(body);
        if persistent::addressed(body)? == Addressed::Persistent {
            return self
                .persistent(call, PersistentRequestKind::Operation, body)
                .await;
        }
        #[cfg(feature = "fault-injection")]
        for _ in 1..super::super::faults::repetitions(&call.query) {
            let body = super::super::faults::numbered(body);
            session::dispatch(&call.session()?, &body)?;
        }
        let session = call.session()?;
        if let Some(basis) = call.received.header(BASIS_HEADER) {
            confirmation::require_basis(session.db, body, &basis)?;
        }
        session::dispatch(&session, body)
    }

    /// Serves a request to the tenant's D1 database.
    async fn persistent(
        &self,
        call: &mut Call,
        wanted: PersistentRequestKind,
        body: &str,
    ) -> Result<Reply> {
        let answer = persistent_tables::run(
            &self.env,
            &call.record.tenant,
            &call.config,
            &call.session()?,
            call.received.header(BASIS_HEADER).as_deref(),
            wanted,
            body,
        )
        .await?;
        call.record.counters += answer.counters;
        Ok(answer)
    }

    /// Serves the endpoints that respond piece by piece. The first piece is made before the head of
    /// the response is sent, so that an error in the request still has a status of its own.
    async fn stream(
        self: &Rc<Self>,
        mut call: Call,
        running: OperationGuard<Session>,
    ) -> Result<ResponseBody> {
        let begun = self.begin_stream(&mut call).await;
        let StreamedResponse {
            content_type,
            file,
            source,
        } = match begun {
            Ok(begun) => begun,
            Err(error) => {
                call.finish(error.code());
                return Err(error);
            }
        };
        let mut rest = pieces(move |outlet| async move {
            let _running = running;
            let mut call = call.streaming();
            let outcome = source.send_all(&call, &outlet).await;
            call.code = outcome.as_ref().map_or_else(Error::code, |()| "OK");
            outcome
        });
        let first = rest.next().await.transpose()?;
        Ok(ResponseBody::Pieces {
            content_type,
            file,
            first,
            rest,
        })
    }

    async fn begin_stream(self: &Rc<Self>, call: &mut Call) -> Result<StreamedResponse> {
        self.prepare().await?;
        self.kind.sandboxes.write_down(&self.database());
        match call.task {
            SessionTask::Stream => {
                let body = call.text().await?;
                persistent::require_session(&body)?;
                let format = export_format(call)?;
                if call.parameter("format")?.as_deref() == Some("json") {
                    return Err(Error::invalid_with_hint(
                        "the format of a stream must be ndjson or csv",
                        r#"leave format out, or use {"operation":"query"}"#,
                    ));
                }
                let formulas = formulas(call, format)?;
                let request = query::Request::parse_stream(&body)?;
                Ok(match format {
                    ExportFormat::Csv => StreamedResponse {
                        content_type: format.content_type(),
                        file: Some(attachment("query", format.extension())),
                        source: StreamSource::Csv(request, formulas),
                    },
                    // One JSON text cannot report a failure at its end; lines can.
                    ExportFormat::Ndjson | ExportFormat::Json => StreamedResponse {
                        content_type: ExportFormat::Ndjson.content_type(),
                        file: None,
                        source: StreamSource::Rows(request),
                    },
                })
            }
            SessionTask::Export => {
                let format = export_format(call)?;
                Ok(StreamedResponse {
                    content_type: format.content_type(),
                    file: Some(attachment(&call.table, format.extension())),
                    source: StreamSource::Table(format, formulas(call, format)?),
                })
            }
            SessionTask::Dump => Ok(StreamedResponse {
                content_type: "application/sql; charset=utf-8",
                file: Some(attachment(&call.name, "sql")),
                source: StreamSource::Dump,
            }),
            SessionTask::Operate
            | SessionTask::Metrics
            | SessionTask::Delete
            | SessionTask::Load
            | SessionTask::Persist
            | SessionTask::DropTable
            | SessionTask::Unpersist
            | SessionTask::Execute
            | SessionTask::Executions
            | SessionTask::HostCall
            | SessionTask::Prompt
            | SessionTask::Proxy => Err(Error::internal(format!(
                "{:?} does not belong here",
                call.task
            ))),
        }
    }

    /// Loads the rows while they arrive. After any error, none of them stays.
    async fn load(self: &Rc<Self>, call: &mut Call) -> Result<Reply> {
        let generation = self.generation();
        let request = load_request(call)?;
        let mut body = call.body()?;
        let outcome = async {
            let mut load = Load::new(call.session()?, request)?;
            while let Some(piece) = body.next().await? {
                if self.generation() != generation {
                    return Err(Error::from(SessionError::SessionDeleted {
                        what: "the load was arriving",
                    }));
                }
                load.feed(&piece)?;
            }
            // A load may have taken longer than the time to live.
            call.session()?;
            load.finish()
        }
        .await;
        call.record.bytes_in = body.read_bytes();
        outcome
    }

    /// Deletes a session that was not used for its time to live. A session that is in use at this
    /// moment, for example by a long load, stays due.
    pub(super) async fn expire(self: Rc<Self>) -> Result<()> {
        let ttl_seconds = instance::config(&self.env)?.session.session_ttl_seconds;
        let last_use_ms = expiry::last_use_ms(&self.database())?;
        let fired = expiry::on_alarm(last_use_ms, instance::now_ms(), ttl_seconds);
        if fired == AlarmAction::Delete && !self.is_running() {
            self.delete().await?;
        }
        Ok(())
    }
}

/// A response that is sent in pieces.
struct StreamedResponse {
    content_type: &'static str,
    /// The file name for the `Content-Disposition` header.
    file: Option<String>,
    source: StreamSource,
}

/// The source of the pieces of a response.
enum StreamSource {
    Rows(query::Request),
    Csv(query::Request, Formulas),
    Table(ExportFormat, Formulas),
    Dump,
}

impl StreamSource {
    async fn send_all(self, call: &Streaming, outlet: &Outlet) -> Result<()> {
        let session = call.call.session()?;
        match self {
            Self::Rows(request) => {
                let mut rows = session.stream(&request)?;
                while let Some(piece) = rows.next_chunk() {
                    call.count(&piece);
                    outlet.send(piece).await;
                }
            }
            Self::Csv(request, formulas) => {
                let mut rows = session.stream(&request)?;
                while let Some(piece) = rows.next_csv(formulas)? {
                    call.count(&piece);
                    outlet.send(piece).await;
                }
            }
            Self::Table(format, formulas) => {
                let mut export = Export::new(session, &call.call.table, format, formulas)?;
                while let Some(piece) = export.next_chunk()? {
                    call.count(&piece);
                    outlet.send(piece).await;
                }
            }
            Self::Dump => {
                let mut dump = Dump::new(session)?;
                while let Some(piece) = dump.next_chunk()? {
                    call.count(&piece);
                    outlet.send(piece).await;
                }
            }
        }
        Ok(())
    }
}

/// Returns the treatment of formulas in CSV.
fn formulas(call: &Call, format: ExportFormat) -> Result<Formulas> {
    let parameter = call.parameter("formulas")?;
    Formulas::parse(parameter.as_deref(), format == ExportFormat::Csv)
}

/// Returns the format of rows that the caller requests.
fn export_format(call: &Call) -> Result<ExportFormat> {
    let format = call.parameter("format")?;
    tabular::chosen(
        format.as_deref(),
        call.accept().as_deref(),
        ExportFormat::Ndjson,
    )
}
