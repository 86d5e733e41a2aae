//! What can go wrong with a session.

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

/// Why a confirmation is refused. Only who has a genuine one learns more than that it does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfirmationRefusal {
    /// Its time is over.
    Expired,
    /// It was redeemed before.
    AlreadyUsed,
    /// It is for something else, of another session, or was never made here; or what would be deleted has changed since.
    NotForThis,
    /// What would be deleted has changed between the confirmation and the operation.
    Changed,
}

impl ConfirmationRefusal {
    /// The end of a sentence about the confirmation.
    fn in_words(self) -> &'static str {
        match self {
            Self::Expired => "has expired",
            Self::AlreadyUsed => "was already used",
            Self::NotForThis => {
                "is not for this operation, or what would be deleted has changed since"
            }
            Self::Changed => "was for what has changed since",
        }
    }
}

/// What goes wrong with a session.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SessionError {
    /// The object did not answer in time.
    #[error("the database did not respond within {timeout_ms} ms")]
    QueryTimeout {
        /// The time it had.
        timeout_ms: u32,
    },
    /// The session was deleted while something of it was under way.
    #[error("the session was deleted while {what}")]
    SessionDeleted {
        /// What was under way.
        what: &'static str,
    },
    /// A confirmation does not confirm this.
    #[error("the confirmation {}", why.in_words())]
    ConfirmationInvalid {
        /// Why not.
        why: ConfirmationRefusal,
    },
    /// More event streams of changes than a session has.
    #[error("{limit} clients watch this session already")]
    TooManyWatchers {
        /// How many it has at most.
        limit: usize,
    },
    /// `operation` names nothing that we do.
    #[error("no such operation: {operation}")]
    UnknownOperation {
        /// The name given.
        operation: String,
        /// Nearest names first.
        suggestions: Vec<String>,
        /// All there are.
        operations: Vec<&'static str>,
    },
    /// The type or the coding of a body is not one that we read.
    #[error("{message}")]
    UnsupportedMediaType {
        /// What the header says.
        message: String,
        /// What to send.
        hint: String,
        /// What is read.
        accepted: &'static [&'static str],
    },
    /// The deployment has no D1 binding.
    #[error("this deployment has no persistent database")]
    PersistentUnavailable,
    /// A table of that name exists already, and what was to be created is another.
    #[error("{table} exists already with other columns: it has {}, asked for was {}", existing.join(", "), asked.join(", "))]
    OtherColumns {
        /// The table.
        table: String,
        /// What it has.
        existing: Vec<String>,
        /// What was asked for.
        asked: Vec<String>,
    },
    /// Nothing was staged under that id.
    #[error("nothing is staged under {id:?}")]
    StagedNotFound {
        /// The id given.
        id: String,
        /// Nearest ids first.
        suggestions: Vec<String>,
    },
    /// What is to run is not what was approved.
    #[error("{message}")]
    StatementChanged {
        /// What is another one.
        message: String,
        /// The hash that was approved.
        approved: String,
        /// The hash of what would run, or of what ran.
        found: String,
    },
    /// Rows are no longer as the statement left them, or cannot be put back.
    #[error("{message}")]
    UndoConflict {
        /// What stands in the way.
        message: String,
        /// Some of the rows: as the statement left them, and as they are.
        rows: Vec<Value>,
    },
    /// There is nothing to undo a statement with.
    #[error("the statement cannot be undone: {reason}")]
    UndoUnavailable {
        /// Why not.
        reason: String,
    },
    /// No approved statement ran under that name.
    #[error("no approved statement ran as {approval_id:?}")]
    ApprovalNotFound {
        /// The name given.
        approval_id: String,
    },
    /// A result that is larger than staging takes.
    #[error("{message}")]
    StagedTooLarge {
        /// What is too much, and the limit.
        message: String,
        /// How to stay within it.
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
                "call again without requestState, which makes a new confirmation".to_owned()
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
                "nothing was changed; write a statement that sets right what is left".to_owned()
            }
            Self::UndoUnavailable { .. } => {
                "write a statement that sets right what it changed".to_owned()
            }
            Self::ApprovalNotFound { .. } => {
                "use the approvalId under which the statement ran in this session".to_owned()
            }
            Self::StagedNotFound { suggestions, .. } => {
                did_you_mean(suggestions).unwrap_or_else(|| {
                    r#"the id is dataAccessId of a staged result of this session; {"operation":"getTables"} lists its tables"#.to_owned()
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

/// What operations there are, with an example.
pub(crate) fn operations_hint(operations: &[&str]) -> String {
    format!(
        r#"the operations are {}; for example {{"operation":"query","sql":"SELECT 1 AS one"}}"#,
        operations.join(", ")
    )
}

/// What a read yields, and nothing with the reason where it would be too much work.
pub(crate) fn affordable<T>(outcome: base::Result<T>) -> base::Result<(Option<T>, Option<String>)> {
    match outcome {
        Ok(found) => Ok((Some(found), None)),
        Err(error) if error.code() == sql_gate::codes::QUERY_TOO_EXPENSIVE.name => {
            Ok((None, Some(error.to_string())))
        }
        Err(error) => Err(error),
    }
}

/// Whether a text, value or row is over a limit.
pub(crate) fn is_too_big(error: &Error) -> bool {
    matches!(error.of(), Some(CommonError::TooBig { .. }))
}
