//! Fetches the keys of the issuer, from the URL in its metadata (RFC 8414, or OpenID Connect
//! Discovery) or from the URL that the operator has set.

use base::Result;
use net::address;
use net::transport::Http;
use serde_json::{Map, Value};

use super::documents::{self, Document, invalid};
use super::limits::MAX_ISSUER_KEYS;
use super::settings::Settings;

/// Fetches the keys as the JSON text of a key set (RFC 7517).
///
/// # Errors
/// [`super::OauthError::IssuerUnavailable`] or [`super::OauthError::IssuerResponseInvalid`].
pub(super) async fn keys(http: &impl Http, settings: &Settings) -> Result<String> {
    let url = match &settings.jwks_url {
        Some(url) => url.clone(),
        None => jwks_url(http, &settings.issuer).await?,
    };
    match documents::fetch(http, &url).await? {
        Document::Nothing(status) => Err(invalid(format!(
            "{url} of the OAuth issuer returned status {status} and no keys"
        ))),
        Document::Object(object, text) => {
            check_keys(&object, &url)?;
            Ok(text)
        }
    }
}

/// Checks that there is a list of at most [`MAX_ISSUER_KEYS`] objects. The keys themselves are
/// checked when they are used.
fn check_keys(object: &Map<String, Value>, url: &str) -> Result<()> {
    let keys = object.get("keys").and_then(Value::as_array);
    match keys {
        Some(keys) if keys.iter().all(Value::is_object) && keys.len() <= MAX_ISSUER_KEYS => Ok(()),
        _ => Err(invalid(format!(
            "{url} of the OAuth issuer is not a key set with at most {MAX_ISSUER_KEYS} keys"
        ))),
    }
}

/// Returns the possible URLs of the metadata, the likeliest first: those of both standards, and for
/// an issuer with a path also the older form of OpenID Connect.
fn candidates(issuer: &str) -> Vec<String> {
    let origin_end = issuer
        .find("://")
        .and_then(|scheme| {
            let path = issuer.get(scheme + 3..)?.find('/')?;
            Some(scheme + 3 + path)
        })
        .unwrap_or(issuer.len());
    let (origin, path) = issuer.split_at_checked(origin_end).unwrap_or((issuer, ""));
    let path = path.trim_end_matches('/');
    let mut candidates = vec![
        format!("{origin}/.well-known/oauth-authorization-server{path}"),
        format!("{origin}/.well-known/openid-configuration{path}"),
    ];
    if !path.is_empty() {
        candidates.push(format!("{origin}{path}/.well-known/openid-configuration"));
    }
    candidates
}

async fn jwks_url(http: &impl Http, issuer: &str) -> Result<String> {
    let mut tried = Vec::new();
    for url in candidates(issuer) {
        match documents::fetch(http, &url).await? {
            Document::Nothing(status) => tried.push(format!("{url} returned status {status}")),
            Document::Object(metadata, _) => match of_metadata(&metadata, issuer, &url) {
                Ok(keys) => return Ok(keys),
                Err(problem) => tried.push(problem),
            },
        }
    }
    Err(invalid(format!(
        "the OAuth issuer has no usable metadata: {}",
        tried.join("; ")
    )))
}

/// Returns the URL of the keys. Metadata that names another issuer may come from an impostor (RFC
/// 8414, section 3.3).
fn of_metadata(
    metadata: &Map<String, Value>,
    issuer: &str,
    url: &str,
) -> std::result::Result<String, String> {
    let text = |name: &str| metadata.get(name).and_then(Value::as_str);
    let named = text("issuer").unwrap_or_default();
    if named != issuer {
        let named = base::text::first(named, issuer.len().saturating_mul(2));
        return Err(format!(
            "{url} names the issuer {named:?}, but OAUTH_ISSUER is {issuer:?}"
        ));
    }
    let keys = text("jwks_uri").ok_or_else(|| format!("{url} has no jwks_uri"))?;
    if address::problem(keys).is_some()
        || address::is_encrypted(issuer) && !address::is_encrypted(keys)
    {
        return Err(format!(
            "{url} has a jwks_uri that is not a usable https address"
        ));
    }
    Ok(keys.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn metadata_is_looked_for_where_the_standards_say() {
        let well_known = "https://id.example.com/.well-known";
        for (issuer, path, older) in [
            ("https://id.example.com", "", None),
            ("https://id.example.com/", "", None),
            (
                "https://id.example.com/realms/a/",
                "/realms/a",
                Some("https://id.example.com/realms/a/.well-known/openid-configuration"),
            ),
        ] {
            let mut expected = vec![
                format!("{well_known}/oauth-authorization-server{path}"),
                format!("{well_known}/openid-configuration{path}"),
            ];
            expected.extend(older.map(str::to_owned));
            assert_eq!(candidates(issuer), expected);
        }
    }

    #[test]
    fn only_the_metadata_of_this_very_issuer_leads_to_keys() {
        let check = |metadata: Value| {
            let issuer = "https://id.example.com";
            of_metadata(metadata.as_object().unwrap(), issuer, "URL")
        };
        let keys = "https://keys.example.com/a";
        assert_eq!(
            check(json!({ "issuer": "https://id.example.com", "jwks_uri": keys })).unwrap(),
            keys
        );
        for (metadata, problem) in [
            (json!({}), "names the issuer \"\""),
            (
                json!({ "issuer": "https://id.example.com/", "jwks_uri": keys }),
                "names the issuer",
            ),
            (
                json!({ "issuer": "https://ID.example.com", "jwks_uri": keys }),
                "names the issuer",
            ),
            (json!({ "issuer": "https://id.example.com" }), "no jwks_uri"),
            (
                json!({ "issuer": "https://id.example.com", "jwks_uri": "http://127.0.0.1/keys" }),
                "not a usable https address",
            ),
            (
                json!({ "issuer": "https://id.example.com", "jwks_uri": "file:///etc/passwd" }),
                "not a usable https address",
            ),
        ] {
            assert!(check(metadata).unwrap_err().contains(problem), "{problem}");
        }
    }

    #[test]
    fn a_key_set_is_a_list_of_few_objects() {
        let check = |set: Value| check_keys(set.as_object().unwrap(), "URL");
        assert!(check(json!({ "keys": [] })).is_ok());
        assert!(check(json!({ "keys": vec![json!({}); MAX_ISSUER_KEYS] })).is_ok());
        for set in [
            json!({}),
            json!({ "keys": {} }),
            json!({ "keys": ["a"] }),
            json!({ "keys": vec![json!({}); MAX_ISSUER_KEYS + 1] }),
        ] {
            assert_eq!(check(set).unwrap_err().code(), "ISSUER_RESPONSE_INVALID");
        }
    }
}
