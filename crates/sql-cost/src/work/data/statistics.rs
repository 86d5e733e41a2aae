//! Counts of the session's own data: rows of a table, rows that share a key, the longest value of a
//! column.
//!
//! Each count is an upper bound. After a count, every row that the database has changed since then
//! is added to it, so it remains an upper bound while rows are added. When a count has grown much
//! in this way and the verdict depends on it, the rows are counted again. If the counts are lost,
//! the only cost is counting again.

use std::cell::{Cell as StdCell, OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use super::super::meter::Meter;
use super::counts::{Count, Counts, MAX_REMEMBERED_COUNTS, Owner};
use super::derived::SubQueries;
use super::lengths::Lengths;
use base::Result;
use database::{Bind, Cell, Cursor as _, Database, DatabaseExt as _, Statement};
use sql_gate::Policy;
use sql_gate::bound::Bound;
use sql_gate::compose::{Part, compose};
use sql_gate::limits::STEPS_OF_A_QUERY;
use sql_gate::operations::Operations;

/// The number of changes since a count that are added to it without counting again.
const UNCOUNTED_CHANGES: u64 = 1_000;

/// A count is counted again after it has grown by this part of itself (1/4).
const GROWTH_DIVISOR: u64 = 4;

/// The part of the limit on a statement's work that counting for its verdict may cost (1/2). The
/// cost of counting is added to the statement's work.
const COUNTING_DIVISOR: f64 = 2.0;

/// The cost of a row that is grouped or compared for a count, in units of 10 ns.
pub const GROUPED_ROW: f64 = 60.0;

/// The largest number of rows of a table: an object stores 10 GB, and a row takes more than a byte.
const MOST_ROWS: f64 = 1e10;

/// The precision of counts, from the cheapest to the most exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// Neither data nor parameters are read: tables, keys and values are as large as they can be.
    Nothing,
    /// Rows of tables only. Each key is assumed to have all of them, unless its index is unique.
    Rows,
    /// Rows of each key as well, from old counts and the rows added since.
    Keys,
    /// Everything, from counts of the current data.
    Now,
    /// The same as `Now`, and also the joins that nested loops make.
    Joins,
}

/// Rows of the schema.
pub type SchemaRows = Rc<[Vec<Cell>]>;

/// A query of the schema, and the names that it looks for.
pub type SchemaQuery = (&'static str, Vec<String>);

/// The counts that one statement needs.
pub struct Statistics<'a, D> {
    pub db: &'a D,
    pub counts: &'a Counts,
    owners: Rc<HashMap<i64, Owner>>,
    pub facts: &'a Operations,
    pub policy: &'a Policy,
    pub meter: &'a Meter,
    /// The length of the longest text in the statement and its parameters.
    pub text_bytes: usize,
    /// The statement, and the sub-queries that were counted.
    pub bound: &'a Bound,
    pub bodies: Option<Rc<SubQueries>>,
    /// The largest number of rows of each key of a sub-query, by label.
    pub(super) made_keys: RefCell<HashMap<String, Option<f64>>>,
    /// Rows of the schema, by query and names.
    pub(super) schema_rows: RefCell<HashMap<SchemaQuery, Option<SchemaRows>>>,
    /// The largest cost of running each sub-query.
    pub body_work: RefCell<HashMap<usize, f64>>,
    /// The lengths of the columns of sub-queries.
    pub made_lengths: RefCell<HashMap<(usize, i64), Option<Lengths>>>,
    /// The joins that were counted for this statement alone, by text.
    pub joins: RefCell<HashMap<String, Option<f64>>>,
    pub joins_counted: StdCell<usize>,
    /// True if a join had more rows than are counted. No more joins are counted then.
    pub has_large_join: StdCell<bool>,
    /// The remaining cost that counting may have, in units of 10 ns.
    left: StdCell<f64>,
    pub(super) care: StdCell<Precision>,
    /// Rows that the connection has changed so far; asked for when the first count needs it.
    changes: OnceCell<u64>,
}

impl<'a, D: Database> Statistics<'a, D> {
    pub fn new(
        db: &'a D,
        counts: &'a Counts,
        bound: &'a Bound,
        policy: &'a Policy,
        text_bytes: usize,
        meter: &'a Meter,
    ) -> Result<Self> {
        Ok(Self {
            db,
            owners: counts.owners(db)?,
            counts,
            facts: bound.facts(),
            policy,
            meter,
            text_bytes,
            bound,
            bodies: None,
            made_keys: RefCell::default(),
            schema_rows: RefCell::default(),
            body_work: RefCell::default(),
            made_lengths: RefCell::default(),
            joins: RefCell::default(),
            joins_counted: StdCell::new(0),
            has_large_join: StdCell::new(false),
            left: StdCell::new(budget(policy)),
            care: StdCell::new(Precision::Rows),
            changes: OnceCell::new(),
        })
    }

    pub fn take_care(&self, care: Precision) {
        self.care.set(care);
    }

    /// Returns true if neither data nor parameters may be read.
    pub fn reads_nothing(&self) -> bool {
        self.care.get() == Precision::Nothing
    }

    /// Returns the value of a parameter, counted from 0, if it may be read.
    pub fn parameter(&self, position: usize) -> Option<&Bind> {
        let binds = self.bound.binds();
        binds.get(position).filter(|_| !self.reads_nothing())
    }

    /// Returns the number of rows that the connection has changed so far.
    fn changes(&self) -> Option<u64> {
        if let Some(known) = self.changes.get() {
            return Some(*known);
        }
        let cell = self.db.cell("SELECT total_changes()", &[]).ok()?;
        let changes = cell.map_or(0, |cell| cell.as_count());
        Some(*self.changes.get_or_init(|| changes))
    }

