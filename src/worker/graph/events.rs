//! The stream of changes. A reader holds the version that it has; what comes after it is read from the history whenever something was committed,
//! so a slow reader costs nothing and misses nothing that the history still has.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use futures::channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use futures::future::{Either, select};
use futures::{Stream, StreamExt, stream};
use web_sys::Response;
use worker::Delay;

use super::super::bindings::thrown_text;
use super::super::object::Object;
use super::super::object::events::CONTENT_TYPE;
use super::super::reply;
use super::Graph;
use super::call::Call;
use crate::limits::{HEARTBEAT_MS, MAX_GRAPH_EVENT_BYTES, MAX_GRAPH_READERS};
use ::graph::GraphError;
use ::graph::live::{self, News};
use base::{Error, Result};

/// The readers of one object.
#[derive(Default)]
pub struct Readers(RefCell<Vec<Bell>>);

/// Wakes one reader. It rings once, however much happens before the reader looks.
struct Bell {
    sender: UnboundedSender<()>,
    rung: Rc<Cell<bool>>,
}

impl Bell {
    fn ring(&self) {
        if !self.rung.replace(true) {
            // One that has gone needs nothing more.
            let _delivered = self.sender.unbounded_send(());
        }
    }
}

impl Readers {
    fn add(&self) -> Result<(UnboundedReceiver<()>, Rc<Cell<bool>>)> {
        let mut bells = self.0.borrow_mut();
        bells.retain(|bell| !bell.sender.is_closed());
        if bells.len() >= MAX_GRAPH_READERS {
            return Err(Error::from(GraphError::TooManyReaders {
                limit: MAX_GRAPH_READERS,
            }));
        }
        let (sender, receiver) = unbounded();
        let rung: Rc<Cell<bool>> = Rc::default();
        bells.push(Bell {
            sender,
            rung: Rc::clone(&rung),
        });
        Ok((receiver, rung))
    }

    /// Something was committed.
    pub fn changed(&self) {
        let mut bells = self.0.borrow_mut();
        bells.retain(|bell| !bell.sender.is_closed());
        for bell in bells.iter() {
            bell.ring();
        }
    }

    /// The graph was deleted: each reader hears that, and nothing more.
    pub fn deleted(&self) {
        for bell in self.0.take() {
            bell.ring();
        }
    }
}

/// One reader.
struct Reader {
    object: Rc<Object<Graph>>,
    /// Rises when the graph is deleted.
    generation: u64,
    /// What the reader has; none before it was told where it begins.
    version: Option<u64>,
    bell: UnboundedReceiver<()>,
    rung: Rc<Cell<bool>>,
    is_over: bool,
}

impl Object<Graph> {
    /// The response to a reader. Where it begins is decided before the response does, so that what is wrong has a status.
    pub(super) fn events(self: &Rc<Self>, call: &Call) -> Result<Response> {
        let asked = match call.parameter("after")? {
            Some(version) => Some(version),
            None => call.header("last-event-id"),
        };
        let version = asked
            .as_deref()
            .map(crate::api::graph_request::version)
            .transpose()?;
        let (bell, rung) = self.kind.readers.add()?;
        let reader = Reader {
            object: Rc::clone(self),
            generation: self.generation(),
            version,
            bell,
            rung,
            is_over: false,
        };
        reply::stream(CONTENT_TYPE, None, body(reader))
            .map_err(|thrown| Error::internal(thrown_text(&thrown)))
    }
}

/// The events of a reader, each when it is asked for.
fn body(reader: Reader) -> impl Stream<Item = Result<Vec<u8>>> {
    let greeting = stream::iter([Ok(b": connected\n\n".to_vec())]);
    let events = stream::unfold(reader, |mut reader| async move {
        if reader.is_over {
            return None;
        }
        loop {
            match reader.read() {
                Ok(text) if !text.is_empty() => return Some((Ok(text.into_bytes()), reader)),
                Ok(_) => {}
                Err(error) => {
                    reader.is_over = true;
                    return Some((Err(error), reader));
                }
            }
            let silence = Delay::from(Duration::from_millis(HEARTBEAT_MS.into()));
            match select(reader.bell.next(), silence).await {
                Either::Left(_) => reader.rung.set(false),
                Either::Right(_) => {
                    return Some((Ok(b": no change\n\n".to_vec()), reader));
                }
            }
        }
    });
    greeting.chain(events)
}

impl Reader {
    /// What the reader does not have yet, as the text of events; empty where that is nothing.
    fn read(&mut self) -> Result<String> {
        if self.object.generation() != self.generation {
            self.is_over = true;
            return Ok(live::DELETED.to_owned());
        }
        let database = self.object.database();
        let News { text, version } = live::news(&database, self.version, MAX_GRAPH_EVENT_BYTES)?;
        self.version = Some(version);
        Ok(text)
    }
}
