//! Facts from the database: rows of tables, of keys and of joins, lengths of values, and the facts
//! of the schema.

pub mod affinity;
pub mod counts;
pub mod derived;
mod facts;
pub mod full_text;
pub mod join;
mod joined;
mod keys;
pub mod lengths;
mod measurement;
pub mod programs;
mod schema;
pub mod statistics;
mod virtual_tables;
mod widths;

use super::bytecode::cursors::Argument;
use affinity::Affinity;
use derived::CountedSubQuery;
use join::Join;

/// Facts of the schema, looked up by root page.
pub trait Schema {
    /// Returns the name of a stored column.
    fn column_name(&self, page: i64, column: i64) -> Option<String>;

    /// Returns a name for the rowid of a table that none of its columns has.
    fn rowid_name(&self, page: i64) -> Option<String>;

    /// Returns the first columns of an index, or of the key of a table without rowid, with their
    /// collations.
    fn key_columns(&self, page: i64, columns: usize) -> Option<Vec<(String, String)>>;

    /// Returns the column of an index after `behind` others, with its collation, if its values
    /// ascend.
    fn ascending_column(&self, page: i64, behind: usize) -> Option<(String, String)>;

    /// Returns true if the page is that of a table with rowids.
    fn is_ordered_by_rowid(&self, page: i64) -> bool;

    /// Returns the affinity of a stored column.
    fn affinity(&self, page: i64, column: i64) -> Affinity;

    /// Returns true if the column is declared NOT NULL.
    fn is_never_null(&self, page: i64, column: i64) -> bool;
}

/// Facts of the data, looked up by root page.
pub trait Data: Schema {
    /// Returns the largest number of rows of the table, or of entries of the index.
    fn rows(&self, page: i64) -> f64;

    /// Returns the largest number of rows that have the same values in the first columns of an
    /// index.
    fn rows_of_one_prefix(&self, page: i64, columns: usize, key: Key) -> f64;

    /// Returns the largest number of rows that have the same values in these columns of a table,
    /// compared by these collations.
    fn rows_of_one_key(&self, page: i64, columns: &[(i64, String)], key: Key) -> f64;

    /// Returns the largest number of rows whose value in this column may equal the same key under
    /// any collation.
    fn rows_alike(&self, page: i64, column: i64, compared: Conversion, key: Key) -> f64;

    /// Returns the number of columns of a counted sub-query.
    fn columns(&self, measured: CountedSubQuery) -> Option<usize>;

    /// Does the same as [`Self::rows_alike`] for a counted sub-query.
    fn rows_of_made_alike(
        &self,
        measured: CountedSubQuery,
        column: i64,
        compared: Conversion,
        key: Key,
    ) -> f64;

    /// Returns the largest number of rows of a counted sub-query that have the same values in these
    /// columns.
    fn rows_of_one_made_key(
        &self,
        measured: CountedSubQuery,
        columns: &[(i64, String)],
        key: Key,
    ) -> f64;

    /// Returns the number of rows of a virtual table with this argument.
    fn virtual_rows(&self, argument: Argument) -> f64;

    /// Returns the number of elements that all values of a column unfold into.
    fn unfolded(&self, page: i64, column: i64) -> Option<f64>;

    /// Returns the number of steps of a recursion whose LIMIT the statement computes.
    fn recursion(&self) -> f64;

    /// Returns the number of rows of a join.
    fn rows_joined(&self, join: &Join) -> Option<f64>;

    /// Returns true if joins of several tables are counted, too.
    fn counts_joins(&self) -> bool;
}

/// The nullability of a key by which rows are looked up. `=` never matches NULL, but `IS` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    NotNull,
    MayBeNull,
}

/// The conversion of a value before it is compared with others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conversion {
    Unchanged,
    /// A text that looks like a number is compared as a number.
    AsNumber,
    /// A number is compared as its text.
    AsText,
}
