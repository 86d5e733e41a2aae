//! The state that the requests of one instance share: the changing parts of its lists, and the
//! listeners for changes.

use std::cell::{Cell, RefCell};

use futures::StreamExt;
use futures::channel::mpsc::{Sender, channel};
use futures::stream::LocalBoxStream;
use mcp::server::{Change, Filter};

use crate::seal::Seal;

/// The most changes that wait for one listener. A listener that falls further behind is dropped,
/// which ends its stream.
const WAITING_CHANGES: usize = 64;

/// A list with an entry that appears and disappears.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum List {
    /// The tools.
    Tools,
    /// The prompts.
    Prompts,
    /// The resources.
    Resources,
}

/// One instance. Its owner keeps it for as long as the instance lives.
pub struct Instance {
    pub(crate) seal: Seal,
    has_tool: Cell<bool>,
    has_prompt: Cell<bool>,
    has_resource: Cell<bool>,
    revision: Cell<u64>,
    listeners: RefCell<Vec<(Filter, Sender<Change>)>>,
}

impl Instance {
    /// Makes an instance. A `requestState` is signed with the secret; two instances with the same
    /// secret accept each other's.
    pub fn new(secret: &[u8]) -> Self {
        Self {
            seal: Seal::new(secret),
            has_tool: Cell::new(false),
            has_prompt: Cell::new(false),
            has_resource: Cell::new(false),
            revision: Cell::new(1),
            listeners: RefCell::default(),
        }
    }

    /// Returns true if a list has its changing entry now.
    pub(crate) fn has_entry(&self, list: List) -> bool {
        self.entry(list).get()
    }

    /// Adds or removes the changing entry of a list, and notifies all listeners.
    pub(crate) fn toggle(&self, list: List) {
        let entry = self.entry(list);
        entry.set(!entry.get());
        self.publish(&match list {
            List::Tools => Change::Tools,
            List::Prompts => Change::Prompts,
            List::Resources => Change::Resources,
        });
    }

    /// Returns how often the watched resource has changed.
    pub(crate) fn revision(&self) -> u64 {
        self.revision.get()
    }

    /// Changes the watched resource, which has this URI, and notifies all listeners.
    pub(crate) fn revise(&self, uri: &str) {
        self.revision.set(self.revision.get() + 1);
        self.publish(&Change::Updated(uri.to_owned()));
    }

    /// Returns the changes that a filter selects, from now on.
    pub(crate) fn listen(&self, filter: &Filter) -> LocalBoxStream<'static, Change> {
        let (sender, receiver) = channel(WAITING_CHANGES);
        let mut listeners = self.listeners.borrow_mut();
        listeners.retain(|(_, listener)| !listener.is_closed());
        listeners.push((filter.clone(), sender));
        receiver.boxed_local()
    }

    /// Returns the number of listeners.
    #[cfg(test)]
    pub(crate) fn listeners(&self) -> usize {
        self.listeners.borrow().len()
    }

    fn entry(&self, list: List) -> &Cell<bool> {
        match list {
            List::Tools => &self.has_tool,
            List::Prompts => &self.has_prompt,
            List::Resources => &self.has_resource,
        }
    }

    fn publish(&self, change: &Change) {
        self.listeners
            .borrow_mut()
            .retain_mut(|(filter, listener)| {
                if change.is_wanted(filter) {
                    listener.try_send(change.clone()).is_ok()
                } else {
                    !listener.is_closed()
                }
            });
    }
}
