//! Bounds the lengths of stored values: the longest value of a column, and the sum of all.
//!
//! The size of the database bounds both at no cost. Only if that bound would refuse a statement are
//! the values of its columns measured. Measuring reads no text, because a row stores the lengths of
//! its values.

use super::super::bytecode::program::folds;
use super::super::rate::{self, SHORT_BYTES};
use super::derived::CountedSubQuery;
use super::join::{Join, Rows};
use super::lengths::{Lengths, Measure};
use super::statistics::{GROUPED_ROW, Statistics};
use super::{Data as _, Schema as _};
use database::limits::MAX_VALUE_BYTES;
use database::{Bind, Database, DatabaseExt as _};
use sql_gate::compose::{Part, compose, quote_identifier};
use sql_gate::limits::MAX_SORTED_BYTES;

/// The bytes that an object can store: 10 GB.
const MOST_BYTES: f64 = 10.0 * 1024.0 * 1024.0 * 1024.0;

/// The cost of a row whose values are measured, in units of 10 ns.
const MEASURED_ROW: f64 = 20.0;

/// The work on values, in units of 10 ns, up to which measuring them is free of charge: ten
/// milliseconds.
pub(super) const SLIGHT_WORK: f64 = 1_000_000.0;

impl<D: Database> Statistics<'_, D> {
    /// Returns the bounds that hold for any column of the database.
    pub fn lengths_of_anything(&self) -> Lengths {
        let all = if self.reads_nothing() {
            MOST_BYTES
        } else {
            self.db.size_bytes() as f64
        };
        Lengths {
            longest: all.min(MAX_VALUE_BYTES as f64),
            all,
        }
    }

    /// Returns the bounds for a column of a function that lists parts of the schema.
    pub fn lengths_of_schema(&self) -> Lengths {
        let anything = self.lengths_of_anything();
        let all = self.counted_exactly("schema".to_owned(), || {
            let query = [Part::Sql(
                "SELECT coalesce(sum(octet_length(name) + octet_length(sql)), 0) FROM sqlite_schema",
            )];
            self.number(&compose(&query, Vec::new()))
        });
        all.map_or(anything, |all| Lengths {
            longest: all.min(anything.longest),
            all: all.min(anything.all),
        })
    }

    /// Returns the lengths of a stored column, or of a column of an index.
    pub fn lengths(&self, page: i64, column: i64, measure: Measure) -> Lengths {
        let anything = self.lengths_of_anything();
        let measured = || {
            let found = match self.column_name(page, column) {
                Some(name) => {
                    let (longest, all) = self.measured(&self.table(page)?, &name)?;
                    Lengths { longest, all }
                }
                None => self.lengths_of_computed(page, column)?,
            };
            Some(Lengths {
                longest: found.longest.min(anything.longest),
                all: found.all.min(anything.all),
            })
        };
        match measure {
            Measure::Database => anything,
            Measure::Columns => measured().unwrap_or(anything),
        }
    }

    /// Returns true if a column contains a text that functions of date and time understand as the
    /// time of their call. Returns `None` if that costs too much to find out.
    pub fn holds_now(&self, page: i64, column: i64) -> Option<bool> {
        const IS_NOW: &str = " COLLATE NOCASE IN ('now', 'subsec', 'subsecond')";
        Some(self.holds("now", page, column, IS_NOW)? || self.holds_blobs(page, column)?)
    }

    /// Returns true if a column contains blobs. Returns `None` if that costs too much to find out.
    pub fn holds_blobs(&self, page: i64, column: i64) -> Option<bool> {
        self.holds("blob", page, column, " >= x''")
    }

    /// Returns true if a column contains a value that fulfils a condition.
    fn holds(&self, label: &str, page: i64, column: i64, condition: &'static str) -> Option<bool> {
        let name = self.column_name(page, column)?;
        let table = self.table(page)?;
        let found = self.counted_exactly(format!("{label} {table} {name}"), || {
            let rows = self.rows_of(&table) * MEASURED_ROW;
            if !self.affords(rows + self.work_of_chains(&table)) {
                return None;
            }
            let query = [
                Part::Sql("SELECT count(*) FROM (SELECT 1 FROM "),
                Part::Identifier(&table),
                Part::Sql(" WHERE "),
                Part::Identifier(&name),
                Part::Sql(condition),
                Part::Sql(" LIMIT 1)"),
            ];
            self.number(&compose(&query, Vec::new()))
        })?;
        Some(found > 0.0)
    }

    /// Returns true if counting may group the rows of a table by these columns, and charges the
    /// cost. Long values cost by the byte.
    pub fn affords_grouping(&self, table: &str, columns: &[&str]) -> bool {
        let rows = self.rows_of(table);
        let rough = self.lengths_of_anything().all * rate::SORTED * columns.len() as f64;
        let of_values = if rough <= SLIGHT_WORK {
            Some(0.0)
        } else {
            let bytes: Option<f64> = columns
                .iter()
                .map(|column| Some(self.measured(table, column)?.1))
                .sum();
            bytes.and_then(|bytes| sorting(bytes, rows))
        };
        of_values.is_some_and(|of_values: f64| {
            self.affords(rows * GROUPED_ROW + of_values + self.work_of_chains(table))
        })
    }

    /// Does the same as [`Self::affords_grouping`] for a sub-query that was counted.
    pub fn affords_grouping_made(&self, made: CountedSubQuery, columns: &[i64]) -> bool {
        let bytes: Option<f64> = columns
            .iter()
            .map(|column| Some(self.made_lengths(made, *column)?.all))
            .sum();
        let of_values = bytes.and_then(|bytes| sorting(bytes, made.rows));
        let work = self.body_work.borrow().get(&made.body).copied();
        of_values.zip(work).is_some_and(|(of_values, work)| {
            self.affords(work + made.rows * GROUPED_ROW + of_values)
        })
    }

    /// Returns the cost of comparing values by the conditions of a join while it is counted, if its
    /// loops go through `visited` rows. Returns `None` if finding that out costs more than counting
    /// may.
    pub fn work_of_compared(&self, join: &Join, text: &str, visited: f64) -> Option<f64> {
        let mut work = 0.0;
        let folds = folds(text);
        for (number, rows) in join.rows.iter().enumerate() {
            let searched = rate::searched(folds, self.all_rows(rows));
            let (lengths, kept) = match rows {
                Rows::Stored(page) => (self.compared_columns(*page, number, text)?, 0.0),
                Rows::Indexed(page) => (
                    self.compared_columns(*page, number, text)?,
                    self.rows(*page),
                ),
                Rows::Counted(made) => (self.compared_made(*made, number, text)?, made.rows),
            };
            for Lengths { longest, all } in lengths {
                work += visited * (longest - SHORT_BYTES).max(0.0) * searched;
                if kept > 0.0 {
                    work += sorting(all, kept)?;
                }
            }
        }
        Some(work)
    }

    /// Returns the lengths of those columns of a stored table that a join compares.
    fn compared_columns(&self, page: i64, number: usize, text: &str) -> Option<Vec<Lengths>> {
        let table = self.table(page)?;
        let rows = self.rows_of(&table);
        let searched = rate::searched(folds(text), rows);
        if self.lengths_of_anything().all * searched <= SLIGHT_WORK / rows {
            return Some(Vec::new());
        }
        let names = self
            .db
            .rows(
                "SELECT name FROM pragma_table_xinfo(?1)",
                &[Bind::text(&table)],
            )
            .ok()?;
        let mut lengths = Vec::new();
        for name in names.into_iter().filter_map(|row| row.into_iter().next()) {
            let name = name.into_text();
            if text.contains(&format!("r{number}.{}", quote_identifier(&name))) {
                let (longest, all) = self.measured(&table, &name)?;
                lengths.push(Lengths { longest, all });
            }
        }
        Some(lengths)
    }

    /// Does the same as [`Self::compared_columns`] for a sub-query, whose columns have numbers.
    fn compared_made(
        &self,
        made: CountedSubQuery,
        number: usize,
        text: &str,
    ) -> Option<Vec<Lengths>> {
        let columns = i64::try_from(self.columns(made)?).ok()?;
        let is_compared = |column: &i64| {
            let name = format!("r{number}.c{column}");
            let mut behind = text.match_indices(&name).map(|(at, _)| at + name.len());
            behind.any(|at| {
                let next = text.as_bytes().get(at);
                !next.is_some_and(u8::is_ascii_digit)
            })
        };
        (0..columns)
            .filter(is_compared)
            .map(|column| self.made_lengths(made, column))
            .collect()
    }

    /// Returns the lengths of a column of a counted sub-query. To measure them, the sub-query runs
    /// again.
    fn made_lengths(&self, made: CountedSubQuery, column: i64) -> Option<Lengths> {
        if let Some(known) = self.made_lengths.borrow().get(&(made.body, column)) {
            return *known;
        }
        let measure = || {
            let work = self.body_work.borrow().get(&made.body).copied()?;
            if !self.affords(work + made.rows * MEASURED_ROW) {
                return None;
            }
            let query = self
                .bodies
                .as_ref()?
                .measuring(self.db, self.bound, made.body, column)?;
            let [longest, all] = self.numbers(&query)?[..] else {
                return None;
            };
            Some(Lengths {
                longest: longest as f64,
                all: all as f64,
            })
        };
        let found = measure();
        self.made_lengths
            .borrow_mut()
            .insert((made.body, column), found);
        found
    }

    /// Returns the longest value of a column and the sum of all, measured in one pass.
    pub(super) fn measured(&self, table: &str, name: &str) -> Option<(f64, f64)> {
        // A single changed row may be the longest, so any change requires a new measurement.
        let remember = |of: &str, count: Option<u64>| {
            self.counted_exactly(format!("{of} {table} {name}"), || count)
        };
        if let Some(known) = remember(LONGEST, None).zip(remember(ALL, None)) {
            return Some(known);
        }
        if !self.affords(self.rows_of(table) * MEASURED_ROW + self.work_of_visits(table)) {
            return None;
        }
        let column = Part::Identifier(name);
        let length = [
            Part::Sql("CASE WHEN typeof("),
            column,
            Part::Sql(") IN ('text', 'blob') THEN octet_length("),
            column,
            Part::Sql(") ELSE 8 END), 0)"),
        ];
        let mut query = vec![Part::Sql("SELECT coalesce(max(")];
        query.extend(length);
        query.push(Part::Sql(", coalesce(sum("));
        query.extend(length);
        query.extend([Part::Sql(" FROM "), Part::Identifier(table)]);
        let found = self.numbers(&compose(&query, Vec::new()))?;
        let longest = remember(LONGEST, found.first().copied())?;
        Some((longest, remember(ALL, found.get(1).copied())?))
    }
}

/// Returns the cost of sorting so many bytes in so many rows, beyond that of the rows, or `None` if
/// memory does not hold them.
fn sorting(bytes: f64, rows: f64) -> Option<f64> {
    (bytes <= MAX_SORTED_BYTES as f64).then(|| (bytes - rows * SHORT_BYTES).max(0.0) * rate::SORTED)
}

/// The labels under which the lengths of a column are remembered.
const LONGEST: &str = "longest value";
const ALL: &str = "all values";
