//! Handlers of a client's HTTP requests: POST with messages, GET for a stream, DELETE to end its
//! session.

use std::rc::Rc;

use serde_json::value::RawValue;
use wasm_bindgen::JsValue;
use web_sys::{Request, Response};

use super::super::addresses::{
    BUSINESS_HEADER, MCP_SESSION_HEADER, PASSED_HEADER, SESSION_HEADER, TENANT_HEADER, USER_HEADER,
};
use super::super::body::read_text;
use super::super::mcp::backend::WorkerBackend;
use super::super::mcp::exchange;
use super::super::mcp::front::{accepted, fault_of, internal, refused};
use super::super::mcp::service::{Served, served};
use super::super::object::events::Pipe;
use super::super::object::{Object, OperationGuard};
use super::super::received::IncomingRequest;
use super::super::telemetry::Record as LogRecord;
use super::super::{instance, reply};
use super::{Client, ttl_ms};
use crate::api::routes;
use crate::config::Config;
use base::{Error, Result};
use mcp::server::headers::{Readable, legacy_version, readable};
use mcp::server::respond::{self, LegacyRequest};
use mcp::server::rpc::{self, Body, INVALID_REQUEST};
use mcp::server::session::{self, EventId, Record, STANDALONE};
use mcp::server::{Fault, Headers, Incoming, Introduction, Meta, RequestId, Service, Version};
use mcp_product::Endpoint;

/// One request of the front Worker.
pub(super) struct FrontRequest {
    pub received: IncomingRequest,
    pub tenant: String,
    /// The session of calls that name none.
    pub session: String,
    /// The id of the MCP session.
    pub id: String,
    pub endpoint: Endpoint,
    /// The headers that the client passes through to other servers with this request.
    pub passed: Vec<(String, String)>,
    /// The claims of the access token, in the form that objects take.
    pub claims: Vec<(&'static str, String)>,
    pub config: Rc<Config>,
}

impl Headers for FrontRequest {
    fn get(&self, name: &str) -> Option<String> {
        self.received.header(name)
    }
}

impl FrontRequest {
    /// Returns the forms of a response that the client reads for this request. The front Worker has
    /// refused a POST that allows none.
    pub(super) fn reads(&self) -> Readable {
        readable(self).unwrap_or(Readable::Json)
    }

    fn read(request: Request, object: &Object<Client>) -> Result<Self> {
        let received = IncomingRequest::from_front(request)?;
        let named = |name: &str| {
            let value = received.header(name);
            value.ok_or_else(|| Error::internal(format!("a request without {name}")))
        };
        let (tenant, session) = (named(TENANT_HEADER)?, named(SESSION_HEADER)?);
        let id = named(MCP_SESSION_HEADER)?;
        let route = routes::route(received.method(), received.address().path)?;
        let passed = received.header(PASSED_HEADER);
        let claims = [BUSINESS_HEADER, USER_HEADER]
            .into_iter()
            .filter_map(|name| Some((name, received.header(name)?)));
        Ok(Self {
            claims: claims.collect(),
            passed: passed
                .map(|text| serde_json::from_str(&text))
                .transpose()
                .map_err(|_| Error::internal("what is passed through cannot be read"))?
                .unwrap_or_default(),
            endpoint: routes::endpoint(&route, received.address().query)?,
            config: instance::config(&object.env)?,
            tenant,
            session,
            id,
            received,
        })
    }
}

impl Object<Client> {
    /// Serves a request of the front Worker.
    pub(super) async fn respond(self: Rc<Self>, request: Request) -> Result<Response, JsValue> {
        let _running = OperationGuard::start(&self);
        let started_ms = instance::now_ms();
        let asked = match FrontRequest::read(request, &self) {
            Ok(asked) => Rc::new(asked),
            Err(error) => return refused(&fault_of(&error), None, Readable::Json),
        };
        let outcome = match asked.received.method() {
            "POST" => self.post(&asked).await,
            "GET" => self.get(&asked).await.map_err(|fault| (fault, None)),
            _ => self.end(&asked).await.map_err(|fault| (fault, None)),
        };
        let response = match outcome {
            Ok(response) => Ok(response),
            Err((fault, id)) => refused(&fault, id.as_ref(), asked.reads()),
        };
        self.log(&asked, started_ms);
        response
    }

