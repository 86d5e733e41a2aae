//! The event streams of a thread. A stored event has a number, and a reader that reconnects gets
//! the events it missed. Pieces of a message that is being written have no number: only connected
//! readers get them, and the whole message is stored when it is done.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::fmt::Write as _;
use std::rc::Rc;
use std::time::Duration;

use futures::channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use futures::future::{Either, select};
use futures::{Stream, StreamExt, stream};
use serde_json::json;
use web_sys::Response;
use worker::Delay;

use super::super::bindings::thrown_text;
use super::super::object::Object;
use super::super::object::events::CONTENT_TYPE;
use super::super::{instance, reply};
use super::Agent;
use crate::limits::{HEARTBEAT_MS, MAX_THREAD_READERS, MAX_WAITING_EVENT_BYTES};
use ::agent::drive::Token;
use ::agent::store::Store;
use base::{CommonError, Error, Result};

/// The readers of one object.
#[derive(Default)]
pub struct Readers(RefCell<Vec<Rc<Place>>>);

/// The queue of one reader.
struct Place {
    sender: UnboundedSender<()>,
    /// True if the reader has been woken and has not read yet.
    is_woken: Cell<bool>,
    /// Pieces of messages for it.
    pieces: RefCell<VecDeque<String>>,
    waiting_bytes: Cell<usize>,
}

impl Place {
    fn wake(&self) {
        if !self.is_woken.replace(true) {
            // A reader that has gone needs nothing more.
            let _delivered = self.sender.unbounded_send(());
        }
    }

    /// Queues a piece. A reader with too many waiting bytes misses pieces; it gets the whole
    /// message at its end.
    fn tell(&self, piece: &str) {
        let waiting_bytes = self.waiting_bytes.get().saturating_add(piece.len());
        if waiting_bytes <= MAX_WAITING_EVENT_BYTES {
            self.waiting_bytes.set(waiting_bytes);
            self.pieces.borrow_mut().push_back(piece.to_owned());
            self.wake();
        }
    }

    fn take(&self) -> String {
        self.waiting_bytes.set(0);
        self.pieces.borrow_mut().drain(..).collect()
    }
}

impl Readers {
    fn add(&self) -> Result<(Rc<Place>, UnboundedReceiver<()>)> {
        let mut places = self.0.borrow_mut();
        places.retain(|place| !place.sender.is_closed());
        if places.len() >= MAX_THREAD_READERS {
            return Err(Error::from(CommonError::TooBig {
                message: format!(
                    "this thread has {MAX_THREAD_READERS} event streams already, which is the limit"
                ),
                hint: "close streams that are no longer read".to_owned(),
            }));
        }
        let (sender, receiver) = unbounded();
        let place = Rc::new(Place {
            sender,
            is_woken: Cell::new(false),
            pieces: RefCell::default(),
            waiting_bytes: Cell::new(0),
        });
        places.push(Rc::clone(&place));
        Ok((place, receiver))
    }

    /// Wakes all readers, because an event was stored or the thread was deleted.
    pub fn rang(&self) {
        for place in self.0.borrow().iter() {
            place.wake();
        }
    }

    /// Sends a piece of a message to all readers.
    pub fn tell(&self, token: Token<'_>) {
        let data = json!([
            { "id": token.message, "type": "ai", "content": token.text, "offset": token.offset },
            { "node": token.node },
        ]);
        let piece = format!("event: messages\ndata: {data}\n\n");
        for place in self.0.borrow().iter() {
            place.tell(&piece);
        }
    }
}

/// One reader.
struct Reader {
    object: Rc<Object<Agent>>,
    generation: u64,
    /// The last event that it received.
    event: u64,
    place: Rc<Place>,
    bell: UnboundedReceiver<()>,
    /// The last event that it received, if the next one is no longer kept.
    missed: Option<u64>,
    is_over: bool,
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.bell.close();
    }
}

impl Object<Agent> {
    /// Makes the response to a reader that has the events up to `event`. It ends when the thread
    /// has nothing to do and the reader has received everything.
    pub(super) fn events(self: &Rc<Self>, event: u64) -> Result<Response> {
        let database = self.database();
        let store = Store {
            db: &database,
            now_ms: instance::now_ms(),
        };
        let missed = match store.has_events_after(event)? {
            true => None,
            false => Some(event),
        };
        let (place, bell) = self.kind.readers.add()?;
        let reader = Reader {
            object: Rc::clone(self),
            generation: self.generation(),
            event,
            place,
            bell,
            missed,
            is_over: false,
        };
        reply::stream(CONTENT_TYPE, None, body(reader))
            .map_err(|thrown| Error::internal(thrown_text(&thrown)))
    }
}

fn body(reader: Reader) -> impl Stream<Item = Result<Vec<u8>>> {
    let greeting = stream::iter([Ok(b": connected\n\n".to_vec())]);
    let events = stream::unfold(reader, |mut reader| async move {
        loop {
            if reader.is_over {
                return None;
            }
            match reader.read() {
                Ok(text) if !text.is_empty() => return Some((Ok(text.into_bytes()), reader)),
                Ok(_) if reader.is_over => return None,
                Ok(_) => {}
                Err(error) => {
                    reader.is_over = true;
                    return Some((Err(error), reader));
                }
            }
            let silence = Delay::from(Duration::from_millis(HEARTBEAT_MS.into()));
            match select(reader.bell.next(), silence).await {
                Either::Left(_) => reader.place.is_woken.set(false),
                Either::Right(_) => {
                    return Some((Ok(b": still working\n\n".to_vec()), reader));
                }
            }
        }
    });
    greeting.chain(events)
}

impl Reader {
    /// Returns the events that the reader has not received yet, as text; empty if there are none.
    fn read(&mut self) -> Result<String> {
        if self.object.generation() != self.generation {
            self.is_over = true;
            return Ok("event: deleted\ndata: {}\n\n".to_owned());
        }
        let database = self.object.database();
        let store = Store {
            db: &database,
            now_ms: instance::now_ms(),
        };
        // Pieces belong to a message that is not stored yet, so they precede the stored events.
        let mut text = self.place.take();
        if let Some(after) = self.missed.take() {
            let _ = write!(text, "event: gap\ndata: {}\n\n", json!({ "after": after }));
        }
        let rows = store.events_after(self.event)?;
        for row in &rows {
            let _ = write!(
                text,
                "id: {}\nevent: {}\ndata: {}\n\n",
                row.id, row.event, row.data
            );
            self.event = row.id;
        }
        if rows.is_empty() && text.is_empty() {
            let head = store.head()?;
            self.is_over = !head.is_some_and(|head| head.step.is_running());
        }
        Ok(text)
    }
}
