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

use crate::guard::{Counts, Spent, weigh};
use crate::{Bound, Policy, catalog, collect, parse};

/// Units of 10 ns for a row that is read.
const READ_ROW: f64 = 3.0;

/// Units for a byte that is compared with one of another key, and for one that is compared without case.
const COMPARED_BYTE: f64 = 0.03;
const FOLDED_BYTE: f64 = 0.15;

/// Keys that one is compared with on its way into an index of a million.
const LEVELS: f64 = 20.0;

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
            .map_err(|error: EngineError| crate::explain::explain(db, &error, bound))
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

    /// Adds what so many rows cost that the engine has read beside those that it was given, and what so many bytes of long values cost in so many
    /// columns of indexes: those that compare bytes, and those with another collation.
    ///
    /// # Errors
    /// `QUERY_TOO_EXPENSIVE` where the sum is more than one statement may cost.
    pub fn add_written(&self, read: u64, bytes: u64, columns: (u64, u64)) -> Result<()> {
        let (binary, other) = columns;
        let compared = binary as f64 * COMPARED_BYTE + other as f64 * FOLDED_BYTE;
        self.add(read as f64 * READ_ROW + bytes as f64 * compared * LEVELS)
    }

    /// Adds work that was found before.
    ///
    /// # Errors
    /// `QUERY_TOO_EXPENSIVE` where the sum is more than one statement may cost.
    pub fn add(&self, work: f64) -> Result<()> {
        let sum = self.spent.get() + work;
        if sum > self.policy.max_query_work as f64 {
            return Err(crate::guard::too_much_together(sum, &self.policy));
        }
        self.spent.set(sum);
        Ok(())
    }
}

/// The statement with what its text names: a composed one has no facts, and an estimate has to know which views it reads.
fn with_facts(bound: &Bound) -> Result<Bound> {
    if bound.source.is_some() {
        return Ok(bound.clone());
    }
    let arena = Bump::new();
    let facts = collect::collect(&parse::parse(&arena, bound.sql())?);
    Ok(Bound {
        facts: Rc::new(facts),
        ..bound.clone()
    })
}
