//! The connections of an object or a request to servers.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use mcp::client::Connection;

/// The connections of one object, or of one request, by server.
#[derive(Debug, Default)]
pub struct Connections {
    of_an_object: bool,
    pub(super) open: RefCell<HashMap<String, Rc<Connection>>>,
    /// Connections that are used only as locks, held while a server is asked for its tools or its
    /// schema.
    listing: RefCell<HashMap<String, Rc<Connection>>>,
}

impl Connections {
    /// Creates the connections of one object. Calls to a server wait for each other while its
    /// protocol version is unknown.
    pub fn of_an_object() -> Self {
        Self {
            of_an_object: true,
            ..Self::default()
        }
    }

    pub(super) fn of(&self, server: &str) -> Rc<Connection> {
        self.entry(&self.open, server)
    }

    /// Returns the connection whose lock a call must hold to ask for the server's tools or schema.
    /// The request itself uses the connection of [`Self::of`], whose lock protects the handshake.
    pub(super) fn listing(&self, server: &str) -> Rc<Connection> {
        self.entry(&self.listing, server)
    }

    fn entry(
        &self,
        entries: &RefCell<HashMap<String, Rc<Connection>>>,
        server: &str,
    ) -> Rc<Connection> {
        let make = || {
            Rc::new(if self.of_an_object {
                Connection::of_an_object()
            } else {
                Connection::default()
            })
        };
        let mut entries = entries.borrow_mut();
        Rc::clone(entries.entry(server.to_owned()).or_insert_with(make))
    }
}
