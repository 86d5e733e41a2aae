//! Errors of a session.

use base::{Code, CommonError, Error, Problem, did_you_mean};
use serde_json::{Value, json};

/// The codes of [`SessionError`].
pub mod codes {
    base::codes! {
        UNKNOWN_OPERATION: Invalid,
        UNSUPPORTED_MEDIA_TYPE: UnsupportedForm,
        QUERY_TIMEOUT: Timeout,
        SESSION_DELETED: Conflict,
        CONFIRMATION_INVALID: Conflict,
        // Not a fault: nothing is broken, the deployment simply has no such database.
        PERSISTENT_UNAVAILABLE: NotFound,
        STAGED_NOT_FOUND: NotFound,
        STAGED_TOO_LARGE: Unprocessable,
        TOO_MANY_WATCHERS: Overloaded,
        STATEMENT_CHANGED: Conflict,
        UNDO_CONFLICT: Conflict,
        UNDO_UNAVAILABLE: Conflict,
        APPROVAL_NOT_FOUND: NotFound,
    }
}

/// The reason why a confirmation is refused. `Expired`, `AlreadyUsed` and `Changed` are only
/// reported to a caller whose confirmation is genuine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfirmationRefusal {
    /// The confirmation has expired.
    Expired,
    /// The confirmation was redeemed before.
    AlreadyUsed,
    /// The confirmation is for another operation or session, or was never issued here, or the data
    /// that would be deleted has changed since.
    NotForThis,
    /// The data that would be deleted has changed between the confirmation and the operation.
    Changed,
}

impl ConfirmationRefusal {
    /// Returns the predicate of a sentence about the confirmation.
    fn in_words(self) -> &'static str {
        match self {
            Self::Expired => "has expired",
            Self::AlreadyUsed => "was already used",
            Self::NotForThis => {
                "is not for this operation, or the data that would be deleted has changed since"
            }
            Self::Changed => "is no longer valid: the data that would be deleted has changed since",
        }
    }
}

/// An error of a session.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SessionError {
    /// The object did not respond in time.
    #[error("the database did not respond within {timeout_ms} ms")]
    QueryTimeout {
        /// The time limit that was exceeded.
        timeout_ms: u32,
    },
    /// The session was deleted while an operation was running.
    #[error("the session was deleted while {what}")]
    SessionDeleted {
        /// The operation that was running.
        what: &'static str,
    },
    /// The confirmation is not valid for this operation.
    #[error("the confirmation {}", why.in_words())]
    ConfirmationInvalid {
        /// The reason.
        why: ConfirmationRefusal,
    },
    /// The session already has as many event streams of changes as it may have.
    #[error("{limit} clients already watch this session, which is the limit")]
    TooManyWatchers {
        /// The maximum number of streams.
        limit: usize,
    },
    /// `operation` is not the name of an operation.
    #[error("no such operation: {operation}")]
    UnknownOperation {
        /// The name in the request.
        operation: String,
        /// Similar names, nearest first.
        suggestions: Vec<String>,
        /// The names of all operations.
        operations: Vec<&'static str>,
    },
    /// A body has a type or content coding that is not supported.
    #[error("{message}")]
    UnsupportedMediaType {
        /// The sentence about the header.
        message: String,
        /// The types or codings to use instead.
        hint: String,
        /// The supported types or codings.
        accepted: &'static [&'static str],
    },
    /// The deployment has no D1 binding.
    #[error("this deployment has no persistent database")]
    PersistentUnavailable,
    /// A table of that name already exists, with columns other than the requested ones.
    #[error("{table} already exists with other columns: it has {}, but the request has {}", existing.join(", "), asked.join(", "))]
    OtherColumns {
        /// The name of the table.
        table: String,
        /// The columns of the existing table.
        existing: Vec<String>,
        /// The requested columns.
        asked: Vec<String>,
    },
    /// No result is staged under the id.
    #[error("nothing is staged under {id:?}")]
    StagedNotFound {
        /// The id in the request.
        id: String,
        /// Similar ids, nearest first.
        suggestions: Vec<String>,
    },
    /// The statement to run differs from the approved one.
    #[error("{message}")]
    StatementChanged {
        /// A sentence about the difference.
        message: String,
        /// The hash that was approved.
        approved: String,
        /// The hash of the statement that would run, or that ran.
        found: String,
    },
    /// Rows have changed since the statement ran, or cannot be restored.
    #[error("{message}")]
    UndoConflict {
        /// A sentence about the obstacle.
        message: String,
        /// Some of the rows: as the statement left them, and as they are now.
        rows: Vec<Value>,
    },
    /// The statement cannot be undone, because nothing was kept to undo it with.
    #[error("the statement cannot be undone: {reason}")]
    UndoUnavailable {
        /// The reason.
        reason: String,
    },
    /// No approved statement ran under that approval id.
    #[error("no approved statement ran as {approval_id:?}")]
    ApprovalNotFound {
        /// The approval id in the request.
        approval_id: String,
    },
    /// A result that is too large to be staged.
    #[error("{message}")]
    StagedTooLarge {
        /// A sentence about the limit that is exceeded.
        message: String,
        /// The way to stay within the limit.
        hint: String,
    },
}

