//! The tenant wall within a table: a caller's statement is changed so that it sees and changes only
//! the rows of one tenant, whatever its text is.
//!
//! Tables with the tenant's column are *scoped*. The caller's text remains as it is, byte for byte.
//! Only splices are added:
//!
//! 1. Before the statement, each scoped table is defined again, `WITH orders AS NOT MATERIALIZED
//!    (SELECT * FROM main.orders WHERE business_id = ?)`, and SQLite itself resolves names. This is
//!    correct without understanding the scopes of names in the caller's text.
//! 2. UPDATE, DELETE and DO UPDATE get the tenant's predicate before their own condition, and the
//!    rows of an INSERT get the tenant.
//! 3. The tenant is a bound value, never text.
//!
//! Statements that splices cannot make safe are refused (`judge`, `cascades`). Two more fences
//! follow: the final text is parsed again and must have exactly this shape (`verify`), and the
//! engine's bytecode may open only the tables that were judged (`fence`). `barrier` decides if the
//! engine might compute an expression that can fail on another tenant's row before it compares the
//! tenant; if so, the definitions are materialized. docs/scope.md describes the remaining gaps.

use crate::tables::Table;
use crate::tenant::Tenant;
use base::{Error, Result};
use sql_gate::compose::quote_identifier;
use sql_gate::limits::{MAX_READABLE_TABLES, MAX_SCOPE_VALUE_BYTES};
use sql_gate::policy::{blocked, require_writable_name};
use sql_gate::scoping::ScopeValue;

/// The rows that a statement may see and change.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Scope {
    pub(super) column: String,
    pub(super) value: ScopeValue,
    pub(super) readable: Vec<String>,
}

impl Scope {
    /// Makes a scope: rows whose `column` is `value`, and all rows of the tables `readable`, which
    /// have no such column. `*` lists every table without the column.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for an empty name, an empty or too long value, or too many readable
    /// tables.
    pub fn new(column: &str, value: ScopeValue, readable: Vec<String>) -> Result<Self> {
        let is_name = |name: &str| !name.is_empty() && !name.contains('\0');
        if !is_name(column) {
            return Err(Error::invalid("the column of the scope has no name"));
        }
        if ROWID_NAMES
            .iter()
            .any(|name| name.eq_ignore_ascii_case(column))
        {
            return Err(Error::invalid(
                "the column of the scope cannot be the rowid",
            ));
        }
        if let ScopeValue::Text(text) = &value {
            if text.is_empty() || text.contains('\0') {
                return Err(Error::invalid(
                    "the value of the scope must be a text that is not empty, or a whole number",
                ));
            }
            if text.len() > MAX_SCOPE_VALUE_BYTES {
                return Err(Error::invalid(format!(
                    "the value of the scope has {} bytes, the limit is {MAX_SCOPE_VALUE_BYTES}",
                    text.len()
                )));
            }
        }
        if readable.len() > MAX_READABLE_TABLES {
            return Err(Error::invalid(format!(
                "the scope lists {} readable tables, the limit is {MAX_READABLE_TABLES}",
                readable.len()
            )));
        }
        if readable.iter().any(|name| !is_name(name)) {
            return Err(Error::invalid("a readable table of the scope has no name"));
        }
        for name in readable.iter().filter(|name| *name != ALL_TABLES) {
            require_writable_name(name)?;
        }
        Ok(Self {
            column: column.to_owned(),
            value,
            readable,
        })
    }

    /// Returns the column that names the tenant of a row.
    pub fn column(&self) -> &str {
        &self.column
    }

    /// Returns the tenant, as the value of that column.
    pub fn value(&self) -> &ScopeValue {
        &self.value
    }

    /// Returns the tables without the column that may be read.
    pub fn readable(&self) -> &[String] {
        &self.readable
    }

    /// Returns true if a table without the column may be read.
    pub fn is_readable(&self, table: &str) -> bool {
        self.reads_all() || self.lists(table)
    }

    /// Returns true if every table without the column may be read.
    pub(super) fn reads_all(&self) -> bool {
        self.readable.iter().any(|name| name == ALL_TABLES)
    }

    pub(super) fn lists(&self, table: &str) -> bool {
        let mut listed = self.readable.iter();
        listed.any(|name| name.eq_ignore_ascii_case(table))
    }

    /// Returns true if all rows of a table of the schema are read, under its own name.
    pub(super) fn reads_whole(&self, table: &Table) -> bool {
        self.lists(&table.name) || (self.reads_all() && table.column(&self.column).is_none())
    }
}

/// The entry in a list of readable tables that means every table without the column.
pub const ALL_TABLES: &str = "*";

/// Names of the rowid.
pub(super) const ROWID_NAMES: [&str; 3] = ["rowid", "_rowid_", "oid"];

/// The place of the rows of a table.
#[derive(Clone, Copy)]
pub(super) enum TableLocation<'a> {
    /// In the session, under the same name.
    Main,
    /// In the shared database, under a name of the tenant.
    Of(&'a Tenant),
}

impl TableLocation<'_> {
    /// Returns the text after FROM, and the name that qualifies columns there.
    pub(super) fn source(self, table: &str) -> (String, String) {
        match self {
            Self::Main => {
                let name = quote_identifier(table);
                (format!("main.{name}"), name)
            }
            Self::Of(tenant) => {
                let name = quote_identifier(&tenant.physical(table));
                (name.clone(), name)
            }
        }
    }

    /// Returns the name of the table in the text that runs.
    pub(super) fn name(self, table: &str) -> String {
        match self {
            Self::Main => table.to_owned(),
            Self::Of(tenant) => tenant.physical(table),
        }
    }
}

pub(super) fn unclear() -> Error {
    blocked(
        "ambiguous_text",
        "the parts of the statement could not be determined with certainty",
        "write one plain statement, with tables in FROM and JOIN",
    )
}
