//! The port to row scopes: the interface that a scope offers to the gate, and its value.
//!
//! The crate `sql-scope` implements [`Scoping`]. The gate joins its splices with those of the
//! parameters, and asks it about the final text.

use base::Result;
use database::Bind;

use crate::splice::Splice;

/// The plan that keeps one reviewed statement within a row scope.
pub trait Scoping: std::fmt::Debug {
    /// Returns the value of the scope, or `None` if no splice names it: the engine refuses a
    /// parameter that no text names.
    fn value(&self) -> Option<&ScopeValue>;

    /// Refuses a parameter that the statement writes into the scope's column if it differs from the
    /// value of the scope.
    ///
    /// # Errors
    /// `SQL_BLOCKED`.
    fn check_claims(&self, values: &[&serde_json::Value]) -> Result<()>;

    /// Returns true if the value of the scope replaces the caller's text at this byte.
    fn replaces(&self, start: usize) -> bool;

    /// Returns the splices. `value` is the expression that yields the value of the scope.
    fn splices(&self, binds: &[Bind], value: &str) -> Vec<Splice>;

    /// Checks the final text, which is about to run.
    ///
    /// # Errors
    /// `SQL_BLOCKED`.
    fn verify(&self, sql: &str, value: &ValueText) -> Result<()>;

    /// Returns true if the engine may open the b-trees of this table.
    fn may_open(&self, table: &str) -> bool;
}

/// The value that a row scope requires in its column.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ScopeValue {
    /// A text.
    Text(String),
    /// A whole number.
    Integer(i64),
}

/// The expression that yields the value of the scope, as `crate::bind` makes it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ValueText {
    /// The whole expression.
    pub text: String,
    /// The placeholder in it, with its number, such as `?3`.
    pub variable: String,
    /// The operand after `->>`, if the value is an element of a JSON text.
    pub element: Option<String>,
}
