//! A response of server-sent events, with a number on each, a comment after each silence, and a
//! limit on the bytes that wait for a slow reader.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use futures::channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use futures::future::{Either, select};
use futures::{Stream, StreamExt, stream};
use serde_json::Value;
use worker::Delay;

use crate::limits::{HEARTBEAT_MS, MAX_WAITING_EVENT_BYTES};
use base::Result;
use net::event_stream::EventStream;

/// The content type of the response.
pub const CONTENT_TYPE: &str = "text/event-stream; charset=utf-8";

/// The sender of a call's events; it sends nothing if the client wants only the result.
#[derive(Clone, Default)]
pub struct Events(Option<Rc<Live>>);

struct Live {
    stream: RefCell<EventStream>,
    pipe: Pipe,
}

/// The sending end of one reader's stream, for pieces that are rendered already.
pub struct Pipe {
    sender: UnboundedSender<Rc<[u8]>>,
    waiting_bytes: Rc<Cell<usize>>,
}

/// The receiving end of a stream.
pub struct Listener {
    receiver: UnboundedReceiver<Rc<[u8]>>,
    waiting_bytes: Rc<Cell<usize>>,
}

impl Events {
    /// Returns the sender of a call whose client reads events, and the client's end.
    pub fn live(stream: EventStream) -> (Self, Listener) {
        let (pipe, listener) = Pipe::open();
        let live = Live {
            stream: RefCell::new(stream),
            pipe,
        };
        (Self(Some(Rc::new(live))), listener)
    }

    /// Returns true if a client reads events.
    pub fn are_live(&self) -> bool {
        self.0.is_some()
    }

    /// Returns true if the client has gone, or has stopped reading.
    pub fn is_abandoned(&self) -> bool {
        self.0.as_ref().is_some_and(|live| live.pipe.is_closed())
    }

    /// Returns true if half of the bytes that may wait for the reader has room for `bytes`. The
    /// other half is for events that cannot wait themselves.
    pub fn have_room(&self, bytes: usize) -> bool {
        let waiting = |live: &Rc<Live>| live.pipe.waiting_bytes.get();
        let waiting = self.0.as_ref().map_or(0, waiting);
        waiting.saturating_add(bytes) <= MAX_WAITING_EVENT_BYTES / 2
    }

    /// Sends a comment, so that the response begins.
    pub fn greet(&self) {
        if let Some(live) = &self.0 {
            live.pipe.send(b": accepted\n\n".as_slice().into());
        }
    }

    /// Sends an event; `data` is only called if a client reads events.
    pub fn send(&self, event: &str, data: impl FnOnce() -> Value) {
        if self.are_live() {
            self.send_text(event, &data().to_string());
        }
    }

    /// Sends an event whose data is JSON text already.
    pub fn send_text(&self, event: &str, data: &str) {
        if let Some(live) = &self.0 {
            // JSON has line breaks only between its tokens, where a blank is as good; a forged
            // result may contain them.
            let data = data.replace(['\n', '\r'], " ");
            let event = live.stream.borrow_mut().write(event, &data);
            live.pipe.send(event);
        }
    }
}

impl Pipe {
    /// Returns both ends of a new stream.
    pub fn open() -> (Self, Listener) {
        let (sender, receiver) = unbounded();
        let waiting_bytes: Rc<Cell<usize>> = Rc::default();
        let listener = Listener {
            receiver,
            waiting_bytes: Rc::clone(&waiting_bytes),
        };
        let pipe = Self {
            sender,
            waiting_bytes,
        };
        (pipe, listener)
    }

    /// Returns true if the reader has gone, or has stopped reading.
    pub fn is_closed(&self) -> bool {
        self.sender.is_closed()
    }

    /// Sends a piece. A reader with too many waiting bytes counts as gone: its stream ends after
    /// the pieces that wait.
    pub fn send(&self, piece: Rc<[u8]>) {
        let waiting_bytes = self.waiting_bytes.get();
        if waiting_bytes > 0 && waiting_bytes.saturating_add(piece.len()) > MAX_WAITING_EVENT_BYTES
        {
            self.sender.close_channel();
            return;
        }
        self.waiting_bytes.set(waiting_bytes + piece.len());
        // A reader that has gone needs nothing more.
        let _delivered = self.sender.unbounded_send(piece);
    }
}

/// Returns the body of the response. It ends when every [`Events`] of the call is dropped.
pub fn body(listener: Listener) -> impl Stream<Item = Result<Vec<u8>>> {
    stream::unfold(listener, |mut listener| async move {
        let silence = Delay::from(Duration::from_millis(HEARTBEAT_MS.into()));
        let piece = match select(listener.receiver.next(), silence).await {
            Either::Left((piece, _)) => {
                let piece = piece?;
                let waiting = &listener.waiting_bytes;
                waiting.set(waiting.get().saturating_sub(piece.len()));
                piece.to_vec()
            }
            Either::Right(_) => b": still running\n\n".to_vec(),
        };
        Some((Ok(piece), listener))
    })
}
