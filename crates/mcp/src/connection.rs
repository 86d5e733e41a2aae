//! The knowledge about a server that is kept between requests: its protocol version, and the
//! session of the older version.

use std::cell::{Cell, RefCell};

use futures::lock::{Mutex, MutexGuard};

/// A generation of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// The version of 2026-07-28 without sessions: each request is complete in itself.
    Modern,
    /// The versions of 2025, with a handshake and a session.
    Legacy,
}

/// The result of a handshake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Session {
    pub version: String,
    pub id: Option<String>,
    /// True if the server has declared that it has tools.
    pub has_tools: bool,
}

/// The knowledge about a server that is kept between requests.
#[derive(Debug, Default)]
pub struct Connection {
    era: Cell<Option<Era>>,
    /// True if this connection knows the version at first hand, or knows that the assumed one was
    /// wrong; values found by other connections are ignored then.
    experienced: Cell<bool>,
    session: RefCell<Option<Session>>,
    /// The number of sessions in a row that a tool result reported as lost. More than one means
    /// that the tool has sessions of its own, and such results no longer end a session.
    ended_by_results: Cell<u32>,
    next_id: Cell<u64>,
    /// The lock of the call that probes the server for all others. A connection shared by requests
    /// of different origins has none: the platform does not let one request wait for the network of
    /// another.
    turn: Option<Mutex<()>>,
}

impl Connection {
    /// Creates a connection for one object. Its calls wait for each other while the server is
    /// unknown.
    pub fn of_an_object() -> Self {
        Self {
            turn: Some(Mutex::new(())),
            ..Self::default()
        }
    }

    /// Waits until no other call is probing the server.
    pub async fn turn(&self) -> Option<MutexGuard<'_, ()>> {
        match &self.turn {
            Some(turn) => Some(turn.lock().await),
            None => None,
        }
    }

    /// Returns the protocol version, if it is known.
    pub fn era(&self) -> Option<Era> {
        self.era.get()
    }

    /// Assumes the protocol version that another connection has found, unless this one has found
    /// something itself.
    pub fn assume(&self, era: Option<Era>) {
        if self.era.get().is_none() && !self.experienced.get() {
            self.era.set(era);
        }
    }

    /// Records the protocol version that the server has shown.
    pub(super) fn found(&self, era: Era) {
        self.era.set(Some(era));
        self.experienced.set(true);
    }

    /// Records that the server has answered in the assumed protocol version.
    pub(super) fn confirm(&self) {
        self.experienced.set(true);
    }

    /// Returns true if the connection still has this protocol version and this session.
    pub(super) fn is_in(&self, era: Era, session: Option<&Session>) -> bool {
        self.era.get() == Some(era)
            && (era == Era::Modern || self.session.borrow().as_ref() == session)
    }

    /// Discards a wrong protocol version and session, unless others have been found in the
    /// meantime.
    pub(super) fn forget(&self, era: Era, session: Option<&Session>) {
        if self.is_in(era, session) {
            self.era.set(None);
            *self.session.borrow_mut() = None;
            self.experienced.set(true);
        }
    }

    pub(super) fn session(&self) -> Option<Session> {
        self.session.borrow().clone()
    }

    /// Records the session of a successful handshake.
    pub(super) fn begin(&self, session: Session) {
        self.found(Era::Legacy);
        *self.session.borrow_mut() = Some(session);
    }

    /// Removes the session, unless another one has been opened in the meantime.
    pub(super) fn end(&self, session: &Session) {
        let mut current = self.session.borrow_mut();
        if current.as_ref() == Some(session) {
            *current = None;
        }
    }

    /// Handles a tool result that says that the session does not exist. Returns true if that is
    /// believed. If the same happens in a new session, the tool means sessions of its own.
    pub(super) fn end_by_result(&self, session: &Session) -> bool {
        if self.session.borrow().as_ref() != Some(session) {
            // Another call has ended it in the meantime, for the same reason.
            return true;
        }
        let times = self.ended_by_results.get();
        self.ended_by_results.set(times.saturating_add(1));
        let is_believed = times == 0;
        if is_believed {
            self.end(session);
        }
        is_believed
    }

    /// Records a tool result without such a message.
    pub(super) fn trust_results(&self) {
        // Once a tool is known to have sessions of its own, it stays known.
        if self.ended_by_results.get() == 1 {
            self.ended_by_results.set(0);
        }
    }

    pub(super) fn take_session(&self) -> Option<Session> {
        self.session.take()
    }

    pub(super) fn next_id(&self) -> u64 {
        let id = self.next_id.get() + 1;
        self.next_id.set(id);
        id
    }
}
