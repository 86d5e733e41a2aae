//! Errors of SQLite as the platform reports them, split into code, message and position.
//!
//! workerd formats an error as `Error: <message>[ at offset N]: SQLITE_XXX[ (extended:
//! SQLITE_XXX_YYY)]` and has no code property, so the text is parsed.

use base::Error;

use crate::DatabaseError;

/// An error with the engine's own text. [`EngineError::own`] converts an error about our own SQL.
/// Errors about a caller's statement are explained by the crate that has reviewed the statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineError {
    /// The engine's text, with its suffix.
    pub message: String,
}

impl EngineError {
    /// Returns the parts of the text.
    pub fn parts(&self) -> Parts<'_> {
        Parts::of(&self.message)
    }

    /// Converts an error about our own SQL: it is a fault of the product, unless the database is
    /// full.
    pub fn own(self) -> Error {
        if is_full(&self.message) {
            return DatabaseError::DatabaseFull.into();
        }
        Error::internal(format!("the database failed: {}", self.parts().message))
    }
}

/// Returns true if an error of the engine or the platform means that there is no space left, in the
/// database or on the disk below it.
///
/// SQLite has `SQLITE_FULL` for a write without space, and an extended code of `SQLITE_IOERR` if
/// the index of its log cannot grow. With any other code the words of the message are ignored,
/// because a caller may have chosen them. A text without a code is from the platform.
pub fn is_full(text: &str) -> bool {
    /// Texts of the platform, of D1, and of the operating system, in lower case.
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

/// The parts of an engine error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parts<'e> {
    /// The message.
    pub message: &'e str,
    /// The byte offset in the text that ran.
    pub offset: Option<usize>,
    /// The code, such as `SQLITE_CONSTRAINT`; empty if there is none.
    pub code: &'e str,
    /// The extended code, such as `SQLITE_CONSTRAINT_UNIQUE`; empty if there is none.
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
