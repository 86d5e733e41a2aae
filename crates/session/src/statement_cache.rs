//! What one object remembers between requests, so that a statement sent again is not judged and described again.
//!
//! Nothing here is a truth: losing it costs microseconds. A verdict depends on the text and the settings alone. A description (column names,
//! whether a join must be estimated) depends on the schema, so every change of the schema deletes all descriptions; only the object
//! itself can change its schema.

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

/// What is known of a read without running it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// The names of its columns, distinct.
    pub columns: Vec<String>,
    /// Its work depends on how many rows there are, so it must be estimated each time.
    pub may_multiply: bool,
}

/// Verdicts and descriptions of the statements seen last.
#[derive(Debug, Default)]
pub struct StatementCache {
    verdicts: RefCell<HashMap<String, Rc<Reviewed>>>,
    descriptions: RefCell<HashMap<String, Rc<Description>>>,
    /// Where statements read columns of texts as numbers.
    numeric_uses: RefCell<HashMap<String, Rc<NumericUses>>>,
    /// The TEXT columns that loads have made, once they were read.
    loaded: RefCell<Option<Rc<TextColumns>>>,
    /// What was counted of the data.
    pub counts: Counts,
    /// The tables of statements under a scope.
    pub tables: KnownTables,
    /// What the operations so far have cost.
    pub totals: Totals,
    /// The recorded time of last use, as it was last read.
    pub last_use_ms: Cell<Option<u64>>,
    /// Who hears of changes.
    pub watchers: Watchers,
}

impl StatementCache {
    /// The verdict on a text, remembered when it is an approval.
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

    /// The description of a statement by the text that runs.
    pub fn description(&self, text: &str) -> Option<Rc<Description>> {
        self.descriptions.borrow().get(text).cloned()
    }

    /// Remembers a description until the schema changes.
    pub fn describe(&self, text: &str, description: Description) -> Rc<Description> {
        let description = Rc::new(description);
        remember(&self.descriptions, text, &description);
        description
    }

    /// The TEXT columns that loads have made, as `read` finds them.
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

    /// Where a statement reads columns of texts as numbers, until the schema changes.
    pub(crate) fn numeric_uses(&self, statement: &str, sources: &dyn Sources) -> Rc<NumericUses> {
        if let Some(known) = self.numeric_uses.borrow().get(statement) {
            return Rc::clone(known);
        }
        let found = Rc::new(sql_gate::numeric_uses(statement, sources));
        remember(&self.numeric_uses, statement, &found);
        found
    }

    /// To be called when the session's data is gone.
    pub fn forget(&self) {
        self.schema_changed();
        self.tables.forget();
        self.last_use_ms.set(None);
        self.watchers.end();
    }

    /// To be called after every statement that may have changed the schema.
    pub fn schema_changed(&self) {
        self.descriptions.borrow_mut().clear();
        self.numeric_uses.borrow_mut().clear();
        *self.loaded.borrow_mut() = None;
        self.counts.schema_changed();
    }
}

/// Keeps an entry. A full map starts afresh, which is cheaper than telling which entry is the oldest.
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
