//! The backend of the MCP server: it reaches sessions, the tenant's index and other servers.
//!
//! A tool sends the session's object a request, with the path and the body of a client's request.

use std::rc::Rc;
use std::time::Duration;

use futures::stream::{self, LocalBoxStream};
use js_sys::Uint8Array;
use serde::Deserialize;
use serde_json::{Value, json};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::Response;
use worker::Delay;

use super::super::addresses::{
    ACTOR_HEADER, AGENT, BASIS, BASIS_HEADER, CODE, CONFIRM_HEADER, CONFIRMATIONS,
    CONVERSATION_HEADER, GRAPH, INDEX, OBJECT_HOST, PASSED_HEADER, PERSON_HEADER, SESSION,
    SESSION_HEADER, TENANT_HEADER, THREAD_HEADER, WATCH, WORKSPACE_HEADER,
};
use super::super::bindings::{header_lines, send_to, text_of, thrown_text};
use super::super::object::Class;
use super::super::servers::{ExecutionContext, Servers};
use super::super::session::answer_text;
use super::object_events::Events;
use crate::config::Config;
use base::names::object_name;
use base::{Error, Result, percent};
use mcp_product::backend::{
    Backend, Hear, Removal, ReportedError, SessionChange, Subject, ThreadTask,
};
use mcp_product::graph::ACTOR;
use tools::gateway::{Connections, PassedHeaders};
use tools::request::SearchRequest;

/// The milliseconds between the end of a session's stream of changes and its reopening.
pub(super) const WATCH_AGAIN_MS: u64 = 500;

/// The status of a response that is no failure.
const SERVED: u16 = 200;

/// The largest body of an operation, in bytes, that is passed to the session's object as an
/// argument of a call. A larger one is sent as an HTTP request.
const SHORT_BODY_BYTES: usize = 64 * 1024;

/// The backend for one tenant.
pub struct WorkerBackend {
    pub(super) env: JsValue,
    pub(super) tenant: String,
    servers: Servers,
    /// The headers that the caller passes through to servers, in the form that objects take.
    passed: String,
    /// True if a person is asked before something is deleted.
    confirm: bool,
    /// True if only a person may decide on proposed edits.
    person_decides: bool,
    /// The claims of the access token, in the form that objects take.
    claims: Vec<(&'static str, String)>,
}

/// A request to an object.
struct ObjectRequest<'a> {
    class: &'a Class,
    /// The object's name.
    name: String,
    session: &'a str,
    /// The conversation, for the object of a graph.
    conversation: Option<&'a str>,
    /// The code workspace and the actor, for the object of a workspace.
    workspace: Option<(&'a str, &'a str)>,
    method: &'static str,
    /// The path and query behind the placeholder host, or an address that only this Worker uses.
    url: String,
    content_type: &'static str,
    accept: &'static str,
    body: Option<String>,
    /// True if the object may call other servers for the request.
    calls_servers: bool,
    /// The chat thread, for the object of a thread.
    thread: Option<&'a str>,
    /// The confirmed basis of a removal.
    basis: Option<&'a str>,
}

impl WorkerBackend {
    /// Makes the backend for a request of the front Worker. `passed` are the headers that the
    /// caller passes through to servers.
    ///
    /// # Errors
    /// Those of [`PassedHeaders::read`].
    pub fn in_front(
        env: &JsValue,
        config: &Rc<Config>,
        tenant: &str,
        passed: &[(String, String)],
        context: &ExecutionContext,
    ) -> Result<Self> {
        let read = PassedHeaders::read(passed, &config.servers, tenant, Connections::default())?;
        let servers = Servers::without_session(config, tenant, read, context);
        Ok(Self::over(env, config, tenant, servers, passed))
    }

    /// Makes the backend for an object.
    ///
    /// # Errors
    /// Those of [`PassedHeaders::read`].
    pub fn in_object(
        env: &JsValue,
        config: &Rc<Config>,
        tenant: &str,
        passed: &[(String, String)],
        connections: &Rc<Connections>,
    ) -> Result<Self> {
        let own = Connections::of_an_object();
        let read = PassedHeaders::read(passed, &config.servers, tenant, own)?;
        let servers = Servers::new(config, tenant, connections, read);
        Ok(Self::over(env, config, tenant, servers, passed))
    }

    fn over(
        env: &JsValue,
        config: &Config,
        tenant: &str,
        servers: Servers,
        passed: &[(String, String)],
    ) -> Self {
        Self {
            confirm: config.mcp.confirm,
            person_decides: !config.agent.of(tenant).model_may_decide,
            claims: Vec::new(),
            env: env.clone(),
            tenant: tenant.to_owned(),
            servers,
            passed: if passed.is_empty() {
                String::new()
            } else {
                json!(passed).to_string()
            },
        }
    }

