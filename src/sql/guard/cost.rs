//! The work bound: nothing can stop a running statement, so what would run too long is not started.
//!
//! EXPLAIN QUERY PLAN shows nested full scans; the product of their rows is the work. Row counts are cheap upper bounds: the rowid range,
//! capped by what the file can hold. A lookup by an equality counts as one row, a range of an index as a part of its table. The platform's
//! CPU limit is the fence behind this.

use std::collections::HashMap;

use super::catalog;
use crate::database::{Cell, Cursor as _, Database, DatabaseExt as _, Statement};
use crate::error::{Error, Result};
use crate::sql::compose::{Part, compose};
use crate::sql::operations::{DerivedRows, Operations, UNNAMED_SUBQUERY};
use crate::sql::{Bound, Policy, explain};

/// Smallest row that a b-tree cell can hold, in bytes.
const MIN_ROW_BYTES: u64 = 4;

/// Rows counted exactly before the estimate takes over.
const COUNTED_ROWS: u64 = 1_000;

/// Rows taken for a JSON function over a column: lists in a column are short.
const JSON_ROWS_PER_COLUMN_VALUE: u64 = 100;

/// Part of a table that an index range with one bound is taken for.
const ONE_BOUND_DIVISOR: u64 = 2;

/// Part of a table that an index range with two bounds is taken for.
const BOTH_BOUNDS_DIVISOR: u64 = 16;

/// What queueing a row of a recursive step counts for: 10^8 queued rows take workerd 10 to 15 seconds.
const QUEUED_ROW_WEIGHT: u64 = 100;

/// Plan lines that an error carries.
const MAX_PLAN_LINES: usize = 60;

/// Whether the statement can multiply work at all: several relations, sub-queries, or a view.
pub(super) fn applies<D: Database>(db: &D, facts: &Operations) -> Result<bool> {
    if facts.may_multiply() {
        return Ok(true);
    }
    match facts.relations.first() {
        None => Ok(false),
        Some(relation) => is_view(db, &relation.name),
    }
}

fn is_view<D: Database>(db: &D, name: &str) -> Result<bool> {
    let found = db.cell(
        "SELECT 1 FROM sqlite_schema WHERE type = 'view' AND lower(name) = lower(?1)",
        &[crate::database::Bind::text(name)],
    )?;
    Ok(found.is_some())
}

/// One line of EXPLAIN QUERY PLAN.
struct Step {
    id: i64,
    parent: i64,
    detail: String,
}

/// Refuses a statement whose nested scans multiply beyond the limit.
///
/// # Errors
/// `QUERY_TOO_EXPENSIVE` with the plan, or what the engine says when it compiles the statement.
pub(super) fn check<D: Database>(db: &D, bound: &Bound, policy: &Policy) -> Result<()> {
    let steps = plan(db, bound)?;
    let mut estimate = Estimate {
        db,
        facts: bound.facts(),
        policy,
        text_bytes: longest_text(bound),
        tables: HashMap::new(),
        steps: &steps,
    };
    let work = estimate.work(0, 0)?;
    if work <= policy.max_query_work {
        return Ok(());
    }
    let plan = steps
        .iter()
        .take(MAX_PLAN_LINES)
        .map(|step| step.detail.clone())
        .collect();
    Err(Error::QueryTooExpensive {
        estimated_rows: work,
        limit: policy.max_query_work,
        plan,
    })
}

fn plan<D: Database>(db: &D, bound: &Bound) -> Result<Vec<Step>> {
    let explained = bound.query_plan();
    let fail = |error: crate::database::EngineError| explain::explain(db, &error, bound);
    let mut cursor = db.open(Statement::Reviewed(&explained)).map_err(fail)?;
    let mut steps = Vec::new();
    while let Some(row) = cursor.next().map_err(fail)? {
        let integer = |index: usize| row.get(index).map_or(0, Cell::as_integer);
        steps.push(Step {
            id: integer(0),
            parent: integer(1),
            detail: row
                .get(3)
                .and_then(Cell::as_text)
                .unwrap_or_default()
                .to_owned(),
        });
    }
    Ok(steps)
}

/// The longest text that the statement can unfold into rows: a bound value or the statement itself.
fn longest_text(bound: &Bound) -> u64 {
    let bound_text = bound.binds().iter().map(|bind| match bind {
        crate::database::Bind::Text(text) => text.len(),
        _ => 0,
    });
    bound_text
        .chain([bound.statement().len()])
        .max()
        .unwrap_or(0) as u64
}

