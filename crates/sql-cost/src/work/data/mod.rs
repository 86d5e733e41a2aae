//! What the data says: rows of tables, of keys and of joins, lengths of values, and what the schema knows of them.

pub mod affinity;
pub mod counts;
pub mod derived;
pub mod full_text;
pub mod join;
mod joined;
mod keys;
pub mod lengths;
pub mod programs;
mod schema;
pub mod statistics;
mod virtual_tables;
mod widths;

use super::bytecode::cursors::Argument;
use affinity::Affinity;
use derived::Measured;
use join::Join;

/// What the schema says, asked for by root page.
pub trait Schema {
    /// The name of a stored column.
    fn column_name(&self, page: i64, column: i64) -> Option<String>;

    /// A name that the rowid of a table has, which none of its columns has.
    fn rowid_name(&self, page: i64) -> Option<String>;

    /// The first columns of an index, or of the key of a table without rowid, with their collations.
    fn key_columns(&self, page: i64, columns: usize) -> Option<Vec<(String, String)>>;

    /// The column of an index behind as many others, with its collation, when its values ascend.
    fn ascending_column(&self, page: i64, behind: usize) -> Option<(String, String)>;

    /// Whether the page is that of a table with rowids.
    fn is_ordered_by_rowid(&self, page: i64) -> bool;

    /// The affinity of a stored column.
    fn affinity(&self, page: i64, column: i64) -> Affinity;

    /// Whether the column is declared NOT NULL.
    fn is_never_null(&self, page: i64, column: i64) -> bool;
}

/// What the data says, asked for by root page.
pub trait Data: Schema {
    /// Rows of the table, or entries of the index, at most.
    fn rows(&self, page: i64) -> f64;

    /// Rows at most that have the same values in the first columns of an index.
    fn rows_of_one_prefix(&self, page: i64, columns: usize, key: Key) -> f64;

    /// Rows at most that have the same values in these columns of a table, compared by these collations.
    fn rows_of_one_key(&self, page: i64, columns: &[(i64, String)], key: Key) -> f64;

    /// Rows at most that have a value in this column that may equal the same key, whatever the collation.
    fn rows_alike(&self, page: i64, column: i64, compared: Compared, key: Key) -> f64;

    /// How many columns a counted sub-query has.
    fn columns(&self, measured: Measured) -> Option<usize>;

    /// The same of a counted sub-query.
    fn rows_of_made_alike(
        &self,
        measured: Measured,
        column: i64,
        compared: Compared,
        key: Key,
    ) -> f64;

    /// Rows at most of a counted sub-query that have the same values in these columns.
    fn rows_of_one_made_key(&self, measured: Measured, columns: &[(i64, String)], key: Key) -> f64;

    /// Rows of a virtual table with this argument.
    fn virtual_rows(&self, argument: Argument) -> f64;

    /// Elements that all values of a column unfold into together.
    fn unfolded(&self, page: i64, column: i64) -> Option<f64>;

    /// Steps of a recursion whose LIMIT is computed by the statement.
    fn recursion(&self) -> f64;

    /// Rows of a join.
    fn rows_joined(&self, join: &Join) -> Option<f64>;

    /// Whether joins of several tables are counted, too.
    fn counts_joins(&self) -> bool;
}

/// Whether a key that rows are looked up by may be NULL. `=` never matches NULL, `IS` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    NotNull,
    MayBeNull,
}

/// What becomes of a value before it is compared with others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compared {
    Unchanged,
    /// A text that looks like a number is one.
    AsNumber,
    /// A number is its text.
    AsText,
}
