//! How long stored values are: the longest of a column, and all of them together.
//!
//! The size of the database bounds both at no cost. Only where that would refuse a statement are the values of its columns measured, which
//! reads no text: a row says how long its values are.

use super::allowance::Data as _;
use super::statistics::Statistics;
use crate::database::Database;
use crate::limits::MAX_VALUE_BYTES;
use crate::sql::compose::{Part, compose};

/// What a row costs whose values are measured, in units of 10 ns.
const MEASURED_ROW: f64 = 15.0;

/// Columns that one query measures: the engine gives at most 100 results a row.
const MEASURED_TOGETHER: usize = 40;

/// What each of its values costs.
const MEASURED_VALUE: f64 = 6.0;

/// Bytes of the values of a column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Lengths {
    pub longest: f64,
    pub all: f64,
}

/// How well lengths are to be known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Measure {
    /// From the size of the database.
    Database,
    /// Column by column.
    Columns,
}

impl<D: Database> Statistics<'_, D> {
    /// What any value of the database can have.
    pub fn lengths_of_anything(&self) -> Lengths {
        let all = self.db.size_bytes() as f64;
        Lengths {
            longest: all.min(MAX_VALUE_BYTES as f64),
            all,
        }
    }

    /// The lengths of a stored column, or of a column of an index.
    pub fn lengths(&self, page: i64, column: i64, measure: Measure) -> Lengths {
        let anything = self.lengths_of_anything();
        let measured = || {
            let name = self.column_name(page, column)?;
            let table = self.table(page)?;
            let longest = self.length(&table, &name, LONGEST)?;
            let all = self.length(&table, &name, ALL)?;
            Some(Lengths {
                longest: longest.min(anything.longest),
                all: all.min(anything.all),
            })
        };
        match measure {
            Measure::Database => anything,
            Measure::Columns => measured().unwrap_or(anything),
        }
    }

    /// Whether a column holds a text that functions of time take for the time of their call.
    pub fn holds_now(&self, page: i64, column: i64) -> Option<bool> {
        let name = self.column_name(page, column)?;
        let table = self.table(page)?;
        let column = Part::Identifier(&name);
        let found = self.counted_exactly(format!("now {table} {name}"), || {
            if !self.affords(self.rows_of(&table) * MEASURED_ROW) {
                return None;
            }
            let query = [
                Part::Sql("SELECT count(*) FROM (SELECT 1 FROM "),
                Part::Identifier(&table),
                Part::Sql(" WHERE "),
                column,
                Part::Sql(" COLLATE NOCASE IN ('now', 'subsec', 'subsecond') OR typeof("),
                column,
                Part::Sql(") = 'blob' LIMIT 1)"),
            ];
            self.number(&compose(&query, Vec::new()))
        })?;
        Some(found > 0.0)
    }

    /// One length of a column, measured together with all others of its table.
    fn length(&self, table: &str, name: &str, of: &str) -> Option<f64> {
        // One row that has changed may be the longest, so any change calls for a new measurement.
        let remembered =
            |count: Option<u64>| self.counted_exactly(format!("{of} {table} {name}"), || count);
        if let Some(known) = remembered(None) {
            return Some(known);
        }
        self.measure(table, name)?;
        remembered(None)
    }

    fn measure(&self, table: &str, wanted: &str) -> Option<()> {
        let columns = self.stored_columns(table)?;
        let names = columns
            .chunks(MEASURED_TOGETHER)
            .find(|names| names.iter().any(|name| name == wanted))?;
        if !self.affords(self.rows_of(table) * MEASURED_VALUE * names.len() as f64) {
            return None;
        }
        let mut query = vec![Part::Sql("SELECT ")];
        for (position, name) in names.iter().enumerate() {
            let column = Part::Identifier(name);
            for (number, begin) in ["coalesce(max(", "coalesce(sum("].into_iter().enumerate() {
                if position + number > 0 {
                    query.push(Part::Sql(", "));
                }
                query.extend([
                    Part::Sql(begin),
                    Part::Sql("CASE WHEN typeof("),
                    column,
                    Part::Sql(") IN ('text', 'blob') THEN octet_length("),
                    column,
                    Part::Sql(") ELSE 8 END), 0)"),
                ]);
            }
        }
        query.extend([Part::Sql(" FROM "), Part::Identifier(table)]);
        let found = self.numbers(&compose(&query, Vec::new()))?;
        for (name, lengths) in names.iter().zip(found.chunks(2)) {
            for (of, length) in [LONGEST, ALL].into_iter().zip(lengths) {
                self.counted_exactly(format!("{of} {table} {name}"), || Some(*length));
            }
        }
        Some(())
    }
}

/// What the remembered lengths of a column are called.
const LONGEST: &str = "longest value";
const ALL: &str = "all values";
