//! The request for an access token, and its response.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use super::denied::{Step, TokenFailure};
use super::document;
use super::{AuthMethod, ClientCredentials};
use crate::limits::{
    ASSUMED_TOKEN_LIFETIME_MS, MAX_ACCESS_TOKEN_BYTES, MAX_TOKEN_LIFETIME_MS,
    TOKEN_EXPIRY_MARGIN_MS,
};
use net::transport::{Http, Request};

/// All bytes that a form must escape.
const FORM: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'*')
    .remove(b'-')
    .remove(b'.')
    .remove(b'_');

/// The margin before expiry is at most the life of the token divided by this, so that a token of a
/// few seconds can be used at all.
const LARGEST_MARGIN_PART: u64 = 5;

/// The token endpoint, and the parameters of the request.
#[derive(Clone)]
pub(super) struct Source {
    pub token_url: String,
    pub scope: Option<String>,
    pub resource: String,
    pub method: AuthMethod,
}

/// An access token.
#[derive(Clone)]
pub(super) struct Token {
    pub text: String,
    /// The end of its use, shortly before it expires.
    pub usable_until_ms: u64,
}

/// Requests a token.
///
/// # Errors
/// [`TokenFailure`].
pub(super) async fn request<H: Http>(
    http: &H,
    credentials: &ClientCredentials,
    source: &Source,
    now_ms: u64,
) -> Result<Token, TokenFailure> {
    let response = document::fetch(http, request_for(credentials, source))
        .await
        .map_err(|fault| TokenFailure::new(Step::Token, fault))?;
    read(&response, now_ms).map_err(|problem| TokenFailure::unusable(Step::Token, problem))
}

fn request_for(credentials: &ClientCredentials, source: &Source) -> Request {
    let ClientCredentials {
        client_id,
        client_secret,
        ..
    } = credentials;
    let mut headers = vec![
        ("accept".to_owned(), "application/json".to_owned()),
        (
            "content-type".to_owned(),
            "application/x-www-form-urlencoded".to_owned(),
        ),
    ];
    let mut fields = vec![
        ("grant_type", "client_credentials"),
        ("resource", source.resource.as_str()),
    ];
    fields.extend(source.scope.as_deref().map(|scope| ("scope", scope)));
    match source.method {
        AuthMethod::Basic => {
            let pair = format!("{}:{}", escaped(client_id), escaped(client_secret));
            let basic = format!("Basic {}", STANDARD.encode(pair));
            headers.push(("authorization".to_owned(), basic));
        }
        AuthMethod::Post => {
            fields.push(("client_id", client_id));
            fields.push(("client_secret", client_secret));
        }
    }
    let fields: Vec<String> = fields
        .into_iter()
        .map(|(name, value)| format!("{name}={}", escaped(value)))
        .collect();
    Request {
        method: "POST",
        url: source.token_url.clone(),
        headers,
        body: fields.join("&"),
    }
}

fn escaped(text: &str) -> String {
    utf8_percent_encode(text, FORM).to_string()
}

fn read(response: &Value, now_ms: u64) -> Result<Token, &'static str> {
    let text = response
        .get("access_token")
        .and_then(Value::as_str)
        .ok_or("the response has no access_token")?;
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err("the access_token contains characters that a header cannot contain");
    }
    if text.len() > MAX_ACCESS_TOKEN_BYTES {
        return Err("the access_token is too long for a header");
    }
    // The field is required, but some servers omit it.
    if let Some(kind) = response.get("token_type")
        && !kind
            .as_str()
            .is_some_and(|kind| kind.eq_ignore_ascii_case("bearer"))
    {
        return Err("the token is not a bearer token");
    }
    let lifetime_ms = response
        .get("expires_in")
        .and_then(seconds)
        .map_or(ASSUMED_TOKEN_LIFETIME_MS, |seconds| {
            seconds.saturating_mul(1_000)
        })
        .min(MAX_TOKEN_LIFETIME_MS);
    let margin_ms = TOKEN_EXPIRY_MARGIN_MS.min(lifetime_ms / LARGEST_MARGIN_PART);
    Ok(Token {
        text: text.to_owned(),
        usable_until_ms: now_ms.saturating_add(lifetime_ms - margin_ms),
    })
}

/// Reads a number of seconds, which some servers write as a string. A negative number counts as 0.
fn seconds(value: &Value) -> Option<u64> {
    match value {
        Value::String(text) => text.trim().parse().ok(),
        Value::Number(number) => number.as_u64().or_else(|| {
            let seconds = number.as_f64()?;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "`as` saturates, and a part of a second does not count"
            )]
            Some(seconds as u64)
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn credentials() -> ClientCredentials {
        ClientCredentials {
            token_url: None,
            issuer: None,
            client_id: "a client".to_owned(),
            client_secret: "s:e%cret".to_owned(),
            scope: None,
            resource: None,
            method: None,
        }
    }

    fn source(method: AuthMethod) -> Source {
        Source {
            token_url: "https://auth.example/token".to_owned(),
            scope: Some("read write".to_owned()),
            resource: "https://x.example/mcp".to_owned(),
            method,
        }
    }

    #[test]
    fn the_secret_goes_into_the_header_or_into_the_body() {
        let form = "grant_type=client_credentials&resource=https%3A%2F%2Fx.example%2Fmcp&scope=read%20write";
        let basic = request_for(&credentials(), &source(AuthMethod::Basic));
        assert_eq!(basic.body, form);
        let header = format!("Basic {}", STANDARD.encode("a%20client:s%3Ae%25cret"));
        assert!(
            basic
                .headers
                .contains(&("authorization".to_owned(), header))
        );
        let post = request_for(&credentials(), &source(AuthMethod::Post));
        let client = "client_id=a%20client&client_secret=s%3Ae%25cret";
        assert_eq!(post.body, format!("{form}&{client}"));
        assert!(post.headers.iter().all(|(name, _)| name != "authorization"));
    }

    #[test]
    fn a_token_is_used_until_shortly_before_it_expires() {
        for (expires_in, usable_ms) in [
            (json!(3_600), 3_570_000),
            (json!("3600"), 3_570_000),
            (json!(10), 8_000),
            (json!(10.9), 8_000),
            (json!(0), 0),
            (json!(-5), 0),
            (json!(u64::MAX), MAX_TOKEN_LIFETIME_MS - 30_000),
            (json!(null), ASSUMED_TOKEN_LIFETIME_MS - 30_000),
            (json!("soon"), ASSUMED_TOKEN_LIFETIME_MS - 30_000),
        ] {
            let response =
                json!({ "access_token": "t", "token_type": "bearer", "expires_in": expires_in });
            let token = read(&response, 1_000).map_err(str::to_owned).unwrap();
            assert_eq!(token.usable_until_ms, 1_000 + usable_ms, "{expires_in}");
        }
    }

    #[test]
    fn what_is_no_bearer_token_is_not_used() {
        for (response, problem) in [
            (json!({}), "the response has no access_token"),
            (
                json!({ "access_token": "a b" }),
                "the access_token contains characters that a header cannot contain",
            ),
            (
                json!({ "access_token": "" }),
                "the access_token contains characters that a header cannot contain",
            ),
            (
                json!({ "access_token": "x".repeat(MAX_ACCESS_TOKEN_BYTES + 1) }),
                "the access_token is too long for a header",
            ),
            (
                json!({ "access_token": "x", "token_type": "DPoP" }),
                "the token is not a bearer token",
            ),
        ] {
            assert_eq!(read(&response, 0).err(), Some(problem));
        }
    }
}
