//! Requests to `/mcp`, `/mcp/{profile}`, `/mcp/graph/{conversationId}` and `/mcp/code/{workspace}`.
//!
//! A request of the stateless protocol version is served here. An `initialize` of an older version
//! begins a session: an object of its own, which serves all later requests that name the session. A
//! request is stateless if it has a protocol version in `_meta`, or the header of the stateless
//! version.

use std::pin::pin;
use std::time::Duration;

use futures::channel::mpsc::unbounded;
use futures::future::{Either, select};
use futures::{FutureExt, StreamExt};
use serde_json::value::RawValue;
use uuid::Uuid;
use wasm_bindgen::JsValue;
use web_sys::Response;
use worker::Delay;

use super::super::addresses::{
    MCP_SESSION, MCP_SESSION_HEADER, PASSED_HEADER, SESSION_HEADER, TENANT_HEADER,
};
use super::super::body::read_text;
use super::super::entry::{AdmittedRequest, Caller};
use super::super::pieces::pieces;
use super::backend::WorkerBackend;
use super::default_session;
use super::exchange::{self, COMMENT, ResponseStart};
use super::service;
use crate::api::routes::endpoint;
use crate::api::status::status;
use crate::api::{RequestError, auth};
use crate::limits::MCP_HEARTBEAT_MS;
use base::names::{check_name, object_name};
use base::{CommonError, Error};
use mcp::MODERN_VERSION;
use mcp::server::headers::{Readable, check_events, check_types, readable};
use mcp::server::respond::{self, ModernRequest, ServiceCall};
use mcp::server::rpc::{self, Body, INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR};
use mcp::server::{
    ClientChannel, Fault, Filter, Headers, Incoming, Meta, Request, RequestId, Service, Version,
};

/// The header that names the session of an older client.
const SESSION_ID: &str = "mcp-session-id";
/// The prefix of the endpoints.
const ENDPOINT: &str = "/mcp";

impl Caller {
    /// Returns true if the client speaks JSON-RPC and expects refusals in that form.
    pub(in crate::worker) fn is_mcp(&self) -> bool {
        let rest = self.address().path.strip_prefix(ENDPOINT);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '-']))
    }

    /// Makes the refusal of a request that was not read.
    pub(in crate::worker) fn refuse_mcp(&self, error: &Error) -> Result<Response, JsValue> {
        let response = refused(&fault_of(error), None, Readable::Json)?;
        if let Some(RequestError::MethodNotAllowed { allowed, .. }) = error.of() {
            response.headers().set("allow", &allowed.join(", "))?;
        }
        Ok(response)
    }
}

impl Headers for Caller {
    fn get(&self, name: &str) -> Option<String> {
        self.received.header(name)
    }
}

/// Makes the response to a message that is refused.
///
/// # Errors
/// Exceptions of the platform.
pub fn refused(
    fault: &Fault,
    id: Option<&RequestId>,
    reads: Readable,
) -> Result<Response, JsValue> {
    let response = exchange::whole(fault.status, fault.render(id), reads)?;
    if fault.status == 405 {
        response.headers().set("allow", "POST")?;
    }
    Ok(response)
}

/// Makes the refusal of a request that reaches no service.
pub fn fault_of(error: &Error) -> Fault {
    Fault {
        status: status(error),
        ..Fault::refused(INVALID_REQUEST, error.to_string()).with(error.to_json())
    }
}

/// The kinds of POST.
enum Post<'a> {
    /// A request of the stateless version.
    Modern {
        id: RequestId,
        method: String,
        params: Option<&'a RawValue>,
        meta: Meta<'a>,
    },
    /// A notification of the stateless version, which needs no work.
    Heard,
    /// `initialize` of an older version.
    Begin(RequestId),
    /// A message in this session, with the id of the request if it is one.
    InSession(String, Option<RequestId>),
}

