//! A response made of server-sent events: numbered, with a comment after each silence, and with a bound on what waits for a slow reader.

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

/// Content type of the response.
pub const CONTENT_TYPE: &str = "text/event-stream; charset=utf-8";

/// Where work tells what happens; to nobody, where the client wants only the end.
#[derive(Clone, Default)]
pub struct Events(Option<Rc<Live>>);

struct Live {
    stream: RefCell<EventStream>,
    pipe: Pipe,
}

/// The way to one listener, for pieces that are made already.
pub struct Pipe {
    sender: UnboundedSender<Rc<[u8]>>,
    waiting_bytes: Rc<Cell<usize>>,
}

/// What a client hears.
pub struct Listener {
    receiver: UnboundedReceiver<Rc<[u8]>>,
    waiting_bytes: Rc<Cell<usize>>,
}

impl Events {
    /// Work whose client listens, and what it hears.
    pub fn live(stream: EventStream) -> (Self, Listener) {
        let (pipe, listener) = Pipe::open();
        let live = Live {
            stream: RefCell::new(stream),
            pipe,
        };
        (Self(Some(Rc::new(live))), listener)
    }

    /// Whether somebody listens.
    pub fn are_live(&self) -> bool {
        self.0.is_some()
    }

    /// Whether somebody listened and has gone, or does not read.
    pub fn is_abandoned(&self) -> bool {
        self.0.as_ref().is_some_and(|live| live.pipe.is_closed())
    }

    /// Returns true if half of what may wait for the reader is free for so many bytes; the other half is for what cannot wait itself.
    pub fn have_room(&self, bytes: usize) -> bool {
        let waiting = |live: &Rc<Live>| live.pipe.waiting_bytes.get();
        let waiting = self.0.as_ref().map_or(0, waiting);
        waiting.saturating_add(bytes) <= MAX_WAITING_EVENT_BYTES / 2
    }

    /// Sends a comment, so that the response has begun.
    pub fn greet(&self) {
        if let Some(live) = &self.0 {
            live.pipe.send(b": accepted\n\n".as_slice().into());
        }
    }

    /// Sends an event; `data` is only made where somebody listens.
    pub fn send(&self, event: &str, data: impl FnOnce() -> Value) {
        if self.are_live() {
            self.send_text(event, &data().to_string());
        }
    }

    /// Sends an event whose data is JSON text already.
    pub fn send_text(&self, event: &str, data: &str) {
        if let Some(live) = &self.0 {
            // JSON has line breaks between its tokens only, where a blank is as good; a forged result may have them.
            let data = data.replace(['\n', '\r'], " ");
            let event = live.stream.borrow_mut().write(event, &data);
            live.pipe.send(event);
        }
    }
}

impl Pipe {
    /// A way and who hears at its end.
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

    /// Whether the listener has gone, or does not read.
    pub fn is_closed(&self) -> bool {
        self.sender.is_closed()
    }

    /// A reader that lets too much wait is taken for one that has gone: its stream ends with what waits.
    pub fn send(&self, piece: Rc<[u8]>) {
        let waiting_bytes = self.waiting_bytes.get();
        if waiting_bytes > 0 && waiting_bytes.saturating_add(piece.len()) > MAX_WAITING_EVENT_BYTES
        {
            self.sender.close_channel();
            return;
        }
        self.waiting_bytes.set(waiting_bytes + piece.len());
        // One that has gone needs nothing more.
        let _delivered = self.sender.unbounded_send(piece);
    }
}

/// The body of the response. It ends when every [`Events`] of the work is dropped.
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
