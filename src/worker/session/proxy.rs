//! Tool calls, to other servers or to the session's own operations. A client that reads events gets
//! the progress of a call, and cancels it by going away.

use std::rc::Rc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{Either, select};
use serde_json::{Value, json};
use wasm_bindgen_futures::spawn_local;
use web_sys::Response;
use worker::Delay;

use super::super::bindings::thrown_text;
use super::super::object::events::{self, Events};
use super::super::object::{Object, OperationGuard};
use super::super::reply;
use super::super::servers::{CompletedCall, Servers};
use super::Session;
use super::call::Call;
use crate::api::envelope;
use base::{Error, Result};
use mcp::Progress;
use net::event_stream::EventStream;
use session::SessionError;
use tools::own;
use tools::request::ProxyRequest;

/// The interval at which the object checks that the client of a call is still connected, in
/// milliseconds. Each check wakes the object.
const WATCH_MS: u64 = 500;

/// The characters of a progress message: a line for people.
const PROGRESS_CHARACTERS: usize = 500;

impl Object<Session> {
    /// Calls a tool and returns the JSON text of the response.
    pub(super) async fn proxy(self: &Rc<Self>, call: &mut Call) -> Result<String> {
        let request = self.asked(call).await?;
        self.call_tool(call, request, &mut |_| {}).await
    }

    async fn asked(&self, call: &mut Call) -> Result<ProxyRequest> {
        self.prepare().await?;
        self.kind.sandboxes.write_down(&self.database());
        ProxyRequest::parse(&call.text().await?)
    }

    async fn call_tool(
        self: &Rc<Self>,
        call: &mut Call,
        request: ProxyRequest,
        progress: &mut impl FnMut(Progress),
    ) -> Result<String> {
        let generation = self.generation();
        if session::is_own_server(&request.call.server) {
            let body = own::operation(&request.call)?;
            let answer = self.operate(call, &body).await?;
            let answer = envelope::answered(&answer);
            return Ok(format!(r#"{{"success":true,"result":{answer}}}"#));
        }
        let servers = self.servers_of(call)?;
        let proxied = CompletedCall::fetch(&servers, request.call, progress).await?;
        if self.generation() != generation {
            return Err(Error::from(SessionError::SessionDeleted {
                what: "the tool was called",
            }));
        }
        proxied.answer(Some(&call.session()?))
    }

    /// Returns the servers, with the headers that the caller passes through.
    pub(super) fn servers_of(&self, call: &Call) -> Result<Servers> {
        let (tenant, connections) = (&call.record.tenant, &self.kind.connections);
        let passed = call.passed()?;
        Ok(Servers::new(&call.config, tenant, connections, passed))
    }

    /// Does the same with events: `progress`, and then `result` or `error` with the text of the
    /// response.
    ///
    /// # Errors
    /// An error in the request, which has a status of its own.
    pub(super) async fn proxy_live(
        self: &Rc<Self>,
        mut call: Call,
        running: OperationGuard<Session>,
    ) -> Result<Response> {
        let request = match self.asked(&mut call).await {
            Ok(request) => request,
            Err(error) => {
                call.finish(error.code());
                return Err(error);
            }
        };
        let (told, listener) = Events::live(EventStream::default());
        told.greet();
        let object = Rc::clone(self);
        spawn_local(async move {
            let _running = running;
            let mut progress = |progress: Progress| told.send("progress", || shown(&progress));
            let outcome = {
                let work = object.call_tool(&mut call, request, &mut progress);
                match select(work.boxed_local(), abandoned(&told).boxed_local()).await {
                    Either::Left((outcome, _)) => Some(outcome),
                    // Dropping the call closes its connection.
                    Either::Right(_) => None,
                }
            };
            match outcome {
                None => call.finish("CANCELLED"),
                Some(Ok(text)) => {
                    told.send_text("result", &text);
                    call.record.bytes_out = text.len() as u64;
                    call.finish("OK");
                }
                Some(Err(error)) => {
                    told.send_text("error", &envelope::failure(&error));
                    call.finish(error.code());
                }
            }
        });
        reply::stream(events::CONTENT_TYPE, None, events::body(listener))
            .map_err(|thrown| Error::internal(thrown_text(&thrown)))
    }
}

/// Resolves when the client has gone.
async fn abandoned(told: &Events) {
    while !told.is_abandoned() {
        Delay::from(Duration::from_millis(WATCH_MS)).await;
    }
}

/// Renders a server's progress.
fn shown(progress: &Progress) -> Value {
    let text = progress.message.as_deref().unwrap_or_default();
    let total = progress.total.filter(|total| *total > 0.0);
    json!({
        "text": base::text::first(text, PROGRESS_CHARACTERS),
        "fraction": total.map(|total| progress.progress / total),
    })
}
