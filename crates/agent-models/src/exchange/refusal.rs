//! Parses the failures that providers report, in any of these shapes:
//! `{"error":{"message","type","code"}}` (OpenAI and compatible endpoints),
//! `{"type":"error","error":{"type","message"}}` (Anthropic), `{"error":"…"}`, `{"message":"…"}`,
//! `{"detail":"…"}`, `{"errors":[{"message"}]}`.

use net::Secrets;
use net::transport::Broken;
use serde_json::Value;

use crate::error::{Cap, ModelError, Refuser};
use crate::gathering::shown;

/// Names by which providers say that a filter blocked the request or the response.
const FILTERED: &[&str] = &["content_filter", "content_policy_violation"];
/// Names by which providers say that the key is invalid or lacks a permission.
const UNAUTHORIZED: &[&str] = &[
    "authentication_error",
    "permission_error",
    "invalid_api_key",
    "401",
    "403",
];
/// Names by which providers say that the credit of the account is used up.
const NO_CREDIT: &[&str] = &[
    "insufficient_quota",
    "billing_error",
    "billing_hard_limit_reached",
    "402",
];
/// Names by which providers say that there were too many requests.
const TOO_MANY: &[&str] = &["rate_limit_error", "rate_limit_exceeded", "429"];

/// The fields of a failure.
#[derive(Default)]
struct ProviderFailure {
    message: String,
    kind: String,
    code: String,
}

impl ProviderFailure {
    fn read(value: &Value) -> Self {
        let text = |value: Option<&Value>| match value {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Number(number)) => number.to_string(),
            _ => String::new(),
        };
        let first = value.get("errors").and_then(|errors| errors.get(0));
        match value.get("error").or(first) {
            Some(error @ Value::Object(_)) => Self {
                message: text(error.get("message").or_else(|| error.get("detail"))),
                kind: text(error.get("type")),
                code: text(error.get("code")),
            },
            Some(Value::String(message)) => Self {
                message: message.clone(),
                ..Self::default()
            },
            _ => Self {
                message: text(value.get("message").or_else(|| value.get("detail"))),
                kind: text(value.get("type")),
                code: text(value.get("code")),
            },
        }
    }

    fn is_one_of(&self, names: &[&str]) -> bool {
        names.contains(&self.kind.as_str()) || names.contains(&self.code.as_str())
    }
}

/// Returns the failure in a value of a response, in the middle of a stream or in a response with a
/// status of success.
pub(crate) fn error_in(value: &Value) -> Option<ModelError> {
    let error = value.get("error").filter(|error| !error.is_null())?;
    let is_told = matches!(error, Value::Object(_) | Value::String(_));
    is_told.then(|| failure(None, &ProviderFailure::read(value), None))
}

/// Returns the failure of a response with an error status.
pub(super) fn failure_of_status(
    status: u16,
    text: &str,
    retry_after_ms: Option<u64>,
    secrets: &Secrets,
) -> ModelError {
    let told = match serde_json::from_str::<Value>(text) {
        Ok(value) => ProviderFailure::read(&value),
        // A page for browsers contains nothing that says more than the status.
        Err(_) if text.trim_start().starts_with('<') => ProviderFailure::default(),
        Err(_) => ProviderFailure {
            message: secrets.strike_out(text.to_owned()),
            ..ProviderFailure::default()
        },
    };
    failure(Some(status), &told, retry_after_ms)
}

/// Returns the failure of a call that threw, as if it were a response with this status. The status
/// is `None` if the text only says that the call failed.
pub(crate) fn failure_of_thrown(status: Option<u16>, text: &str) -> ModelError {
    let told = ProviderFailure {
        message: text.to_owned(),
        ..ProviderFailure::default()
    };
    failure(status, &told, None)
}

fn failure(status: Option<u16>, told: &ProviderFailure, retry_after_ms: Option<u64>) -> ModelError {
    let message = shown(&told.message);
    if told.is_one_of(FILTERED) {
        return ModelError::Refused {
            by: Refuser::Filter,
            message,
        };
    }
    if matches!(status, Some(401 | 403)) || told.is_one_of(UNAUTHORIZED) {
        return ModelError::Unauthorized { status, message };
    }
    let cap = match status {
        _ if told.is_one_of(NO_CREDIT) => Some(Cap::Quota),
        Some(402) => Some(Cap::Quota),
        Some(429) => Some(Cap::Rate),
        None if told.is_one_of(TOO_MANY) => Some(Cap::Rate),
        _ => None,
    };
    if let Some(cap) = cap {
        return ModelError::RateLimited {
            cap,
            message,
            retry_after_ms,
        };
    }
    match status {
        Some(status @ 300..=399) => ModelError::Rejected {
            status,
            message: "it redirects to another address, and redirects are not followed".to_owned(),
        },
        Some(status) if status != 408 && status < 500 => ModelError::Rejected { status, message },
        // A failure in the middle of a stream is a failure of the provider's servers.
        _ => {
            let said = |before: &str| match message.as_str() {
                "" => before.to_owned(),
                message => format!("{before}: {message}"),
            };
            ModelError::Unavailable {
                message: match status {
                    Some(status) => said(&format!("the provider returned status {status}")),
                    None => said("the provider reports a failure"),
                },
                status,
                retry_after_ms,
            }
        }
    }
}

/// Returns the error for a provider that cannot be reached or that stopped.
pub(crate) fn unavailable(message: impl Into<String>) -> ModelError {
    ModelError::Unavailable {
        message: message.into(),
        status: None,
        retry_after_ms: None,
    }
}

/// Returns the error for a connection that broke.
pub(super) fn broken(broken: &Broken, secrets: &Secrets) -> ModelError {
    unavailable(match broken {
        Broken::Off(reason) => format!(
            "the connection failed: {}",
            shown(&secrets.strike_out(reason.clone()))
        ),
        Broken::NoRoom => "no memory is left for its response".to_owned(),
    })
}
