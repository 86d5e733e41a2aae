//! The part of the MCP server's backend that reaches graphs, and the page that shows one.

use std::time::Duration;

use futures::stream::{self, LocalBoxStream};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::Response;
use worker::Delay;

use super::super::addresses::{CONVERSATION_HEADER, GRAPH, OBJECT_HOST, TENANT_HEADER};
use super::super::bindings::{Stub, header_lines, send_to, text_of, thrown_text};
use super::super::instance;
use super::backend::{WATCH_AGAIN_MS, WorkerBackend, failure_of};
use super::object_events::Events;
use base::names::object_name;
use base::{Error, Result, percent};
use mcp_product::graph::backend::GraphBackend;

/// The binding of the static assets.
const ASSETS: &str = "ASSETS";

/// The page among the static assets. The host has no meaning.
const VIEWER: &str = "https://assets/graph-app.html";

/// The status of a file that exists.
const OK: u16 = 200;

/// Returns the path of the routes of a graph.
fn path(conversation: &str) -> String {
    format!("/api/graph/{}", percent::encode(conversation))
}

impl GraphBackend for WorkerBackend {
    async fn operate_graph(&self, conversation: &str, body: String) -> Result<String> {
        self.ask_graph(conversation, path(conversation), body).await
    }

    async fn watch_graph(&self, conversation: &str) -> Result<LocalBoxStream<'static, ()>> {
        let watch = Watch {
            env: self.env.clone(),
            tenant: self.tenant.clone(),
            conversation: conversation.to_owned(),
            events: None,
        };
        // A failure of the first connection is returned to the caller.
        let events = watch.open().await?;
        let watch = Watch {
            events: Some(events),
            ..watch
        };
        Ok(Box::pin(stream::unfold(watch, |mut watch| async move {
            watch.next().await;
            Some(((), watch))
        })))
    }

    fn has_viewer(&self) -> bool {
        instance::binding(&self.env, ASSETS).is_some()
    }

    async fn viewer(&self) -> Result<Option<String>> {
        let Some(binding) = instance::binding(&self.env, ASSETS) else {
            return Ok(None);
        };
        let failed = |thrown: JsValue| Error::internal(thrown_text(&thrown));
        let sent = send_to(
            binding.unchecked_ref::<Stub>(),
            "GET",
            VIEWER,
            &header_lines(&[]),
            &JsValue::UNDEFINED,
        );
        let response = JsFuture::from(sent.map_err(failed)?).await;
        let response: Response = response.and_then(JsCast::dyn_into).map_err(failed)?;
        if response.status() != OK {
            return Ok(None);
        }
        text_of(&response).await.map(Some)
    }
}

/// The changes of a graph. The stream continues if the object restarts or the graph is deleted.
struct Watch {
    env: JsValue,
    tenant: String,
    conversation: String,
    events: Option<Events>,
}

impl Watch {
    async fn open(&self) -> Result<Events> {
        let stub = GRAPH.stub(&self.env, &object_name(&self.tenant, &self.conversation))?;
        let headers = header_lines(&[
            (TENANT_HEADER, self.tenant.as_str()),
            (CONVERSATION_HEADER, self.conversation.as_str()),
            ("accept", "text/event-stream"),
        ]);
        let failed = |thrown: JsValue| Error::internal(thrown_text(&thrown));
        let url = format!("{}{}/events", OBJECT_HOST, path(&self.conversation));
        let sent = send_to(&stub, "GET", &url, &headers, &JsValue::UNDEFINED);
        let response = JsFuture::from(sent.map_err(failed)?).await;
        let response: Response = response.and_then(JsCast::dyn_into).map_err(failed)?;
        if response.ok() {
            Events::open(&response)
        } else {
            Err(failure_of(&text_of(&response).await?))
        }
    }

    /// Waits for the next change. It reopens a stream that has ended because the graph was deleted
    /// or its object stopped.
    async fn next(&mut self) {
        loop {
            let Some(events) = &mut self.events else {
                Delay::from(Duration::from_millis(WATCH_AGAIN_MS)).await;
                self.events = self.open().await.ok();
                if self.events.is_some() {
                    // The changes during the interruption are unknown.
                    return;
                }
                continue;
            };
            match events.next().await {
                // It names the version at which the stream begins.
                Ok(Some((name, _))) if name == "ready" => {}
                Ok(Some((name, _))) => {
                    if name == "deleted" {
                        // Reopened before anybody learns of the deletion, so that the changes of a
                        // new graph with this name are seen too.
                        self.events = self.open().await.ok();
                    }
                    return;
                }
                Ok(None) | Err(_) => self.events = None,
            }
        }
    }
}
