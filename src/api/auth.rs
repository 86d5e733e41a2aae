//! Identifies the caller: a tenant by its token, the user of an OAuth issuer by an access token, or
//! `local` on a loopback host of a deployment that has neither.

use crate::api::RequestError;
use sha2::{Digest, Sha256};

use super::arrival::Arrival;
use crate::config::Token;
use base::{Error, Result};
use oauth::{OauthError, TokenProblem, looks_like_a_jwt};

/// The tenant of a deployment without tokens.
pub const LOCAL_TENANT: &str = "local";

/// The parts of a request that identify its caller.
#[derive(Debug, Clone, Copy, Default)]
pub struct Credentials<'a> {
    /// The `Authorization` header.
    pub authorization: Option<&'a str>,
    /// The `x-codemode-token` header.
    pub token: Option<&'a str>,
    /// The way in which the request reached the deployment; it decides if there are no tokens.
    pub arrival: Arrival<'a>,
}

/// The kinds of credentials that the deployment accepts.
#[derive(Debug, Clone, Copy, Default)]
pub struct Accepted<'a> {
    /// The deployment's own tokens.
    pub tokens: Option<&'a [Token]>,
    /// True if the deployment has an OAuth issuer.
    pub access_tokens: bool,
}

/// The caller, as the request names it.
#[derive(Debug, PartialEq, Eq)]
pub enum Identity<'a> {
    /// This tenant.
    Tenant(String),
    /// The user of this access token, if it is valid.
    AccessToken(&'a str),
}

/// Returns the caller that the request names.
///
/// # Errors
/// [`RequestError::Unauthorized`] for a missing or wrong token, or for a request from another
/// machine if the deployment has no tokens and no issuer;
/// [`OauthError::InvalidToken`] for a wrong token if there is an issuer.
pub fn identify<'a>(accepted: Accepted<'_>, credentials: Credentials<'a>) -> Result<Identity<'a>> {
    if accepted.tokens.is_none() && !accepted.access_tokens {
        credentials.arrival.require_local()?;
        return Ok(Identity::Tenant(LOCAL_TENANT.to_owned()));
    }
    let bearer = bearer_token(credentials.authorization);
    let given = bearer
        .or_else(|| credentials.token.map(str::trim))
        .filter(|token| !token.is_empty())
        .ok_or_else(|| no_token(accepted))?;
    if let Some(tenant) = find_tenant(accepted.tokens.unwrap_or_default(), given) {
        return Ok(Identity::Tenant(tenant));
    }
    if !accepted.access_tokens {
        return Err(Error::from(RequestError::Unauthorized {
            message: "the token is not valid".to_owned(),
            hint: "use a token of the secret API_TOKENS".to_owned(),
        }));
    }
    match bearer {
        Some(token) if looks_like_a_jwt(token) => Ok(Identity::AccessToken(token)),
        _ => Err(Error::from(OauthError::InvalidToken {
            problem: TokenProblem::NotAJwt,
        })),
    }
}

fn no_token(accepted: Accepted<'_>) -> Error {
    let hint = if accepted.access_tokens {
        "send the header Authorization: Bearer TOKEN with an access token, whose issuer GET /.well-known/oauth-protected-resource names, or with a token of API_TOKENS"
    } else {
        "send the header Authorization: Bearer TOKEN, or x-codemode-token: TOKEN"
    };
    Error::from(RequestError::Unauthorized {
        message: "the request has no token".to_owned(),
        hint: hint.to_owned(),
    })
}

