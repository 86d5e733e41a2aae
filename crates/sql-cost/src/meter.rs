//! The way of SQL of ours to what a caller has defined.
//!
//! A statement of ours is harmless by its own text, but a caller's view, column, CHECK or index on an expression runs within it, in as many
//! pieces as a request has. So a request has one [`Meter`]: each statement that may run an expression of a caller is estimated as the gate
//! estimates a statement of the caller's own, and the request is refused once the sum is beyond what one statement may cost.
//! Tables without such expressions cost one look at the schema.

use std::cell::Cell;
use std::rc::Rc;

use base::Result;
use database::{Database, EngineError, Statement};
use sqlite3_parser::Bump;

use crate::work::{Counts, Spent, too_much_together, weigh};
use sql_gate::bound::Bound;
use sql_gate::{Policy, catalog, collect, parse};

/// Units for a byte that is compared with one of another key, and for one that is compared without case.
const COMPARED_BYTE: f64 = 0.03;
const FOLDED_BYTE: f64 = 0.15;

/// Keys that one is compared with on its way into an index of a million.
const LEVELS: f64 = 20.0;

/// Bytes of a row whose keys are compared as fast as it is written, and of one whose keys are compared without case.
const SHORT_ROW_BYTES: u64 = 1_000;
const SHORT_FOLDED_BYTES: u64 = 100;

/// Rows that are written into indexes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct IndexedRows {
    /// How many.
    pub rows: u64,
    /// Their bytes together.
    pub bytes: u64,
    /// Columns of indexes that compare bytes.
    pub binary: u64,
    /// Columns of indexes with another collation.
    pub folded: u64,
}

/// What one request has spent on expressions of a caller. Clones count together.
#[derive(Debug, Clone)]
pub struct Meter<'a> {
    policy: Policy,
    counts: &'a Counts,
    spent: Rc<Cell<f64>>,
}

impl<'a> Meter<'a> {
    /// For a request that has spent nothing.
    pub fn new(policy: Policy, counts: &'a Counts) -> Self {
        Self {
            policy,
            counts,
            spent: Rc::default(),
        }
    }

    /// One that begins with what this one has spent, and does not add to it: to look ahead.
    pub fn ahead(&self) -> Self {
        Self {
            spent: Rc::new(Cell::new(self.spent.get())),
            ..self.clone()
        }
    }

    /// The limits in force.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Runs a statement of ours that reads a relation of a caller, once it is known to be within the limit.
    ///
    /// # Errors
    /// `QUERY_TOO_EXPENSIVE`, or what the engine says.
    pub fn open<D: Database>(&self, db: &D, relation: &str, bound: &Bound) -> Result<D::Cursor> {
        self.admit(db, relation, bound)?;
        db.open(Statement::Reviewed(bound.reviewed()))
            .map_err(|error: EngineError| sql_gate::explain::explain(db, &error, bound))
    }

    /// Adds the work of a statement of ours that reads a relation of a caller; nothing for a table that computes nothing when it is read.
    ///
    /// # Errors
    /// `QUERY_TOO_EXPENSIVE`, or what the engine says.
    pub fn admit<D: Database>(&self, db: &D, relation: &str, bound: &Bound) -> Result<()> {
        if catalog::is_plain_to_read(db, relation)? {
            return Ok(());
        }
        self.weigh(db, bound, 1).map(drop)
    }

    /// Adds the work of a statement that runs so many times, and gives what one time costs.
    ///
    /// # Errors
    /// `QUERY_TOO_EXPENSIVE` where the sum is more than one statement may cost, or what the engine says.
    pub fn weigh<D: Database>(&self, db: &D, bound: &Bound, times: u64) -> Result<f64> {
        let named = with_facts(bound)?;
        let spent = Spent {
            before: self.spent.get(),
            times: times as f64,
        };
        let work = weigh(db, &named, &self.policy, self.counts, spent)?;
        self.spent.set(spent.before + work * spent.times);
        Ok(work)
    }

    /// Adds what the values of rows cost in the indexes of their table.
    ///
    /// # Errors
    /// `QUERY_TOO_EXPENSIVE` where the sum is more than one statement may cost.
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

    /// Refuses rows that may cost more than what is left, without adding them.
    ///
    /// # Errors
    /// `QUERY_TOO_EXPENSIVE`.
    pub fn require_left(&self, work: f64) -> Result<()> {
        self.ahead().add(work)
    }

    /// Adds work that was found before.
    ///
    /// # Errors
    /// `QUERY_TOO_EXPENSIVE` where the sum is more than one statement may cost.
    pub fn add(&self, work: f64) -> Result<()> {
        let sum = self.spent.get() + work;
        if sum > self.policy.max_query_work as f64 {
            return Err(too_much_together(sum, &self.policy));
        }
        self.spent.set(sum);
        Ok(())
    }
}

/// The statement with what its text names: a composed one has no facts, and an estimate has to know which views it reads.
fn with_facts(bound: &Bound) -> Result<Bound> {
    if bound.is_callers() {
        return Ok(bound.clone());
    }
    let arena = Bump::new();
    let facts = collect::collect(&parse::parse(&arena, bound.sql())?);
    Ok(bound.clone().with_facts(facts))
}
