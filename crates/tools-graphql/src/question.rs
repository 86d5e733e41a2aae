//! A query, and the known facts about the values sent with it.

use serde_json::Value;

/// The knowledge about an optional value that is sent with a query.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Given<T> {
    /// This value.
    Value(T),
    /// No value.
    #[default]
    Nothing,
    /// It is not known if a value is sent, so a missing value is not reported.
    Unknown,
}

impl<T> Given<T> {
    /// Returns the value, if it is known.
    pub fn value(self) -> Option<T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Nothing | Self::Unknown => None,
        }
    }

    /// Borrows the value.
    pub fn as_ref(&self) -> Given<&T> {
        match self {
            Self::Value(value) => Given::Value(value),
            Self::Nothing => Given::Nothing,
            Self::Unknown => Given::Unknown,
        }
    }

    /// Converts the value.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Given<U> {
        match self {
            Self::Value(value) => Given::Value(change(value)),
            Self::Nothing => Given::Nothing,
            Self::Unknown => Given::Unknown,
        }
    }

    /// Returns true if there may be an unseen value.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown)
    }
}

impl<T> From<Option<T>> for Given<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Nothing, Self::Value)
    }
}

/// A query and its parameters, as sent.
#[derive(Debug, Clone, Copy, Default)]
pub struct Question<'a> {
    /// Text of the query. A query that does not parse is ignored.
    pub query: &'a str,
    /// Values of its variables, an object.
    pub variables: Given<&'a Value>,
    /// The operation to run. Without it, the query should have only one.
    pub operation: Given<&'a str>,
}
