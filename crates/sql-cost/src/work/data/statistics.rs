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

use super::super::bytecode::cursors::Argument;
use super::super::bytecode::cursors::ROWID;
use super::super::meter::Meter;
use super::counts::{Count, Counts, MAX_REMEMBERED_COUNTS, Owner};
use super::derived::{CountedSubQuery, KeyText, SubQueries};
use super::join::Join;
use super::keys::KeyPart;
use super::lengths::Lengths;
use super::schema::{SchemaQuery, SchemaRows};
use super::{Conversion, Data, Key, Schema as _};
use base::Result;
use database::limits::MAX_VALUE_BYTES;
use database::{Bind, Cell, Cursor as _, Database, DatabaseExt as _, Statement};
use sql_gate::Policy;
use sql_gate::bound::Bound;
use sql_gate::compose::{Part, compose, quote_identifier};
use sql_gate::limits::{MAX_KEY_COUNTED_ROWS, STEPS_OF_A_QUERY};
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

/// The values whose list elements are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Elements {
    OfLongest,
    OfAll,
}

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
    made_keys: RefCell<HashMap<String, Option<f64>>>,
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
    care: StdCell<Precision>,
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

    /// Returns the number of elements that the values of a column can unfold into: of the longest
    /// value alone, or of all together. In a text, each element follows a comma or the bracket of
    /// its list; a binary value has at least one byte for each element.
    fn elements(&self, page: i64, column: i64, of: Elements) -> Option<f64> {
        let name = self.column_name(page, column)?;
        let table = self.table(page)?;
        let (label, begin) = match of {
            Elements::OfLongest => ("longest", "SELECT coalesce(max(CASE typeof("),
            Elements::OfAll => ("all", "SELECT coalesce(sum(CASE typeof("),
        };
        // A single changed row may have a million more elements, so any change requires a new
        // count.
        self.counted_unless(
            format!("{label} {table} {name}"),
            |_| 0,
            || {
                // Removing three characters from a text costs about as much as sorting it.
                if !self.affords_grouping(&table, &[&name]) {
                    return None;
                }
                let column = Part::Identifier(&name);
                let query = [
                    Part::Sql(begin),
                    column,
                    Part::Sql(") WHEN 'blob' THEN octet_length("),
                    column,
                    Part::Sql(") ELSE length("),
                    column,
                    Part::Sql(") - length(replace(replace(replace("),
                    column,
                    Part::Sql(", ',', ''), '[', ''), '{', '')) + 1 END), 0) + 1 FROM "),
                    Part::Identifier(&table),
                ];
                self.number(&compose(&query, Vec::new()))
            },
        )
    }

    /// Returns the largest number of rows of one key of a counted sub-query, computed once for a
    /// verdict.
    fn made_key(
        &self,
        measured: CountedSubQuery,
        columns: &[i64],
        label: String,
        key: impl Fn(&[String]) -> Option<KeyText>,
    ) -> f64 {
        let Some(bodies) = self
            .bodies
            .as_ref()
            .filter(|bodies| bodies.is_single(measured.body))
        else {
            return measured.rows;
        };
        let label = format!("{} {label}", measured.body);
        if let Some(known) = self.made_keys.borrow().get(&label) {
            return known.unwrap_or(measured.rows).min(measured.rows);
        }
        if !self.affords_grouping_made(measured, columns) {
            return measured.rows;
        }
        let found = bodies
            .counting_key(self.db, self.bound, measured.body, key)
            .and_then(|query| self.number(&query))
            .map(|rows| rows as f64);
        self.made_keys.borrow_mut().insert(label, found);
        found.unwrap_or(measured.rows).min(measured.rows)
    }
}

/// Returns the cost that counting for a verdict may have.
fn budget(policy: &Policy) -> f64 {
    policy.max_query_work as f64 / COUNTING_DIVISOR
}

/// Returns an SQL expression that has the same value for all values that may equal the same key. It
/// may have the same value for some others, too. Texts are folded as by the coarsest collation.
fn value_compared(name: &str, compared: Conversion) -> String {
    match compared {
        Conversion::Unchanged => {
            format!("CASE typeof({name}) WHEN 'text' THEN rtrim(lower({name})) ELSE {name} END")
        }
        Conversion::AsNumber => {
            format!("CASE typeof({name}) WHEN 'text' THEN CAST({name} AS NUMERIC) ELSE {name} END")
        }
        Conversion::AsText => format!(
            "CASE typeof({name}) WHEN 'blob' THEN {name} ELSE rtrim(lower(CAST({name} AS TEXT))) END"
        ),
    }
}