    async fn post(
        self: &Rc<Self>,
        asked: &Rc<FrontRequest>,
    ) -> Result<Response, (Fault, Option<RequestId>)> {
        let without_id = |fault: Fault| (fault, None);
        // The front Worker has applied the limit already.
        let body = read_text(&asked.received, u64::MAX)
            .await
            .map_err(|error| without_id(fault_of(&error)))?;
        let parsed = rpc::parse(&body).map_err(|unreadable| (unreadable.fault, unreadable.id))?;
        if let Body::One(Incoming::Request { id, method, params }) = &parsed
            && method == "initialize"
        {
            let begun = self.begin(asked, id, *params).await;
            return begun.map_err(|fault| (fault, Some(id.clone())));
        }
        let record = self.record(asked).await.map_err(|fault| {
            let id = match &parsed {
                Body::One(Incoming::Request { id, .. }) => Some(id.clone()),
                _ => None,
            };
            (fault, id)
        })?;
        match parsed {
            Body::One(message) => self.take(asked, &record, message).await,
            Body::Batch(messages) => {
                let version = legacy_version(asked.as_ref()).map_err(without_id)?;
                if version != Version::V20250326 || record.caller.version != version {
                    let problem = "this version has no batches: send one message";
                    return Err(without_id(Fault::refused(INVALID_REQUEST, problem)));
                }
                self.take_all(asked, &record, messages)
                    .await
                    .map_err(without_id)
            }
        }
    }

    /// Begins the session.
    async fn begin(
        self: &Rc<Self>,
        asked: &Rc<FrontRequest>,
        id: &RequestId,
        params: Option<&RawValue>,
    ) -> Result<Response, Fault> {
        // A client reads the error of its first request as JSON-RPC with any status.
        let introduction = Introduction::read(params)?;
        let begin = || -> Result<()> {
            let name = asked.endpoint.name();
            session::begin(&self.database(), &introduction, &name, instance::now_ms())
        };
        self.migrate().map_err(|error| fault_of(&error))?;
        begin().map_err(|error| fault_of(&error))?;
        self.prepare().await.map_err(|error| fault_of(&error))?;
        let description = self.service(asked)?.description();
        let result = respond::initialized(&introduction, &description);
        let made = || -> Result<Response, JsValue> {
            let text = rpc::render_result(id, &result);
            let response = exchange::whole(200, text, asked.reads())?;
            response.headers().set("mcp-session-id", &asked.id)?;
            Ok(response)
        };
        made().map_err(|thrown| internal(&thrown))
    }

    /// Returns the record of the session, and counts as a use of it.
    pub(super) async fn record(&self, asked: &FrontRequest) -> Result<Record, Fault> {
        let ended = || Fault {
            status: 404,
            ..Fault::refused(
                INVALID_REQUEST,
                "the session does not exist or has ended: initialize again",
            )
        };
        let failed = |error: Error| fault_of(&error);
        if self.kind.record.borrow().is_none() {
            // An invented id must not create a database.
            if !session::is_begun(&self.database()).map_err(failed)? {
                return Err(ended());
            }
            self.prepare().await.map_err(failed)?;
            let loaded = session::load(&self.database()).map_err(failed)?;
            *self.kind.record.borrow_mut() = loaded;
        }
        let mut record = self.kind.record.borrow().clone().ok_or_else(ended)?;
        if record.profile != asked.endpoint.name() {
            return Err(ended());
        }
        // Storage would refuse it too; here it is refused before any work.
        legacy_version(asked)?;
        let ttl_ms = ttl_ms(&asked.config);
        session::touch(&self.database(), &mut record, instance::now_ms(), ttl_ms)
            .map_err(failed)?;
        *self.kind.record.borrow_mut() = Some(record.clone());
        Ok(record)
    }