impl Caller {
    /// Serves a request to an endpoint of the MCP server.
    pub(in crate::worker) async fn serve_mcp(
        &self,
        admitted: &AdmittedRequest,
    ) -> Result<Response, JsValue> {
        let outcome = match self.received.method() {
            "POST" => self.post(admitted).await,
            _ => self.get_or_delete(admitted).await,
        };
        match outcome {
            Ok(response) => Ok(response),
            Err((fault, id)) => {
                let reads = readable(self).unwrap_or(Readable::Json);
                refused(&fault, id.as_ref(), reads)
            }
        }
    }

    async fn post(
        &self,
        admitted: &AdmittedRequest,
    ) -> Result<Response, (Fault, Option<RequestId>)> {
        let without_id = |fault: Fault| (fault, None);
        let reads = check_types(self).map_err(without_id)?;
        let body = self.mcp_body(admitted).await.map_err(without_id)?;
        match self.classify(&body)? {
            Post::Heard => accepted().map_err(|thrown| without_id(internal(&thrown))),
            Post::Begin(request) => {
                let id = Uuid::new_v4().simple().to_string();
                let begun = self.to_session(admitted, &id, Some(&body)).await;
                begun.map_err(|fault| (fault, Some(request)))
            }
            Post::InSession(id, request) => {
                let response = self.to_session(admitted, &id, Some(&body)).await;
                response.map_err(|fault| (fault, request))
            }
            Post::Modern {
                id,
                method,
                params,
                meta,
            } => {
                let service = self
                    .service(admitted, None)
                    .map_err(|fault| (fault, Some(id.clone())))?;
                self.modern(service, &id, &method, params, meta, reads)
                    .await
                    .map_err(|fault| (fault, Some(id)))
            }
        }
    }

    /// Makes the service for this caller. `identity` distinguishes the clients of one token, if
    /// anything does.
    fn service(
        &self,
        admitted: &AdmittedRequest,
        identity: Option<&str>,
    ) -> Result<service::Served, Fault> {
        let make = || {
            let tenant = admitted.tenant()?;
            let endpoint = endpoint(&admitted.route, self.address().query)?;
            let session = self.own_session(admitted, identity)?;
            let backend = WorkerBackend::in_front(
                &self.env,
                &admitted.config,
                tenant,
                &admitted.passed,
                &self.context,
            )?
            .claiming(admitted.claims()?);
            let path = self.address().path;
            Ok(service::served(
                path,
                backend,
                &admitted.config,
                endpoint,
                session,
            ))
        };
        make().map_err(|error: Error| fault_of(&error))
    }

    /// Returns the session of calls that name none.
    fn own_session(
        &self,
        admitted: &AdmittedRequest,
        identity: Option<&str>,
    ) -> base::Result<String> {
        let header = self.received.header(default_session::HEADER);
        let chosen = default_session::chosen(header, self.parameter("session")?)?;
        let tenant = admitted.tenant()?;
        Ok(chosen.unwrap_or_else(|| {
            let identity = identity.map_or_else(|| self.identity(admitted), str::to_owned);
            default_session::derived(tenant, &identity)
        }))
    }

    /// Returns the identity that distinguishes the clients of a tenant without an MCP session:
    /// their token. It is empty for an access token, which a client replaces every hour.
    fn identity(&self, admitted: &AdmittedRequest) -> String {
        let header = self.received.header("authorization");
        let bearer = auth::bearer_token(header.as_deref()).map(str::to_owned);
        let token = bearer.or_else(|| self.received.header("x-codemode-token"));
        token
            .map(|token| token.trim().to_owned())
            .filter(|token| admitted.config.oauth.is_none() || token.matches('.').count() != 2)
            .unwrap_or_default()
    }

    async fn mcp_body(&self, admitted: &AdmittedRequest) -> Result<String, Fault> {
        let limit_bytes = admitted.route.entry.body.limit_bytes(&admitted.config);
        let body = read_text(&self.received, limit_bytes).await;
        body.map_err(|error| match error.of() {
            Some(CommonError::PayloadTooLarge { .. }) => fault_of(&error),
            _ => Fault::refused(PARSE_ERROR, error.to_string()),
        })
    }