    /// Adds the claims of the access token.
    pub fn claiming(self, claims: Vec<(&'static str, String)>) -> Self {
        Self { claims, ..self }
    }

    async fn send(&self, sent: ObjectRequest<'_>) -> Result<Response> {
        let stub = sent.class.stub(&self.env, &sent.name)?;
        let mut headers = vec![
            (TENANT_HEADER, self.tenant.as_str()),
            (SESSION_HEADER, sent.session),
            ("content-type", sent.content_type),
            ("accept", sent.accept),
        ];
        if let Some(conversation) = sent.conversation {
            headers.push((CONVERSATION_HEADER, conversation));
            headers.push((ACTOR_HEADER, ACTOR));
        }
        if let Some((workspace, actor)) = sent.workspace {
            headers.push((WORKSPACE_HEADER, workspace));
            headers.push((ACTOR_HEADER, actor));
        }
        if let Some(thread) = sent.thread {
            headers.push((THREAD_HEADER, thread));
            let claims = self.claims.iter();
            headers.extend(claims.map(|(name, claim)| (*name, claim.as_str())));
        }
        if let Some(basis) = sent.basis {
            headers.push((BASIS_HEADER, basis));
        }
        if sent.calls_servers && !self.passed.is_empty() {
            headers.push((PASSED_HEADER, &self.passed));
        }
        if sent.calls_servers && self.confirm {
            headers.push((CONFIRM_HEADER, "on"));
        }
        if sent.calls_servers && self.person_decides {
            headers.push((PERSON_HEADER, "on"));
        }
        let body = sent.body.map_or(JsValue::UNDEFINED, |body| {
            Uint8Array::from(body.as_bytes()).into()
        });
        let failed = |thrown: JsValue| sent.class.stopped(&thrown);
        let promise = send_to(
            &stub,
            sent.method,
            &sent.url,
            &header_lines(&headers),
            &body,
        );
        let response = JsFuture::from(promise.map_err(failed)?)
            .await
            .map_err(failed)?;
        response.dyn_into().map_err(failed)
    }

    async fn text(&self, sent: ObjectRequest<'_>) -> Result<String> {
        text_of(&self.send(sent).await?).await
    }

    fn to_session<'a>(
        &self,
        session: &'a str,
        method: &'static str,
        path: String,
    ) -> ObjectRequest<'a> {
        ObjectRequest {
            class: &SESSION,
            name: object_name(&self.tenant, session),
            session,
            conversation: None,
            workspace: None,
            method,
            url: format!("{OBJECT_HOST}{path}"),
            content_type: "application/json",
            accept: "application/json",
            body: None,
            calls_servers: false,
            thread: None,
            basis: None,
        }
    }

    /// Returns the response of a graph's object to a body.
    pub(super) async fn ask_graph(
        &self,
        conversation: &str,
        path: String,
        body: String,
    ) -> Result<String> {
        self.text(ObjectRequest {
            class: &GRAPH,
            name: object_name(&self.tenant, conversation),
            conversation: Some(conversation),
            body: Some(body),
            ..self.to_session("", "POST", path)
        })
        .await
    }

    /// Returns the response of a workspace's object to a body, on behalf of an actor.
    pub(super) async fn ask_workspace(
        &self,
        workspace: &str,
        actor: &str,
        body: String,
    ) -> Result<String> {
        let path = format!("/api/code/{}", percent::encode(workspace));
        self.text(ObjectRequest {
            class: &CODE,
            name: object_name(&self.tenant, workspace),
            workspace: Some((workspace, actor)),
            body: Some(body),
            ..self.to_session("", "POST", path)
        })
        .await
    }

    /// Sends a request whose response is an event stream, and returns the data of its last event,
    /// `result` or `error`.
    async fn live(&self, sent: ObjectRequest<'_>, hear: Hear<'_>) -> Result<String> {
        let response = self.send(sent).await?;
        let content_type = response.headers().get("content-type").ok().flatten();
        if !content_type.is_some_and(|found| found.starts_with("text/event-stream")) {
            return text_of(&response).await;
        }
        let mut events = Events::open(&response)?;
        while let Some((name, data)) = events.next().await? {
            match name.as_str() {
                "result" | "error" => return Ok(data),
                _ => {
                    if let Ok(data) = serde_json::from_str::<Value>(&data) {
                        hear(&name, &data);
                    }
                }
            }
        }
        Err(Error::internal(
            "the event stream of the session ended before the response",
        ))
    }
}

