//! What can go wrong with an access token and with the issuer that vouches for it.

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

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OauthError {
    /// The access token is refused.
    #[error("{problem}")]
    InvalidToken {
        /// Why.
        problem: TokenProblem,
    },
    /// The token is valid and may not do this.
    #[error("the access token lacks the scope {}", missing.join(" "))]
    InsufficientScope {
        /// The scopes that it lacks.
        missing: Vec<String>,
        /// The scopes that every token must have.
        required: Vec<String>,
    },
    /// The token is valid and says nothing that a tenant can be called.
    #[error("the claim {claim} of the access token {problem}")]
    TenantClaimUnusable {
        /// The claim that names the tenant.
        claim: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The token is valid and does not say whose rows its holder may see.
    #[error("the claim {claim} of the access token {problem}")]
    BusinessClaimUnusable {
        /// The claim that names the business.
        claim: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// What the issuer returned is no metadata, or no keys.
    #[error("{message}")]
    IssuerResponseInvalid {
        /// What is wrong with it.
        message: String,
        /// How to fix it.
        hint: &'static str,
    },
    /// The issuer did not respond, or said that it cannot.
    #[error("{message}")]
    IssuerUnavailable {
        /// What happened.
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
                "the token was not checked: send the same request again in some seconds".to_owned()
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
            _ => Value::Null,
        }
    }
}
