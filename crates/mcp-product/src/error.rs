//! The errors of this crate, in addition to those of sessions and servers.

use base::{Code, Problem};

/// The codes of [`McpServerError`].
pub mod codes {
    base::codes! {
        RESULT_TOO_LARGE: Unprocessable,
        CONFIRMATION_REQUIRED: Conflict,
        CONFIRMATION_DECLINED: Conflict,
        PERSON_REQUIRED: Forbidden,
        INVALID_CURSOR: Invalid,
        TOOL_NOT_IN_PROFILE: Forbidden,
    }
}

/// A failure of a tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum McpServerError {
    /// One row or one value is larger than a result may be.
    #[error("{what} takes more than {limit_tokens} tokens, the limit of a result")]
    ResultTooLarge {
        /// The row or value.
        what: &'static str,
        /// The limit.
        limit_tokens: usize,
        /// A way to read it.
        hint: String,
    },
    /// Something would be deleted without a confirmation.
    #[error("this would delete {object}, and it is not confirmed")]
    ConfirmationRequired {
        /// A description of the object.
        object: String,
        /// The expected argument `confirm`.
        name: String,
    },
    /// A program would drop persistent data, and a program cannot ask the user.
    #[error("this would drop the persistent {what} {name}, and a program cannot ask the user")]
    DropInProgram {
        /// Table or view.
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// The user was asked and did not agree.
    #[error("{object} was not deleted: the user did not agree")]
    ConfirmationDeclined {
        /// A description of the object.
        object: String,
    },
    /// A person must decide, not a model, and the client cannot show its user a form.
    #[error("a person has to decide on the pending statement of the thread {thread}")]
    PersonRequired {
        /// The thread.
        thread: String,
    },
    /// A person must decide in a code workspace, not a model, and the client cannot show its user a
    /// form, or none that is large enough.
    #[error("a person has to decide on {what}")]
    CodePersonRequired {
        /// A description of the pending decision.
        what: String,
        /// The workspace.
        workspace: String,
    },
    /// The user was asked about a change of a code workspace and did not agree.
    #[error("{what}: the user did not agree")]
    CodeDeclined {
        /// A description of the rejected change.
        what: String,
    },
    /// The cursor is invalid, or belongs to another statement.
    #[error("the cursor does not belong to this statement")]
    InvalidCursor,
    /// The tool exists only at another endpoint.
    #[error("{tool} is not a tool of this endpoint")]
    ToolNotInProfile {
        /// Its name.
        tool: String,
    },
    /// The tool writes, but the endpoint is read-only.
    #[error("{tool} writes, but this endpoint only reads")]
    ToolWrites {
        /// Its name.
        tool: String,
    },
}

impl Problem for McpServerError {
    fn code(&self) -> Code {
        match self {
            Self::ResultTooLarge { .. } => codes::RESULT_TOO_LARGE,
            Self::ConfirmationRequired { .. } | Self::DropInProgram { .. } => {
                codes::CONFIRMATION_REQUIRED
            }
            Self::ConfirmationDeclined { .. } => codes::CONFIRMATION_DECLINED,
            Self::PersonRequired { .. } | Self::CodePersonRequired { .. } => codes::PERSON_REQUIRED,
            Self::CodeDeclined { .. } => codes::CONFIRMATION_DECLINED,
            Self::InvalidCursor => codes::INVALID_CURSOR,
            Self::ToolNotInProfile { .. } | Self::ToolWrites { .. } => codes::TOOL_NOT_IN_PROFILE,
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::ResultTooLarge { hint, .. } => hint.clone(),
            Self::ConfirmationRequired { name, .. } => format!(
                "ask the user; if they agree, call again with \"confirm\": {}",
                base::quoted::json(name)
            ),
            Self::DropInProgram { .. } => {
                "drop it with the tool db_drop_table of the endpoint /mcp and target persistent, which asks the user".to_owned()
            }
            Self::ConfirmationDeclined { .. } => "do not try again unless the user asks".to_owned(),
            Self::PersonRequired { thread } => format!(
                "ask the user to decide on the page /agent/{thread}, then look with GET …/state"
            ),
            Self::CodePersonRequired { workspace, .. } => format!(
                "ask the user to decide on the page /code/{workspace}, then look with list_proposals or get_file_metadata"
            ),
            Self::CodeDeclined { .. } => "do not try again unless the user asks".to_owned(),
            Self::InvalidCursor => {
                "repeat sql, params and target as they were, with the nextCursor of their last result; or leave cursor out"
                    .to_owned()
            }
            Self::ToolNotInProfile { .. } => "the endpoint /mcp has all tools".to_owned(),
            Self::ToolWrites { .. } => "the same endpoint without ?readonly=true has all tools".to_owned(),
        })
    }
}
