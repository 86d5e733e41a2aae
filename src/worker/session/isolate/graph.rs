//! Operations of a program on a knowledge graph: they go to the object of the graph as a request over HTTP does, and what it responds comes back
//! as it is.

use js_sys::Uint8Array;
use serde::Deserialize;
use serde_json::value::RawValue;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::Response;

use super::super::super::addresses::{
    ACTOR_HEADER, CONVERSATION_HEADER, GRAPH, OBJECT_HOST, TENANT_HEADER,
};
use super::super::super::bindings::{header_lines, send_to, thrown_text};
use base::names::{check_name, object_name};
use base::{Error, Result};

/// Who makes the changes of a program, as the history of a graph has it.
const ACTOR: &str = "program";

/// One operation, and the graph that it is for.
pub(super) struct GraphCall {
    conversation: String,
    body: String,
    operation: String,
}

#[derive(Deserialize)]
struct Asked<'a> {
    conversation: String,
    #[serde(borrow)]
    call: &'a RawValue,
}

#[derive(Deserialize)]
struct Named {
    operation: String,
}

impl GraphCall {
    /// Reads the body of a call.
    ///
    /// # Errors
    /// [`base::CommonError::InvalidArgument`] for a conversation that has no usable name.
    pub(super) fn parse(body: &str) -> Result<Self> {
        let wrong = |_| {
            Error::invalid_with_hint(
                "the call names no graph or no operation",
                "write helpers.graph(\"name\").addNode({label, type})",
            )
        };
        let asked: Asked<'_> = serde_json::from_str(body).map_err(wrong)?;
        let named: Named = serde_json::from_str(asked.call.get()).map_err(wrong)?;
        check_name("conversationId", &asked.conversation)?;
        Ok(Self {
            conversation: asked.conversation,
            body: asked.call.get().to_owned(),
            operation: named.operation,
        })
    }

    /// The name of the operation, whatever it is.
    pub(super) fn operation(&self) -> &str {
        &self.operation
    }
}

/// Asks the object of the graph: the text of its response, a failure included.
///
/// # Errors
/// [`base::CommonError::Internal`] where the object stopped.
pub(super) async fn ask(env: &JsValue, tenant: &str, call: &GraphCall) -> Result<String> {
    let conversation = call.conversation.as_str();
    let stub = GRAPH.stub(env, &object_name(tenant, conversation))?;
    let url = format!("{OBJECT_HOST}/api/graph/{conversation}");
    let headers = header_lines(&[
        (TENANT_HEADER, tenant),
        (CONVERSATION_HEADER, conversation),
        (ACTOR_HEADER, ACTOR),
        ("content-type", "application/json"),
    ]);
    let failed = |thrown: JsValue| {
        Error::internal(format!(
            "{} stopped while it served the call; what was not finished is undone: {}",
            GRAPH.in_words,
            thrown_text(&thrown)
        ))
    };
    let body = Uint8Array::from(call.body.as_bytes());
    let sent = send_to(&stub, "POST", &url, &headers, &body.into()).map_err(failed)?;
    let response: Response = JsFuture::from(sent)
        .await
        .and_then(JsCast::dyn_into)
        .map_err(failed)?;
    let text = response.text().map_err(failed)?;
    let text = JsFuture::from(text).await.map_err(failed)?;
    text.as_string()
        .ok_or_else(|| Error::internal("the response of a graph is no text"))
}
