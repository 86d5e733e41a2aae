//! How long stored values are: the longest of a column, and all of them together.
//!
//! The size of the database bounds both at no cost. Only where that would refuse a statement are the values of its columns measured, which
//! reads no text: a row says how long its values are.

use super::Schema as _;
use super::statistics::Statistics;
use crate::compose::{Part, compose};
use database::Database;
use database::limits::MAX_VALUE_BYTES;

/// What a row costs whose values are measured, in units of 10 ns.
const MEASURED_ROW: f64 = 20.0;

/// Bytes of the values of a column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lengths {
    pub longest: f64,
    pub all: f64,
}

/// How well lengths are to be known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
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

    /// What functions can have that list parts of the schema.
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

    /// The lengths of a stored column, or of a column of an index.
    pub fn lengths(&self, page: i64, column: i64, measure: Measure) -> Lengths {
        let anything = self.lengths_of_anything();
        let measured = || {
            let name = self.column_name(page, column)?;
            let table = self.table(page)?;
            let (longest, all) = self.measured(&table, &name)?;
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

    /// The longest value of a column and all of them together, measured in one pass.
    fn measured(&self, table: &str, name: &str) -> Option<(f64, f64)> {
        // One row that has changed may be the longest, so any change calls for a new measurement.
        let remember = |of: &str, count: Option<u64>| {
            self.counted_exactly(format!("{of} {table} {name}"), || count)
        };
        if let Some(known) = remember(LONGEST, None).zip(remember(ALL, None)) {
            return Some(known);
        }
        if !self.affords(self.rows_of(table) * MEASURED_ROW) {
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

/// What the remembered lengths of a column are called.
const LONGEST: &str = "longest value";
const ALL: &str = "all values";
