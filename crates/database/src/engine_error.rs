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
        if is_full(&self.message) {
            return DatabaseError::DatabaseFull.into();
        }
        Error::internal(format!("the database failed: {}", self.parts().message))
    }
}

/// Whether a failure of the engine or the platform says that there is no room left: at the size limit of a database, or on the disk below it.
///
/// SQLite has `SQLITE_FULL` for a write that finds no room, and an ending of `SQLITE_IOERR` where the index of its log cannot grow. Any other
/// code counts as what it says, because words of a caller may stand before it; without a code it is the platform that speaks.
pub fn is_full(text: &str) -> bool {
    /// Of the platform, of D1, and of the system, in lower case.
    const WORDS: &[&str] = &[
        "database or disk is full",
        "maximum db size",
        "no space left on device",
        "enospc",
        "disk quota exceeded",
    ];
    let parts = Parts::of(text);
    match parts.code {
        "SQLITE_FULL" => true,
        "SQLITE_IOERR" => parts.extended == "SQLITE_IOERR_SHMSIZE",
        "" => {
            let message = parts.message.to_ascii_lowercase();
            WORDS.iter().any(|words| message.contains(words))
        }
        _ => false,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_known_and_words_of_a_caller_are_none() {
        for text in [
            "database or disk is full: SQLITE_FULL",
            "Error: database or disk is full: SQLITE_FULL",
            "Error: disk I/O error: SQLITE_IOERR (extended: SQLITE_IOERR_SHMSIZE)",
            "Exceeded maximum DB size",
            "write failed: No space left on device",
        ] {
            assert!(is_full(text), "{text}");
            let error = EngineError {
                message: text.to_owned(),
            };
            assert_eq!(error.own().code(), "DATABASE_FULL");
        }
        for text in [
            "no such table: SQLITE_FULL: SQLITE_ERROR",
            "no such column: database or disk is full: SQLITE_ERROR",
            "CHECK constraint failed: ENOSPC: SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_CHECK)",
            "disk I/O error: SQLITE_IOERR (extended: SQLITE_IOERR_READ)",
            "",
        ] {
            assert!(!is_full(text), "{text}");
        }
    }
}
