//! Handlers of the routes of a graph. A handler collects the arguments, calls the domain, and makes
//! a response of the result.

use std::rc::Rc;

use serde_json::Value;
use wasm_bindgen::JsValue;
use web_sys::{Request, Response};

use super::super::object::{Object, OperationGuard};
use super::super::received::IncomingRequest;
use super::super::reply;
use super::super::storage::ObjectDatabase;
use super::Graph;
use super::call::Call;
use super::listed::{self, NoteUrgency};
use crate::api::disposition::attachment;
use crate::api::envelope;
use crate::api::graph_request::{self, GraphRequest};
use crate::api::routes::{BodyLimit, GraphTask};
use ::graph::files::{self, FileImport, FileOptions};
use ::graph::interchange::Format;
use ::graph::{Handler, Head, Id, ObjectOperation};
use base::Result;
use base::formulas::Formulas;
use session::{Session, query};

/// The status of a request that created the node or edge at its address.
const CREATED: u16 = 201;

/// The outcome of an operation.
pub(super) struct OperationOutcome {
    pub(super) json: String,
    pub(super) status: u16,
}

impl OperationOutcome {
    /// Makes a success of the text of its response.
    pub(super) fn new(json: String) -> Self {
        Self { json, status: 200 }
    }

    /// Makes the failure of another object, with that object's text.
    pub(super) fn refused(json: String, status: u16) -> Self {
        Self { json, status }
    }

    /// Returns the outcome of this task. Only a single node or edge has an address of its own, and
    /// a request to an address of another kind does not expect 201.
    pub(super) fn of(mut self, task: GraphTask) -> Self {
        let makes_one = matches!(task, GraphTask::Operation(Id::AddNode | Id::AddEdge));
        if self.status == CREATED && !makes_one {
            self.status = 200;
        }
        self
    }
}

impl From<OperationOutcome> for Outcome {
    fn from(made: OperationOutcome) -> Self {
        Self::Json(made.json, made.status)
    }
}

/// The outcome of a request.
enum Outcome {
    /// JSON with its status.
    Json(String, u16),
    /// A file.
    File {
        content_type: &'static str,
        name: String,
        text: String,
    },
    /// A stream of events.
    Events(Response),
}

impl Object<Graph> {
    /// Serves a request of the front Worker.
    pub(super) async fn respond(self: Rc<Self>, request: Request) -> Result<Response, JsValue> {
        let _running = OperationGuard::start(&self);
        let received = match IncomingRequest::from_front(request) {
            Ok(received) => received,
            Err(error) => return reply::failure(&error),
        };
        let mut call = match Call::read(&received, &self) {
            Ok(call) => call,
            Err(error) => return reply::failure(&error),
        };
        let outcome = self.perform(&mut call, &received).await;
        let (code, bytes_out) = match &outcome {
            // A failure of another object is a response here.
            Ok(Outcome::Json(text, _)) => {
                let code = envelope::failure_code(text).unwrap_or("OK");
                (code, text.len())
            }
            Ok(Outcome::File { text, .. }) => ("OK", text.len()),
            Ok(Outcome::Events(_)) => ("OK", 0),
            Err(error) => (error.code(), 0),
        };
        call.finish(&self, code, bytes_out);
        match outcome {
            Ok(Outcome::Json(text, status)) => reply::json(&text, status),
            Ok(Outcome::Events(response)) => Ok(response),
            Ok(Outcome::File {
                content_type,
                name,
                text,
            }) => {
                let response = reply::text(content_type, &text)?;
                response.headers().set("content-disposition", &name)?;
                Ok(response)
            }
            Err(error) => reply::failure(&error),
        }
    }

    async fn perform(
        self: &Rc<Self>,
        call: &mut Call,
        received: &IncomingRequest,
    ) -> Result<Outcome> {
        let if_match = received.header("if-match");
        let if_match = if_match.as_deref();
        match call.task {
            GraphTask::Events => {
                self.prepare().await?;
                self.events(call, received).map(Outcome::Events)
            }
            GraphTask::Export => {
                self.prepare().await?;
                export(call)
            }
            GraphTask::Import => {
                let content = call.text(received).await?;
                let content_type = received.header("content-type");
                let import = import(call, content_type.as_deref(), if_match, &content)?;
                drop(content);
                self.prepare().await?;
                let made = self.change(call, |call| import.run(&call.graph()))?;
                Ok(Outcome::Json(made.json, 200))
            }
            GraphTask::Operate | GraphTask::Operation(_) => {
                let body = if call.entry.body == BodyLimit::None {
                    String::new()
                } else {
                    call.text(received).await?
                };
                let request = call.operation(&body, if_match)?;
                let made = self.operate(call, &request).await?;
                Ok(made.of(call.task).into())
            }
        }
    }