    /// Returns true if counting can still afford a count of this cost, and charges the cost.
    pub fn affords(&self, work: f64) -> bool {
        let left = self.left.get() - work;
        if left >= 0.0 {
            self.left.set(left);
        }
        left >= 0.0
    }

    /// Returns the cost of counting so far.
    pub fn spent(&self) -> f64 {
        budget(self.policy) - self.left.get()
    }

    /// Returns the number of rows that counting can still afford, each at this cost.
    pub fn rows_afforded(&self, work: f64) -> f64 {
        self.left.get() / work
    }

    /// Returns the cost that counting can still afford.
    pub fn affordable(&self) -> f64 {
        self.left.get()
    }

    /// Returns the table that a page belongs to.
    pub fn table(&self, page: i64) -> Option<String> {
        if page == 1 {
            return Some("sqlite_schema".to_owned());
        }
        self.owner(page).map(|owner| owner.table)
    }

    pub fn owner(&self, page: i64) -> Option<Owner> {
        self.owners.get(&page).cloned()
    }

    pub fn root_of_table(&self, table: &str) -> Option<i64> {
        let is_it = |(_, owner): &(&i64, &Owner)| owner.index.is_none() && owner.table == table;
        self.owners.iter().find(is_it).map(|(page, _)| *page)
    }

    /// Returns rows of the schema. They stay the same for a whole verdict and are needed again and
    /// again, so they are cached.
    pub fn of_schema(&self, sql: &'static str, names: &[&str]) -> Option<SchemaRows> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let key = (sql, names);
        let known = self.schema_rows.borrow().get(&key).cloned();
        let rows = known.unwrap_or_else(|| {
            self.meter.takes(STEPS_OF_A_QUERY);
            let binds: Vec<Bind> = key.1.iter().map(Bind::text).collect();
            let rows: Option<SchemaRows> = self.db.rows(sql, &binds).ok().map(Into::into);
            self.schema_rows.borrow_mut().insert(key, rows.clone());
            rows
        })?;
        self.meter.takes(4 + rows.len()).then_some(rows)
    }

    /// Returns an upper bound: a remembered count plus the rows that have changed since, or a new
    /// count.
    pub fn counted(&self, key: String, count: impl FnOnce() -> Option<u64>) -> Option<f64> {
        let tolerates = |found: u64| match self.care.get() {
            Precision::Now | Precision::Joins => 0,
            Precision::Nothing | Precision::Rows | Precision::Keys => {
                UNCOUNTED_CHANGES.max(found / GROWTH_DIVISOR)
            }
        };
        self.counted_unless(key, tolerates, count)
    }

    /// Returns a remembered count if nothing has changed since, or a new one.
    pub fn counted_exactly(&self, key: String, count: impl FnOnce() -> Option<u64>) -> Option<f64> {
        self.counted_unless(key, |_| 0, count)
    }

    /// Returns true if values may be measured, which costs a pass over their table.
    pub fn may_measure(&self) -> bool {
        !matches!(self.care.get(), Precision::Nothing | Precision::Rows)
    }

    /// Returns a remembered count unless more rows have changed since than `tolerates` allows for
    /// it.
    fn counted_unless(
        &self,
        key: String,
        tolerates: impl FnOnce(u64) -> u64,
        count: impl FnOnce() -> Option<u64>,
    ) -> Option<f64> {
        if self.reads_nothing() {
            return None;
        }
        self.meter.takes(8);
        let changes = self.changes()?;
        let known = self.counts.counts.borrow().get(&key).copied();
        if let Some(known) = known {
            let since = changes.saturating_sub(known.changes);
            if since <= tolerates(known.found) && changes >= known.changes {
                return Some(known.found.saturating_add(since) as f64);
            }
        }
        let found = count()?;
        let mut counts = self.counts.counts.borrow_mut();
        if counts.len() >= MAX_REMEMBERED_COUNTS {
            counts.clear();
        }
        counts.insert(key, Count { found, changes });
        Some(found as f64)
    }

    /// Returns the numbers of the first row.
    pub fn numbers(&self, query: &Bound) -> Option<Vec<u64>> {
        if self.reads_nothing() {
            return None;
        }
        self.meter.takes(STEPS_OF_A_QUERY);
        let mut cursor = self.db.open(Statement::Reviewed(query.reviewed())).ok()?;
        let row = cursor.next().ok()??;
        Some(row.iter().map(Cell::as_count).collect())
    }

    pub fn number(&self, query: &Bound) -> Option<u64> {
        if self.reads_nothing() {
            return None;
        }
        self.meter.takes(STEPS_OF_A_QUERY);
        let mut cursor = self.db.open(Statement::Reviewed(query.reviewed())).ok()?;
        cursor
            .next()
            .ok()?
            .and_then(|row| row.first().map(Cell::as_count))
    }

    pub fn rows_of(&self, table: &str) -> f64 {
        if self.reads_nothing() {
            return MOST_ROWS;
        }
        let counted = self.counted(format!("rows {table}"), || {
            let query = [Part::Sql("SELECT count(*) FROM "), Part::Identifier(table)];
            self.number(&compose(&query, Vec::new()))
        });
        counted.unwrap_or(f64::INFINITY)
    }
}

/// Returns the cost that counting for a verdict may have.
fn budget(policy: &Policy) -> f64 {
    policy.max_query_work as f64 / COUNTING_DIVISOR
}
