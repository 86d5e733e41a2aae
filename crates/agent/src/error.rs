//! The errors of threads.

use base::time::iso8601;
use base::{Code, Problem};
use serde_json::{Value, json};

use crate::status::Status;

/// The codes of [`AgentError`].
pub mod codes {
    base::codes! {
        NO_SUCH_THREAD: NotFound,
        NO_SUCH_CHECKPOINT: NotFound,
        NO_SUCH_PAIR: NotFound,
        NOTHING_PENDING: Conflict,
        WRONG_APPROVAL: Conflict,
        ALREADY_DECIDED: Conflict,
        ALREADY_APPROVED: Conflict,
        APPROVAL_EXPIRED: Conflict,
        STATEMENT_MISMATCH: Conflict,
        TURN_IN_PROGRESS: Conflict,
        INPUT_CONFLICT: Conflict,
        NOTHING_TO_TAKE_BACK: Conflict,
        BAD_APPROVAL_TOKEN: Forbidden,
        OTHER_BUSINESS: Forbidden,
        THREAD_FULL: Full,
        STEP_FAILED: Internal,
        BAD_WRITING: Upstream,
    }
}

/// An error of a thread.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AgentError {
    /// The thread does not exist: it has no question yet.
    #[error("there is no thread {thread:?}")]
    NoSuchThread {
        /// The id of the thread.
        thread: String,
    },
    /// The thread has no such checkpoint.
    #[error("the thread has no checkpoint {checkpoint}")]
    NoSuchCheckpoint {
        /// The id given.
        checkpoint: u64,
    },
    /// The memory has no such pair.
    #[error("the memory has no pair {id:?}")]
    NoSuchPair {
        /// The id given.
        id: String,
    },
    /// A decision while no approval is pending.
    #[error("no statement waits for a decision")]
    NothingPending,
    /// A decision on an approval other than the pending one.
    #[error("the approval {given:?} is not the pending one")]
    WrongApproval {
        /// The id given.
        given: String,
        /// The id of the pending approval.
        pending: Option<String>,
    },
    /// A second decision on the same approval.
    #[error("the approval {approval_id:?} is already {status}", status = .status.name())]
    AlreadyDecided {
        /// The id of the approval.
        approval_id: String,
        /// The status of the approval after the first decision.
        status: Status,
    },
    /// A second approval by the same person.
    #[error("{person:?} has already approved; {missing} more approvals are missing")]
    AlreadyApproved {
        /// The name of the person.
        person: String,
        /// The number of approvals that are still missing.
        missing: usize,
    },
    /// A decision after the approval has expired.
    #[error("the approval {approval_id:?} expired at {at}", at = iso8601(*.expired_at_ms))]
    ApprovalExpired {
        /// The id of the approval.
        approval_id: String,
        /// The time of expiry, in milliseconds since 1970.
        expired_at_ms: u64,
    },
    /// A decision on a statement other than the pending one.
    #[error("the sha256 does not match the pending statement")]
    StatementChanged {
        /// The hash given.
        given: String,
        /// The hash of the pending statement.
        pending: String,
    },
    /// A question while the thread still works on the previous one.
    #[error("the thread is still working on the previous question; its next step is {step}")]
    TurnInProgress {
        /// The step that comes next.
        step: &'static str,
    },
    /// An input id that belongs to another question.
    #[error("the inputId {input_id:?} belongs to another question")]
    InputConflict {
        /// The input id.
        input_id: String,
    },
    /// An undo of something that cannot be undone.
    #[error("{reason}")]
    NothingToTakeBack {
        /// The reason.
        reason: String,
    },
    /// An approval token that is forged, expired or made for another approval.
    #[error("the approval token {reason}")]
    BadApprovalToken {
        /// The problem of the token.
        reason: &'static str,
    },
    /// A request for a business other than the one of the access token.
    #[error("the access token is for a business other than {given:?}")]
    OtherBusiness {
        /// The business given.
        given: String,
    },
    /// A request for a business other than the one of the thread, whose messages hold rows of it.
    #[error("the thread belongs to a business other than {given:?}")]
    ThreadOfOtherBusiness {
        /// The business given.
        given: String,
    },
    /// A thread that has as many checkpoints as it may have.
    #[error("the thread has {limit} checkpoints, which is its limit")]
    ThreadFull {
        /// The limit, in checkpoints.
        limit: u64,
    },
    /// A model that was asked twice and did not write the object that it was asked for.
    #[error("the model did not write a statement that can be used: {problem}")]
    BadWriting {
        /// The problem of the second response.
        problem: String,
    },
    /// A step that failed each time it began.
    #[error("{step} failed {tries} times; the last time: {last}")]
    StepFailed {
        /// The name of the step.
        step: &'static str,
        /// The number of times that it began.
        tries: u32,
        /// The description of the last failure.
        last: String,
    },
}

