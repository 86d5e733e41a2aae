//! The errors of models. No message contains the API key, because texts of providers are redacted
//! before they become part of an error.

use base::{Code, Problem};
use serde_json::{Value, json};

use crate::usage::Usage;

/// The codes of [`ModelError`].
pub mod codes {
    base::codes! {
        MODEL_REFUSED: Unprocessable,
        MODEL_BUDGET_EXCEEDED: Forbidden,
        MODEL_NOT_CONFIGURED: NotBuiltIn,
        MODEL_BAD_ANSWER: Upstream,
        MODEL_REJECTED: Upstream,
        MODEL_UNAUTHORIZED: Upstream,
        MODEL_RATE_LIMITED: Overloaded,
        MODEL_UNAVAILABLE: Overloaded,
        MODEL_TIMEOUT: Timeout,
    }
}

/// The event that a timeout waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// The first byte of the response.
    FirstByte,
    /// The next byte of a response that has begun.
    NextByte,
    /// The end of the response, retries included.
    End,
}

impl Wait {
    /// Returns the name in the details of an error.
    pub fn name(self) -> &'static str {
        match self {
            Self::FirstByte => "first_byte",
            Self::NextByte => "next_byte",
            Self::End => "end",
        }
    }
}

/// The party that refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refuser {
    /// The model itself.
    Model,
    /// A filter of the provider.
    Filter,
}

/// The quota that is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cap {
    /// Requests or tokens in a short time: a retry helps.
    Rate,
    /// The credit of the account: a retry does not help.
    Quota,
}

/// The problem of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadResponse {
    /// It has another content type, such as a page for browsers.
    WrongType,
    /// It is neither JSON nor events of the protocol.
    Malformed,
    /// It has no text.
    Empty,
    /// It is larger than the limit.
    TooLarge,
    /// It ended at the limit of output tokens, in the middle of the object.
    CutOff,
    /// It has no JSON object, although the request asked for one.
    NoObject,
    /// It has several JSON objects, although the request asked for one.
    SeveralObjects,
    /// Its object does not fit the type of the caller.
    WrongShape,
}

impl BadResponse {
    /// All problems.
    pub const ALL: [Self; 8] = [
        Self::WrongType,
        Self::Malformed,
        Self::Empty,
        Self::TooLarge,
        Self::CutOff,
        Self::NoObject,
        Self::SeveralObjects,
        Self::WrongShape,
    ];

    /// Returns the name in the details of an error.
    pub fn name(self) -> &'static str {
        match self {
            Self::WrongType => "wrong_type",
            Self::Malformed => "malformed",
            Self::Empty => "empty",
            Self::TooLarge => "too_large",
            Self::CutOff => "cut_off",
            Self::NoObject => "no_object",
            Self::SeveralObjects => "several_objects",
            Self::WrongShape => "wrong_shape",
        }
    }
}

