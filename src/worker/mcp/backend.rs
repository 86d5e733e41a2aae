//! The way from the MCP server to sessions, the tenant's index and other servers.
//!
//! What a tool does is a request to the session's object, with the path and the body that a client would send over HTTP.

use std::rc::Rc;

use futures::stream::LocalBoxStream;
use js_sys::Uint8Array;
use serde_json::Value;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::Response;

use super::super::addresses::{INDEX, OBJECT_HOST, SESSION, SESSION_HEADER, TENANT_HEADER};
use super::super::bindings::{
    BodyReader, detach, header_lines, open_body, read_some, send_to, thrown_text,
};
use super::super::object::Class;
use super::super::servers::{ExecutionContext, Servers};
use crate::config::Config;
use crate::limits::MAX_MCP_EVENT_BYTES;
use base::names::object_name;
use base::{Error, Result, percent};
use http::named_events::NamedEvents;
use mcp_server::backend::{Backend, Hear, SessionChange, Subject};
use tools::gateway::Connections;
use tools::request::SearchRequest;

/// Bytes of one read of an event stream.
const READ_BYTES: u32 = 64 * 1024;

/// The way, for one tenant.
pub struct WorkerBackend {
    env: JsValue,
    tenant: String,
    servers: Servers,
}

/// A request to an object.
struct Sent<'a> {
    class: &'a Class,
    /// The object's name.
    name: String,
    session: &'a str,
    method: &'static str,
    /// Path and query.
    path: String,
    content_type: &'static str,
    accept: &'static str,
    body: Option<String>,
}

impl WorkerBackend {
    /// Of a request of the front Worker.
    pub fn in_front(
        env: &JsValue,
        config: &Rc<Config>,
        tenant: &str,
        context: &ExecutionContext,
    ) -> Self {
        Self {
            env: env.clone(),
            tenant: tenant.to_owned(),
            servers: Servers::without_session(config, tenant, context),
        }
    }

    /// Of an object.
    pub fn in_object(
        env: &JsValue,
        config: &Rc<Config>,
        tenant: &str,
        connections: &Rc<Connections>,
    ) -> Self {
        Self {
            env: env.clone(),
            tenant: tenant.to_owned(),
            servers: Servers::new(config, tenant, connections),
        }
    }

    async fn send(&self, sent: Sent<'_>) -> Result<Response> {
        let stub = sent.class.stub(&self.env, &sent.name)?;
        let headers = [
            (TENANT_HEADER, self.tenant.as_str()),
            (SESSION_HEADER, sent.session),
            ("content-type", sent.content_type),
            ("accept", sent.accept),
        ];
        let body = sent.body.map_or(JsValue::UNDEFINED, |body| {
            Uint8Array::from(body.as_bytes()).into()
        });
        let url = format!("{OBJECT_HOST}{}", sent.path);
        let failed = |thrown: JsValue| {
            Error::internal(format!(
                "{} stopped while it served the request; what was not finished is undone: {}",
                sent.class.in_words,
                thrown_text(&thrown)
            ))
        };
        let promise = send_to(&stub, sent.method, &url, &header_lines(&headers), &body);
        let response = JsFuture::from(promise.map_err(failed)?)
            .await
            .map_err(failed)?;
        response.dyn_into().map_err(failed)
    }

    async fn text(&self, sent: Sent<'_>) -> Result<String> {
        text_of(&self.send(sent).await?).await
    }

    fn to_session<'a>(&self, session: &'a str, method: &'static str, path: String) -> Sent<'a> {
        Sent {
            class: &SESSION,
            name: object_name(&self.tenant, session),
            session,
            method,
            path,
            content_type: "application/json",
            accept: "application/json",
            body: None,
        }
    }

    /// A request whose response is an event stream: its end is the data of `result` or `error`.
    async fn live(&self, sent: Sent<'_>, hear: Hear<'_>) -> Result<String> {
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

async fn text_of(response: &Response) -> Result<String> {
    let failed = |thrown: JsValue| Error::internal(thrown_text(&thrown));
    let text = JsFuture::from(response.text().map_err(failed)?)
        .await
        .map_err(failed)?;
    text.as_string()
        .ok_or_else(|| Error::internal("the response of an object is no text"))
}

/// The events of an object's response. Dropping them tells the object that nobody listens any more.
struct Events {
    reader: BodyReader,
    events: NamedEvents,
    waiting: std::collections::VecDeque<(String, String)>,
}

impl Events {
    fn open(response: &Response) -> Result<Self> {
        let body = response
            .body()
            .ok_or_else(|| Error::internal("the response of an object has no body"))?;
        let reader = open_body(&body).map_err(|thrown| Error::internal(thrown_text(&thrown)))?;
        Ok(Self {
            reader,
            events: NamedEvents::default(),
            waiting: std::collections::VecDeque::new(),
        })
    }

    async fn next(&mut self) -> Result<Option<(String, String)>> {
        loop {
            if let Some(event) = self.waiting.pop_front() {
                return Ok(Some(event));
            }
            let piece = JsFuture::from(read_some(&self.reader, READ_BYTES))
                .await
                .map_err(|thrown| Error::internal(thrown_text(&thrown)))?;
            let Some(piece) = piece.dyn_ref::<Uint8Array>() else {
                return Ok(None);
            };
            let events = self.events.feed(&piece.to_vec());
            if self.events.held() > MAX_MCP_EVENT_BYTES {
                return Err(Error::internal("an event of the session is too long"));
            }
            let events = events.into_iter().map(|event| (event.name, event.data));
            self.waiting.extend(events);
        }
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        detach(self.reader.cancel());
    }
}

impl Backend for WorkerBackend {
    async fn operate(&self, session: &str, body: String) -> Result<String> {
        let path = format!("/api/codemode/sessions/{session}");
        self.text(Sent {
            body: Some(body),
            ..self.to_session(session, "POST", path)
        })
        .await
    }

    async fn execute(&self, session: &str, body: String, hear: Hear<'_>) -> Result<String> {
        let sent = Sent {
            accept: "text/event-stream",
            body: Some(body),
            ..self.to_session(session, "POST", "/api/codemode/execute".to_owned())
        };
        self.live(sent, hear).await
    }

    async fn call_tool(&self, session: &str, body: String, hear: Hear<'_>) -> Result<String> {
        let sent = Sent {
            accept: "text/event-stream",
            body: Some(body),
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
        self.text(Sent {
            content_type,
            body: Some(body),
            ..self.to_session(session, "PUT", path)
        })
        .await
    }

    async fn delete_session(&self, session: &str) -> Result<String> {
        let path = format!("/api/codemode/sessions/{session}");
        self.text(self.to_session(session, "DELETE", path)).await
    }

    async fn sessions(&self, limit: usize, cursor: Option<&str>) -> Result<String> {
        let cursor = cursor.map_or_else(String::new, |cursor| {
            format!("&cursor={}", percent::encode(cursor))
        });
        self.text(Sent {
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
        if operations::is_own_server(server) {
            return tools::own::describe(server, tool);
        }
        self.servers.gateway().describe(server, tool).await
    }

    async fn confirmation(&self, _subject: &Subject) -> Result<String> {
        Err(Error::internal("confirmations are not merged"))
    }

    async fn redeem(&self, _subject: &Subject, _state: &str) -> Result<()> {
        Err(Error::internal("confirmations are not merged"))
    }

    async fn watch(&self, _session: &str) -> Result<LocalBoxStream<'static, SessionChange>> {
        Ok(Box::pin(futures::stream::pending()))
    }
}