impl<D: Database> Data for Statistics<'_, D> {
    fn rows(&self, page: i64) -> f64 {
        self.table(page)
            .map_or(f64::INFINITY, |table| self.rows_of(&table))
    }

    fn rows_of_one_prefix(&self, page: i64, columns: usize, key: Key) -> f64 {
        let Some(owner) = self.owner(page) else {
            return f64::INFINITY;
        };
        let unique = owner
            .index
            .as_ref()
            .is_some_and(|index| self.is_unique(&owner, index, columns));
        if unique && key == Key::NotNull {
            return 1.0;
        }
        let all = self.rows_of(&owner.table);
        if !self.may_measure() {
            return all;
        }
        let names = match &owner.index {
            Some(index) => self.key_parts(index, columns),
            None => self.key_parts(&owner.table, columns),
        };
        names
            .and_then(|names| self.rows_of_key(&owner.table, &names, key == Key::MayBeNull))
            .map_or(all, |rows| rows.min(all))
    }

    fn rows_of_one_key(&self, page: i64, columns: &[(i64, String)], key: Key) -> f64 {
        if columns.iter().any(|(column, _)| *column == ROWID) {
            return 1.0;
        }
        let all = self.rows(page);
        if !self.may_measure() {
            return all;
        }
        let names: Option<Vec<KeyPart>> = columns
            .iter()
            .map(|(column, collation)| {
                let name = self.column_name(page, *column)?;
                Some(KeyPart::column(&name, collation.clone()))
            })
            .collect();
        let table = self.table(page);
        names
            .zip(table)
            .and_then(|(names, table)| self.rows_of_key(&table, &names, key == Key::MayBeNull))
            .map_or(all, |rows| rows.min(all))
    }

    fn rows_alike(&self, page: i64, column: i64, compared: Conversion, key: Key) -> f64 {
        let all = self.rows(page);
        if !self.may_measure() || all > MAX_KEY_COUNTED_ROWS as f64 {
            return all;
        }
        let Some((name, table)) = self.column_name(page, column).zip(self.table(page)) else {
            return all;
        };
        let alike = self.counted(format!("alike {table} {name} {compared:?} {key:?}"), || {
            if !self.affords_grouping(&table, &[&name]) {
                return None;
            }
            let value = value_compared(&quote_identifier(&name), compared);
            let mut query = vec![
                Part::Sql("SELECT max(n) FROM (SELECT count(*) AS n FROM "),
                Part::Identifier(&table),
            ];
            if key == Key::NotNull {
                query.extend([
                    Part::Sql(" WHERE "),
                    Part::Identifier(&name),
                    Part::Sql(" IS NOT NULL"),
                ]);
            }
            query.extend([
                Part::Sql(" GROUP BY "),
                Part::Expression(&value),
                Part::Sql(")"),
            ]);
            self.number(&compose(&query, Vec::new()))
        });
        alike.unwrap_or(all)
    }

    fn columns(&self, measured: CountedSubQuery) -> Option<usize> {
        let bodies = self.bodies.as_ref()?;
        bodies
            .is_single(measured.body)
            .then(|| bodies.columns(self.db, self.bound, measured.body))
            .flatten()
    }

    fn rows_of_made_alike(
        &self,
        measured: CountedSubQuery,
        column: i64,
        compared: Conversion,
        key: Key,
    ) -> f64 {
        self.made_key(
            measured,
            &[column],
            format!("{column} {compared:?} {key:?}"),
            |names| {
                let name = names.get(usize::try_from(column).ok()?)?;
                Some(KeyText {
                    filter: match key {
                        Key::NotNull => format!(" WHERE {name} IS NOT NULL"),
                        Key::MayBeNull => String::new(),
                    },
                    group: value_compared(name, compared),
                })
            },
        )
    }

    fn rows_of_one_made_key(
        &self,
        measured: CountedSubQuery,
        columns: &[(i64, String)],
        key: Key,
    ) -> f64 {
        let numbers: Vec<i64> = columns.iter().map(|(column, _)| *column).collect();
        self.made_key(
            measured,
            &numbers,
            format!("{columns:?} {key:?}"),
            |names| {
                let mut group = Vec::new();
                let mut conditions = Vec::new();
                for (column, collation) in columns {
                    let name = names.get(usize::try_from(*column).ok()?)?;
                    group.push(format!("{name} COLLATE {}", quote_identifier(collation)));
                    if key == Key::NotNull {
                        conditions.push(format!("{name} IS NOT NULL"));
                    }
                }
                let filter = if conditions.is_empty() {
                    String::new()
                } else {
                    format!(" WHERE {}", conditions.join(" AND "))
                };
                Some(KeyText {
                    filter,
                    group: group.join(","),
                })
            },
        )
    }

    fn virtual_rows(&self, argument: Argument) -> f64 {
        let Some(tables) = self.virtual_tables() else {
            return f64::INFINITY;
        };
        if !tables.unfold {
            return tables.rows.max(1.0);
        }
        let unfolded = match argument {
            Argument::Given => (self.text_bytes / 2 + 1) as f64,
            Argument::Column(page, column) if self.may_measure() => self
                .elements(page, column, Elements::OfLongest)
                .unwrap_or(MAX_VALUE_BYTES as f64),
            Argument::Column(..) | Argument::Computed => MAX_VALUE_BYTES as f64,
        };
        tables.rows.max(unfolded)
    }

    fn unfolded(&self, page: i64, column: i64) -> Option<f64> {
        if !self.may_measure() {
            return None;
        }
        self.elements(page, column, Elements::OfAll)
    }

    fn recursion(&self) -> f64 {
        self.policy.max_recursive_rows as f64
    }

    fn rows_joined(&self, join: &Join) -> Option<f64> {
        let largest = join
            .rows
            .iter()
            .map(|rows| self.all_rows(rows))
            .fold(0.0, f64::max);
        if !self.may_measure() || largest > MAX_KEY_COUNTED_ROWS as f64 {
            return None;
        }
        self.rows_of_join(join)
    }

    fn counts_joins(&self) -> bool {
        self.care.get() == Precision::Joins
    }
}
