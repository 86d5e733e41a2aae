//! The row about a graph, kept in memory between requests, because each change begins with it and
//! ends by replacing it.
//!
//! The object of a graph is the only writer of its database, so the row of the last commit is the
//! stored one. Whatever changes the stored row takes it out of the memory first, and only a commit
//! that succeeded puts it back. A request that fails therefore leaves nothing, and the next one
//! reads the row again.

use std::cell::RefCell;

use crate::store::head::Head;

/// The memory of one instance of a graph's object.
#[derive(Debug, Default)]
pub struct Memory {
    head: RefCell<Option<Head>>,
}

impl Memory {
    /// Forgets everything; to be called when the database was deleted.
    pub fn forget(&self) {
        drop(self.take());
    }

    /// Returns the row, and forgets it.
    pub(crate) fn take(&self) -> Option<Head> {
        self.head.take()
    }

    /// Keeps the row that a commit has left.
    pub(crate) fn keep(&self, head: &Head) {
        self.head.replace(Some(head.clone()));
    }
}
