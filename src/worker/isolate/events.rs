//! The live form of a response: server-sent events, with a comment after each silence.

use std::time::Duration;

use futures::channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use futures::future::{Either, select};
use futures::{Stream, StreamExt, stream};
use serde_json::Value;
use worker::Delay;

use crate::limits::HEARTBEAT_MS;
use base::Result;

/// Content type of the response.
pub const CONTENT_TYPE: &str = "text/event-stream; charset=utf-8";

/// Where a run tells what happens; to nobody, where the client wants only the end.
///
/// What may wait there is bounded by the caps of a run: its log entries, calls and progress events.
#[derive(Debug, Clone, Default)]
pub struct Events(Option<UnboundedSender<Vec<u8>>>);

impl Events {
    /// A run whose client listens, and what it hears.
    pub fn live() -> (Self, UnboundedReceiver<Vec<u8>>) {
        let (sender, receiver) = unbounded();
        (Self(Some(sender)), receiver)
    }

    /// Whether somebody listens.
    pub fn are_live(&self) -> bool {
        self.0.is_some()
    }

    /// Whether somebody listened and has gone.
    pub fn is_abandoned(&self) -> bool {
        self.0.as_ref().is_some_and(UnboundedSender::is_closed)
    }

    /// Sends a comment, so that the response has begun.
    pub fn greet(&self) {
        if let Some(sender) = &self.0 {
            let _delivered = sender.unbounded_send(b": accepted\n\n".to_vec());
        }
    }

    /// Sends an event; `data` is only made where somebody listens.
    pub fn send(&self, event: &str, data: impl FnOnce() -> Value) {
        if self.are_live() {
            self.send_text(event, &data().to_string());
        }
    }

    /// Sends an event whose data is JSON text of one line already.
    pub fn send_text(&self, event: &str, data: &str) {
        if let Some(sender) = &self.0 {
            // JSON has line breaks between its tokens only, where a blank is as good; a forged result may have them.
            let data = data.replace(['\n', '\r'], " ");
            let event = format!("event: {event}\ndata: {data}\n\n");
            let _delivered = sender.unbounded_send(event.into_bytes());
        }
    }
}

/// The body of the response. It ends when every [`Events`] of the run is dropped.
pub fn body(receiver: UnboundedReceiver<Vec<u8>>) -> impl Stream<Item = Result<Vec<u8>>> {
    stream::unfold(receiver, |mut receiver| async move {
        let silence = Delay::from(Duration::from_millis(HEARTBEAT_MS.into()));
        let piece = match select(receiver.next(), silence).await {
            Either::Left((piece, _)) => piece?,
            Either::Right(_) => b": still running\n\n".to_vec(),
        };
        Some((Ok(piece), receiver))
    })
}
