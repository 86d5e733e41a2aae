//! Describes the columns of a table, and finds the one that a caller means.
//!
//! All functions are pure: names in, names out. Nothing here runs SQL, and no result names a column
//! that was not passed in. [`find_column_of`] finds a column by meaning, [`Mappings`] has the names
//! that servers use.

mod abbreviation;
mod concepts;
pub mod limits;
mod mappings;
mod matching;
mod meaning;
mod spelling;
mod synonyms;
mod vocabulary;

pub use mappings::Mappings;
pub use matching::{Found, find_column, find_column_of};

/// One column of a table or view, as SQLite describes it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ColumnInfo {
    /// The name as declared.
    pub name: String,
    /// The declared type, empty if there is none.
    pub declared_type: String,
    /// True if it is declared NOT NULL.
    pub not_null: bool,
    /// The DEFAULT, as SQL text.
    pub default_value: Option<String>,
    /// The position in the primary key, from 1; 0 if it is not in the key.
    pub primary_key: u32,
    /// True if `SELECT *` omits it, like the hidden columns of a virtual table.
    pub hidden: bool,
}
