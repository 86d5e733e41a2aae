//! The value of a tenant scope: on its way in, and as the text that stands for it in a statement.

/// The value of the tenant's column.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ScopeValue {
    /// A text.
    Text(String),
    /// A whole number.
    Integer(i64),
}

/// The expression that yields the tenant's value, as [`crate::bind`] makes it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ValueText {
    /// The whole of it.
    pub text: String,
    /// The placeholder, with its number.
    pub variable: String,
    /// What stands behind `->>`, where it is an element of a JSON text.
    pub element: Option<String>,
}
