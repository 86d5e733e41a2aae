//! The tenant that owns the records of a request with a row scope.

use base::Error;
use database::Bind;
use sql_gate::SqlError;
use sql_gate::compose::Part;
use sql_scope::ScopeValue;

use super::slot::Slot;

/// The owner of inserted rows. Records must lack the tenant's column or have this value in it.
pub(crate) struct Owner {
    /// The tenant's column.
    pub(crate) column: String,
    /// The tenant.
    pub(crate) value: ScopeValue,
}

impl Owner {
    pub(super) fn is(&self, slot: &Slot) -> bool {
        slot.name.eq_ignore_ascii_case(&self.column)
    }

    /// Returns true if a JSON value of a record is the owner, or is left to the table.
    pub(super) fn owns(&self, value: &str) -> bool {
        match (
            &self.value,
            serde_json::from_str::<serde_json::Value>(value),
        ) {
            (_, Ok(serde_json::Value::Array(_))) => true,
            (ScopeValue::Text(text), Ok(serde_json::Value::String(other))) => *text == other,
            (ScopeValue::Text(text), Ok(serde_json::Value::Number(other))) => {
                *text == other.to_string()
            }
            (ScopeValue::Integer(number), Ok(serde_json::Value::String(other))) => {
                number.to_string() == other
            }
            (ScopeValue::Integer(number), Ok(serde_json::Value::Number(other))) => {
                other.as_i64() == Some(*number)
            }
            _ => false,
        }
    }

    pub(super) fn refused(&self) -> Error {
        Error::from(SqlError::SqlBlocked {
            reason: "scope_column",
            message: format!(
                "{} cannot be written under a row scope: the scope sets it",
                self.column
            ),
            hint: format!(
                "leave {} out of the records, or give it the value of the scope",
                self.column
            ),
        })
    }

    pub(super) fn place(&self) -> Part<'static> {
        Part::Sql(match self.value {
            ScopeValue::Text(_) => "?",
            ScopeValue::Integer(_) => "?->>'$'",
        })
    }

    pub(super) fn bind(&self) -> Bind {
        match &self.value {
            ScopeValue::Text(text) => Bind::text(text.as_str()),
            ScopeValue::Integer(number) => Bind::Text(number.to_string()),
        }
    }
}
