//! Access tokens for servers that demand one: OAuth 2.0 client credentials, as the extension `io.modelcontextprotocol/oauth-client-credentials`
//! wants them.
//!
//! Source: RFC 6749 (4.4, 2.3.1), RFC 6750, RFC 8414, RFC 8707, RFC 9728, and "Authorization" of the specification of 2026-07-28. Contents:
//! `access` the token of one server, remembered and fetched once for everybody who waits, `challenge` what a 401 says, `discovery` where tokens are
//! issued, `token` the request for one, `document` bounded reading of JSON, `denied` why there is none.
//!
//! No text of an authorization server is shown: a token or a secret could be in it. Of its errors only the registered names are.

mod access;
mod challenge;
mod denied;
mod discovery;
mod document;
mod token;

pub use access::{Access, Wanted};
pub use denied::Denied;

/// How the client tells the authorization server its secret (RFC 6749, section 2.3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuthMethod {
    /// In the header `Authorization`.
    Basic,
    /// In the body.
    Post,
}

/// The credentials of this client at one server's authorization server, as the operator wrote them.
#[derive(Clone, PartialEq, Eq)]
pub struct ClientCredentials {
    /// Where tokens are issued; discovered where it is absent.
    pub token_url: Option<String>,
    /// The only authorization server that discovery may find.
    pub issuer: Option<String>,
    /// `client_id`.
    pub client_id: String,
    /// `client_secret`.
    pub client_secret: String,
    /// `scope`.
    pub scope: Option<String>,
    /// `resource`; the server's address where it is absent.
    pub resource: Option<String>,
    /// How the secret is sent; what the authorization server names, or else Basic, where it is absent.
    pub method: Option<AuthMethod>,
}

impl std::fmt::Debug for ClientCredentials {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("ClientCredentials")
            .finish_non_exhaustive()
    }
}