    /// Makes the service for this client.
    ///
    /// # Errors
    /// A [`Fault`] if the headers that it passes through are wrong.
    pub(super) fn service(&self, asked: &FrontRequest) -> Result<Served, Fault> {
        let backend = WorkerBackend::in_object(
            &self.env,
            &asked.config,
            &asked.tenant,
            &asked.passed,
            &self.kind.connections,
        );
        let backend = backend
            .map_err(|error| fault_of(&error))?
            .claiming(asked.claims.clone());
        let path = asked.received.address().path;
        let session = asked.session.clone();
        let endpoint = asked.endpoint.clone();
        Ok(served(path, backend, &asked.config, endpoint, session))
    }

    async fn take(
        self: &Rc<Self>,
        asked: &Rc<FrontRequest>,
        record: &Record,
        message: Incoming<'_>,
    ) -> Result<Response, (Fault, Option<RequestId>)> {
        match message {
            Incoming::Request { id, method, params } => {
                let outcome = self.request(asked, record, &id, &method, params).await;
                outcome.map_err(|fault| (fault, Some(id)))
            }
            Incoming::Notification { method, params } => {
                self.notified(&method, params);
                accepted().map_err(|thrown| (internal(&thrown), None))
            }
            Incoming::Response { id, outcome } => {
                self.responded(&id, outcome);
                accepted().map_err(|thrown| (internal(&thrown), None))
            }
        }
    }

    async fn request(
        self: &Rc<Self>,
        asked: &Rc<FrontRequest>,
        record: &Record,
        id: &RequestId,
        method: &str,
        params: Option<&RawValue>,
    ) -> Result<Response, Fault> {
        let meta = Meta::read(params).map_err(in_a_response)?;
        let asks = match respond::read_legacy(method, params)? {
            LegacyRequest::Serve(ask) => ask,
            simple => {
                let result = self.simple(asked, simple).await?;
                return answer(asked, 200, rpc::render_result(id, &result));
            }
        };
        let begun = self.call(asked, record, id, asks, &meta)?.await;
        match begun {
            exchange::ResponseStart::Json(status, text) => answer(asked, status, text),
            exchange::ResponseStart::Stream(running) => self.stream(record, id, running),
        }
    }

    /// Handles a request that concerns the session itself.
    pub(super) async fn simple(
        self: &Rc<Self>,
        asked: &Rc<FrontRequest>,
        legacy: LegacyRequest,
    ) -> Result<String, Fault> {
        let database = self.database();
        let done = match legacy {
            LegacyRequest::Ping | LegacyRequest::Serve(_) => Ok(()),
            LegacyRequest::SetLevel(level) => {
                if let Some(record) = self.kind.record.borrow_mut().as_mut() {
                    record.log_level = Some(level);
                }
                session::set_level(&database, level)
            }
            LegacyRequest::Subscribe(uri) => {
                let filter = mcp::server::Filter {
                    uris: vec![uri.clone()],
                    ..mcp::server::Filter::default()
                };
                if self.service(asked)?.agreed(&filter).uris.is_empty() {
                    let data = serde_json::json!({ "uri": uri });
                    return Err(Fault::params("resource not found").with(data));
                }
                session::subscribe(&database, &uri).map(|()| self.watch_again(asked))
            }
            LegacyRequest::Unsubscribe(uri) => {
                session::unsubscribe(&database, &uri).map(|()| self.watch_again(asked))
            }
        };
        done.map_err(Fault::from)?;
        Ok("{}".to_owned())
    }

