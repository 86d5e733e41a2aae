//! The common parts of present and past rows of nodes and edges.
//!
//! One table has the present rows, and a second one the past rows. Before a step changes a row for
//! the first time, the old row is copied to the past. Therefore the rows with `until = w` in the
//! past and those with `version = w` in the present are exactly the ones that step `w` touched, and
//! everything else is computed from these.

use base::Result;
use database::{Bind, Database, DatabaseExt};

use super::columns::{edge_columns, node_columns};
use super::read::counts;

/// The SQL statements for one kind of row.
pub(crate) struct Temporal {
    archive_touched: &'static str,
    delete_touched: &'static str,
    delete_all: &'static str,
    bring_back: &'static str,
    archived: &'static str,
    archive_since: &'static str,
    delete_archived: &'static str,
    bring_back_version: &'static str,
    tally: &'static str,
    discardable: &'static str,
    discard: &'static str,
}

/// The changes of a step to the rows of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// The number of new rows.
    pub created: u64,
    /// The number of changed rows.
    pub updated: u64,
    /// The number of deleted rows.
    pub deleted: u64,
}

impl Tally {
    /// Counts changes from three numbers: the present rows that the step wrote, the past rows that
    /// it archived, and the rows that are in both.
    fn of([present, past, both]: [u64; 3]) -> Self {
        Self {
            created: present.saturating_sub(both),
            updated: both,
            deleted: past.saturating_sub(both),
        }
    }

    /// Returns true if there were no changes.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the counts as JSON.
    pub fn to_json(self) -> String {
        format!(
            r#"{{"created":{},"updated":{},"deleted":{}}}"#,
            self.created, self.updated, self.deleted
        )
    }
}

/// Returns the changes of a step to nodes and to edges, from a single statement.
///
/// # Errors
/// Errors of the engine.
pub(crate) fn tally_all<D: Database>(db: &D, version: u64) -> Result<[Tally; 2]> {
    let numbers = counts(db, TALLY_ALL, &steps(&[version]))?;
    let [nodes, past_nodes, both_nodes, edges, past_edges, both_edges] = numbers;
    Ok([
        Tally::of([nodes, past_nodes, both_nodes]),
        Tally::of([edges, past_edges, both_edges]),
    ])
}

/// Returns the steps that a statement refers to as its parameters.
fn steps(steps: &[u64]) -> Vec<Bind> {
    steps.iter().copied().map(Bind::number).collect()
}

impl Temporal {
    /// Reverts, in step `version`, the changes of step `step`. The rows that it touched must be
    /// unchanged since. `present` is the number of present rows: if all of them are deleted, as
    /// when the import of a file is undone, SQLite empties the table at once instead of row by row
    /// in each index.
    pub fn revert<D: Database>(&self, db: &D, step: u64, version: u64, present: u64) -> Result<()> {
        db.run(self.archive_touched, &steps(&[step, version]))?;
        let [archived] = counts(db, self.archived, &steps(&[version]))?;
        if archived == present {
            db.run(self.delete_all, &[])?;
        } else {
            db.run(self.delete_touched, &steps(&[version]))?;
        }
        db.run(self.bring_back, &steps(&[step, version]))?;
        Ok(())
    }

    /// Restores, in step `version`, the rows to their state at version `old`. A row that has this
    /// state already is not touched.
    pub fn restore<D: Database>(&self, db: &D, old: u64, version: u64) -> Result<()> {
        db.run(self.archive_since, &steps(&[old, version]))?;
        self.delete_archived(db, version)?;
        db.run(self.bring_back_version, &steps(&[old, version]))?;
        Ok(())
    }

    /// Deletes the rows that this step archived, except for those that it has written again.
    pub fn delete_archived<D: Database>(&self, db: &D, version: u64) -> Result<()> {
        db.run(self.delete_archived, &steps(&[version])).map(drop)
    }

    /// Returns the changes of a step.
    pub fn tally<D: Database>(&self, db: &D, version: u64) -> Result<Tally> {
        counts(db, self.tally, &steps(&[version])).map(Tally::of)
    }

    /// Deletes the rows that only versions before `floor` need. Returns their number.
    pub fn discard<D: Database>(&self, db: &D, floor: u64) -> Result<u64> {
        let [rows] = counts(db, self.discardable, &steps(&[floor]))?;
        if rows > 0 {
            db.run(self.discard, &steps(&[floor]))?;
        }
        Ok(rows)
    }
}