struct Estimate<'a, D: Database> {
    db: &'a D,
    facts: &'a Operations,
    policy: &'a Policy,
    text_bytes: u64,
    tables: HashMap<String, u64>,
    steps: &'a [Step],
}

/// Plans nest as deep as queries do; this is more than the bracket bound allows.
const MAX_PLAN_DEPTH: usize = 200;

impl<D: Database> Estimate<'_, D> {
    /// The work below a plan node: scans beside each other are nested loops and multiply, and so does a correlated sub-query with the
    /// loops around it; every other child is done once.
    fn work(&mut self, parent: i64, depth: usize) -> Result<u64> {
        if depth > MAX_PLAN_DEPTH {
            return Ok(u64::MAX);
        }
        let steps = self.steps;
        let recursive = steps.iter().any(|step| {
            step.id == parent && parent != 0 && step.detail.starts_with("RECURSIVE STEP")
        });
        let mut loops: u64 = 1;
        let mut once: u64 = 0;
        let mut for_each_row: u64 = 0;
        let mut first_scan = true;
        let mut fan_out: u64 = 1;
        for step in steps
            .iter()
            .filter(|step| step.parent == parent && step.id != parent)
        {
            let inner = self.work(step.id, depth + 1)?;
            if let Some(scanned) = step.detail.strip_prefix("SCAN ") {
                let rows = self.scanned_rows(scanned, depth)?;
                let rows = if recursive && first_scan {
                    rows.min(self.policy.max_recursive_rows)
                } else {
                    fan_out = fan_out.saturating_mul(if recursive { rows.max(1) } else { 1 });
                    rows
                };
                first_scan = false;
                loops = loops.saturating_mul(rows.max(1));
            } else if let Some(searched) = step.detail.strip_prefix("SEARCH ") {
                loops = loops.saturating_mul(self.searched_rows(searched, depth)?.max(1));
                once = once.saturating_add(inner);
            } else if step.detail.starts_with("CORRELATED") {
                for_each_row = for_each_row.saturating_add(inner);
            } else {
                once = once.saturating_add(inner);
            }
        }
        // Every row that a recursive step finds is queued, which costs far more than looking at it.
        let weight = if fan_out > 1 { QUEUED_ROW_WEIGHT } else { 1 };
        Ok(loops
            .saturating_mul(for_each_row.max(1))
            .saturating_mul(weight)
            .saturating_add(once))
    }

    /// Rows of one `SEARCH name … (a=? AND b>?)` line.
    fn searched_rows(&mut self, searched: &str, depth: usize) -> Result<u64> {
        let narrowed_by = searched
            .rsplit_once('(')
            .map_or("", |(_, condition)| condition);
        if narrowed_by.contains("=?") {
            return Ok(1);
        }
        match (narrowed_by.contains(">?"), narrowed_by.contains("<?")) {
            (true, true) => Ok(self.scanned_rows(searched, depth)? / BOTH_BOUNDS_DIVISOR),
            (true, false) | (false, true) => {
                Ok(self.scanned_rows(searched, depth)? / ONE_BOUND_DIVISOR)
            }
            (false, false) => Ok(1),
        }
    }

    /// Rows of one `SCAN name …` line, whose name is an alias where the statement gives one.
    fn scanned_rows(&mut self, scanned: &str, depth: usize) -> Result<u64> {
        if scanned.starts_with("CONSTANT ROW") || scanned.ends_with("CONSTANT ROWS") {
            return Ok(1);
        }
        let name = scanned_name(scanned);
        if scanned.contains(" VIRTUAL TABLE") {
            return self.virtual_rows(name);
        }
        // One name may mean different things in different scopes of one statement: the largest counts.
        let facts = self.facts;
        let mut rows = None;
        let known_as = if name.starts_with("(subquery-") {
            UNNAMED_SUBQUERY
        } else {
            name
        };
        for derived in facts
            .derived
            .iter()
            .filter(|derived| derived.name.eq_ignore_ascii_case(known_as))
        {
            let derived = match derived.rows {
                DerivedRows::AtMost(rows) => rows,
                DerivedRows::Recursive => self.policy.max_recursive_rows,
                DerivedRows::Unknown => self.subquery_rows(name, depth)?,
            };
            rows = rows.max(Some(derived));
        }
        let aliased = facts
            .aliases
            .iter()
            .filter(|(alias, _)| alias.eq_ignore_ascii_case(name))
            .map(|(_, table)| table);
        let plain = facts
            .relations
            .iter()
            .map(|relation| &relation.name)
            .filter(|table| table.eq_ignore_ascii_case(name));
        for table in aliased.chain(plain) {
            rows = rows.max(Some(self.table_rows(table)?));
        }
        rows.map_or_else(|| self.largest_table(), Ok)
    }

    /// Rows of a sub-query: what its own scans multiply to.
    fn subquery_rows(&mut self, name: &str, depth: usize) -> Result<u64> {
        let made = |step: &&Step| {
            ["CO-ROUTINE ", "MATERIALIZE "].iter().any(|prefix| {
                step.detail
                    .strip_prefix(prefix)
                    .is_some_and(|made| made.eq_ignore_ascii_case(name))
            })
        };
        match self.steps.iter().find(made).map(|step| step.id) {
            Some(id) => self.work(id, depth + 1),
            None => self.largest_table(),
        }
    }

    /// Rows of a table-valued function. Over a column its lists are short; over a value they are as long as the value can be.
    fn virtual_rows(&mut self, name: &str) -> Result<u64> {
        let constant = self
            .facts
            .table_functions
            .iter()
            .find(|call| call.alias.eq_ignore_ascii_case(name))
            .map(|call| call.over_column);
        match constant {
            Some(true) => Ok(JSON_ROWS_PER_COLUMN_VALUE),
            Some(false) => Ok((self.text_bytes / 2).max(1)),
            // A full-text table.
            None => self.largest_table(),
        }
    }

    fn table_rows(&mut self, table: &str) -> Result<u64> {
        if let Some(rows) = self.tables.get(table) {
            return Ok(*rows);
        }
        let is_table = catalog::columns(self.db, table)?
            .iter()
            .any(|column| !column.hidden);
        let rows = if is_table {
            self.count(table)?
        } else {
            self.largest_table()?
        };
        self.tables.insert(table.to_owned(), rows);
        Ok(rows)
    }

    /// Counts up to a bound, then takes the rowid range, capped by what the file can hold.
    fn count(&self, table: &str) -> Result<u64> {
        let few = compose(
            &[
                Part::Sql("SELECT count(*) FROM (SELECT 1 FROM "),
                Part::Identifier(table),
                Part::Sql(" LIMIT "),
                Part::Number(COUNTED_ROWS),
                Part::Sql(")"),
            ],
            Vec::new(),
        );
        let counted = self.number(&few).unwrap_or(COUNTED_ROWS);
        if counted < COUNTED_ROWS {
            return Ok(counted);
        }
        let most = self.db.size_bytes() / MIN_ROW_BYTES;
        let range = compose(
            &[
                Part::Sql("SELECT max(rowid) - min(rowid) + 1 FROM "),
                Part::Identifier(table),
            ],
            Vec::new(),
        );
        // A table WITHOUT ROWID has no range.
        Ok(self.number(&range).unwrap_or(most).min(most).max(counted))
    }

    fn number(&self, query: &Bound) -> Option<u64> {
        let mut cursor = self.db.open(Statement::Reviewed(query)).ok()?;
        cursor
            .next()
            .ok()?
            .and_then(|row| row.first().map(Cell::as_count))
    }

    /// For a name that the plan shows and the statement does not: something inside a view.
    fn largest_table(&mut self) -> Result<u64> {
        const LARGEST: &str = "";
        if let Some(rows) = self.tables.get(LARGEST) {
            return Ok(*rows);
        }
        let mut largest = 0;
        let rows = self.db.rows(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0",
            &[],
        )?;
        for row in rows {
            if let Some(name) = row.first().and_then(Cell::as_text) {
                largest = largest.max(self.count(name)?);
            }
        }
        self.tables.insert(LARGEST.to_owned(), largest);
        Ok(largest)
    }
}

/// `name` of `name LEFT-JOIN`, `name USING INDEX i`, `name VIRTUAL TABLE INDEX 1:`.
fn scanned_name(scanned: &str) -> &str {
    let ends = [
        " USING ",
        " VIRTUAL TABLE",
        " LEFT-JOIN",
        " EXISTS",
        " RIGHT-JOIN",
    ];
    let end = ends
        .iter()
        .filter_map(|mark| scanned.find(mark))
        .min()
        .unwrap_or(scanned.len());
    scanned.get(..end).unwrap_or(scanned)
}
