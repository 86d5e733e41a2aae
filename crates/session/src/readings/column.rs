//! The columns that fields are read for.

/// The kind of column that the fields go into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Column {
    /// A new column.
    New,
    /// An existing column that takes numbers.
    Numeric,
    /// Any other existing column: a text is stored as it is.
    Text,
}

impl Column {
    /// Classifies an existing column by its declared type and SQLite's rules of affinity.
    pub(crate) fn declared(declared_type: &str) -> Self {
        let declared = declared_type.to_ascii_uppercase();
        let has = |part: &&str| declared.contains(*part);
        let is_text = declared.is_empty() || ["CHAR", "CLOB", "TEXT", "BLOB"].iter().any(has);
        if is_text && !declared.contains("INT") {
            Self::Text
        } else {
            Self::Numeric
        }
    }
}
