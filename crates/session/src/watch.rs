//! Who hears of changes to a session: each operation that changed something is told to its watchers once it has succeeded.
//!
//! What an operation changed is known where it runs, and is only worked out while somebody watches. `execution_logs` and the product's own
//! tables are not told: they change with the operations themselves. How a watcher is reached is left to the platform.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use base::Result;
use database::{Bind, Cell, Database, DatabaseExt as _};
use serde_json::{Value, json};
use sql_gate::{Bound, Written};

use crate::limits::MAX_WATCHERS;
use crate::{Session, SessionError};

/// What an operation changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Whether definitions changed, or rows only.
    pub schema: bool,
    /// The tables and views; `None` where others may have changed, too. They may be gone. Names compare without case.
    pub tables: Option<Vec<String>>,
}

impl Change {
    /// As it is sent.
    pub fn to_json(&self) -> Value {
        json!({ "schema": self.schema, "tables": self.tables })
    }
}

/// Somebody who hears of changes.
pub trait Watcher {
    /// Something has changed.
    fn changed(&self, change: &Change);

    /// The session was deleted. Nothing follows.
    fn deleted(&self);

    /// Whether nobody hears it any more.
    fn is_gone(&self) -> bool;
}

/// The watchers of one object.
#[derive(Default)]
pub struct Watchers(RefCell<Vec<Rc<dyn Watcher>>>);

impl fmt::Debug for Watchers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} watchers", self.0.borrow().len())
    }
}

impl Watchers {
    /// One more.
    ///
    /// # Errors
    /// [`SessionError::TooManyWatchers`].
    pub fn add(&self, watcher: Rc<dyn Watcher>) -> Result<()> {
        let mut watchers = self.0.borrow_mut();
        watchers.retain(|watcher| !watcher.is_gone());
        if watchers.len() >= MAX_WATCHERS {
            return Err(SessionError::TooManyWatchers {
                limit: MAX_WATCHERS,
            }
            .into());
        }
        watchers.push(watcher);
        Ok(())
    }

    /// Whether nobody watches.
    pub fn is_empty(&self) -> bool {
        self.0.borrow().is_empty()
    }

    /// Tells all of a change. Those that are gone are removed.
    pub fn tell(&self, change: &Change) {
        self.0.borrow_mut().retain(|watcher| {
            watcher.changed(change);
            !watcher.is_gone()
        });
    }

    /// Tells all that the session was deleted, and lets them go.
    pub fn end(&self) {
        for watcher in self.0.take() {
            watcher.deleted();
        }
    }
}

/// Whether foreign keys or triggers pass a change of a table on to others.
const PASSED_ON: &str = "SELECT 1 FROM sqlite_schema AS referring, pragma_foreign_key_list(referring.name) AS link \
     WHERE referring.type = 'table' AND instr(lower(referring.sql), 'references') > 0 AND link.\"table\" = ?1 COLLATE NOCASE \
     AND NOT (link.on_delete IN ('NO ACTION', 'RESTRICT') AND link.on_update IN ('NO ACTION', 'RESTRICT')) \
     UNION ALL SELECT 1 FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?1 COLLATE NOCASE LIMIT 1";

/// A table's name as it was created.
const STORED_NAME: &str =
    "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name = ? COLLATE NOCASE";

impl<D: Database> Session<'_, D> {
    /// What a statement is about to change; nothing where nobody watches. Before it runs, because afterwards a name may be gone.
    pub(crate) fn upcoming(&self, bound: &Bound) -> Option<Change> {
        if self.cache.watchers.is_empty() {
            return None;
        }
        let Written {
            schema,
            tables,
            may_cascade,
        } = bound.written()?;
        let tables = tables.filter(|tables| !may_cascade || !self.pass_on(tables));
        Some(Change {
            schema,
            tables: tables.map(|tables| tables.iter().map(|name| self.stored_name(name)).collect()),
        })
    }

    /// Tells of what was about to change and has changed.
    pub(crate) fn tell(&self, change: Option<Change>) {
        if let Some(change) = change {
            self.cache.watchers.tell(&change);
        }
    }

    /// Tells of tables that were written without a statement of the caller's. What `replaces` rows may pass that on to other tables.
    pub(crate) fn tell_written(&self, schema: bool, replaces: bool, tables: &[String]) {
        if self.cache.watchers.is_empty() {
            return;
        }
        let is_known = !replaces || !self.pass_on(tables);
        self.cache.watchers.tell(&Change {
            schema,
            tables: is_known.then(|| tables.to_vec()),
        });
    }

    /// Where the engine does not say, they may.
    fn pass_on(&self, tables: &[String]) -> bool {
        let passed_on = |table: &String| self.db.cell(PASSED_ON, &[Bind::text(table)]);
        tables
            .iter()
            .any(|table| !matches!(passed_on(table), Ok(None)))
    }

    fn stored_name(&self, name: &str) -> String {
        match self.db.cell(STORED_NAME, &[Bind::text(name)]) {
            Ok(Some(Cell::Text(stored))) => stored,
            _ => name.to_owned(),
        }
    }
}