/// Returns the token of an `Authorization` header.
pub fn bearer_token(authorization: Option<&str>) -> Option<&str> {
    let (scheme, token) = authorization?.trim().split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Finds the tenant of a token. It compares with every token, so that the time reveals neither how
/// much of a token was right nor which one matched.
fn find_tenant(tokens: &[Token], given: &str) -> Option<String> {
    let digest = Sha256::digest(given).into();
    let mut found = None;
    for token in tokens {
        if token.has_digest(&digest) {
            found = Some(token.tenant.clone());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens() -> Vec<Token> {
        [
            ("token-of-acme-0001", "acme"),
            ("token-of-zeta-0002", "zeta"),
        ]
        .map(|(token, tenant)| Token::new(token, tenant.to_owned()))
        .to_vec()
    }

    /// Returns the tenant by tokens, or on a loopback host without them.
    fn tenant(tokens: Option<&[Token]>, credentials: Credentials<'_>) -> Result<String> {
        let accepted = Accepted {
            tokens,
            access_tokens: false,
        };
        match identify(accepted, credentials)? {
            Identity::Tenant(tenant) => Ok(tenant),
            Identity::AccessToken(token) => panic!("{token}"),
        }
    }

    fn by_header(authorization: Option<&str>, token: Option<&str>) -> Result<String> {
        tenant(
            Some(&tokens()),
            Credentials {
                authorization,
                token,
                arrival: Arrival {
                    url_host: "db.example.com",
                    ..Arrival::default()
                },
            },
        )
    }

    #[test]
    fn a_token_names_its_tenant_in_either_header() {
        assert_eq!(
            by_header(Some("Bearer token-of-acme-0001"), None).unwrap(),
            "acme"
        );
        assert_eq!(
            by_header(Some("bearer  token-of-zeta-0002 "), None).unwrap(),
            "zeta"
        );
        assert_eq!(by_header(None, Some("token-of-zeta-0002")).unwrap(), "zeta");
    }

    #[test]
    fn missing_or_wrong_tokens_are_unauthorized() {
        for (authorization, token) in [
            (None, None),
            (Some("Bearer "), None),
            (Some("Bearer token-of-acme-000"), None),
            (Some("Bearer token-of-acme-00011"), None),
            (Some("Basic token-of-acme-0001"), None),
            (Some("token-of-acme-0001"), None),
            (None, Some("")),
        ] {
            assert_eq!(
                by_header(authorization, token).unwrap_err().code(),
                "UNAUTHORIZED",
                "{authorization:?} {token:?}"
            );
        }
    }

    #[test]
    fn with_tokens_a_loopback_host_needs_one_too() {
        let error = tenant(
            Some(&tokens()),
            Credentials {
                arrival: Arrival {
                    url_host: "localhost",
                    ..Arrival::default()
                },
                ..Credentials::default()
            },
        )
        .unwrap_err();
        assert_eq!(error.code(), "UNAUTHORIZED");
    }

    #[test]
    fn without_tokens_only_loopback_hosts_are_served() {
        let from = |url_host| {
            let arrival = Arrival {
                url_host,
                ..Arrival::default()
            };
            tenant(
                None,
                Credentials {
                    arrival,
                    ..Credentials::default()
                },
            )
        };
        assert_eq!(from("localhost").unwrap(), LOCAL_TENANT);
        assert_eq!(from("example.com").unwrap_err().code(), "UNAUTHORIZED");
    }

    const JWT: &str = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln";

    /// Returns the tenant, `a JWT`, or the code of the error.
    fn with_issuer(
        tokens: Option<&[Token]>,
        authorization: Option<&str>,
        token: Option<&str>,
    ) -> String {
        let accepted = Accepted {
            tokens,
            access_tokens: true,
        };
        let credentials = Credentials {
            authorization,
            token,
            arrival: Arrival {
                url_host: "localhost",
                ..Arrival::default()
            },
        };
        match identify(accepted, credentials) {
            Ok(Identity::Tenant(tenant)) => tenant,
            Ok(Identity::AccessToken(JWT)) => "a JWT".to_owned(),
            Ok(other) => panic!("{other:?}"),
            Err(error) => error.code().to_owned(),
        }
    }

    #[test]
    fn with_an_issuer_a_jwt_is_an_access_token_and_a_token_is_still_a_token() {
        let bearer = format!("Bearer {JWT}");
        let own = tokens();
        assert_eq!(with_issuer(Some(&own), Some(&bearer), None), "a JWT");
        assert_eq!(with_issuer(None, Some(&bearer), None), "a JWT");
        let own_token = Some("Bearer token-of-acme-0001");
        assert_eq!(with_issuer(Some(&own), own_token, None), "acme");
        let header = Some("token-of-zeta-0002");
        assert_eq!(with_issuer(Some(&own), None, header), "zeta");
        let jwt_as_token = [Token::new(JWT, "acme".to_owned())];
        assert_eq!(
            with_issuer(Some(&jwt_as_token), Some(&bearer), None),
            "acme"
        );
    }

    #[test]
    fn with_an_issuer_other_tokens_are_invalid_and_loopback_hosts_need_one() {
        for (authorization, token, code) in [
            (None, None, "UNAUTHORIZED"),
            (Some("Bearer"), None, "UNAUTHORIZED"),
            (Some("Bearer "), None, "UNAUTHORIZED"),
            (Some("Basic dXNlcjpw"), None, "UNAUTHORIZED"),
            (Some("Bearer wrong-token"), None, "INVALID_TOKEN"),
            (None, Some("wrong-token"), "INVALID_TOKEN"),
            // Access tokens are accepted in the header of OAuth only.
            (None, Some(JWT), "INVALID_TOKEN"),
        ] {
            for own in [None, Some(tokens())] {
                assert_eq!(with_issuer(own.as_deref(), authorization, token), code);
            }
        }
    }
}
