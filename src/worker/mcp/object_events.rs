//! The event stream of an object's response, read piece by piece.

use std::collections::VecDeque;

use js_sys::Uint8Array;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::Response;

use super::super::bindings::{BodyReader, detach, open_body, read_some, thrown_text};
use crate::limits::MAX_MCP_EVENT_BYTES;
use base::{Error, Result};
use net::named_events::NamedEvents;

/// The bytes of one read of an event stream.
const READ_BYTES: u32 = 64 * 1024;

/// The events of an object's response. Dropping them tells the object that nobody reads any more.
pub(super) struct Events {
    reader: BodyReader,
    events: NamedEvents,
    waiting: VecDeque<(String, String)>,
}

impl Events {
    /// Opens the body of a response.
    ///
    /// # Errors
    /// An internal error if the response has no body, or cannot be read.
    pub(super) fn open(response: &Response) -> Result<Self> {
        let body = response
            .body()
            .ok_or_else(|| Error::internal("the response of an object has no body"))?;
        let reader = open_body(&body).map_err(|thrown| Error::internal(thrown_text(&thrown)))?;
        Ok(Self {
            reader,
            events: NamedEvents::default(),
            waiting: VecDeque::new(),
        })
    }

    /// Returns the name and the data of the next event, or `None` behind the last one.
    ///
    /// # Errors
    /// An internal error if the connection breaks, or an event is too long.
    pub(super) async fn next(&mut self) -> Result<Option<(String, String)>> {
        loop {
            if let Some(event) = self.waiting.pop_front() {
                return Ok(Some(event));
            }
            let piece = JsFuture::from(read_some(&self.reader, READ_BYTES))
                .await
                .map_err(|thrown| Error::internal(thrown_text(&thrown)))?;
            let Some(piece) = piece.dyn_ref::<Uint8Array>() else {
                return Ok(None);
            };
            let events = self.events.feed(&piece.to_vec());
            if self.events.held() > MAX_MCP_EVENT_BYTES {
                return Err(Error::internal("an event of the session is too long"));
            }
            let events = events.into_iter().map(|event| (event.name, event.data));
            self.waiting.extend(events);
        }
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        detach(self.reader.cancel());
    }
}