impl Problem for SessionError {
    fn code(&self) -> Code {
        match self {
            Self::QueryTimeout { .. } => codes::QUERY_TIMEOUT,
            Self::SessionDeleted { .. } => codes::SESSION_DELETED,
            Self::ConfirmationInvalid { .. } => codes::CONFIRMATION_INVALID,
            Self::TooManyWatchers { .. } => codes::TOO_MANY_WATCHERS,
            Self::UnknownOperation { .. } => codes::UNKNOWN_OPERATION,
            Self::UnsupportedMediaType { .. } => codes::UNSUPPORTED_MEDIA_TYPE,
            Self::PersistentUnavailable => codes::PERSISTENT_UNAVAILABLE,
            Self::OtherColumns { .. } => sql_gate::codes::ALREADY_EXISTS,
            Self::StagedNotFound { .. } => codes::STAGED_NOT_FOUND,
            Self::StagedTooLarge { .. } => codes::STAGED_TOO_LARGE,
            Self::StatementChanged { .. } => codes::STATEMENT_CHANGED,
            Self::UndoConflict { .. } => codes::UNDO_CONFLICT,
            Self::UndoUnavailable { .. } => codes::UNDO_UNAVAILABLE,
            Self::ApprovalNotFound { .. } => codes::APPROVAL_NOT_FOUND,
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::QueryTimeout { .. } => {
                "select fewer rows, add an index, or split the work into steps".to_owned()
            }
            Self::SessionDeleted { .. } => {
                "its tables are gone; the next request starts a new session".to_owned()
            }
            Self::ConfirmationInvalid { .. } => {
                "call again without requestState to get a new confirmation".to_owned()
            }
            Self::TooManyWatchers { .. } => {
                "close event streams that are no longer read, or try again later".to_owned()
            }
            Self::UnknownOperation {
                suggestions,
                operations,
                ..
            } => did_you_mean(suggestions).unwrap_or_else(|| operations_hint(operations)),
            Self::UnsupportedMediaType { hint, .. } | Self::StagedTooLarge { hint, .. } => {
                hint.clone()
            }
            Self::PersistentUnavailable => {
                "add a D1 binding named CODEMODE_D1 to wrangler.toml (docs/deploying.md)".to_owned()
            }
            Self::OtherColumns { table, .. } => format!(
                "use the columns that it has, add one with ALTER TABLE {table} ADD COLUMN, choose another name, or DROP TABLE {table} first"
            ),
            Self::StatementChanged { .. } => {
                "preview the statement again, and have it approved again".to_owned()
            }
            Self::UndoConflict { .. } => {
                "nothing was changed; write a statement that corrects the remaining rows".to_owned()
            }
            Self::UndoUnavailable { .. } => {
                "write a statement that reverts its changes".to_owned()
            }
            Self::ApprovalNotFound { .. } => {
                "use the approvalId under which the statement ran in this session".to_owned()
            }
            Self::StagedNotFound { suggestions, .. } => {
                did_you_mean(suggestions).unwrap_or_else(|| {
                    r#"the id is the dataAccessId of a staged result of this session; {"operation":"getTables"} lists its tables"#.to_owned()
                })
            }
        })
    }

    fn details(&self) -> Value {
        match self {
            Self::QueryTimeout { timeout_ms } => json!({ "timeoutMs": timeout_ms }),
            Self::UnsupportedMediaType { accepted, .. } => json!({ "accepted": accepted }),
            Self::UnknownOperation { suggestions, .. } => json!({ "suggestions": suggestions }),
            Self::OtherColumns {
                existing, asked, ..
            } => json!({ "existing": existing, "asked": asked }),
            Self::StagedNotFound { id, suggestions } => {
                json!({ "id": id, "suggestions": suggestions })
            }
            Self::StatementChanged {
                approved, found, ..
            } => json!({ "approved": approved, "found": found }),
            Self::UndoConflict { rows, .. } => json!({ "rows": rows }),
            Self::UndoUnavailable { reason } => json!({ "reason": reason }),
            Self::ApprovalNotFound { approval_id } => json!({ "approvalId": approval_id }),
            Self::SessionDeleted { .. }
            | Self::ConfirmationInvalid { .. }
            | Self::TooManyWatchers { .. }
            | Self::PersistentUnavailable
            | Self::StagedTooLarge { .. } => Value::Null,
        }
    }
}

/// Returns the hint that lists the operations, with an example.
pub(crate) fn operations_hint(operations: &[&str]) -> String {
    format!(
        r#"the operations are {}; for example {{"operation":"query","sql":"SELECT 1 AS one"}}"#,
        operations.join(", ")
    )
}

/// Turns the error `QUERY_TOO_EXPENSIVE` into `None` and its message; other errors are passed on.
pub(crate) fn affordable<T>(outcome: base::Result<T>) -> base::Result<(Option<T>, Option<String>)> {
    match outcome {
        Ok(found) => Ok((Some(found), None)),
        Err(error) if error.code() == sql_gate::codes::QUERY_TOO_EXPENSIVE.name => {
            Ok((None, Some(error.to_string())))
        }
        Err(error) => Err(error),
    }
}

/// Returns true if the error says that a text, value or row is over a limit.
pub(crate) fn is_too_big(error: &Error) -> bool {
    matches!(error.of(), Some(CommonError::TooBig { .. }))
}
