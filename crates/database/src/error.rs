//! Errors of a database, independent of the statement.

use base::{Code, Problem};

/// The codes of [`DatabaseError`].
pub mod codes {
    base::codes! {
        DATABASE_FULL: Full,
        BUSY: Conflict,
    }
}

/// An error of a database.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DatabaseError {
    /// The database has reached its size limit, or its disk is full.
    #[error("the database is full: there is no room left in it or on its disk")]
    DatabaseFull,
    /// Another statement has locked something that this one needs.
    #[error("{message}")]
    Busy {
        /// A sentence about the lock.
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
                "the request changed nothing; delete data that is no longer needed, or, on your own machine, free space on the disk"
            }
            Self::Busy { .. } => {
                "try again; if a stream reads the table, read it to its end or close it first"
            }
        };
        Some(hint.to_owned())
    }
}
