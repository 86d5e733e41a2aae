//! A query, and what is known of what was sent with it.

use serde_json::Value;

/// What is known of something that may come with a query.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Given<T> {
    /// It is this.
    Value(T),
    /// There is none.
    #[default]
    Nothing,
    /// It may be there, where nobody here can see it: nothing is said of its absence.
    Unknown,
}

impl<T> Given<T> {
    /// The value, where it is known.
    pub fn value(self) -> Option<T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Nothing | Self::Unknown => None,
        }
    }

    /// The same, borrowed.
    pub fn as_ref(&self) -> Given<&T> {
        match self {
            Self::Value(value) => Given::Value(value),
            Self::Nothing => Given::Nothing,
            Self::Unknown => Given::Unknown,
        }
    }

    /// Another value in the place of this one.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Given<U> {
        match self {
            Self::Value(value) => Given::Value(change(value)),
            Self::Nothing => Given::Nothing,
            Self::Unknown => Given::Unknown,
        }
    }

    /// Whether it may be there unseen.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown)
    }
}

impl<T> From<Option<T>> for Given<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Nothing, Self::Value)
    }
}

/// A query as it is sent.
#[derive(Debug, Clone, Copy, Default)]
pub struct Question<'a> {
    /// Its text. One that does not parse explains nothing.
    pub query: &'a str,
    /// Values of its variables, an object.
    pub variables: Given<&'a Value>,
    /// Which operation of the query runs. Where nothing is given, there should be one.
    pub operation: Given<&'a str>,
}