/// The rows that a step touched.
macro_rules! touched {
    ($now:literal, $past:literal) => {
        concat!(
            "(SELECT seq FROM ",
            $past,
            " WHERE until = ?1 UNION SELECT seq FROM ",
            $past,
            " WHERE version = ?1 \
             UNION SELECT seq FROM ",
            $now,
            " WHERE version = ?1)"
        )
    };
}

/// The three numbers of a tally.
macro_rules! tallied {
    ($now:literal, $past:literal) => {
        concat!(
            "(SELECT count(*) FROM ",
            $now,
            " WHERE version = ?1), (SELECT count(*) FROM ",
            $past,
            " WHERE until = ?1), (SELECT count(*) FROM ",
            $past,
            " AS p CROSS JOIN ",
            $now,
            " AS n ON n.seq = p.seq WHERE p.until = ?1 AND n.version = ?1)"
        )
    };
}

const TALLY_ALL: &str = concat!(
    "SELECT ",
    tallied!("nodes", "_codemode_past_nodes"),
    ", ",
    tallied!("edges", "_codemode_past_edges")
);

macro_rules! temporal {
    ($now:literal, $past:literal, $columns:ident, $of_row:literal, $of_past:literal) => {
        Temporal {
            archive_touched: concat!(
                "INSERT INTO ",
                $past,
                " (seq, ",
                $columns!(),
                ", version, until) SELECT seq, ",
                $columns!(),
                ", version, ?2 \
                 FROM ",
                $now,
                " WHERE seq IN ",
                touched!($now, $past)
            ),
            archived: concat!("SELECT count(*) FROM ", $past, " WHERE until = ?1"),
            delete_touched: concat!(
                "DELETE FROM ",
                $now,
                " WHERE seq IN (SELECT seq FROM ",
                $past,
                " WHERE until = ?1)"
            ),
            delete_all: concat!("DELETE FROM ", $now),
            bring_back: concat!(
                "INSERT INTO ",
                $now,
                " (seq, ",
                $columns!(),
                ", version) SELECT seq, ",
                $columns!(),
                ", ?2 FROM ",
                $past,
                " WHERE until = ?1"
            ),
            archive_since: concat!(
                "INSERT INTO ",
                $past,
                " (seq, ",
                $columns!(),
                ", version, until) SELECT seq, ",
                $columns!(),
                ", version, ?2 \
                 FROM ",
                $now,
                " AS n WHERE version > ?1 AND NOT EXISTS (SELECT 1 FROM ",
                $past,
                " AS p WHERE p.seq = n.seq \
                 AND p.version <= ?1 AND p.until > ?1 AND (",
                $of_past,
                ") IS (",
                $of_row,
                "))"
            ),
            delete_archived: concat!(
                "DELETE FROM ",
                $now,
                " WHERE seq IN (SELECT seq FROM ",
                $past,
                " WHERE until = ?1) AND version < ?1"
            ),
            bring_back_version: concat!(
                "INSERT INTO ",
                $now,
                " (seq, ",
                $columns!(),
                ", version) SELECT seq, ",
                $columns!(),
                ", ?2 FROM ",
                $past,
                " AS p WHERE version <= ?1 AND until > ?1 AND NOT EXISTS (SELECT 1 FROM ",
                $now,
                " AS n WHERE n.seq = p.seq)"
            ),
            tally: concat!("SELECT ", tallied!($now, $past)),
            discardable: concat!("SELECT count(*) FROM ", $past, " WHERE until <= ?1"),
            discard: concat!("DELETE FROM ", $past, " WHERE until <= ?1"),
        }
    };
}

/// The statements for nodes.
pub(crate) const NODES: Temporal = temporal!(
    "nodes",
    "_codemode_past_nodes",
    node_columns,
    "n.id, n.label, n.type, n.data, n.x, n.y, n.pinned, n.created_at, n.updated_at",
    "p.id, p.label, p.type, p.data, p.x, p.y, p.pinned, p.created_at, p.updated_at"
);

/// The statements for edges.
pub(crate) const EDGES: Temporal = temporal!(
    "edges",
    "_codemode_past_edges",
    edge_columns,
    "n.id, n.source, n.target, n.label, n.type, n.data, n.created_at, n.updated_at",
    "p.id, p.source, p.target, p.label, p.type, p.data, p.created_at, p.updated_at"
);
