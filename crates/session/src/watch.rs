//! The watchers of a session: after an operation that changed something has succeeded, its watchers
//! get an event.
//!
//! Each operation reports its own changes, and determines them only while the session has watchers.
//! Changes of `execution_logs` and of the product's own tables cause no event: they change with
//! every operation. The platform decides how an event reaches a watcher.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use base::Result;
use database::{Bind, Cell, Database, DatabaseExt as _};
use serde_json::{Value, json};
use sql_gate::{Bound, StatementChanges};

use crate::limits::MAX_WATCHERS;
use crate::{Session, SessionError};

/// The changes of one operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// True if definitions changed, false if only rows did.
    pub schema: bool,
    /// The changed tables and views, which may be dropped by now; `None` if others may have
    /// changed, too. Names compare without case.
    pub tables: Option<Vec<String>>,
}

impl Change {
    /// Returns the JSON that is sent.
    pub fn to_json(&self) -> Value {
        json!({ "schema": self.schema, "tables": self.tables })
    }
}

/// A receiver of change events.
pub trait Watcher {
    /// Reports a change.
    fn changed(&self, change: &Change);

    /// Reports that the session was deleted. This is the last event.
    fn deleted(&self);

    /// Returns true if the receiver is disconnected.
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
    /// Adds a watcher.
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

    /// Returns true if nobody watches.
    pub fn is_empty(&self) -> bool {
        self.0.borrow().is_empty()
    }

    /// Reports a change to all watchers, and removes those that are gone.
    pub fn tell(&self, change: &Change) {
        self.0.borrow_mut().retain(|watcher| {
            watcher.changed(change);
            !watcher.is_gone()
        });
    }

    /// Reports to all watchers that the session was deleted, and removes them.
    pub fn end(&self) {
        for watcher in self.0.take() {
            watcher.deleted();
        }
    }
}

/// Finds out if foreign keys or triggers pass a change of a table on to other tables.
const PASSED_ON: &str = "SELECT 1 FROM sqlite_schema AS referring, pragma_foreign_key_list(referring.name) AS link \
     WHERE referring.type = 'table' AND instr(lower(referring.sql), 'references') > 0 AND link.\"table\" = ?1 COLLATE NOCASE \
     AND NOT (link.on_delete IN ('NO ACTION', 'RESTRICT') AND link.on_update IN ('NO ACTION', 'RESTRICT')) \
     UNION ALL SELECT 1 FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?1 COLLATE NOCASE LIMIT 1";

/// Finds the name of a table in the case in which it was created.
const STORED_NAME: &str =
    "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name = ? COLLATE NOCASE";

impl<D: Database> Session<'_, D> {
    /// Returns the tables that a statement will change; `None` if nobody watches. It must be called
    /// before the statement runs, because afterwards a name may be gone.
    pub(crate) fn upcoming(&self, bound: &Bound) -> Option<Change> {
        if self.cache.watchers.is_empty() {
            return None;
        }
        let StatementChanges {
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

    /// Reports a change from [`Self::upcoming`] after it has happened.
    pub(crate) fn tell(&self, change: Option<Change>) {
        if let Some(change) = change {
            self.cache.watchers.tell(&change);
        }
    }

    /// Reports tables that were written without a statement of the caller. If `replaces` is true,
    /// foreign keys or triggers may have changed other tables, too.
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

    /// Returns true if a change of one of the tables may change others. If the engine does not
    /// answer, it may.
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
