//! Fetches one JSON document of the issuer, limited in size.

use base::{Error, Result};
use net::transport::{Body, Broken, Http, Request, Response};
use serde_json::{Map, Value};

use super::error::OauthError;
use super::limits::MAX_ISSUER_RESPONSE_BYTES;

/// The response of the issuer for a URL.
pub(super) enum Document {
    /// A JSON object, and its text.
    Object(Map<String, Value>, String),
    /// No document; the status of the response.
    Nothing(u16),
}

/// Fetches the document at a URL.
///
/// # Errors
/// [`OauthError::IssuerUnavailable`] if the server does not respond, or responds with status 429 or
/// 5xx; [`OauthError::IssuerResponseInvalid`] if the response is not a JSON object, or too large.
pub(super) async fn fetch(http: &impl Http, url: &str) -> Result<Document> {
    let request = Request {
        method: "GET",
        url: url.to_owned(),
        headers: vec![("accept".to_owned(), "application/json".to_owned())],
        body: String::new(),
    };
    let response = http
        .send(request)
        .await
        .map_err(|broken| unreachable(url, &broken))?;
    let status = response.status;
    if status == 429 || status >= 500 {
        return Err(unavailable(format!(
            "the OAuth issuer returned status {status} for {url}"
        )));
    }
    if status != 200 {
        return Ok(Document::Nothing(status));
    }
    let text = read(response, url).await?;
    let object = serde_json::from_str(&text)
        .map_err(|_| invalid(format!("{url} of the OAuth issuer is not a JSON object")))?;
    Ok(Document::Object(object, text))
}

async fn read<B: Body>(mut response: Response<B>, url: &str) -> Result<String> {
    let too_large = || {
        invalid(format!(
            "{url} of the OAuth issuer has more than {MAX_ISSUER_RESPONSE_BYTES} bytes"
        ))
    };
    if response
        .length
        .is_some_and(|length| length > MAX_ISSUER_RESPONSE_BYTES as u64)
    {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    while let Some(piece) = response
        .body
        .next()
        .await
        .map_err(|broken| unreachable(url, &broken))?
    {
        if bytes.len().saturating_add(piece.len()) > MAX_ISSUER_RESPONSE_BYTES {
            return Err(too_large());
        }
        bytes.extend_from_slice(&piece);
    }
    String::from_utf8(bytes).map_err(|_| invalid(format!("{url} of the OAuth issuer is not UTF-8")))
}

fn unreachable(url: &str, broken: &Broken) -> Error {
    unavailable(match broken {
        Broken::Off(reason) => format!("the request to the OAuth issuer ({url}) failed: {reason}"),
        Broken::NoRoom => "no memory is left for the response of the OAuth issuer".to_owned(),
    })
}

/// Returns the error for an issuer that did not respond.
pub(super) fn unavailable(message: String) -> Error {
    OauthError::IssuerUnavailable { message }.into()
}

/// Returns the error for an unusable response of the issuer.
pub(super) fn invalid(message: String) -> Error {
    OauthError::IssuerResponseInvalid {
        message,
        hint: "correct the environment variable OAUTH_ISSUER, or set OAUTH_JWKS_URL to the address of the issuer's keys",
    }
    .into()
}