impl Problem for AgentError {
    fn code(&self) -> Code {
        match self {
            Self::NoSuchThread { .. } => codes::NO_SUCH_THREAD,
            Self::NoSuchCheckpoint { .. } => codes::NO_SUCH_CHECKPOINT,
            Self::NoSuchPair { .. } => codes::NO_SUCH_PAIR,
            Self::NothingPending => codes::NOTHING_PENDING,
            Self::WrongApproval { .. } => codes::WRONG_APPROVAL,
            Self::AlreadyDecided { .. } => codes::ALREADY_DECIDED,
            Self::AlreadyApproved { .. } => codes::ALREADY_APPROVED,
            Self::ApprovalExpired { .. } => codes::APPROVAL_EXPIRED,
            Self::StatementChanged { .. } => codes::STATEMENT_MISMATCH,
            Self::TurnInProgress { .. } => codes::TURN_IN_PROGRESS,
            Self::InputConflict { .. } => codes::INPUT_CONFLICT,
            Self::NothingToTakeBack { .. } => codes::NOTHING_TO_TAKE_BACK,
            Self::BadApprovalToken { .. } => codes::BAD_APPROVAL_TOKEN,
            Self::OtherBusiness { .. } | Self::ThreadOfOtherBusiness { .. } => {
                codes::OTHER_BUSINESS
            }
            Self::ThreadFull { .. } => codes::THREAD_FULL,
            Self::StepFailed { .. } => codes::STEP_FAILED,
            Self::BadWriting { .. } => codes::BAD_WRITING,
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NoSuchThread { .. } => "ask a question first: POST …/messages",
            Self::NoSuchCheckpoint { .. } => "list the checkpoints with GET …/history",
            Self::NoSuchPair { .. } => "list the pairs with GET /api/agent/memory",
            Self::NothingPending => "read the thread with GET …/state",
            Self::WrongApproval { .. } | Self::StatementChanged { .. } => {
                "read the pending approval with GET …/state, show it to the person again, and send a decision on it"
            }
            Self::AlreadyDecided { .. } => "read the result with GET …/state",
            Self::AlreadyApproved { .. } => "another person has to approve it too",
            Self::ApprovalExpired { .. } => "ask the question again",
            Self::TurnInProgress { .. } => "wait until its stream ends, or check with GET …/state",
            Self::InputConflict { .. } => "give each question an inputId of its own",
            Self::BadApprovalToken { .. } => "use the token of the pending approval",
            Self::OtherBusiness { .. } => "leave businessId out",
            Self::ThreadOfOtherBusiness { .. } => {
                "ask in another thread, or for the business of this one"
            }
            Self::ThreadFull { .. } => "continue in a new thread",
            Self::BadWriting { .. } => "rephrase the question, or configure another model",
            Self::NothingToTakeBack { .. } | Self::StepFailed { .. } => return None,
        };
        Some(hint.to_owned())
    }

    fn details(&self) -> Value {
        match self {
            Self::WrongApproval { pending, .. } => json!({ "pending": pending }),
            Self::AlreadyDecided { status, .. } => json!({ "status": status.name() }),
            Self::AlreadyApproved { missing, .. } => json!({ "missing": missing }),
            Self::StatementChanged { pending, .. } => json!({ "pending": pending }),
            Self::ThreadFull { limit } => json!({ "limit": limit }),
            Self::NoSuchThread { .. }
            | Self::NoSuchCheckpoint { .. }
            | Self::NoSuchPair { .. }
            | Self::NothingPending
            | Self::ApprovalExpired { .. }
            | Self::TurnInProgress { .. }
            | Self::InputConflict { .. }
            | Self::NothingToTakeBack { .. }
            | Self::BadApprovalToken { .. }
            | Self::OtherBusiness { .. }
            | Self::ThreadOfOtherBusiness { .. }
            | Self::BadWriting { .. }
            | Self::StepFailed { .. } => Value::Null,
        }
    }
}
