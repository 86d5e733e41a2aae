//! What the engine says when it refuses or fails a statement.
//!
//! workerd words it `Error: <message>[ at offset N]: SQLITE_XXX[ (extended: SQLITE_XXX_YYY)]` and has no code property, so the text is
//! parsed.

use base::Error;

use crate::DatabaseError;

/// A complaint of the engine, as it words it. [`EngineError::own`] makes an error of one about SQL of ours; one about a caller's statement
/// is explained where that statement was reviewed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineError {
    /// The engine's text, with its suffix.
    pub message: String,
}

impl EngineError {
    /// Its pieces.
    pub fn parts(&self) -> Parts<'_> {
        Parts::of(&self.message)
    }

    /// An error of our own SQL: a fault of ours, unless the engine is full.
    pub fn own(self) -> Error {
        let parts = self.parts();
        match parts.code {
            "SQLITE_FULL" => DatabaseError::DatabaseFull.into(),
            _ => Error::internal(format!("the database failed: {}", parts.message)),
        }
    }
}

/// The pieces of an engine error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parts<'e> {
    /// What it says.
    pub message: &'e str,
    /// Byte offset in the text that ran.
    pub offset: Option<usize>,
    /// `SQLITE_CONSTRAINT`; empty where there is none.
    pub code: &'e str,
    /// `SQLITE_CONSTRAINT_UNIQUE`; empty where there is none.
    pub extended: &'e str,
}

impl<'e> Parts<'e> {
    fn of(text: &'e str) -> Self {
        let text = text.strip_prefix("Error: ").unwrap_or(text);
        let (text, extended) = text.rsplit_once(" (extended: ").unwrap_or((text, ""));
        let extended = extended.trim_end_matches(')');
        let (body, code) = match text.rfind(": SQLITE_") {
            Some(at) => (
                text.get(..at).unwrap_or(text),
                text.get(at + 2..).unwrap_or_default(),
            ),
            None => (text, ""),
        };
        let (message, offset) = match body.rsplit_once(" at offset ") {
            Some((message, digits)) => match digits.parse() {
                Ok(offset) => (message, Some(offset)),
                Err(_) => (body, None),
            },
            None => (body, None),
        };
        Self {
            message,
            offset,
            code,
            extended,
        }
    }
}
