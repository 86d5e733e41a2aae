//! The value of a tenant scope: as it is given, and as the text that represents it in a statement.

/// The value of the tenant's column.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ScopeValue {
    /// A text.
    Text(String),
    /// A whole number.
    Integer(i64),
}

/// The expression for the tenant's value, as [`crate::bind`] makes it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ValueText {
    /// The whole expression.
    pub text: String,
    /// The placeholder, with its number.
    pub variable: String,
    /// The operand of `->>`, if the value is an element of a JSON text.
    pub element: Option<String>,
}
