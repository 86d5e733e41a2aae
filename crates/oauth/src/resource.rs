//! The data through which clients discover the issuer: the metadata of the protected resource (RFC
//! 9728), and the header `WWW-Authenticate` that links to it.

use base::{Error, Kind};
use serde_json::{Value, json};

use super::error::OauthError;
use super::settings::Settings;

/// The path of the metadata of a resource, before the path of the resource itself.
pub const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// The path of the MCP endpoint, and the prefix of the paths of its profiles.
pub const MCP: &str = "/mcp";

/// The name shown to users when an issuer asks for their consent.
const RESOURCE_NAME: &str = "Code Mode Database";

/// Returns true if the path is that of an MCP endpoint, which is a resource of its own.
fn is_mcp_endpoint(path: &str) -> bool {
    path.strip_prefix(MCP)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns true if the path is that of metadata, which every web page may read.
pub fn is_metadata(path: &str) -> bool {
    path.strip_prefix(WELL_KNOWN)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns the metadata of the resource whose path follows [`WELL_KNOWN`].
pub fn metadata(settings: &Settings, origin: &str, path: &str) -> Value {
    let resource = path.strip_prefix(WELL_KNOWN).unwrap_or_default();
    let mut metadata = json!({
        "resource": format!("{origin}{resource}"),
        "authorization_servers": [settings.issuer],
        "bearer_methods_supported": ["header"],
        "resource_name": RESOURCE_NAME,
    });
    if let (false, Some(fields)) = (settings.scopes.is_empty(), metadata.as_object_mut()) {
        fields.insert("scopes_supported".to_owned(), json!(settings.scopes));
    }
    metadata
}

/// Returns the accepted values of `aud` for a request to this path. A token for one profile of the
/// MCP endpoint is valid only for that profile; a token for the endpoint or for the whole origin is
/// valid everywhere.
pub fn audiences(settings: &Settings, origin: &str, path: &str) -> Vec<String> {
    if let Some(audiences) = &settings.audiences {
        return audiences.clone();
    }
    let mut audiences = vec![
        origin.to_owned(),
        // The URL of an origin is serialised with a slash.
        format!("{origin}/"),
        format!("{origin}{MCP}"),
    ];
    if is_mcp_endpoint(path) && path != MCP {
        audiences.push(format!("{origin}{path}"));
    }
    audiences
}

/// Returns the header `WWW-Authenticate` for a request that is refused because of its token or
/// because it has none (RFC 6750, section 3, and RFC 9728, section 5.1); none if the refusal has
/// another reason.
pub fn challenge(
    settings: Option<&Settings>,
    origin: &str,
    path: &str,
    error: &Error,
) -> Option<String> {
    let refusal = match error.of() {
        Some(OauthError::InvalidToken { .. }) => Some("invalid_token"),
        Some(OauthError::InsufficientScope { .. }) => Some("insufficient_scope"),
        _ if error.kind() == Kind::Unauthenticated => None,
        _ => return None,
    };
    let Some(settings) = settings else {
        return Some("Bearer".to_owned());
    };
    let resource = if is_mcp_endpoint(path) { path } else { "" };
    let mut parameters = vec![parameter(
        "resource_metadata",
        &format!("{origin}{WELL_KNOWN}{resource}"),
    )];
    if !settings.scopes.is_empty() {
        parameters.push(parameter("scope", &settings.scopes.join(" ")));
    }
    if let Some(refusal) = refusal {
        parameters.push(parameter("error", refusal));
        parameters.push(parameter("error_description", &error.to_string()));
    }
    Some(format!("Bearer {}", parameters.join(", ")))
}

/// Renders a parameter. RFC 6750 allows only printable ASCII without quotes and backslashes in a
/// value.
fn parameter(name: &str, value: &str) -> String {
    let value: String = value
        .chars()
        .map(|letter| match letter {
            '"' | '\\' => '\'',
            ' '..='~' => letter,
            _ => '?',
        })
        .collect();
    format!("{name}=\"{value}\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::TokenProblem;

    const ORIGIN: &str = "https://db.example.com";

    fn settings(scopes: &[&str]) -> Settings {
        Settings {
            issuer: "https://id.example.com".to_owned(),
            audiences: None,
            tenant_claim: "sub".to_owned(),
            business_claim: None,
            scopes: scopes.iter().map(|scope| (*scope).to_owned()).collect(),
            jwks_url: None,
        }
    }

    #[test]
    fn the_metadata_names_the_resource_of_its_path() {
        for (path, resource) in [
            (
                "/.well-known/oauth-protected-resource",
                "https://db.example.com",
            ),
            (
                "/.well-known/oauth-protected-resource/mcp",
                "https://db.example.com/mcp",
            ),
            (
                "/.well-known/oauth-protected-resource/mcp/read%20er",
                "https://db.example.com/mcp/read%20er",
            ),
        ] {
            assert!(is_metadata(path));
            assert_eq!(
                metadata(&settings(&[]), ORIGIN, path),
                json!({
                    "resource": resource, "authorization_servers": ["https://id.example.com"],
                    "bearer_methods_supported": ["header"], "resource_name": "Code Mode Database",
                })
            );
        }
        let with_scopes = metadata(&settings(&["a", "b"]), ORIGIN, WELL_KNOWN);
        assert_eq!(with_scopes["scopes_supported"], json!(["a", "b"]));
        for path in [
            "/mcp",
            "/.well-known/oauth-protected-resources",
            "/.well-known",
        ] {
            assert!(!is_metadata(path), "{path}");
        }
    }

    #[test]
    fn a_token_for_one_profile_is_good_for_that_profile_alone() {
        let accepts = |path: &str, audience: &str| {
            audiences(&settings(&[]), ORIGIN, path).contains(&audience.to_owned())
        };
        for path in ["/mcp", "/mcp/reader", "/api/codemode/sessions"] {
            assert!(accepts(path, "https://db.example.com/mcp"));
            assert!(accepts(path, "https://db.example.com"));
            assert!(accepts(path, "https://db.example.com/"));
            assert!(!accepts(path, "https://db.example.com/mcp/"));
            assert!(!accepts(path, "https://db.example.com/mcp/writer"));
            assert!(!accepts(path, "https://evil.example.com/mcp"));
        }
        assert!(accepts("/mcp/reader", "https://db.example.com/mcp/reader"));
        assert!(!accepts("/mcpx", "https://db.example.com/mcpx"));
        let own = Settings {
            audiences: Some(vec!["api://db".to_owned()]),
            ..settings(&[])
        };
        assert_eq!(audiences(&own, ORIGIN, "/mcp/reader"), ["api://db"]);
    }

    fn invalid() -> Error {
        OauthError::InvalidToken {
            problem: TokenProblem::Expired,
        }
        .into()
    }

    #[test]
    fn a_challenge_names_the_metadata_of_its_path() {
        let of = |path: &str, error: &Error, scopes: &[&str]| {
            challenge(Some(&settings(scopes)), ORIGIN, path, error).unwrap()
        };
        let base = "https://db.example.com/.well-known/oauth-protected-resource";
        assert_eq!(
            of("/mcp", &invalid(), &[]),
            format!(
                r#"Bearer resource_metadata="{base}/mcp", error="invalid_token", error_description="the access token has expired""#
            )
        );
        assert_eq!(
            of("/mcp/reader", &invalid(), &["a", "b"]),
            format!(
                r#"Bearer resource_metadata="{base}/mcp/reader", scope="a b", error="invalid_token", error_description="the access token has expired""#
            )
        );
        let scope = Error::from(OauthError::InsufficientScope {
            missing: vec!["b".to_owned()],
            required: vec!["a".to_owned(), "b".to_owned()],
        });
        assert_eq!(
            of("/api/codemode/sessions", &scope, &["a", "b"]),
            format!(
                r#"Bearer resource_metadata="{base}", scope="a b", error="insufficient_scope", error_description="the access token lacks the scope b""#
            )
        );
    }

    #[test]
    fn without_oauth_a_challenge_is_plain_and_other_failures_have_none() {
        assert_eq!(
            challenge(None, ORIGIN, "/mcp", &invalid()).unwrap(),
            "Bearer"
        );
        assert_eq!(
            challenge(
                Some(&settings(&[])),
                ORIGIN,
                "/mcp",
                &Error::invalid("no name")
            ),
            None
        );
    }

    #[test]
    fn a_value_of_the_header_has_no_quotes_in_it() {
        assert_eq!(parameter("a", "b\"c\\d\r\ne\u{fc}"), "a=\"b'c'd??e?\"");
    }
}
