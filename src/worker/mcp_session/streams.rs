//! The event streams of a client. An event is stored before it is sent, so a client that reconnects
//! gets the events it missed.

use std::rc::Rc;

use futures::{StreamExt, stream};
use wasm_bindgen_futures::spawn_local;
use web_sys::Response;

use super::super::mcp::exchange::{self, Next, StreamedCall};
use super::super::mcp::front::{fault_of, internal};
use super::super::object::Object;
use super::super::object::events::{self, Pipe};
use super::Client;
use base::Result;
use mcp::server::rpc::{INTERNAL_ERROR, INVALID_REQUEST};
use mcp::server::session::{self, EventId, Record, STANDALONE};
use mcp::server::{ChannelEvent, Fault, RequestId, Version};

/// The wait of a client before it reconnects to a stream, in milliseconds.
const RETRY_MS: u32 = 500;

impl Object<Client> {
    /// Makes the response to a call whose response is a stream. The call continues if its client
    /// goes away.
    ///
    /// # Errors
    /// Those of the engine, and exceptions of the platform.
    pub(super) fn stream(
        self: &Rc<Self>,
        record: &Record,
        id: &RequestId,
        mut running: StreamedCall,
    ) -> Result<Response, Fault> {
        let stream =
            session::open_stream(&self.database(), id.json()).map_err(|error| fault_of(&error))?;
        let (pipe, listener) = Pipe::open();
        if record.caller.version >= Version::V20251125 {
            // The event id with which a client resumes if it is cut off before the first event
            // (SEP-1699).
            let place = EventId { stream, number: 0 };
            let first = format!("id: {place}\nretry: {RETRY_MS}\ndata: \n\n");
            pipe.send(first.into_bytes().into());
        }
        self.kind.live.borrow_mut().insert(stream, pipe);
        self.kind.open.borrow_mut().insert(stream, id.clone());
        let object = Rc::clone(self);
        spawn_local(async move {
            let generation = object.generation();
            while let Some(next) = running.next().await {
                if object.generation() != generation {
                    return;
                }
                match next {
                    Next::Told(ChannelEvent::Message(message)) => object.tell(stream, &message),
                    Next::Told(ChannelEvent::Reconnect) => {
                        object.kind.live.borrow_mut().remove(&stream);
                    }
                    Next::Response(message) => object.tell_last(stream, &message),
                    // The connection has its own heartbeat.
                    Next::Silence => {}
                }
            }
        });
        exchange::event_stream(events::body(listener)).map_err(|thrown| internal(&thrown))
    }

    /// Stores an event and sends it to the connected client.
    pub(super) fn tell(&self, stream: u64, message: &str) {
        match session::append(&self.database(), stream, message) {
            Ok(id) => {
                let live = self.kind.live.borrow();
                if let Some(pipe) = live.get(&stream) {
                    pipe.send(exchange::event(Some(&id.to_string()), message).into());
                }
            }
            Err(error) => {
                let words = format!("an event of an MCP session could not be stored: {error}");
                web_sys::console::error_1(&words.into());
                // The client must not mistake later events for all of them. It reconnects and
                // resumes at its last event.
                self.kind.live.borrow_mut().remove(&stream);
            }
        }
    }

    fn tell_last(&self, stream: u64, message: &str) {
        self.tell(stream, message);
        self.kind.open.borrow_mut().remove(&stream);
        self.kind.live.borrow_mut().remove(&stream);
        // If this fails, the next request for the stream finds that it is closed.
        let _noted = session::close_stream(&self.database(), stream);
    }

    /// Makes the response to a client that resumes a stream: the events it missed, and then new
    /// ones.
    ///
    /// # Errors
    /// [`Fault`] if the missed events are no longer kept, and for an unknown stream.
    pub(super) fn resume(
        self: &Rc<Self>,
        record: &Record,
        stream: u64,
        place: Option<EventId>,
    ) -> Result<Response, Fault> {
        let database = self.database();
        if !session::is_stream(&database, stream).map_err(|error| fault_of(&error))? {
            let problem = "Last-Event-ID names a stream that this session never had";
            return Err(Fault::refused(INVALID_REQUEST, problem));
        }
        let is_live = stream == STANDALONE || self.kind.open.borrow().contains_key(&stream);
        if !is_live {
            self.say_what_was_lost(stream)?;
        }
        let (pipe, listener) = Pipe::open();
        match place {
            Some(mut place) => loop {
                let missed = session::after(&database, place).map_err(|error| fault_of(&error))?;
                let Some((last, _)) = missed.last() else {
                    break;
                };
                place = *last;
                for (id, message) in &missed {
                    pipe.send(exchange::event(Some(&id.to_string()), message).into());
                }
            },
            None if record.caller.version >= Version::V20251125 => {
                let last =
                    session::last_event(&database, stream).map_err(|error| fault_of(&error))?;
                pipe.send(
                    format!("id: {last}\nretry: {RETRY_MS}\ndata: \n\n")
                        .into_bytes()
                        .into(),
                );
            }
            None => pipe.send(exchange::COMMENT.into()),
        }
        if is_live {
            // A client that reconnects has lost its earlier connection.
            self.kind.live.borrow_mut().insert(stream, pipe);
        }
        let body = stream::once(async { Ok(Vec::new()) })
            .filter(|_| async { false })
            .chain(events::body(listener));
        exchange::event_stream(body).map_err(|thrown| internal(&thrown))
    }

    /// Sends an error for a call that was interrupted, whose client would otherwise wait for ever.
    fn say_what_was_lost(&self, stream: u64) -> Result<(), Fault> {
        let database = self.database();
        let lost = session::interrupted(&database, stream).map_err(|error| fault_of(&error))?;
        if let Some(id) = lost {
            let fault = Fault::refused(
                INTERNAL_ERROR,
                "the call was interrupted; it may have made some of its changes",
            );
            self.tell_last(stream, &fault.render(Some(&id)));
        }
        Ok(())
    }
}
