//! Formats SQLite's errors like workerd: `<message>[ at offset N]: SQLITE_XXX[ (extended:
//! SQLITE_XXX_YYY)]`.

use database::EngineError;
use rusqlite::ffi;

/// The error with which workerd refuses BEGIN, COMMIT, ROLLBACK, SAVEPOINT and RELEASE.
pub const TRANSACTION_REFUSED: &str = "To execute a transaction, please use the state.storage.transaction() or state.storage.transactionSync() APIs instead of the SQL BEGIN TRANSACTION or SAVEPOINT statements.";

/// Converts an error of rusqlite to the engine's.
pub fn engine_error(error: &rusqlite::Error) -> EngineError {
    let message = match error {
        rusqlite::Error::SqlInputError {
            error, msg, offset, ..
        } => {
            if *offset >= 0 {
                suffix(&format!("{msg} at offset {offset}"), error)
            } else {
                suffix(msg, error)
            }
        }
        rusqlite::Error::SqliteFailure(error, message) => {
            let text = message.clone().unwrap_or_else(|| error.to_string());
            suffix(&text, error)
        }
        rusqlite::Error::InvalidParameterCount(..) => {
            "Wrong number of parameter bindings for SQL query.".to_owned()
        }
        rusqlite::Error::MultipleStatement => {
            "the host adaptor runs one statement for each call: SQLITE_MISUSE".to_owned()
        }
        other => format!("{other}: SQLITE_ERROR"),
    };
    EngineError { message }
}

fn suffix(message: &str, error: &ffi::Error) -> String {
    let primary = match error.extended_code & 0xff {
        ffi::SQLITE_AUTH => "SQLITE_AUTH",
        ffi::SQLITE_CONSTRAINT => "SQLITE_CONSTRAINT",
        ffi::SQLITE_FULL => "SQLITE_FULL",
        ffi::SQLITE_LOCKED => "SQLITE_LOCKED",
        ffi::SQLITE_BUSY => "SQLITE_BUSY",
        ffi::SQLITE_MISMATCH => "SQLITE_MISMATCH",
        ffi::SQLITE_TOOBIG => "SQLITE_TOOBIG",
        ffi::SQLITE_RANGE => "SQLITE_RANGE",
        ffi::SQLITE_MISUSE => "SQLITE_MISUSE",
        ffi::SQLITE_CORRUPT => "SQLITE_CORRUPT",
        ffi::SQLITE_NOMEM => "SQLITE_NOMEM",
        _ => "SQLITE_ERROR",
    };
    let extended = match error.extended_code {
        ffi::SQLITE_CONSTRAINT_CHECK => " (extended: SQLITE_CONSTRAINT_CHECK)",
        ffi::SQLITE_CONSTRAINT_DATATYPE => " (extended: SQLITE_CONSTRAINT_DATATYPE)",
        ffi::SQLITE_CONSTRAINT_FOREIGNKEY => " (extended: SQLITE_CONSTRAINT_FOREIGNKEY)",
        ffi::SQLITE_CONSTRAINT_NOTNULL => " (extended: SQLITE_CONSTRAINT_NOTNULL)",
        ffi::SQLITE_CONSTRAINT_PRIMARYKEY => " (extended: SQLITE_CONSTRAINT_PRIMARYKEY)",
        ffi::SQLITE_CONSTRAINT_ROWID => " (extended: SQLITE_CONSTRAINT_ROWID)",
        ffi::SQLITE_CONSTRAINT_TRIGGER => " (extended: SQLITE_CONSTRAINT_TRIGGER)",
        ffi::SQLITE_CONSTRAINT_UNIQUE => " (extended: SQLITE_CONSTRAINT_UNIQUE)",
        ffi::SQLITE_CORRUPT_VTAB => " (extended: SQLITE_CORRUPT_VTAB)",
        _ => "",
    };
    format!("{message}: {primary}{extended}")
}
