//! The tenant scope of a request, and the one way from a text to a reviewed statement under it.

use base::Result;
use database::Database;
use serde::{Deserialize, Serialize};
use sql_gate::{FixedValue, Policy, Reviewed};

/// Rows of one tenant alone: those whose `column` is `value`, and all rows of tables that are listed as readable.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Scope {
    /// The column that says whose a row is.
    pub column: String,
    /// Whose rows.
    pub value: ScopeValue,
    /// Tables without the column that may be read.
    #[serde(default)]
    pub readable: Vec<String>,
}

/// The id of a tenant as it stands in the column.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(untagged)]
pub enum ScopeValue {
    /// INTEGER.
    Integer(i64),
    /// TEXT.
    Text(String),
}

impl Scope {
    /// As the tenant wall knows it.
    ///
    /// # Errors
    /// What the wall refuses as a scope.
    pub(crate) fn resolve(&self) -> Result<sql_scope::Scope> {
        let value = match &self.value {
            ScopeValue::Integer(number) => sql_scope::ScopeValue::Integer(*number),
            ScopeValue::Text(text) => sql_scope::ScopeValue::Text(text.clone()),
        };
        sql_scope::Scope::new(&self.column, value, self.readable.clone())
    }
}

impl ScopeValue {
    /// As a column of a table is filled with it.
    pub(super) fn fixed(&self) -> FixedValue {
        match self {
            Self::Integer(number) => FixedValue::Integer(*number),
            Self::Text(text) => FixedValue::Text(text.clone()),
        }
    }
}

/// Reviews a statement, under a scope if there is one. Everything that reads or changes rows for a request passes here.
///
/// # Errors
/// What the gate says, and what the tenant wall refuses.
pub(super) fn reviewed<D: Database>(
    db: &D,
    sql: &str,
    policy: &Policy,
    scope: Option<&Scope>,
) -> Result<Reviewed> {
    match scope {
        None => sql_gate::review(sql, policy),
        Some(scope) => sql_scope::review(db, sql, policy, &scope.resolve()?),
    }
}
