//! Errors of a request that is refused before any feature runs.

use base::{Code, Problem};
use serde_json::{Value, json};

/// The codes of [`RequestError`].
pub mod codes {
    base::codes! {
        UNAUTHORIZED: Unauthenticated,
        ORIGIN_NOT_ALLOWED: Forbidden,
        NOT_FOUND: NotFound,
        METHOD_NOT_ALLOWED: WrongMethod,
    }
}

/// An error in a request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// No token, or a wrong one.
    #[error("{message}")]
    Unauthorized {
        /// The error message.
        message: String,
        /// The way to send a valid credential.
        hint: String,
    },
    /// The metadata of OAuth were requested from a deployment without an issuer.
    #[error("this deployment has no OAuth issuer, so it has no OAuth metadata")]
    OauthNotConfigured,
    /// A page of the console or the description of the routes was requested from a deployment that
    /// lacks their files.
    #[error("this deployment has no static assets, which are the console and openapi.json")]
    NoAssets,
    /// The web page that made the request is not allowed to call the API.
    #[error("requests from origin {origin} are not allowed")]
    OriginNotAllowed {
        /// The Origin header.
        origin: String,
    },
    /// No such route.
    #[error("no such route: {method} {path}")]
    NotFound {
        /// Method of the request.
        method: String,
        /// Path of the request.
        path: String,
    },
    /// The route exists, but not with this method.
    #[error("{path} does not support {method}")]
    MethodNotAllowed {
        /// Method of the request.
        method: String,
        /// Path of the request.
        path: String,
        /// The methods it takes.
        allowed: Vec<&'static str>,
    },
}

impl Problem for RequestError {
    fn code(&self) -> Code {
        match self {
            Self::Unauthorized { .. } => codes::UNAUTHORIZED,
            Self::OriginNotAllowed { .. } => codes::ORIGIN_NOT_ALLOWED,
            Self::NotFound { .. } | Self::OauthNotConfigured | Self::NoAssets => codes::NOT_FOUND,
            Self::MethodNotAllowed { .. } => codes::METHOD_NOT_ALLOWED,
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Unauthorized { hint, .. } => hint.clone(),
            Self::OriginNotAllowed { .. } => {
                "add the origin to the environment variable ALLOWED_ORIGINS".to_owned()
            }
            Self::OauthNotConfigured => {
                "set the environment variable OAUTH_ISSUER, or send a token of API_TOKENS as Authorization: Bearer TOKEN"
                    .to_owned()
            }
            Self::NoAssets => {
                "scripts/build makes them in build-console/, and the table [assets] of wrangler.toml uploads them".to_owned()
            }
            Self::NotFound { .. } => "GET /api/openapi.json lists every route".to_owned(),
            Self::MethodNotAllowed { allowed, .. } => format!("use {}", allowed.join(" or ")),
        })
    }

    fn details(&self) -> Value {
        match self {
            Self::MethodNotAllowed { allowed, .. } => json!({ "allowed": allowed }),
            Self::Unauthorized { .. }
            | Self::OauthNotConfigured
            | Self::NoAssets
            | Self::OriginNotAllowed { .. }
            | Self::NotFound { .. } => Value::Null,
        }
    }
}
