//! The response to a call: one JSON text where it comes soon and nothing is told before, an event stream otherwise.

use std::collections::VecDeque;
use std::time::Duration;

use futures::channel::mpsc::UnboundedReceiver;
use futures::future::{Either, LocalBoxFuture, RemoteHandle, select};
use futures::{FutureExt, StreamExt};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::spawn_local;
use web_sys::Response;
use worker::Delay;

use super::super::pieces::pieces;
use super::super::reply;
use crate::limits::{MCP_HEARTBEAT_MS, MCP_JSON_PATIENCE_MS};
use base::{Error, Result};
use mcp::server::Told;
use mcp::server::headers::Readable;

/// A call that runs: in the end the status and the text of its response.
pub type Work = LocalBoxFuture<'static, (u16, String)>;

/// What a call tells while it runs.
pub type Heard = UnboundedReceiver<Told>;

/// How a response begins.
pub enum Begun {
    /// It is there.
    Json(u16, String),
    /// It takes time, or something is told before it.
    Stream(Running),
}

/// A call whose response is a stream.
pub struct Running {
    work: Option<RemoteHandle<(u16, String)>>,
    heard: Heard,
    waiting: VecDeque<Next>,
}

/// What comes next of a call.
#[derive(Debug, PartialEq, Eq)]
pub enum Next {
    /// Something was told.
    Told(Told),
    /// The response.
    Response(String),
    /// Nothing for a while.
    Silence,
}

/// Waits until it is known how the response begins.
///
/// The call is a task of its own: a timer of workers-rs wakes the task that polled it first, and who waits for the call changes when its
/// response becomes a stream. It ends when nobody waits for it any more.
pub async fn begin(work: Work, mut heard: Heard, reads: Readable) -> Begun {
    let (task, work) = work.remote_handle();
    spawn_local(task);
    if reads == Readable::Json {
        // What is told meanwhile has nowhere to go.
        drop(heard);
        let (status, text) = work.await;
        return Begun::Json(status, text);
    }
    let patience = Delay::from(Duration::from_millis(MCP_JSON_PATIENCE_MS));
    let first = select(work, select(heard.next(), patience)).await;
    match first {
        Either::Left(((status, text), _)) => {
            let told = drain(&mut heard);
            if told.is_empty() {
                return Begun::Json(status, text);
            }
            let mut waiting: VecDeque<Next> = told.into_iter().map(Next::Told).collect();
            waiting.push_back(Next::Response(text));
            Begun::Stream(Running {
                work: None,
                heard,
                waiting,
            })
        }
        Either::Right((told, work)) => {
            let told = match told {
                Either::Left((told, _)) => told,
                Either::Right(_) => None,
            };
            Begun::Stream(Running {
                work: Some(work),
                heard,
                waiting: told.into_iter().map(Next::Told).collect(),
            })
        }
    }
}

/// What was told and not heard yet.
fn drain(heard: &mut Heard) -> Vec<Told> {
    let mut told = Vec::new();
    while let Some(Some(next)) = heard.next().now_or_never() {
        told.push(next);
    }
    told
}

impl Running {
    /// What comes next; nothing after the response.
    pub async fn next(&mut self) -> Option<Next> {
        if let Some(next) = self.waiting.pop_front() {
            return Some(next);
        }
        let work = self.work.take()?;
        let silence = Delay::from(Duration::from_millis(MCP_HEARTBEAT_MS));
        let first = select(work, select(self.heard.next(), silence)).await;
        Some(match first {
            Either::Left(((_, text), _)) => {
                let told = drain(&mut self.heard).into_iter().map(Next::Told);
                self.waiting.extend(told);
                self.waiting.push_back(Next::Response(text));
                self.waiting.pop_front()?
            }
            Either::Right((Either::Left((Some(told), _)), work)) => {
                self.work = Some(work);
                Next::Told(told)
            }
            // Nobody tells anything any more, or nothing was told.
            Either::Right((_, work)) => {
                self.work = Some(work);
                Next::Silence
            }
        })
    }
}

/// The response to a request whose result is there, in the form that its client reads. A client that reads events only gets one; the status of a
/// failure says what its body is.
///
/// # Errors
/// What the platform throws.
pub fn whole(status: u16, text: String, reads: Readable) -> Result<Response, JsValue> {
    if reads != Readable::Events || status != 200 {
        return reply::json(&text, status);
    }
    event_stream(pieces(move |outlet| async move {
        outlet.send(event(None, &text)).await;
        Ok(())
    }))
}

/// What an event stream has between its events.
pub const COMMENT: &[u8] = b": still running\n\n";

/// An event with a message. JSON has line breaks between its tokens only, where a blank is as good.
pub fn event(id: Option<&str>, message: &str) -> Vec<u8> {
    let id = id.map_or_else(String::new, |id| format!("id: {id}\n"));
    let message = message.replace(['\n', '\r'], " ");
    format!("{id}event: message\ndata: {message}\n\n").into_bytes()
}

/// The event stream of a call without a session. When its reader goes away the call is dropped, and with it what it waits for.
///
/// # Errors
/// What the platform throws.
pub fn stream(mut running: Running) -> Result<Response, JsValue> {
    let body = pieces(move |outlet| async move {
        // A reader that has gone already is noticed with the first piece.
        outlet.send(COMMENT.to_vec()).await;
        while let Some(next) = running.next().await {
            match next {
                Next::Told(Told::Message(message)) | Next::Response(message) => {
                    outlet.send(event(None, &message)).await;
                }
                // There is no stream to come back to.
                Next::Told(Told::Reconnect) => {}
                Next::Silence => outlet.send(COMMENT.to_vec()).await,
            }
        }
        Ok(())
    });
    event_stream(body)
}

/// A response that is an event stream.
///
/// # Errors
/// What the platform throws.
pub fn event_stream(
    body: impl futures::Stream<Item = Result<Vec<u8>, Error>> + 'static,
) -> Result<Response, JsValue> {
    let response = reply::stream("text/event-stream; charset=utf-8", None, body)?;
    let headers = response.headers();
    headers.set("cache-control", "no-cache, no-transform")?;
    // A proxy in the way must not hold events back.
    headers.set("x-accel-buffering", "no")?;
    Ok(response)
}
