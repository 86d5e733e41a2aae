//! Access tokens for servers that demand one: OAuth 2.0 client credentials, as the extension
//! `io.modelcontextprotocol/oauth-client-credentials` defines them.
//!
//! Source: RFC 6749 (4.4, 2.3.1), RFC 6750, RFC 8414, RFC 8707, RFC 9728, and "Authorization" of
//! the specification of 2026-07-28. Contents: `access` keeps the token of one server and fetches it
//! once for all requests, `challenge` parses the challenge of a 401, `discovery` finds the token
//! endpoint, `token` requests a token, `document` reads a bounded JSON response, `denied` has the
//! reasons of failure.
//!
//! No text of an authorization server is shown, because it may contain a token or a secret. Only
//! the registered names of its errors are shown.

mod access;
mod challenge;
mod denied;
mod discovery;
mod document;
mod token;

pub use access::{Access, TokenNeed};
pub use denied::TokenFailure;

/// The way in which the client sends its secret to the authorization server (RFC 6749, section
/// 2.3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuthMethod {
    /// The header `Authorization`.
    Basic,
    /// The request body.
    Post,
}

/// The credentials of this client at one server's authorization server, as the operator wrote them.
#[derive(Clone, PartialEq, Eq)]
pub struct ClientCredentials {
    /// The token endpoint; found by discovery if absent.
    pub token_url: Option<String>,
    /// The only authorization server that discovery may use.
    pub issuer: Option<String>,
    /// `client_id`.
    pub client_id: String,
    /// `client_secret`.
    pub client_secret: String,
    /// `scope`.
    pub scope: Option<String>,
    /// `resource`; the server's address if absent.
    pub resource: Option<String>,
    /// The way in which the secret is sent. If absent, the method that the authorization server
    /// names, or else Basic.
    pub method: Option<AuthMethod>,
}

impl std::fmt::Debug for ClientCredentials {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("ClientCredentials")
            .finish_non_exhaustive()
    }
}