    /// Runs one operation.
    async fn operate(
        self: &Rc<Self>,
        call: &mut Call,
        request: &GraphRequest,
    ) -> Result<OperationOutcome> {
        let arguments = &request.arguments;
        match ::graph::handler(request.id) {
            Ok(handler) => {
                self.prepare().await?;
                self.run(call, request, handler)
            }
            Err(ObjectOperation::DeleteGraph) => {
                let if_version = ::graph::deleted_version(arguments)?;
                if if_version.is_some() {
                    self.prepare().await?;
                    Head::load(call.database())?.require(if_version)?;
                }
                self.delete().await?;
                listed::remove(&self.env, &call.tenant, &call.conversation).await;
                Ok(OperationOutcome::new(envelope::success(Value::Null)))
            }
            Err(ObjectOperation::Query) => {
                self.prepare().await?;
                self.query(call, arguments)
            }
            Err(ObjectOperation::ImportFromQuery) => self.import_from_query(call, arguments).await,
            Err(ObjectOperation::ExportToSession) => {
                self.prepare().await?;
                self.export_to_session(call, arguments).await
            }
        }
    }

    /// Runs an operation that needs no more than the graph.
    pub(super) fn run(
        self: &Rc<Self>,
        call: &Call,
        request: &GraphRequest,
        handler: Handler<ObjectDatabase>,
    ) -> Result<OperationOutcome> {
        let made = self.change(call, |call| {
            let arguments = request.with_ids(call.database())?;
            handler(&call.graph(), &arguments)
        })?;
        if request.id == Id::InitGraph {
            listed::tell(self, call, NoteUrgency::AtOnce);
        }
        Ok(made)
    }

    /// Runs an operation that may change the graph, and notifies the readers and the index.
    pub(super) fn change(
        self: &Rc<Self>,
        call: &Call,
        work: impl FnOnce(&Call) -> Result<::graph::Reply>,
    ) -> Result<OperationOutcome> {
        let reply = work(call)?;
        if reply.version.is_some() {
            self.kind.readers.changed();
        }
        if reply.version.is_some() {
            listed::tell(self, call, NoteUrgency::InTime);
        }
        let json = envelope::with_members(&reply.json);
        let status = if reply.created { CREATED } else { 200 };
        Ok(OperationOutcome { json, status })
    }

    /// Runs a SELECT over the tables of the graph, through the gate of sessions.
    pub(super) fn query(&self, call: &Call, arguments: &str) -> Result<OperationOutcome> {
        let request = query::Request::parse_graph(arguments)?;
        let session = Session {
            db: call.database(),
            settings: &call.config.session,
            now_ms: super::super::instance::now_ms(),
            name: &call.conversation,
            cache: &self.kind.cache,
            scope: None,
        };
        session
            .query(&request)
            .map(|answer| OperationOutcome::new(envelope::answered(&answer)))
            .map_err(::graph::query::in_graph)
    }
}

/// Parses the import that a request with a file describes.
fn import(
    call: &Call,
    content_type: Option<&str>,
    if_match: Option<&str>,
    content: &str,
) -> Result<FileImport> {
    let [format, on_conflict, mode] =
        ["format", "onConflict", "mode"].map(|name| call.parameter(name));
    let (format, on_conflict, mode) = (format?, on_conflict?, mode?);
    let options = FileOptions {
        content_type,
        format: format.as_deref(),
        on_conflict: on_conflict.as_deref(),
        mode: mode.as_deref(),
        if_version: if_match.map(graph_request::version).transpose()?,
    };
    FileImport::of_body(&options, content)
}

/// Returns the graph as a file.
fn export(call: &Call) -> Result<Outcome> {
    let name = call.parameter("format")?;
    let format = name
        .as_deref()
        .map_or(Ok(Format::Json), Format::from_name)?;
    let formulas = call.parameter("formulas")?;
    let formulas = Formulas::parse(formulas.as_deref(), format == Format::Csv)?;
    Ok(Outcome::File {
        content_type: format.media_type(),
        name: attachment(&call.conversation, format.extension()),
        text: files::export(&call.graph(), format, formulas)?,
    })
}