impl Backend for WorkerBackend {
    async fn ask_thread(&self, thread: &str, task: ThreadTask, body: String) -> Result<String> {
        let sent = |method: &'static str, path: &str, body: Option<String>| ObjectRequest {
            class: &AGENT,
            name: object_name(&self.tenant, thread),
            thread: Some(thread),
            body,
            ..self.to_session(
                "",
                method,
                format!("/api/agent/{}/{path}", percent::encode(thread)),
            )
        };
        let path = match task {
            ThreadTask::Ask => "messages",
            ThreadTask::Resume => "resume",
            ThreadTask::State => return self.text(sent("GET", "state", None)).await,
        };
        let response = self.send(sent("POST", path, Some(body))).await?;
        if response.status() != SERVED {
            return text_of(&response).await;
        }
        // The stream ends when the thread waits for somebody or is done.
        let mut events = Events::open(&response)?;
        while events.next().await?.is_some() {}
        self.text(sent("GET", "state", None)).await
    }

    fn fresh_id(&self) -> String {
        uuid::Uuid::new_v4().to_string()
    }

    async fn operate(&self, session: &str, body: String) -> Result<String> {
        if body.len() > SHORT_BODY_BYTES {
            return self.remove(session, body, None).await;
        }
        let stub = SESSION.stub(&self.env, &object_name(&self.tenant, session))?;
        let body = Uint8Array::from(body.as_bytes());
        let failed = |thrown: JsValue| SESSION.stopped(&thrown);
        let asked = stub.operate(&self.tenant, session, body).map_err(failed)?;
        let answer = JsFuture::from(asked).await.map_err(failed)?;
        match answer.dyn_into::<Uint8Array>() {
            Ok(answer) => answer_text(&answer.to_vec()),
            Err(response) => text_of(&response.dyn_into().map_err(failed)?).await,
        }
    }

    async fn remove(&self, session: &str, body: String, basis: Option<&str>) -> Result<String> {
        let path = format!("/api/codemode/sessions/{session}");
        self.text(ObjectRequest {
            body: Some(body),
            basis,
            ..self.to_session(session, "POST", path)
        })
        .await
    }

    async fn execute(&self, session: &str, body: String, hear: Hear<'_>) -> Result<String> {
        let sent = ObjectRequest {
            accept: "text/event-stream",
            body: Some(body),
            calls_servers: true,
            ..self.to_session(session, "POST", "/api/codemode/execute".to_owned())
        };
        self.live(sent, hear).await
    }

    async fn call_tool(
        &self,
        session: &str,
        body: String,
        basis: Option<&str>,
        hear: Hear<'_>,
    ) -> Result<String> {
        let sent = ObjectRequest {
            accept: "text/event-stream",
            body: Some(body),
            basis,
            calls_servers: true,
            ..self.to_session(session, "POST", "/api/codemode/proxy".to_owned())
        };
        self.live(sent, hear).await
    }

    async fn load(
        &self,
        session: &str,
        table: &str,
        query: &str,
        content_type: &'static str,
        body: String,
    ) -> Result<String> {
        let table = percent::encode(table);
        let path = format!("/api/codemode/sessions/{session}/tables/{table}/rows?{query}");
        self.text(ObjectRequest {
            content_type,
            body: Some(body),
            ..self.to_session(session, "PUT", path)
        })
        .await
    }

    async fn delete_session(&self, session: &str, basis: Option<&str>) -> Result<String> {
        let path = format!("/api/codemode/sessions/{session}");
        self.text(ObjectRequest {
            basis,
            ..self.to_session(session, "DELETE", path)
        })
        .await
    }

    async fn sessions(&self, limit: usize, cursor: Option<&str>) -> Result<String> {
        let cursor = cursor.map_or_else(String::new, |cursor| {
            format!("&cursor={}", percent::encode(cursor))
        });
        self.text(ObjectRequest {
            class: &INDEX,
            name: self.tenant.clone(),
            ..self.to_session(
                "",
                "GET",
                format!("/api/codemode/sessions?limit={limit}{cursor}"),
            )
        })
        .await
    }

    async fn search(&self, request: &SearchRequest) -> Result<Value> {
        self.servers.gateway().search(request).await
    }

    async fn describe(&self, server: &str, tool: &str) -> Result<Value> {
        if session::is_own_server(server) {
            return tools::own::describe(server, tool);
        }
        self.servers.gateway().describe(server, tool).await
    }

    async fn basis(&self, session: &str, removal: Removal<'_>) -> Result<String> {
        let body = match removal {
            Removal::Table(table) => json!({ "table": table, "persistent": false }),
            Removal::Persistent(table) => json!({ "table": table, "persistent": true }),
            Removal::Session => json!({ "persistent": false }),
        };
        let said = self.asked_of_session(session, BASIS, &body).await?;
        let basis = said.get("basis").and_then(Value::as_str);
        basis
            .map(str::to_owned)
            .ok_or_else(|| Error::internal("the session returned no basis"))
    }

    async fn confirmation(&self, subject: &Subject) -> Result<String> {
        let said = self.confirm(subject, None).await?;
        let state = said.get("state").and_then(Value::as_str);
        state
            .map(str::to_owned)
            .ok_or_else(|| Error::internal("the session made no confirmation"))
    }

    async fn redeem(&self, subject: &Subject, state: &str) -> Result<()> {
        self.confirm(subject, Some(state)).await.map(|_| ())
    }

    async fn watch(&self, session: &str) -> Result<LocalBoxStream<'static, SessionChange>> {
        let watch = Watch {
            env: self.env.clone(),
            name: object_name(&self.tenant, session),
            events: None,
        };
        // A failure of the first connection is returned to the caller.
        let events = watch.open().await?;
        let watch = Watch {
            events: Some(events),
            ..watch
        };
        Ok(Box::pin(stream::unfold(watch, |mut watch| async move {
            let change = watch.next().await;
            Some((change, watch))
        })))
    }
}

