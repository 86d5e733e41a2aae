//! What the requests of one instance share: the parts of its lists that come and go, and who listens to changes.

use std::cell::{Cell, RefCell};

use futures::StreamExt;
use futures::channel::mpsc::{Sender, channel};
use futures::stream::LocalBoxStream;
use mcp::server::{Change, Filter};

use crate::seal::Seal;

/// Changes that wait for one listener. A listener that is further behind is dropped, which ends its stream.
const WAITING_CHANGES: usize = 64;

/// A list with an entry that comes and goes.
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
    /// An instance. Whoever has the secret can write a `requestState`; two instances accept each other's if they have the same.
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

    /// Whether a list has its changing entry now.
    pub(crate) fn has_entry(&self, list: List) -> bool {
        self.entry(list).get()
    }

    /// Adds the changing entry of a list, or removes it, and tells everybody.
    pub(crate) fn toggle(&self, list: List) {
        let entry = self.entry(list);
        entry.set(!entry.get());
        self.publish(&match list {
            List::Tools => Change::Tools,
            List::Prompts => Change::Prompts,
            List::Resources => Change::Resources,
        });
    }

    /// How often the watched resource has changed.
    pub(crate) fn revision(&self) -> u64 {
        self.revision.get()
    }

    /// Changes the watched resource, which has this URI, and tells everybody.
    pub(crate) fn revise(&self, uri: &str) {
        self.revision.set(self.revision.get() + 1);
        self.publish(&Change::Updated(uri.to_owned()));
    }

    /// The changes that a filter wants, from now on.
    pub(crate) fn listen(&self, filter: &Filter) -> LocalBoxStream<'static, Change> {
        let (sender, receiver) = channel(WAITING_CHANGES);
        let mut listeners = self.listeners.borrow_mut();
        listeners.retain(|(_, listener)| !listener.is_closed());
        listeners.push((filter.clone(), sender));
        receiver.boxed_local()
    }

    /// How many listen.
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
