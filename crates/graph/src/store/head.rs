//! The single row about the graph: its name, its version and its counters.

use base::{Error, Result};
use database::{Bind, Cell, Database, DatabaseExt};
use serde_json::{Value, json};

use crate::GraphError;

const LOAD: &str = "SELECT name, description, created_at, updated_at, version, floor, node_count, edge_count, next_node, next_edge, \
     past_rows, EXISTS (SELECT 1 FROM _codemode_steps WHERE state = 'done' AND version > floor), \
     EXISTS (SELECT 1 FROM _codemode_steps WHERE state = 'undone' AND version >= floor) FROM _codemode_graph";
/// The condition saves a tenth of the time of a small change: without it, SQLite prepares for an
/// update of several rows.
const SAVE: &str = "UPDATE _codemode_graph SET created_at = coalesce(created_at, ?1), updated_at = ?1, version = ?2, floor = ?3, \
     node_count = ?4, edge_count = ?5, next_node = ?6, next_edge = ?7, past_rows = ?8 WHERE one = 1";
const DESCRIBE: &str = "UPDATE _codemode_graph SET created_at = coalesce(created_at, ?1), updated_at = ?1, \
     name = coalesce(?2, name), description = coalesce(?3, description)";

/// The row about the graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// Its name, if it was given one.
    pub name: Option<String>,
    /// Its subject.
    pub description: String,
    /// The time of its first write, as ISO 8601; `None` if there was none.
    pub created_at: Option<String>,
    /// The time of its last step.
    pub updated_at: Option<String>,
    /// Its version.
    pub version: u64,
    /// The oldest version that can be read.
    pub floor: u64,
    /// The number of nodes.
    pub node_count: u64,
    /// The number of edges.
    pub edge_count: u64,
    /// The `seq` of the next node.
    pub next_node: u64,
    /// The `seq` of the next edge.
    pub next_edge: u64,
    /// The number of rows of past versions.
    pub past_rows: u64,
    /// True if there is a step to undo.
    pub can_undo: bool,
    /// True if there is a step to redo.
    pub can_redo: bool,
}

impl Head {
    /// Loads the row.
    ///
    /// # Errors
    /// Errors of the engine.
    pub fn load<D: Database>(db: &D) -> Result<Self> {
        let row = db.rows(LOAD, &[])?.into_iter().next();
        let mut cells = row
            .ok_or_else(|| Error::internal("the graph has no row"))?
            .into_iter();
        let mut next = || cells.next().unwrap_or(Cell::Null);
        Ok(Self {
            name: text(next()),
            description: next().into_text(),
            created_at: text(next()),
            updated_at: text(next()),
            version: next().as_count(),
            floor: next().as_count(),
            node_count: next().as_count(),
            edge_count: next().as_count(),
            next_node: next().as_count(),
            next_edge: next().as_count(),
            past_rows: next().as_count(),
            can_undo: next().as_count() > 0,
            can_redo: next().as_count() > 0,
        })
    }

    /// Saves the columns that a step changes.
    pub(crate) fn save<D: Database>(&self, db: &D, now: &str) -> Result<()> {
        let numbers = [
            self.version,
            self.floor,
            self.node_count,
            self.edge_count,
            self.next_node,
            self.next_edge,
            self.past_rows,
        ];
        let mut binds = vec![Bind::text(now)];
        binds.extend(numbers.map(Bind::number));
        db.run(SAVE, &binds).map(drop)
    }

    /// Sets name and description, if they are given.
    pub(crate) fn describe<D: Database>(
        db: &D,
        now: &str,
        name: Option<String>,
        description: Option<String>,
    ) -> Result<()> {
        let text = |text: Option<String>| text.map_or(Bind::Null, Bind::Text);
        let binds = [Bind::text(now), text(name), text(description)];
        db.run(DESCRIBE, &binds).map(drop)
    }

    /// Checks that the graph is at the version for which a request was made.
    ///
    /// # Errors
    /// [`GraphError::VersionConflict`].
    pub fn require(&self, expected: Option<u64>) -> Result<()> {
        match expected {
            Some(expected) if expected != self.version => {
                let version = self.version;
                Err(GraphError::VersionConflict { expected, version }.into())
            }
            _ => Ok(()),
        }
    }

    /// Checks that the history contains a version.
    ///
    /// # Errors
    /// [`GraphError::VersionNotFound`].
    pub fn require_version(&self, version: u64) -> Result<()> {
        if (self.floor..=self.version).contains(&version) {
            return Ok(());
        }
        Err(Error::from(GraphError::VersionNotFound {
            version,
            oldest: self.floor,
            newest: self.version,
        }))
    }

    /// Returns the `metadata` of a response.
    pub fn metadata(&self) -> Value {
        json!({
            "nodeCount": self.node_count,
            "edgeCount": self.edge_count,
            "version": self.version,
            "canUndo": self.can_undo,
            "canRedo": self.can_redo,
        })
    }
}

fn text(cell: Cell) -> Option<String> {
    match cell {
        Cell::Text(text) => Some(text),
        Cell::Null | Cell::Number(_) | Cell::Blob(_) => None,
    }
}
