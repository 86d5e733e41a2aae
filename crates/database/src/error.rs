//! What can be wrong with a database, whatever runs on it.

use base::{Code, Problem};

/// The codes of [`DatabaseError`].
pub mod codes {
    base::codes! {
        DATABASE_FULL: Full,
        BUSY: Conflict,
    }
}

/// What is wrong with a database.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DatabaseError {
    /// The database is at its size limit, or the disk below it is.
    #[error("the database is full: there is no room left in it or on its disk")]
    DatabaseFull,
    /// Another statement holds what this one needs.
    #[error("{message}")]
    Busy {
        /// What is held.
        message: String,
    },
}

impl Problem for DatabaseError {
    fn code(&self) -> Code {
        match self {
            Self::DatabaseFull => codes::DATABASE_FULL,
            Self::Busy { .. } => codes::BUSY,
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::DatabaseFull => {
                "nothing of the request was done; delete what is no longer needed, or, on a machine of your own, make room on the disk"
            }
            Self::Busy { .. } => {
                "finish or abandon the stream that reads the table, then try again"
            }
        };
        Some(hint.to_owned())
    }
}
