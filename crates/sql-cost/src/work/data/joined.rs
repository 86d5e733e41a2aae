//! Counts the rows of a join, if the cost of counting is within the limit for one verdict.

#![expect(
    clippy::disallowed_methods,
    reason = "counts the rows of a part of the statement"
)]

use super::join::{Condition, Join, Rows};
use super::statistics::Statistics;
use super::{Data as _, Schema as _};
use database::Database;
use sql_gate::bound::Bound;
use sql_gate::compose::{Part, compose, quote_identifier};
use std::borrow::Cow;

/// The cost of a row whose conditions are checked, in units of 10 ns: it is looked up in a b-tree
/// that is larger than the cache.
const LOOKED_UP_ROW: f64 = 120.0;

/// The cost of a row that follows the previous one in the same b-tree.
const NEXT_ROW: f64 = 10.0;

/// The cost of such a row if it has conditions to check.
const CHECKED_ROW: f64 = 25.0;

/// The cost of a row that is inserted into an index or a table of the statement's own.
const KEPT_ROW: f64 = 120.0;

/// The largest number of rows of a join that is counted: half a second or so. A statement with more
/// is refused in nearly every case.
const MAX_COUNTED_ROWS: u64 = 8_000_000;

/// The largest number of joins that are counted for one verdict.
const MAX_JOINS: usize = 60;

/// The rows that loops visit before the first row of their join is found.
#[derive(Debug, Clone, Copy, Default)]
struct Visited {
    rows: f64,
    /// The cost of the pages that are read for them, in units of 10 ns.
    pages: f64,
}

