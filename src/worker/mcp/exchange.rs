//! The response to a call: one JSON text if the result comes soon and no message precedes it, else
//! an event stream.

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
use mcp::server::ChannelEvent;
use mcp::server::headers::Readable;

/// A running call, which ends with the status and the text of its response.
pub type Work = LocalBoxFuture<'static, (u16, String)>;

/// The messages that a call sends while it runs.
pub type CallMessages = UnboundedReceiver<ChannelEvent>;

/// The beginning of a response.
pub enum ResponseStart {
    /// The whole response.
    Json(u16, String),
    /// A stream, because the call takes time or sends a message before its response.
    Stream(StreamedCall),
}

/// A call whose response is a stream.
pub struct StreamedCall {
    work: Option<RemoteHandle<(u16, String)>>,
    heard: CallMessages,
    waiting: VecDeque<Next>,
}

/// The next item of a call's stream.
#[derive(Debug, PartialEq, Eq)]
pub enum Next {
    /// A message of the call.
    Told(ChannelEvent),
    /// The response.
    Response(String),
    /// Nothing for a while, after which the stream gets a comment.
    Silence,
}

/// Waits until the form of the response is known.
///
/// The call runs as a task of its own. A timer of workers-rs wakes only the task that polled it
/// first, and if the response becomes a stream, another task waits for the call. The call is
/// dropped when no task waits for it any more.
pub async fn begin(work: Work, mut heard: CallMessages, reads: Readable) -> ResponseStart {
    let (task, work) = work.remote_handle();
    spawn_local(task);
    if reads == Readable::Json {
        // Messages have no stream to be sent on.
        drop(heard);
        let (status, text) = work.await;
        return ResponseStart::Json(status, text);
    }
    let patience = Delay::from(Duration::from_millis(MCP_JSON_PATIENCE_MS));
    let first = select(work, select(heard.next(), patience)).await;
    match first {
        Either::Left(((status, text), _)) => {
            let told = drain(&mut heard);
            if told.is_empty() {
                return ResponseStart::Json(status, text);
            }
            let mut waiting: VecDeque<Next> = told.into_iter().map(Next::Told).collect();
            waiting.push_back(Next::Response(text));
            ResponseStart::Stream(StreamedCall {
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
            ResponseStart::Stream(StreamedCall {
                work: Some(work),
                heard,
                waiting: told.into_iter().map(Next::Told).collect(),
            })
        }
    }
}

/// Returns the messages that were sent and not received yet.
fn drain(heard: &mut CallMessages) -> Vec<ChannelEvent> {
    let mut told = Vec::new();
    while let Some(Some(next)) = heard.next().now_or_never() {
        told.push(next);
    }
    told
}

impl StreamedCall {
    /// Returns the next item; `None` after the response.
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
            // No more messages will be sent, or none was sent in time.
            Either::Right((_, work)) => {
                self.work = Some(work);
                Next::Silence
            }
        })
    }
}

/// Makes the response to a request whose result is complete, in the form that its client reads. A
/// client that reads only events gets an event stream; a failure is always JSON, and its status
/// says so.
///
/// # Errors
/// Exceptions of the platform.
pub fn whole(status: u16, text: String, reads: Readable) -> Result<Response, JsValue> {
    if reads != Readable::Events || status != 200 {
        return reply::json(&text, status);
    }
    event_stream(pieces(move |outlet| async move {
        outlet.send(event(None, &text)).await;
        Ok(())
    }))
}

/// The comment that an event stream has between its events.
pub const COMMENT: &[u8] = b": still running\n\n";

/// Renders an event with a message. JSON has line breaks only between its tokens, where a blank is
/// as good.
pub fn event(id: Option<&str>, message: &str) -> Vec<u8> {
    let id = id.map_or_else(String::new, |id| format!("id: {id}\n"));
    let message = message.replace(['\n', '\r'], " ");
    format!("{id}event: message\ndata: {message}\n\n").into_bytes()
}

/// Makes the event stream of a call without a session. When its reader goes away, the call and
/// everything that it waits for are dropped.
///
/// # Errors
/// Exceptions of the platform.
pub fn stream(mut running: StreamedCall) -> Result<Response, JsValue> {
    let body = pieces(move |outlet| async move {
        // Writing the first piece shows if the reader has gone already.
        outlet.send(COMMENT.to_vec()).await;
        while let Some(next) = running.next().await {
            match next {
                Next::Told(ChannelEvent::Message(message)) | Next::Response(message) => {
                    outlet.send(event(None, &message)).await;
                }
                // A client cannot reconnect to this stream.
                Next::Told(ChannelEvent::Reconnect) => {}
                Next::Silence => outlet.send(COMMENT.to_vec()).await,
            }
        }
        Ok(())
    });
    event_stream(body)
}

/// Makes a response that is an event stream.
///
/// # Errors
/// Exceptions of the platform.
pub fn event_stream(
    body: impl futures::Stream<Item = Result<Vec<u8>, Error>> + 'static,
) -> Result<Response, JsValue> {
    let response = reply::stream("text/event-stream; charset=utf-8", None, body)?;
    let headers = response.headers();
    headers.set("cache-control", "no-cache, no-transform")?;
    // A proxy on the way must not buffer events.
    headers.set("x-accel-buffering", "no")?;
    Ok(response)
}
