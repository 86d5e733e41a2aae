//! The row scope of a request, and the only way to a reviewed statement under it.

use base::Result;
use database::Database;
use serde::{Deserialize, Serialize};
use sql_gate::{FixedValue, Policy, Reviewed};

/// A restriction to the rows of one tenant: those in which `column` has `value`, and all rows of
/// the readable tables.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Scope {
    /// The column with the tenant's id.
    pub column: String,
    /// The id of the tenant.
    pub value: ScopeValue,
    /// The tables without that column that may be read.
    #[serde(default)]
    pub readable: Vec<String>,
}

/// The id of a tenant, as stored in the column.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(untagged)]
pub enum ScopeValue {
    /// INTEGER.
    Integer(i64),
    /// TEXT.
    Text(String),
}

impl Scope {
    /// Converts it to the scope of the tenant wall.
    ///
    /// # Errors
    /// The wall's refusal of the scope.
    pub(crate) fn resolve(&self) -> Result<sql_scope::Scope> {
        let value = match &self.value {
            ScopeValue::Integer(number) => sql_scope::ScopeValue::Integer(*number),
            ScopeValue::Text(text) => sql_scope::ScopeValue::Text(text.clone()),
        };
        sql_scope::Scope::new(&self.column, value, self.readable.clone())
    }
}

impl ScopeValue {
    /// Converts it to the fixed value of a table's column.
    pub(super) fn fixed(&self) -> FixedValue {
        match self {
            Self::Integer(number) => FixedValue::Integer(*number),
            Self::Text(text) => FixedValue::Text(text.clone()),
        }
    }
}

/// Reviews a statement, under a scope if there is one. Every statement that reads or changes rows
/// for a request is reviewed here.
///
/// # Errors
/// The gate's, and the refusals of the tenant wall.
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
