//! The field `scope`: the rows that a statement, or every call of a program, may see and change.
//!
//! The crate `sql-scope` applies a scope to a statement, `scoped` applies it to an operation.

use base::known::{self, Given};
use base::{Error, Result, entries};
use serde_json::Value;
use sql_gate::SqlError;
use sql_scope::{Scope, ScopeValue};

use crate::Settings;

/// The fields of a scope.
const FIELDS: &[&str] = &["column", "value", "readable"];

/// A scope in a caller's request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopeRequest {
    column: Option<String>,
    value: ScopeValue,
    readable: Vec<String>,
}

impl ScopeRequest {
    /// Parses the field; `None` if it is absent.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for a value that is not a scope.
    pub fn parse(field: Option<&str>) -> Result<Option<Self>> {
        let Some(text) = field.filter(|text| *text != "null") else {
            return Ok(None);
        };
        let read: std::result::Result<entries::Fields<Value>, _> = serde_json::from_str(text);
        let Ok(entries::Fields(fields)) = read else {
            return Err(not_a_scope());
        };
        known::check(
            Given::Field,
            fields.iter().map(|(name, _)| name.as_str()),
            FIELDS,
        )?;
        let get = |wanted: &str| {
            let found = fields.iter().find(|(name, _)| name == wanted);
            found
                .map(|(_, value)| value)
                .filter(|value| !value.is_null())
        };
        let column = match get("column") {
            None => None,
            Some(Value::String(name)) => Some(name.clone()),
            Some(_) => return Err(Error::invalid("scope.column must be a text")),
        };
        let value = match get("value") {
            Some(Value::String(text)) => ScopeValue::Text(text.clone()),
            Some(Value::Number(number)) if number.as_i64().is_some() => {
                ScopeValue::Integer(number.as_i64().unwrap_or_default())
            }
            Some(_) => {
                return Err(Error::invalid_with_hint(
                    "scope.value must be a text or a whole number of 64 bits",
                    "send the value that the tenant's rows have in the column",
                ));
            }
            None => return Err(not_a_scope()),
        };
        let readable = match get("readable") {
            None => Vec::new(),
            Some(Value::Array(names)) => names
                .iter()
                .map(|name| name.as_str().map(str::to_owned))
                .collect::<Option<Vec<_>>>()
                .ok_or_else(not_readable)?,
            Some(_) => return Err(not_readable()),
        };
        Ok(Some(Self {
            column,
            value,
            readable,
        }))
    }

    /// Completes the scope with the deployment's settings.
    ///
    /// # Errors
    /// As [`Scope::new`].
    pub fn resolve(&self, settings: &Settings) -> Result<Scope> {
        let column = self.column.as_ref().unwrap_or(&settings.tenant_column);
        let mut readable = self.readable.clone();
        readable.extend(settings.global_tables.iter().cloned());
        Scope::new(column, self.value.clone(), readable)
    }
}

fn not_a_scope() -> Error {
    Error::invalid_with_hint(
        "the field scope must be an object with a value",
        r#"send {"scope":{"column":"business_id","value":"acme","readable":["countries"]}}; column and readable may be left out"#,
    )
}

fn not_readable() -> Error {
    Error::invalid("scope.readable must be a list of names of tables")
}

/// Returns the error for an operation that is not available under a scope.
pub fn refused(what: &str) -> Error {
    Error::from(SqlError::SqlBlocked {
        reason: "scope_statement",
        message: format!("{what} is not available under a row scope"),
        hint: "the operations under a scope are: query, exec, stream, batchInsert, getTables, getColumns, hasColumn, describeTable, findColumn"
            .to_owned(),
    })
}
