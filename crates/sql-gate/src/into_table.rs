//! Makes statements from a read whose rows stay in the engine: one statement counts the rows,
//! another inserts them into a table of the caller.

use crate::bound::{Bound, passed};
use crate::compose;
use database::Bind;

/// A value that every row of the table gets, whatever the read returns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FixedValue {
    /// TEXT.
    Text(String),
    /// INTEGER.
    Integer(i64),
}

/// A column of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FilledColumn {
    /// The column of the read at this position, from 0.
    Read(usize),
    /// The same value in every row.
    Fixed(FixedValue),
}

impl Bound {
    /// Returns a statement of one row and column: the number of rows of the read, counted up to
    /// `most`.
    pub fn row_count_within(&self, most: u64) -> Self {
        self.derived(format!(
            "SELECT count(*) FROM (SELECT 1 FROM (\n{}\n) LIMIT {most})",
            self.sql()
        ))
    }

    /// Returns a statement that inserts at most `most` rows of a read of `width` columns, in its
    /// order, into a table that has these columns.
    pub fn insert_into(
        &self,
        table: &str,
        width: usize,
        columns: &[FilledColumn],
        most: u64,
    ) -> Self {
        let mut binds = self.binds().to_vec();
        let values: Vec<String> = columns
            .iter()
            .map(|column| match column {
                FilledColumn::Read(position) => format!("c{}", position + 1),
                FilledColumn::Fixed(FixedValue::Text(text)) => {
                    binds.push(Bind::text(text.as_str()));
                    format!("?{}", binds.len())
                }
                FilledColumn::Fixed(FixedValue::Integer(number)) => {
                    binds.push(Bind::text(number.to_string()));
                    format!("(?{}->>'$')", binds.len())
                }
            })
            .collect();
        let names: Vec<String> = (1..=width).map(|number| format!("c{number}")).collect();
        let text = format!(
            "INSERT INTO {} WITH _codemode_rows({}) AS (\n{}\n) SELECT {} FROM _codemode_rows LIMIT {most}",
            compose::quote_identifier(table),
            names.join(","),
            self.sql(),
            values.join(",")
        );
        self.with(passed(text, binds))
    }
}
