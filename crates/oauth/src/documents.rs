//! One JSON document of the issuer, up to a size, or why there is none.

use base::{Error, Result};
use net::transport::{Body, Broken, Http, Request, Response};
use serde_json::{Map, Value};

use super::error::OauthError;
use super::limits::MAX_ISSUER_RESPONSE_BYTES;

/// What is at an address.
pub(super) enum Document {
    /// An object, and its text.
    Object(Map<String, Value>, String),
    /// Nothing; the server is there, and its status says so.
    Nothing(u16),
}

/// What is at the address.
///
/// # Errors
/// [`OauthError::IssuerUnavailable`] where the server does not respond or says that it cannot, [`OauthError::IssuerResponseInvalid`] where
/// what it returns is no JSON object or too large.
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
        .map_err(|_| invalid(format!("{url} of the OAuth issuer has no JSON object")))?;
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

/// The issuer did not respond.
pub(super) fn unavailable(message: String) -> Error {
    OauthError::IssuerUnavailable { message }.into()
}

/// The response of the issuer is of no use.
pub(super) fn invalid(message: String) -> Error {
    OauthError::IssuerResponseInvalid {
        message,
        hint: "correct the environment variable OAUTH_ISSUER, or set OAUTH_JWKS_URL to the address of the issuer's keys",
    }
    .into()
}