    fn classify<'b>(&self, body: &'b str) -> Result<Post<'b>, (Fault, Option<RequestId>)> {
        let parsed = rpc::parse(body).map_err(|unreadable| (unreadable.fault, unreadable.id))?;
        let session = self.received.header(SESSION_ID);
        let is_modern =
            self.received.header("mcp-protocol-version").as_deref() == Some(MODERN_VERSION);
        let message = match parsed {
            Body::Batch(_) if session.is_some() && !is_modern => {
                return self
                    .in_session(session, None)
                    .map_err(|fault| (fault, None));
            }
            Body::Batch(_) => {
                let problem =
                    "a batch of messages needs a session of version 2025-03-26; send one message";
                return Err((Fault::refused(INVALID_REQUEST, problem), None));
            }
            Body::One(message) => message,
        };
        let (id, method, params) = match message {
            Incoming::Request { id, method, params } => (Some(id), method, params),
            Incoming::Notification { method, params } => (None, method, params),
            Incoming::Response { .. } if session.is_some() && !is_modern => {
                return self
                    .in_session(session, None)
                    .map_err(|fault| (fault, None));
            }
            Incoming::Response { id, .. } => {
                let problem = "a client must send responses in its session";
                return Err((Fault::refused(INVALID_REQUEST, problem), Some(id)));
            }
        };
        let with_id = |fault: Fault| (fault, id.clone());
        let meta = Meta::read(params).map_err(with_id)?;
        if meta.version().is_some() || is_modern {
            return Ok(match id {
                None => Post::Heard,
                Some(id) => Post::Modern {
                    id,
                    method: method.into_owned(),
                    params,
                    meta,
                },
            });
        }
        if method == "initialize" {
            return id.clone().map(Post::Begin).ok_or_else(|| {
                let problem = "initialize is a request: it must have an id";
                (Fault::refused(INVALID_REQUEST, problem), None)
            });
        }
        self.in_session(session, id.clone()).map_err(with_id)
    }

    fn in_session<'b>(
        &self,
        session: Option<String>,
        request: Option<RequestId>,
    ) -> Result<Post<'b>, Fault> {
        if let Some(id) = session {
            return Ok(Post::InSession(id, request));
        }
        let header = self.received.header("mcp-protocol-version");
        if let Some(version) = header
            && Version::parse(&version).is_none()
        {
            return Err(Version::unsupported(&version));
        }
        Err(Fault::refused(
            INVALID_PARAMS,
            format!(
                "the request has no protocol version: send params._meta with io.modelcontextprotocol/protocolVersion {MODERN_VERSION}, or initialize first and send the header Mcp-Session-Id"
            ),
        ))
    }

    async fn get_or_delete(
        &self,
        admitted: &AdmittedRequest,
    ) -> Result<Response, (Fault, Option<RequestId>)> {
        let outcome = match self.received.header(SESSION_ID) {
            None => Err(Fault {
                status: 405,
                ..Fault::refused(
                    INVALID_REQUEST,
                    "this endpoint accepts POST; GET and DELETE need a session in the header Mcp-Session-Id",
                )
            }),
            Some(id) => {
                if self.received.method() == "GET" {
                    check_events(self).map_err(|fault| (fault, None))?;
                }
                self.to_session(admitted, &id, None).await
            }
        };
        outcome.map_err(|fault| (fault, None))
    }

    /// Passes a request on to the object of a session.
    async fn to_session(
        &self,
        admitted: &AdmittedRequest,
        id: &str,
        body: Option<&str>,
    ) -> Result<Response, Fault> {
        let pass = async {
            check_name("Mcp-Session-Id", id)?;
            endpoint(&admitted.route, self.address().query)?;
            let tenant = admitted.tenant()?;
            let session = self.own_session(admitted, Some(id))?;
            let passed = ["mcp-protocol-version", "last-event-id", "accept"]
                .map(|name| (name, self.received.header(name)));
            let own = [
                (TENANT_HEADER, tenant),
                (SESSION_HEADER, session.as_str()),
                (MCP_SESSION_HEADER, id),
            ];
            let passed = passed
                .iter()
                .filter_map(|(name, value)| Some((*name, value.as_deref()?)));
            let mut headers: Vec<(&str, &str)> = own.into_iter().chain(passed).collect();
            let through = serde_json::json!(admitted.passed).to_string();
            if !admitted.passed.is_empty() {
                headers.push((PASSED_HEADER, &through));
            }
            let claims = admitted.claims()?;
            headers.extend(claims.iter().map(|(name, claim)| (*name, claim.as_str())));
            let name = object_name(tenant, id);
            self.send_text(&MCP_SESSION, &name, &headers, body).await
        };
        pass.await.map_err(|error: Error| fault_of(&error))
    }

    /// Serves a request of the stateless version.
    async fn modern<S: Service + 'static>(
        &self,
        service: S,
        id: &RequestId,
        method: &str,
        params: Option<&RawValue>,
        meta: Meta<'_>,
        reads: Readable,
    ) -> Result<Response, Fault> {
        let read = respond::read_modern(&service, self, method, params, meta)?;
        let serving = match read {
            ModernRequest::Discover => {
                let result = respond::discovered(&service.description());
                return answer(200, rpc::render_result(id, &result), reads);
            }
            ModernRequest::Listen(filter) => {
                check_events(self)?;
                return listen(service, id.clone(), &filter).await;
            }
            ModernRequest::Serve(serving) => *serving,
        };
        let ServiceCall {
            ask,
            caller,
            inputs,
            meta,
        } = serving;
        let (tell, heard) = unbounded();
        let talk = ClientChannel::new(meta.progress_token()?, meta.log_level()?, move |told| {
            // Nobody receives it if the client has gone.
            let _heard = tell.unbounded_send(told);
        });
        let id = id.clone();
        let work = async move {
            let request = Request {
                ask,
                caller: &caller,
                inputs,
                talk: &talk,
            };
            match respond::serve_modern(&service, &request).await {
                Ok(result) => (200, rpc::render_result(&id, &result)),
                Err(fault) => (fault.status, fault.render(Some(&id))),
            }
        };
        match exchange::begin(work.boxed_local(), heard, reads).await {
            ResponseStart::Json(status, text) => answer(status, text, reads),
            ResponseStart::Stream(running) => {
                exchange::stream(running).map_err(|thrown| internal(&thrown))
            }
        }
    }
}