impl<D: Database> Statistics<'_, D> {
    /// Returns the number of rows of a join, or `None` if it cannot be counted, or has more rows
    /// than counting may cost.
    pub fn rows_of_join(&self, join: &Join) -> Option<f64> {
        // The loops may visit many rows before the first row of the join is found, and counting
        // pays for them.
        let mut visited = Visited::default();
        let text = self.text_of_join(join)?;
        for depth in 0..join.loops.len() {
            let visits = join.visits(depth)?;
            let last = visits.rows.last()?;
            let is_looked_up = visits
                .conditions
                .iter()
                .any(|condition| condition.is_key && condition.tables == visits.rows.len());
            let before = match depth {
                0 => 1.0,
                _ if is_looked_up => 1.0,
                _ => self.rows_of_one_join(&join.before(depth)?, visited)?,
            };
            let rows = if is_looked_up {
                self.rows_of_one_join(&visits, visited)?
            } else {
                before * self.all_rows(last)
            };
            if visits == *join {
                return Some(rows);
            }
            // The rows of a sub-query are looked up in an index that counting makes, if possible.
            let is_equal = |condition: &Condition| {
                condition.is_equality && condition.tables == visits.rows.len()
            };
            let passed = if !last.is_stored() && join.conditions.iter().any(is_equal) {
                before + self.all_rows(last)
            } else {
                rows
            };
            visited.rows += passed;
            visited.pages += passed * self.cost_of_tables(join, depth, &text);
        }
        self.rows_of_one_join(join, visited)
    }

    /// Returns the cost of one row of a loop, by the pages that are read for it and for the rows
    /// that are looked up for it.
    fn cost_of_tables(&self, join: &Join, depth: usize, text: &str) -> f64 {
        let first = join.loops.get(depth).copied().unwrap_or(join.rows.len());
        let behind = join.loops.get(depth + 1).copied();
        let behind = behind.unwrap_or(join.rows.len());
        let tables = join.rows.iter().enumerate().take(behind).skip(first);
        let cost = |(number, rows): (usize, &Rows)| match rows {
            Rows::Stored(page) | Rows::Indexed(page) => {
                self.cost_of_reading(*page, text.contains(&format!("r{number}.")))
            }
            Rows::Counted(_) => 0.0,
        };
        tables.map(cost).sum()
    }

    pub fn all_rows(&self, rows: &Rows) -> f64 {
        match rows {
            Rows::Stored(page) | Rows::Indexed(page) => self.rows(*page),
            Rows::Counted(measured) => measured.rows,
        }
    }

    fn rows_of_one_join(&self, join: &Join, visited: Visited) -> Option<f64> {
        let text = self.text_of_join(join)?;
        if let Some(known) = self.joins.borrow().get(&text) {
            return *known;
        }
        let is_own = text.contains('?') || join.rows.iter().any(|rows| !rows.is_stored());
        let count = || self.count_join(join, &text, visited);
        let found = if is_own {
            count().map(|rows| rows as f64)
        } else {
            self.counted(format!("join {text}"), count)
        };
        self.joins.borrow_mut().insert(text, found);
        found
    }

    fn count_join(&self, join: &Join, text: &str, visited: Visited) -> Option<u64> {
        let counted = self.joins_counted.get();
        if counted >= MAX_JOINS || self.has_large_join.get() {
            return None;
        }
        self.joins_counted.set(counted + 1);
        // The rows of a single table are read in their order.
        let row = if join.rows.len() == 1 {
            CHECKED_ROW
        } else {
            LOOKED_UP_ROW
        };
        let of_values = self.work_of_compared(join, text, visited.rows)?;
        let of_rows = visited.rows * row + visited.pages;
        if !self.affords(of_rows + self.work_of_tables(join) + of_values) {
            return None;
        }
        let found_row = match join.rows.last() {
            Some(Rows::Stored(page)) => NEXT_ROW + self.cost_of_visit(*page),
            _ => NEXT_ROW,
        };
        let most = self.rows_afforded(found_row);
        if most < 1.0 {
            return None;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a number of rows that was just compared"
        )]
        let most = (most as u64).min(MAX_COUNTED_ROWS);
        let query = self.statement(
            join,
            &format!("SELECT count(*) FROM (SELECT 1 {text} LIMIT {})", most + 1),
        )?;
        let found = self.number(&query)?;
        if !self.affords(found as f64 * found_row) {
            return None;
        }
        if found > most {
            self.has_large_join.set(true);
            return None;
        }
        Some(found)
    }

    /// Returns the cost of reading the first table, making the sub-queries and making the indexes.
    fn work_of_tables(&self, join: &Join) -> f64 {
        let table = |rows: &Rows| match rows {
            Rows::Stored(_) => 0.0,
            Rows::Indexed(page) => self.rows(*page) * KEPT_ROW,
            Rows::Counted(measured) => {
                let work = self.body_work.borrow().get(&measured.body).copied();
                work.unwrap_or(f64::INFINITY) + measured.rows * KEPT_ROW
            }
        };
        join.rows.iter().map(table).sum()
    }

    /// Returns `FROM … CROSS JOIN … WHERE …`; CROSS keeps the tables in their order. Counting goes
    /// through the same rows as the statement, so the rows of a stored table are looked up only if
    /// the statement looks them up, and only by its key.
    fn text_of_join(&self, join: &Join) -> Option<String> {
        let mut text = String::new();
        let mut conditions: Vec<Cow<'_, str>> = Vec::new();
        for (number, rows) in join.rows.iter().enumerate() {
            let needs_it = |condition: &&Condition| condition.tables == number + 1;
            let of_table = join.conditions.iter().filter(needs_it);
            text.push_str(if number == 0 { "FROM " } else { " CROSS JOIN " });
            text.push_str(&match rows {
                Rows::Stored(page) | Rows::Indexed(page) => quote_identifier(&self.table(*page)?),
                Rows::Counted(measured) => format!("_codemode_rows{}", measured.body),
            });
            text.push_str(&format!(" AS r{number}"));
            if let Rows::Stored(page) = rows
                && of_table.clone().any(|condition| condition.is_key)
            {
                let (hint, filter) = self.way_of_look_up(*page, number)?;
                text.push_str(&hint);
                conditions.extend(filter.map(Cow::Owned));
            }
            conditions.extend(of_table.map(|condition| {
                if condition.is_key || !rows.is_stored() {
                    Cow::Borrowed(condition.text.as_str())
                } else {
                    // The `+` makes an expression that no index has.
                    Cow::Owned(format!("+({})", condition.text))
                }
            }));
        }
        let of_no_table = |condition: &&Condition| condition.tables == 0;
        let of_no_table = join.conditions.iter().filter(of_no_table);
        conditions.extend(of_no_table.map(|condition| Cow::Borrowed(condition.text.as_str())));
        if !conditions.is_empty() {
            text.push_str(" WHERE ");
            text.push_str(&conditions.join(" AND "));
        }
        Some(text)
    }

    /// Returns the SQL that names the b-tree in which rows are looked up, and the condition that
    /// all rows of a partial index fulfil.
    fn way_of_look_up(&self, page: i64, number: usize) -> Option<(String, Option<String>)> {
        let owner = self.owner(page)?;
        let index = match &owner.index {
            Some(index) => index.clone(),
            None if self.is_ordered_by_rowid(page) => {
                return Some((" NOT INDEXED".to_owned(), None));
            }
            None => self.primary_key_of(&owner.table)?,
        };
        let filter = match self.filter_of_index(&index)? {
            filter if filter.is_empty() => None,
            filter => Some(self.condition_on(&owner.table, &filter, number)?),
        };
        Some((format!(" INDEXED BY {}", quote_identifier(&index)), filter))
    }

    fn statement(&self, join: &Join, select: &str) -> Option<Bound> {
        let mut used: Vec<usize> = join
            .rows
            .iter()
            .filter_map(|rows| match rows {
                Rows::Counted(measured) => Some(measured.body),
                Rows::Stored(_) | Rows::Indexed(_) => None,
            })
            .collect();
        used.sort_unstable();
        used.dedup();
        if used.is_empty() && !select.contains('?') {
            return Some(compose(&[Part::Expression(select)], Vec::new()));
        }
        let bodies = self.bodies.as_ref();
        let with = match bodies {
            Some(bodies) => bodies.with_rows(self.db, self.bound, &used)?,
            None if used.is_empty() => String::new(),
            None => return None,
        };
        self.bound.part(format!("{with} {select}"))
    }
}