/// The changes of a session. The stream continues if the object restarts or the session is deleted.
struct Watch {
    env: JsValue,
    name: String,
    events: Option<Events>,
}

impl Watch {
    async fn open(&self) -> Result<Events> {
        let stub = SESSION.stub(&self.env, &self.name)?;
        let headers = header_lines(&[("accept", "text/event-stream")]);
        let failed = |thrown: JsValue| Error::internal(thrown_text(&thrown));
        let sent = send_to(&stub, "GET", WATCH, &headers, &JsValue::UNDEFINED);
        let response = JsFuture::from(sent.map_err(failed)?).await;
        let response: Response = response.and_then(JsCast::dyn_into).map_err(failed)?;
        if response.ok() {
            Events::open(&response)
        } else {
            Err(failure_of(&text_of(&response).await?))
        }
    }

    /// Returns the next change. It reopens a stream that ended by a deletion or an object's stop.
    async fn next(&mut self) -> SessionChange {
        loop {
            let Some(events) = &mut self.events else {
                Delay::from(Duration::from_millis(WATCH_AGAIN_MS)).await;
                self.events = self.open().await.ok();
                if self.events.is_some() {
                    // The changes during the interruption are unknown.
                    return SessionChange::Changed {
                        schema: true,
                        tables: None,
                    };
                }
                continue;
            };
            match events.next().await {
                Ok(Some((name, data))) if name == "changed" => {
                    if let Ok(changed) = serde_json::from_str::<Changed>(&data) {
                        return SessionChange::Changed {
                            schema: changed.schema,
                            tables: changed.tables,
                        };
                    }
                }
                Ok(Some((name, _))) if name == "deleted" => {
                    // Reopened first, so that no change of a new session with this name is lost.
                    self.events = self.open().await.ok();
                    return SessionChange::Deleted;
                }
                Ok(Some(_)) => {}
                Ok(None) | Err(_) => self.events = None,
            }
        }
    }
}

/// A change in the form that an object sends.
#[derive(Deserialize)]
struct Changed {
    schema: bool,
    tables: Option<Vec<String>>,
}

impl WorkerBackend {
    /// Makes a confirmation, or redeems one.
    async fn confirm(&self, subject: &Subject, state: Option<&str>) -> Result<Value> {
        let mut body = json!({
            "tenant": self.tenant, "session": subject.session, "tool": subject.tool, "arguments": subject.arguments,
            "basis": subject.basis,
        });
        if let (Some(state), Some(fields)) = (state, body.as_object_mut()) {
            fields.insert("state".to_owned(), state.into());
        }
        self.asked_of_session(&subject.session, CONFIRMATIONS, &body)
            .await
    }

    /// Returns the response of a session to an internal request.
    async fn asked_of_session(&self, session: &str, address: &str, body: &Value) -> Result<Value> {
        let said = self
            .text(ObjectRequest {
                url: address.to_owned(),
                body: Some(body.to_string()),
                ..self.to_session(session, "POST", String::new())
            })
            .await?;
        let read: Value = serde_json::from_str(&said).unwrap_or_default();
        if read.get("success") == Some(&Value::Bool(true)) {
            Ok(read)
        } else {
            Err(failure_of(&said))
        }
    }
}

/// Returns the failure in an object's response.
pub(super) fn failure_of(body: &str) -> Error {
    let read: Value = serde_json::from_str(body).unwrap_or_default();
    Error::from(ReportedError {
        error: read.get("error").cloned().unwrap_or_default(),
    })
}