    /// Handles several messages of the one version that allows batches: one after the other,
    /// without notifications.
    async fn take_all(
        self: &Rc<Self>,
        asked: &Rc<FrontRequest>,
        record: &Record,
        messages: Vec<Result<Incoming<'_>, rpc::Unreadable>>,
    ) -> Result<Response, Fault> {
        let mut responses = Vec::new();
        for message in messages {
            match message {
                Err(unreadable) => responses.push(unreadable.fault.render(unreadable.id.as_ref())),
                Ok(Incoming::Request { id, method, params }) => {
                    let outcome = self.in_batch(asked, record, &id, &method, params).await;
                    responses.push(outcome.unwrap_or_else(|fault| fault.render(Some(&id))));
                }
                Ok(Incoming::Notification { method, params }) => self.notified(&method, params),
                Ok(Incoming::Response { id, outcome }) => self.responded(&id, outcome),
            }
        }
        if responses.is_empty() {
            return accepted().map_err(|thrown| internal(&thrown));
        }
        answer(asked, 200, format!("[{}]", responses.join(",")))
    }

    /// Handles GET: the stream of the session, or a stream that the client resumes.
    async fn get(self: &Rc<Self>, asked: &Rc<FrontRequest>) -> Result<Response, Fault> {
        let record = self.record(asked).await?;
        let place = match asked.received.header("last-event-id") {
            None => None,
            Some(text) => Some(EventId::parse(&text).ok_or_else(|| {
                Fault::refused(
                    INVALID_REQUEST,
                    "Last-Event-ID is not the id of an event of this server",
                )
            })?),
        };
        let stream = place.map_or(STANDALONE, |place| place.stream);
        if stream == STANDALONE {
            self.watch_again(asked);
        }
        self.resume(&record, stream, place)
    }

    /// Handles DELETE: ends the session.
    async fn end(self: &Rc<Self>, asked: &Rc<FrontRequest>) -> Result<Response, Fault> {
        self.record(asked).await?;
        self.delete().await.map_err(|error| fault_of(&error))?;
        reply::json("{}", 200).map_err(|thrown| internal(&thrown))
    }

    /// Deletes a session that was not used for its time to live. A client that is connected to a
    /// stream, or waits for a call, uses it.
    pub(super) async fn expire(self: Rc<Self>) -> Result<()> {
        let config = instance::config(&self.env)?;
        let (database, now_ms) = (self.database(), instance::now_ms());
        let ends_ms = session::ends_ms(&database, ttl_ms(&config))?;
        if ends_ms.is_some_and(|ends_ms| ends_ms > now_ms) {
            return Ok(());
        }
        let listens = |pipe: &Pipe| !pipe.is_closed();
        let is_used = self.is_running()
            || !self.kind.calls.borrow().is_empty()
            || self.kind.live.borrow().values().any(listens);
        if !is_used {
            return self.delete().await;
        }
        if let Some(record) = self.kind.record.borrow_mut().as_mut() {
            session::touch(&database, record, now_ms, ttl_ms(&config))?;
        }
        Ok(())
    }

    fn log(&self, asked: &FrontRequest, started_ms: u64) {
        let record = LogRecord {
            kind: "mcp",
            tenant: asked.tenant.clone(),
            session: asked.session.clone(),
            operation: asked.received.method().to_ascii_lowercase(),
            duration_ms: instance::now_ms().saturating_sub(started_ms),
            code: "OK",
            counters: self.database().spent(),
            ..LogRecord::default()
        };
        record.write(&self.env, asked.config.operation_log);
    }
}

/// Returns the fault with status 200, for a client that reads it in the response to its request.
pub(super) fn in_a_response(fault: Fault) -> Fault {
    Fault {
        status: 200,
        ..fault
    }
}

fn answer(asked: &FrontRequest, status: u16, text: String) -> Result<Response, Fault> {
    exchange::whole(status, text, asked.reads()).map_err(|thrown| internal(&thrown))
}
