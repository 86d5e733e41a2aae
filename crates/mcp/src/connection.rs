//! What is known of a server between requests: its protocol version, and the session of the older one.

use std::cell::{Cell, RefCell};

use futures::lock::{Mutex, MutexGuard};

/// How a server is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// Each request stands for itself.
    Modern,
    /// After a handshake.
    Legacy,
}

/// What a handshake agreed on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Session {
    pub version: String,
    pub id: Option<String>,
    /// Returns true if the server has declared that it has tools.
    pub has_tools: bool,
}

/// What is known of a server between requests.
#[derive(Debug, Default)]
pub struct Connection {
    era: Cell<Option<Era>>,
    /// The server itself has shown how it is spoken to, or that the protocol version was wrong: what others have found out counts no more.
    experienced: Cell<bool>,
    session: RefCell<Option<Session>>,
    /// How often the result of a tool has ended a session, one after the other: more than once, and the tool means sessions of its own.
    ended_by_results: Cell<u32>,
    next_id: Cell<u64>,
    /// Who finds out about the server for everybody else. A connection that requests of different origins share has none: the platform
    /// lets no request wait for another one's network.
    turn: Option<Mutex<()>>,
}

impl Connection {
    /// A connection of one object: its calls wait for each other while the server is new.
    pub fn of_an_object() -> Self {
        Self {
            turn: Some(Mutex::new(())),
            ..Self::default()
        }
    }

    /// Waits until nobody else finds out about the server.
    pub async fn turn(&self) -> Option<MutexGuard<'_, ()>> {
        match &self.turn {
            Some(turn) => Some(turn.lock().await),
            None => None,
        }
    }

    /// The protocol version, once it is known.
    pub fn era(&self) -> Option<Era> {
        self.era.get()
    }

    /// A connection to a server whose protocol version another one has found out. It counts until this one has learnt something by itself.
    pub fn assume(&self, era: Option<Era>) {
        if self.era.get().is_none() && !self.experienced.get() {
            self.era.set(era);
        }
    }

    /// The server has shown its protocol version.
    pub(super) fn found(&self, era: Era) {
        self.era.set(Some(era));
        self.experienced.set(true);
    }

    /// Something has been answered in the protocol version that was tried.
    pub(super) fn confirm(&self) {
        self.experienced.set(true);
    }

    /// Whether the server is still spoken to in this protocol version, and in this session of it.
    pub(super) fn is_in(&self, era: Era, session: Option<&Session>) -> bool {
        self.era.get() == Some(era)
            && (era == Era::Modern || self.session.borrow().as_ref() == session)
    }

    /// Era and session have turned out wrong, unless others have been found meanwhile.
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

    /// A handshake has succeeded.
    pub(super) fn begin(&self, session: Session) {
        self.found(Era::Legacy);
        *self.session.borrow_mut() = Some(session);
    }

    /// The session is no more, unless another one has been begun meanwhile.
    pub(super) fn end(&self, session: &Session) {
        let mut current = self.session.borrow_mut();
        if current.as_ref() == Some(session) {
            *current = None;
        }
    }

    /// A result of a tool says that there is no such session. Whether that is believed: the tool may have sessions of its own, and then it says so in a new
    /// session, too.
    pub(super) fn end_by_result(&self, session: &Session) -> bool {
        if self.session.borrow().as_ref() != Some(session) {
            // Another call has ended it meanwhile, for the same news.
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

    /// A result of a tool says nothing of that kind.
    pub(super) fn trust_results(&self) {
        // Once it is known that the tool means sessions of its own, it stays so.
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