/// Serves a subscription, whose stream stays open until the client goes away.
async fn listen<S: Service + 'static>(
    service: S,
    id: RequestId,
    filter: &Filter,
) -> Result<Response, Fault> {
    let agreed = service.agreed(filter);
    let mut changes = service.watch(&agreed).await?;
    let body = pieces(move |outlet| async move {
        // The source of the changes may belong to the service, so the stream keeps it alive.
        let _service = service;
        let first = respond::acknowledged(&id, &agreed);
        outlet.send(exchange::event(None, &first)).await;
        loop {
            let silence = pin!(Delay::from(Duration::from_millis(MCP_HEARTBEAT_MS)));
            match select(changes.next(), silence).await {
                Either::Left((Some(change), _)) => {
                    if change.is_wanted(&agreed) {
                        let message = respond::subscribed_change(&id, &change);
                        outlet.send(exchange::event(None, &message)).await;
                    }
                }
                Either::Left((None, _)) => break,
                Either::Right(_) => outlet.send(COMMENT.to_vec()).await,
            }
        }
        outlet
            .send(exchange::event(None, &respond::subscription_ended(&id)))
            .await;
        Ok(())
    });
    exchange::event_stream(body).map_err(|thrown| internal(&thrown))
}

fn answer(status: u16, text: String, reads: Readable) -> Result<Response, Fault> {
    exchange::whole(status, text, reads).map_err(|thrown| internal(&thrown))
}

/// Makes the response to a message that expects none.
///
/// # Errors
/// Exceptions of the platform.
pub fn accepted() -> Result<Response, JsValue> {
    let init = web_sys::ResponseInit::new();
    init.set_status(202);
    Response::new_with_opt_str_and_init(None, &init)
}

/// Makes a fault of an exception of the platform.
pub fn internal(thrown: &JsValue) -> Fault {
    fault_of(&Error::internal(super::super::bindings::thrown_text(
        thrown,
    )))
}
