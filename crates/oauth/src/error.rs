//! The errors of access tokens and of their issuer.

use base::limits::MAX_NAME_CHARACTERS;
use base::{Code, Problem};
use serde_json::{Value, json};

use super::token::TokenProblem;

/// The codes of [`OauthError`].
pub mod codes {
    base::codes! {
        INVALID_TOKEN: Unauthenticated,
        INSUFFICIENT_SCOPE: Forbidden,
        TENANT_CLAIM_UNUSABLE: Forbidden,
        BUSINESS_CLAIM_UNUSABLE: Forbidden,
        ISSUER_RESPONSE_INVALID: Upstream,
        ISSUER_UNAVAILABLE: Overloaded,
    }
}

/// An error of an access token or of its issuer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OauthError {
    /// The access token is refused.
    #[error("{problem}")]
    InvalidToken {
        /// The reason.
        problem: TokenProblem,
    },
    /// The token is valid, but it lacks a scope.
    #[error("the access token lacks the scope {}", missing.join(" "))]
    InsufficientScope {
        /// The scopes that it lacks.
        missing: Vec<String>,
        /// The scopes that every token must have.
        required: Vec<String>,
    },
    /// The token is valid, but its claim for the tenant is unusable.
    #[error("the claim {claim} of the access token {problem}")]
    TenantClaimUnusable {
        /// The claim that names the tenant.
        claim: String,
        /// The problem of the claim, as a predicate.
        problem: &'static str,
    },
    /// The token is valid, but its claim for the business is unusable.
    #[error("the claim {claim} of the access token {problem}")]
    BusinessClaimUnusable {
        /// The claim that names the business.
        claim: String,
        /// The problem of the claim, as a predicate.
        problem: &'static str,
    },
    /// The response of the issuer is not valid metadata or a valid key set.
    #[error("{message}")]
    IssuerResponseInvalid {
        /// The problem of the response.
        message: String,
        /// A hint on how to fix it.
        hint: &'static str,
    },
    /// The issuer did not respond, or reported that it cannot.
    #[error("{message}")]
    IssuerUnavailable {
        /// The failure.
        message: String,
    },
}

impl Problem for OauthError {
    fn code(&self) -> Code {
        match self {
            Self::InvalidToken { .. } => codes::INVALID_TOKEN,
            Self::InsufficientScope { .. } => codes::INSUFFICIENT_SCOPE,
            Self::TenantClaimUnusable { .. } => codes::TENANT_CLAIM_UNUSABLE,
            Self::BusinessClaimUnusable { .. } => codes::BUSINESS_CLAIM_UNUSABLE,
            Self::IssuerResponseInvalid { .. } => codes::ISSUER_RESPONSE_INVALID,
            Self::IssuerUnavailable { .. } => codes::ISSUER_UNAVAILABLE,
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::InvalidToken { problem } => problem.hint().to_owned(),
            Self::InsufficientScope { required, .. } => {
                format!(
                    "request an access token with the scope {}",
                    required.join(" ")
                )
            }
            Self::TenantClaimUnusable { .. } => format!(
                "the claim names the tenant: a text of 1 to {MAX_NAME_CHARACTERS} characters of A-Z, a-z, 0-9, '.', '_', ':' and '-'; set the environment variable OAUTH_TENANT_CLAIM to a claim that has one"
            ),
            Self::BusinessClaimUnusable { .. } => format!(
                "the claim names the business: a text of 1 to {MAX_NAME_CHARACTERS} characters, or a number; set the environment variable OAUTH_BUSINESS_CLAIM to a claim that has one"
            ),
            Self::IssuerResponseInvalid { hint, .. } => (*hint).to_owned(),
            Self::IssuerUnavailable { .. } => {
                "the token was not checked: send the same request again in a few seconds".to_owned()
            }
        })
    }

    fn details(&self) -> Value {
        match self {
            Self::InsufficientScope { missing, required } => {
                json!({ "missing": missing, "required": required })
            }
            Self::TenantClaimUnusable { claim, .. } | Self::BusinessClaimUnusable { claim, .. } => {
                json!({ "claim": claim })
            }
            Self::InvalidToken { .. }
            | Self::IssuerResponseInvalid { .. }
            | Self::IssuerUnavailable { .. } => Value::Null,
        }
    }
}
