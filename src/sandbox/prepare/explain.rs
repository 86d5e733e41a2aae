//! What to say about an error that a program threw.

use super::source::Position;

/// An error that a program threw.
#[derive(Debug, Clone, Copy)]
pub struct RuntimeFailure<'a> {
    /// The name of the error, such as `TypeError`.
    pub name: &'a str,
    /// Its message.
    pub message: &'a str,
    /// Where it was thrown, in the text that was sent.
    pub position: Option<Position>,
}

/// A hint for an error, from the text that was sent.
pub fn explain(_source: &str, _failure: &RuntimeFailure<'_>) -> Option<String> {
    None
}
