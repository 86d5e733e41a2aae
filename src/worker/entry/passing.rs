//! Passes an admitted request on to the object that the request names.

use base::names::object_name;
use base::{Error, Result};
use js_sys::{Promise, Uint8Array};
use serde_json::json;
use session::SessionError;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::Response;

use super::{AdmittedRequest, Caller};
use crate::api::routes::{BodyLimit, Entry};
use crate::worker::addresses::{
    ACTOR_HEADER, AGENT, CODE, CONVERSATION_HEADER, ENCODING_HEADER, GRAPH, INDEX, OBJECT_HOST,
    PASSED_HEADER, SESSION, SESSION_HEADER, TENANT_HEADER, THREAD_HEADER, WORKSPACE_HEADER,
};
use crate::worker::bindings::{Stub, header_lines, pass_body, send_to, thrown_text};
use crate::worker::object::{Class, logged};

/// A part of the platform's message that an object used up the CPU time of `limits.cpu_ms` and was
/// reset.
const CPU_TIME_IS_UP: &str = "CPU time limit";

impl Caller {
    pub(super) async fn pass_to_session(
        &self,
        admitted: &AdmittedRequest,
        session: &str,
        body: Option<&str>,
    ) -> Result<Response> {
        let tenant = admitted.tenant()?;
        let headers = [(TENANT_HEADER, tenant), (SESSION_HEADER, session)];
        let name = object_name(tenant, session);
        self.pass(&SESSION, &name, &headers, admitted, body).await
    }

    pub(super) async fn pass_to_graph(&self, admitted: &AdmittedRequest) -> Result<Response> {
        let conversation = admitted.route.conversation.as_deref();
        let conversation =
            conversation.ok_or_else(|| Error::internal("the request names no conversation"))?;
        let tenant = admitted.tenant()?;
        let headers = [(TENANT_HEADER, tenant), (CONVERSATION_HEADER, conversation)];
        let name = object_name(tenant, conversation);
        self.pass(&GRAPH, &name, &headers, admitted, None).await
    }

    pub(super) async fn pass_to_agent(&self, admitted: &AdmittedRequest) -> Result<Response> {
        let thread = admitted.route.thread.as_deref();
        let thread = thread.ok_or_else(|| Error::internal("the request names no thread"))?;
        let tenant = admitted.tenant()?;
        let claims = admitted.claims()?;
        let mut headers = vec![(TENANT_HEADER, tenant), (THREAD_HEADER, thread)];
        headers.extend(claims.iter().map(|(name, claim)| (*name, claim.as_str())));
        let name = object_name(tenant, thread);
        self.pass(&AGENT, &name, &headers, admitted, None).await
    }

    pub(super) async fn pass_to_workspace(&self, admitted: &AdmittedRequest) -> Result<Response> {
        let workspace = admitted.route.workspace.as_deref();
        let workspace =
            workspace.ok_or_else(|| Error::internal("the request names no workspace"))?;
        let tenant = admitted.tenant()?;
        let headers = [(TENANT_HEADER, tenant), (WORKSPACE_HEADER, workspace)];
        let name = object_name(tenant, workspace);
        self.pass(&CODE, &name, &headers, admitted, None).await
    }

    pub(super) async fn pass_to_index(&self, admitted: &AdmittedRequest) -> Result<Response> {
        let tenant = admitted.tenant()?;
        let claims = admitted.claims()?;
        let mut headers = vec![(TENANT_HEADER, tenant)];
        headers.extend(claims.iter().map(|(name, claim)| (*name, claim.as_str())));
        self.pass(&INDEX, tenant, &headers, admitted, None).await
    }

    /// Passes the request on to an object.
    pub(super) async fn pass(
        &self,
        class: &Class,
        name: &str,
        headers: &[(&str, &str)],
        admitted: &AdmittedRequest,
        body: Option<&str>,
    ) -> Result<Response> {
        let stub = class.stub(&self.env, name)?;
        let mut headers = headers.to_vec();
        let passed = json!(admitted.passed).to_string();
        if !admitted.passed.is_empty() {
            headers.push((PASSED_HEADER, &passed));
        }
        let sent = self.send(&stub, &headers, admitted.route.entry, body);
        let sent = sent.map_err(|thrown| Error::internal(thrown_text(&thrown)))?;
        let answer = JsFuture::from(sent).await;
        answer
            .and_then(JsCast::dyn_into)
            .map_err(|thrown| object_failure(&thrown, class, self.wait_ms()))
    }

    /// Sends a text to an object, with the method and the path of the request.
    pub(in crate::worker) async fn send_text(
        &self,
        class: &Class,
        name: &str,
        headers: &[(&str, &str)],
        body: Option<&str>,
    ) -> Result<Response> {
        let stub = class.stub(&self.env, name)?;
        let body = body.map_or(JsValue::UNDEFINED, |body| {
            Uint8Array::from(body.as_bytes()).into()
        });
        let address = self.address();
        let url = format!("{OBJECT_HOST}{}{}", address.path, address.query);
        let method = self.received.method();
        let sent = send_to(&stub, method, &url, &header_lines(headers), &body);
        let sent = sent.map_err(|thrown| Error::internal(thrown_text(&thrown)))?;
        let answer = JsFuture::from(sent).await;
        answer
            .and_then(JsCast::dyn_into)
            .map_err(|thrown| object_failure(&thrown, class, self.wait_ms()))
    }

    /// Sends the request in the form that the object sees: method, path, query, types and body of
    /// the caller, the headers it passes through to servers, and nothing else.
    pub(super) fn send(
        &self,
        stub: &Stub,
        own: &[(&str, &str)],
        entry: &Entry,
        body: Option<&str>,
    ) -> Result<Promise, JsValue> {
        let passed = [
            ("content-type", "content-type"),
            ("content-encoding", ENCODING_HEADER),
            ("accept", "accept"),
            ("if-match", "if-match"),
            ("last-event-id", "last-event-id"),
            (ACTOR_HEADER, ACTOR_HEADER),
        ]
        .map(|(from, to)| (to, self.header(from)));
        let passed = passed
            .iter()
            .filter_map(|(name, value)| Some((*name, value.as_deref()?)));
        let headers: Vec<(&str, &str)> = own.iter().copied().chain(passed).collect();
        let body = match body {
            Some(body) => Uint8Array::from(body.as_bytes()).into(),
            None if entry.body == BodyLimit::None => JsValue::UNDEFINED,
            None => pass_body(&self.received.request)?,
        };
        let address = self.address();
        let url = format!("{OBJECT_HOST}{}{}", address.path, address.query);
        send_to(stub, entry.method, &url, &header_lines(&headers), &body)
    }
}

/// Makes the error for an object that could not respond within `wait_ms`.
pub(super) fn object_failure(thrown: &JsValue, class: &Class, wait_ms: u32) -> Error {
    let text = logged(thrown);
    if text.contains(CPU_TIME_IS_UP) {
        return Error::from(SessionError::QueryTimeout {
            timeout_ms: wait_ms,
        });
    }
    class.stopped_by(&text)
}
