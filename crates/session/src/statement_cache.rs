//! The facts that an object remembers between requests, so that it need not review and describe a
//! repeated statement again.
//!
//! All of it can be lost without harm, at a cost of microseconds. A verdict depends on the text and
//! the settings alone. A description (column names, need for a join estimate) depends on the
//! schema, so every change of the schema deletes all descriptions. Only the object itself can
//! change its schema.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use super::totals::Totals;
use super::watch::Watchers;
use crate::limits::{MAX_REMEMBERED_SQL_BYTES, MAX_REMEMBERED_STATEMENTS};
use crate::loaded::TextColumns;
use base::Result;
use sql_cost::Counts;
use sql_gate::{self, NumericUses, Policy, Reviewed, Sources};
use sql_scope::KnownTables;

/// The facts about a read that are known without running it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// The distinct names of its columns.
    pub columns: Vec<String>,
    /// True if its work depends on the numbers of rows, so that it must be estimated each time.
    pub may_multiply: bool,
}

/// Verdicts and descriptions of recent statements.
#[derive(Debug, Default)]
pub struct StatementCache {
    verdicts: RefCell<HashMap<String, Rc<Reviewed>>>,
    descriptions: RefCell<HashMap<String, Rc<Description>>>,
    /// The columns of texts that statements read as numbers.
    numeric_uses: RefCell<HashMap<String, Rc<NumericUses>>>,
    /// The TEXT columns that loads have made; `None` until they are read.
    loaded: RefCell<Option<Rc<TextColumns>>>,
    /// Counts of the data.
    pub counts: Counts,
    /// The tables of statements under a scope.
    pub tables: KnownTables,
    /// The total cost of the operations so far.
    pub totals: Totals,
    /// The time of the last use, as stored in the database; `None` until it is read.
    pub last_use_ms: Cell<Option<u64>>,
    /// The receivers of change events.
    pub watchers: Watchers,
    generation: Cell<u32>,
}

impl StatementCache {
    /// Returns the verdict on a text, and remembers it if it is an approval.
    ///
    /// # Errors
    /// As [`sql_gate::review`].
    pub fn review(&self, text: &str, policy: &Policy) -> Result<Rc<Reviewed>> {
        if let Some(known) = self.verdicts.borrow().get(text) {
            return Ok(Rc::clone(known));
        }
        let reviewed = Rc::new(sql_gate::review(text, policy)?);
        remember(&self.verdicts, text, &reviewed);
        Ok(reviewed)
    }

    /// Returns the description of a statement, by the text that runs.
    pub fn description(&self, text: &str) -> Option<Rc<Description>> {
        self.descriptions.borrow().get(text).cloned()
    }

    /// Remembers a description until the schema changes.
    pub fn describe(&self, text: &str, description: Description) -> Rc<Description> {
        let description = Rc::new(description);
        remember(&self.descriptions, text, &description);
        description
    }

    /// Returns the TEXT columns that loads have made; `read` reads them the first time.
    pub(crate) fn loaded(
        &self,
        read: impl FnOnce() -> Result<TextColumns>,
    ) -> Result<Rc<TextColumns>> {
        if let Some(known) = &*self.loaded.borrow() {
            return Ok(Rc::clone(known));
        }
        let found = Rc::new(read()?);
        *self.loaded.borrow_mut() = Some(Rc::clone(&found));
        Ok(found)
    }

    /// Returns the columns of texts that a statement reads as numbers, and remembers them until the
    /// schema changes.
    pub(crate) fn numeric_uses(&self, statement: &str, sources: &dyn Sources) -> Rc<NumericUses> {
        if let Some(known) = self.numeric_uses.borrow().get(statement) {
            return Rc::clone(known);
        }
        let found = Rc::new(sql_gate::numeric_uses(statement, sources));
        remember(&self.numeric_uses, statement, &found);
        found
    }

    /// Forgets everything. It must be called after the session's data was deleted.
    pub fn forget(&self) {
        self.schema_changed();
        self.tables.forget();
        self.last_use_ms.set(None);
        self.watchers.end();
    }

    /// Returns a number that is another one after each change of the schema.
    pub fn generation(&self) -> u32 {
        self.generation.get()
    }

    /// Forgets what depends on the schema. It must be called after every statement that may have
    /// changed the schema.
    pub fn schema_changed(&self) {
        self.generation.set(self.generation.get().wrapping_add(1));
        self.descriptions.borrow_mut().clear();
        self.numeric_uses.borrow_mut().clear();
        *self.loaded.borrow_mut() = None;
        self.counts.schema_changed();
    }
}

/// Keeps an entry. A full map is emptied first, which is cheaper than finding the oldest entry.
fn remember<T>(map: &RefCell<HashMap<String, Rc<T>>>, text: &str, entry: &Rc<T>) {
    if text.len() > MAX_REMEMBERED_SQL_BYTES {
        return;
    }
    let mut map = map.borrow_mut();
    if map.len() >= MAX_REMEMBERED_STATEMENTS {
        map.clear();
    }
    map.insert(text.to_owned(), Rc::clone(entry));
}
