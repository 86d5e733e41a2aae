//! Who is calling: a tenant by token, or `local` on a loopback host of a deployment without tokens.

use crate::api::RequestError;
use sha2::{Digest, Sha256};

use super::arrival::Arrival;
use crate::config::Token;
use base::{Error, Result};

/// Tenant of a deployment without tokens.
pub const LOCAL_TENANT: &str = "local";

/// What a request says of itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct Credentials<'a> {
    /// The `Authorization` header.
    pub authorization: Option<&'a str>,
    /// The `x-codemode-token` header.
    pub token: Option<&'a str>,
    /// How it came, which counts where there are no tokens.
    pub arrival: Arrival<'a>,
}

/// The tenant that the request speaks for.
///
/// # Errors
/// [`RequestError::Unauthorized`] without a token, with a wrong one, or from elsewhere than this machine where no tokens are set.
pub fn tenant(tokens: Option<&[Token]>, credentials: Credentials<'_>) -> Result<String> {
    let Some(tokens) = tokens else {
        credentials.arrival.require_local()?;
        return Ok(LOCAL_TENANT.to_owned());
    };
    let given = given_token(credentials).ok_or_else(|| {
        Error::from(RequestError::Unauthorized {
            message: "this request carries no token".to_owned(),
            hint: "send the header Authorization: Bearer TOKEN, or x-codemode-token: TOKEN"
                .to_owned(),
        })
    })?;
    find_tenant(tokens, given).ok_or_else(|| {
        Error::from(RequestError::Unauthorized {
            message: "the token is not valid".to_owned(),
            hint: "use a token of the secret API_TOKENS".to_owned(),
        })
    })
}

fn given_token(credentials: Credentials<'_>) -> Option<&str> {
    let bearer = credentials.authorization.and_then(|header| {
        let (scheme, token) = header.trim().split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
    });
    bearer
        .or_else(|| credentials.token.map(str::trim))
        .filter(|token| !token.is_empty())
}

/// Compares with every token, so that the time tells neither how much of one was right nor which one it was.
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
}