/// An error of a model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// The deployment has no model that can be used.
    #[error("{message}")]
    NotConfigured {
        /// The missing setting.
        message: String,
    },
    /// The provider does not accept the API key.
    #[error("the provider of the model does not accept the API key{}", told(.message))]
    Unauthorized {
        /// The HTTP status, if there is one.
        status: Option<u16>,
        /// The message of the provider.
        message: String,
    },
    /// The provider accepts no more requests for some time.
    #[error("{}{}", cap_words(*.cap), told(.message))]
    RateLimited {
        /// The quota that is used up.
        cap: Cap,
        /// The message of the provider.
        message: String,
        /// Milliseconds after which to ask again, if the provider says so.
        retry_after_ms: Option<u64>,
    },
    /// The provider cannot be reached, or cannot respond now.
    #[error("the model is not available: {message}")]
    Unavailable {
        /// The description of the problem.
        message: String,
        /// The HTTP status, if there is one.
        status: Option<u16>,
        /// Milliseconds after which to ask again, if the provider says so.
        retry_after_ms: Option<u64>,
    },
    /// The response took too long.
    #[error("{}", timeout_words(*.waited_for, *.limit_ms))]
    Timeout {
        /// The event that the timeout waited for.
        waited_for: Wait,
        /// The time limit in milliseconds.
        limit_ms: u64,
    },
    /// The model, or a filter, refuses to respond to the request.
    #[error("{} refused to respond{}", refuser_words(*.by), told(.message))]
    Refused {
        /// The party that refused.
        by: Refuser,
        /// Its explanation.
        message: String,
    },
    /// The response cannot be used.
    #[error("the response of the model {message}")]
    BadAnswer {
        /// The kind of problem.
        reason: BadResponse,
        /// The end of a sentence that begins with "the response of the model".
        message: String,
    },
    /// The provider says that the request is invalid.
    #[error("the provider of the model rejected the request with status {status}{}", told(.message))]
    Rejected {
        /// The HTTP status.
        status: u16,
        /// The message of the provider.
        message: String,
    },
    /// The budget of the period is used up, or this request could exceed it.
    #[error(
        "the budget for models is used up: {spent_microdollars} of {limit_microdollars} microdollars are spent, and this request may cost {reserved_microdollars}"
    )]
    BudgetExceeded {
        /// The cost of the period so far, with the requests in progress.
        spent_microdollars: u64,
        /// The maximum cost of this request.
        reserved_microdollars: u64,
        /// The budget for the period.
        limit_microdollars: u64,
        /// The beginning of the next period, in milliseconds since 1970.
        resets_at_ms: u64,
    },
}

fn told(message: &str) -> String {
    if message.is_empty() {
        String::new()
    } else {
        format!(": {message}")
    }
}

fn cap_words(cap: Cap) -> &'static str {
    match cap {
        Cap::Rate => "the provider of the model accepts no more requests for now",
        Cap::Quota => "the account at the provider of the model has no credit left",
    }
}

fn refuser_words(by: Refuser) -> &'static str {
    match by {
        Refuser::Model => "the model",
        Refuser::Filter => "a content filter of the provider",
    }
}

fn timeout_words(waited_for: Wait, limit_ms: u64) -> String {
    match waited_for {
        Wait::FirstByte => format!("the model sent nothing within {limit_ms} ms"),
        Wait::NextByte => {
            format!(
                "the model stopped in the middle of its response: it sent nothing for {limit_ms} ms"
            )
        }
        Wait::End => format!("the model did not end its response within {limit_ms} ms"),
    }
}

impl Problem for ModelError {
    fn code(&self) -> Code {
        match self {
            Self::NotConfigured { .. } => codes::MODEL_NOT_CONFIGURED,
            Self::Unauthorized { .. } => codes::MODEL_UNAUTHORIZED,
            Self::RateLimited { .. } => codes::MODEL_RATE_LIMITED,
            Self::Unavailable { .. } => codes::MODEL_UNAVAILABLE,
            Self::Timeout { .. } => codes::MODEL_TIMEOUT,
            Self::Refused { .. } => codes::MODEL_REFUSED,
            Self::BadAnswer { .. } => codes::MODEL_BAD_ANSWER,
            Self::Rejected { .. } => codes::MODEL_REJECTED,
            Self::BudgetExceeded { .. } => codes::MODEL_BUDGET_EXCEEDED,
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NotConfigured { .. } => {
                "set the environment variable MODEL, and the secret MODEL_API_KEY"
            }
            Self::Unauthorized { .. } => {
                "correct the secret MODEL_API_KEY, or give the key access to the model"
            }
            Self::RateLimited { cap: Cap::Rate, .. } => "send the same request again later",
            Self::RateLimited {
                cap: Cap::Quota, ..
            } => "add credit to the account at the provider, or configure another model in MODEL",
            Self::Unavailable { .. } => "send the same request again in a few seconds",
            Self::Timeout { waited_for, .. } => match waited_for {
                Wait::FirstByte => {
                    "send the request again; raise firstByteMs in MODEL for an endpoint that loads its model first"
                }
                Wait::NextByte => {
                    "send the request again; raise stallMs in MODEL for a model that pauses to reason"
                }
                Wait::End => "ask for less, or raise timeoutMs in MODEL",
            },
            Self::Refused { .. } => "ask in other words",
            Self::BadAnswer { reason, .. } => bad_response_hint(*reason),
            Self::Rejected { .. } => {
                "compare baseUrl and model in MODEL with what the provider offers; a request that is too long is rejected, too"
            }
            Self::BudgetExceeded { .. } => "wait for the next day, or raise budgetPerDay in MODEL",
        };
        Some(hint.to_owned())
    }

