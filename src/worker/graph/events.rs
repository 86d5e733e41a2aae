//! The stream of changes. A reader holds the version that it has received. After each commit it
//! reads the later changes from the history, so a slow reader costs nothing and misses nothing that
//! the history still has.

use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use futures::future::{Either, select};
use futures::{Stream, StreamExt, stream};
use web_sys::Response;
use worker::Delay;

use super::super::bindings::thrown_text;
use super::super::object::Object;
use super::super::object::events::CONTENT_TYPE;
use super::super::received::IncomingRequest;
use super::super::reply;
use super::Graph;
use super::call::Call;
use crate::limits::{HEARTBEAT_MS, MAX_GRAPH_EVENT_BYTES};
use ::graph::live::{self, News};
use ::graph::readers::Waiting;
use base::{Error, Result};

/// One reader.
struct Reader {
    object: Rc<Object<Graph>>,
    /// A number that rises when the graph is deleted.
    generation: u64,
    /// The version that the reader has received; `None` before its first event.
    version: Option<u64>,
    waiting: Waiting,
    is_over: bool,
}

impl Object<Graph> {
    /// Makes the response to a reader. It finds the first event before the response begins, so that
    /// an error has its HTTP status.
    pub(super) fn events(
        self: &Rc<Self>,
        call: &Call,
        received: &IncomingRequest,
    ) -> Result<Response> {
        let asked = match call.parameter("after")? {
            Some(version) => Some(version),
            None => received.header("last-event-id"),
        };
        let version = asked
            .as_deref()
            .map(crate::api::graph_request::version)
            .transpose()?;
        let reader = Reader {
            object: Rc::clone(self),
            generation: self.generation(),
            version,
            waiting: self.kind.readers.add()?,
            is_over: false,
        };
        reply::stream(CONTENT_TYPE, None, body(reader))
            .map_err(|thrown| Error::internal(thrown_text(&thrown)))
    }
}

/// Returns the events of a reader, each when it is requested.
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
            let is_silent = matches!(
                select(pin!(reader.waiting.woken()), silence).await,
                Either::Right(_)
            );
            if is_silent {
                return Some((Ok(b": no change\n\n".to_vec()), reader));
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
            return Ok(live::DELETED.to_owned());
        }
        let database = self.object.database();
        let News { text, version } = live::news(&database, self.version, MAX_GRAPH_EVENT_BYTES)?;
        self.version = Some(version);
        Ok(text)
    }
}
