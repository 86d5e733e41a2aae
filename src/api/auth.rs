//! Who is calling: a tenant by token, or `local` on a loopback host of a deployment without tokens.

use crate::config::Token;
use crate::error::{Error, Result};

/// Tenant of a deployment without tokens.
pub const LOCAL_TENANT: &str = "local";

/// What a request says of itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct Credentials<'a> {
    /// The `Authorization` header.
    pub authorization: Option<&'a str>,
    /// The `x-codemode-token` header.
    pub token: Option<&'a str>,
    /// Host name of the URL, without port; an IPv6 address in brackets.
    pub host: &'a str,
}

/// The tenant that the request speaks for.
///
/// # Errors
/// [`Error::Unauthorized`] without a token, with a wrong one, or from elsewhere than a loopback host where no tokens are set.
pub fn tenant(tokens: Option<&[Token]>, credentials: Credentials<'_>) -> Result<String> {
    let Some(tokens) = tokens else {
        return if is_loopback(credentials.host) {
            Ok(LOCAL_TENANT.to_owned())
        } else {
            Err(no_tokens_set(credentials.host))
        };
    };
    let given = given_token(credentials).ok_or_else(|| Error::Unauthorized {
        message: "this request carries no token".to_owned(),
        hint: "send the header Authorization: Bearer TOKEN, or x-codemode-token: TOKEN".to_owned(),
    })?;
    find_tenant(tokens, given).ok_or_else(|| Error::Unauthorized {
        message: "the token is not valid".to_owned(),
        hint: "use a token of the secret API_TOKENS".to_owned(),
    })
}

fn no_tokens_set(host: &str) -> Error {
    Error::Unauthorized {
        message: format!("this deployment has no API_TOKENS, so it serves loopback hosts only, not {host}"),
        hint: r#"set the secret: echo '{"a-long-random-token":"tenant-name"}' | npx wrangler secret put API_TOKENS"#.to_owned(),
    }
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
    let mut found = None;
    for token in tokens {
        if equal_in_constant_time(given.as_bytes(), token.token.as_bytes()) {
            found = Some(token.tenant.clone());
        }
    }
    found
}

/// Takes as long as `given` is, whatever `secret` holds.
fn equal_in_constant_time(given: &[u8], secret: &[u8]) -> bool {
    let mut difference = u8::from(given.len() != secret.len());
    for (position, byte) in given.iter().enumerate() {
        difference |= byte ^ secret.get(position).copied().unwrap_or(0);
    }
    // Without this the optimiser may leave the loop at the first difference.
    std::hint::black_box(difference) == 0
}

/// Whether a host name, as URLs write it, leads to this machine: `localhost`, 127.0.0.0/8 or `[::1]`.
pub fn is_loopback(host: &str) -> bool {
    if host.eq_ignore_ascii_case("localhost") || host == "[::1]" {
        return true;
    }
    host.parse::<std::net::Ipv4Addr>()
        .is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens() -> Vec<Token> {
        [
            ("token-of-acme-0001", "acme"),
            ("token-of-zeta-0002", "zeta"),
        ]
        .map(|(token, tenant)| Token {
            token: token.to_owned(),
            tenant: tenant.to_owned(),
        })
        .to_vec()
    }

    fn by_header(authorization: Option<&str>, token: Option<&str>) -> Result<String> {
        tenant(
            Some(&tokens()),
            Credentials {
                authorization,
                token,
                host: "db.example.com",
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
                host: "localhost",
                ..Credentials::default()
            },
        )
        .unwrap_err();
        assert_eq!(error.code(), "UNAUTHORIZED");
    }

    #[test]
    fn without_tokens_only_loopback_hosts_are_served() {
        for host in ["localhost", "LOCALHOST", "127.0.0.1", "127.9.9.9", "[::1]"] {
            assert_eq!(
                tenant(
                    None,
                    Credentials {
                        host,
                        ..Credentials::default()
                    }
                )
                .unwrap(),
                LOCAL_TENANT,
                "{host}"
            );
        }
        for host in [
            "example.com",
            "localhost.example.com",
            "127.0.0.1.example.com",
            "128.0.0.1",
            "[::2]",
            "",
            "127.1",
        ] {
            let error = tenant(
                None,
                Credentials {
                    host,
                    ..Credentials::default()
                },
            )
            .unwrap_err();
            assert_eq!(error.code(), "UNAUTHORIZED", "{host}");
            assert!(error.hint().unwrap().contains("API_TOKENS"));
        }
    }
}