    fn details(&self) -> Value {
        match self {
            Self::RateLimited { retry_after_ms, .. } => json!({ "retryAfterMs": retry_after_ms }),
            Self::Unavailable {
                status,
                retry_after_ms,
                ..
            } => json!({ "status": status, "retryAfterMs": retry_after_ms }),
            Self::Unauthorized { status, .. } => json!({ "status": status }),
            Self::Rejected { status, .. } => json!({ "status": status }),
            Self::Timeout {
                waited_for,
                limit_ms,
            } => json!({ "waitedFor": waited_for.name(), "timeoutMs": limit_ms }),
            Self::BadAnswer { reason, .. } => json!({ "reason": reason.name() }),
            Self::BudgetExceeded {
                spent_microdollars,
                reserved_microdollars,
                limit_microdollars,
                resets_at_ms,
            } => json!({
                "spentMicrodollars": spent_microdollars,
                "reservedMicrodollars": reserved_microdollars,
                "limitMicrodollars": limit_microdollars,
                "resetsAtMs": resets_at_ms,
            }),
            Self::NotConfigured { .. } | Self::Refused { .. } => Value::Null,
        }
    }
}

fn bad_response_hint(reason: BadResponse) -> &'static str {
    match reason {
        BadResponse::WrongType | BadResponse::Malformed => {
            "compare baseUrl in MODEL with the address in the documentation of the provider: the path of the API is appended to it"
        }
        BadResponse::CutOff => "raise maxOutputTokens in MODEL, or ask for less",
        BadResponse::TooLarge => "ask for less",
        BadResponse::Empty
        | BadResponse::NoObject
        | BadResponse::SeveralObjects
        | BadResponse::WrongShape => {
            "send the request again; if it happens often, configure a model in MODEL that supports structured output"
        }
    }
}

impl ModelError {
    /// Returns the error for a response that cannot be used.
    pub(crate) fn bad(reason: BadResponse, message: impl Into<String>) -> Self {
        Self::BadAnswer {
            reason,
            message: message.into(),
        }
    }

    /// Returns true if the same request may succeed a moment later.
    pub(crate) fn may_pass(&self) -> bool {
        matches!(
            self,
            Self::Unavailable { .. } | Self::RateLimited { cap: Cap::Rate, .. }
        )
    }

    /// Returns the milliseconds for which the provider asks us to wait.
    pub(crate) fn retry_after_ms(&self) -> Option<u64> {
        match self {
            Self::Unavailable { retry_after_ms, .. } | Self::RateLimited { retry_after_ms, .. } => {
                *retry_after_ms
            }
            Self::NotConfigured { .. }
            | Self::Unauthorized { .. }
            | Self::Timeout { .. }
            | Self::Refused { .. }
            | Self::BadAnswer { .. }
            | Self::Rejected { .. }
            | Self::BudgetExceeded { .. } => None,
        }
    }
}

/// The error of a request, with the tokens that were spent nevertheless.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{error}")]
pub struct ModelFailure {
    /// The error.
    pub error: ModelError,
    /// The tokens that the provider counted until the failure.
    pub usage: Usage,
}

impl From<ModelError> for ModelFailure {
    fn from(error: ModelError) -> Self {
        Self {
            error,
            usage: Usage::default(),
        }
    }
}

/// Code, hint and details are those of the error.
impl Problem for ModelFailure {
    fn code(&self) -> Code {
        self.error.code()
    }

    fn hint(&self) -> Option<String> {
        self.error.hint()
    }

    fn details(&self) -> Value {
        self.error.details()
    }
}
