//! Limits the work of our own SQL when it runs definitions of a caller.
//!
//! The text of our own statements is harmless, but a caller's view, column, CHECK or index on an
//! expression runs within them, and a request may have many of these statements. So a request has
//! one [`Meter`]: each statement that may run an expression of a caller is estimated like a
//! statement of the caller, and the request is refused once the sum exceeds the cost that one
//! statement may have. For tables without such expressions, only the schema is checked.

use std::cell::Cell;
use std::rc::Rc;

use base::Result;
use database::{Database, EngineError, Statement};
use sqlite3_parser::Bump;

use crate::work::{Counts, RequestWork, too_much_together, weigh};
use sql_gate::bound::Bound;
use sql_gate::{Policy, catalog, collect, parse};

/// The cost of comparing one byte of a key with a byte of another key, in units of 10 ns; then the
/// same without case.
const COMPARED_BYTE: f64 = 0.03;
const FOLDED_BYTE: f64 = 0.15;

/// The number of keys that one key is compared with on its way into an index of a million entries.
const LEVELS: f64 = 20.0;

/// The size of a row, in bytes, up to which comparing its keys costs no more than writing it; then
/// the same for keys that are compared without case.
const SHORT_ROW_BYTES: u64 = 1_000;
const SHORT_FOLDED_BYTES: u64 = 100;

/// Rows that are written into indexes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct IndexedRows {
    /// The number of rows.
    pub rows: u64,
    /// The sum of their bytes.
    pub bytes: u64,
    /// The number of index columns that compare bytes.
    pub binary: u64,
    /// The number of index columns with another collation.
    pub folded: u64,
}

/// The work that one request has spent on a caller's expressions. Clones share one sum.
#[derive(Debug, Clone)]
pub struct Meter<'a> {
    policy: Policy,
    counts: &'a Counts,
    spent: Rc<Cell<f64>>,
}

impl<'a> Meter<'a> {
    /// Makes a meter for a request that has spent nothing.
    pub fn new(policy: Policy, counts: &'a Counts) -> Self {
        Self {
            policy,
            counts,
            spent: Rc::default(),
        }
    }

    /// Returns a meter that begins with the sum of this one but does not add to it, to look ahead.
    pub fn ahead(&self) -> Self {
        Self {
            spent: Rc::new(Cell::new(self.spent.get())),
            ..self.clone()
        }
    }

    /// Returns the limits that apply.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Runs a statement of ours that reads a relation of a caller, after checking that it is within
    /// the limit.
    ///
    /// # Errors
    /// `QUERY_TOO_EXPENSIVE`, or the engine's error.
    pub fn open<D: Database>(&self, db: &D, relation: &str, bound: &Bound) -> Result<D::Cursor> {
        self.admit(db, relation, bound)?;
        db.open(Statement::Reviewed(bound.reviewed()))
            .map_err(|error: EngineError| sql_gate::explain::explain(db, &error, bound))
    }

    /// Adds the work of a statement of ours that reads a relation of a caller. Adds nothing for a
    /// table that computes nothing when it is read.
    ///
    /// # Errors
    /// `QUERY_TOO_EXPENSIVE`, or the engine's error.
    pub fn admit<D: Database>(&self, db: &D, relation: &str, bound: &Bound) -> Result<()> {
        if catalog::is_plain_to_read(db, relation)? {
            return Ok(());
        }
        self.weigh(db, bound, 1).map(drop)
    }

    /// Adds the work of a statement that runs `times` times, and returns the work of one run.
    ///
    /// # Errors
    /// `QUERY_TOO_EXPENSIVE` if the sum exceeds the cost that one statement may have, or the
    /// engine's error.
    pub fn weigh<D: Database>(&self, db: &D, bound: &Bound, times: u64) -> Result<f64> {
        let named = with_facts(bound)?;
        let spent = RequestWork {
            before: self.spent.get(),
            times: times as f64,
        };
        let work = weigh(db, &named, &self.policy, self.counts, spent)?;
        self.spent.set(spent.before + work * spent.times);
        Ok(work)
    }

    /// Adds the cost of the values of rows in the indexes of their table.
    ///
    /// # Errors
    /// `QUERY_TOO_EXPENSIVE` if the sum exceeds the cost that one statement may have.
    pub fn add_indexed(&self, rows: &IndexedRows) -> Result<()> {
        let beyond = |bytes: u64| rows.bytes.saturating_sub(rows.rows * bytes) as f64;
        let compared = beyond(SHORT_ROW_BYTES) * rows.binary as f64 * COMPARED_BYTE;
        let folded = beyond(SHORT_FOLDED_BYTES) * rows.folded as f64 * FOLDED_BYTE;
        self.add((compared + folded) * LEVELS)
    }

    /// Returns the work that is left.
    pub fn left(&self) -> f64 {
        (self.policy.max_query_work as f64 - self.spent.get()).max(0.0)
    }

    /// Refuses rows that may cost more than the work that is left, without adding them.
    ///
    /// # Errors
    /// `QUERY_TOO_EXPENSIVE`.
    pub fn require_left(&self, work: f64) -> Result<()> {
        self.ahead().add(work)
    }

    /// Adds work that was estimated before.
    ///
    /// # Errors
    /// `QUERY_TOO_EXPENSIVE` if the sum exceeds the cost that one statement may have.
    pub fn add(&self, work: f64) -> Result<()> {
        let sum = self.spent.get() + work;
        if sum > self.policy.max_query_work as f64 {
            return Err(too_much_together(sum, &self.policy));
        }
        self.spent.set(sum);
        Ok(())
    }
}

/// Returns the statement with the names in its text as facts. A composed statement has no facts,
/// and the estimate needs to know which views it reads.
fn with_facts(bound: &Bound) -> Result<Bound> {
    if bound.is_callers() {
        return Ok(bound.clone());
    }
    let arena = Bump::new();
    let facts = collect::collect(&parse::parse(&arena, bound.sql())?);
    Ok(bound.clone().with_facts(facts))
}
