//! The Durable Object `McpSession`: one client of `/mcp` that speaks a version of the protocol with
//! sessions.
//!
//! `serve` handles its messages, `calls` runs its calls and asks it questions, `streams` are its
//! event streams, and `watch` notifies it of changes.
//!
//! The client's introduction, its subscriptions and the events of its streams are stored, so that
//! the client can resume after a broken connection, and after the object was stopped. A call that
//! runs while the object stops is lost, and the client gets an error for it.

mod calls;
mod serve;
mod streams;
mod watch;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use futures::channel::oneshot;
use futures::future::AbortHandle;
use serde_json::value::RawValue;
use wasm_bindgen::JsValue;
use web_sys::Request;

use super::object::events::Pipe;
use super::object::{Kind, Object, Served, Work, export_object};
use super::storage::ObjectDatabase;
use crate::config::Config;
use base::Result;
use database::migrations::Migration;
use mcp::server::session::{self, Record};
use mcp::server::{Fault, RequestId};
use tools::gateway::Connections;

export_object!("main-module", McpSession, Client);

/// The client's response to one of our requests.
type Response = std::result::Result<Box<RawValue>, Fault>;

/// The state of a client that an instance holds in memory.
pub struct Client {
    /// The stored record of the client, once it was read.
    record: RefCell<Option<Record>>,
    /// The connections that carry a stream at this moment.
    live: RefCell<HashMap<u64, Pipe>>,
    /// The streams of running calls.
    open: RefCell<HashMap<u64, RequestId>>,
    /// The running calls, to cancel them.
    calls: RefCell<HashMap<RequestId, AbortHandle>>,
    /// Our requests that the client has not responded to.
    questions: RefCell<HashMap<u64, oneshot::Sender<Response>>>,
    next_question: Cell<u64>,
    /// The task that watches sessions for the client.
    watcher: RefCell<Option<AbortHandle>>,
    /// The connections to the servers whose tools it lists.
    connections: Rc<Connections>,
}

impl Kind for Client {
    const NAME: &'static str = "mcp";
    const MIGRATIONS: &'static [Migration] = session::MIGRATIONS;

    fn new(_env: &JsValue) -> Self {
        Self {
            record: RefCell::default(),
            live: RefCell::default(),
            open: RefCell::default(),
            calls: RefCell::default(),
            questions: RefCell::default(),
            next_question: Cell::new(1),
            watcher: RefCell::default(),
            connections: Rc::new(Connections::of_an_object()),
        }
    }

    fn due_times_ms(database: &ObjectDatabase, config: &Config) -> Result<Vec<u64>> {
        let ends_ms = session::ends_ms(database, ttl_ms(config))?;
        Ok(ends_ms.into_iter().collect())
    }

    fn ring(object: Rc<Object<Self>>) -> Work {
        Box::pin(object.expire())
    }

    fn serve(object: Rc<Object<Self>>, request: Request) -> Served {
        Box::pin(object.respond(request))
    }

    fn forget(&self, _env: &JsValue) {
        self.record.take();
        for (_, call) in self.calls.take() {
            call.abort();
        }
        if let Some(watcher) = self.watcher.take() {
            watcher.abort();
        }
        self.open.take();
        self.questions.take();
        // Dropping them ends the connections.
        self.live.take();
    }
}

/// Returns how long a session lives after its last use.
fn ttl_ms(config: &Config) -> u64 {
    /// The environment variable is in seconds.
    const MS_PER_SECOND: u64 = 1_000;
    config.mcp.session_ttl_seconds.saturating_mul(MS_PER_SECOND)
}
