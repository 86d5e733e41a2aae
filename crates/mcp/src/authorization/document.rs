//! The JSON response to one request, limited in bytes.

use serde_json::Value;

use super::denied::Fault;
use crate::limits::MAX_TOKEN_RESPONSE_BYTES;
use net::transport::{Body, Http, Request, Response};

/// The errors that may be shown, by their registered names: RFC 6749 (5.2), RFC 8707 (2), RFC 6750
/// (3.1).
const ERRORS: &[&str] = &[
    "invalid_client",
    "invalid_grant",
    "invalid_request",
    "invalid_scope",
    "invalid_target",
    "server_error",
    "temporarily_unavailable",
    "unauthorized_client",
    "unsupported_grant_type",
];

/// Sends a request and returns the JSON object of the response.
///
/// # Errors
/// [`Fault`].
pub(super) async fn fetch<H: Http>(http: &H, request: Request) -> Result<Value, Fault> {
    let mut response = http
        .send(request)
        .await
        .map_err(|_broken| Fault::Unreached)?;
    let status = response.status;
    let text = match read(&mut response).await {
        Ok(text) => text,
        // The status alone describes the failure.
        Err(_) if status != 200 => Vec::new(),
        Err(fault) => return Err(fault),
    };
    let value: Option<Value> = serde_json::from_slice(&text).ok();
    if status != 200 {
        let told = value
            .as_ref()
            .and_then(|value| value.get("error")?.as_str());
        let error = told.and_then(|told| ERRORS.iter().copied().find(|known| *known == told));
        return Err(Fault::Status { status, error });
    }
    value
        .filter(Value::is_object)
        .ok_or(Fault::Unusable("the response is not a JSON object"))
}

/// Returns the request for a document.
pub(super) fn get(url: String) -> Request {
    Request {
        method: "GET",
        url,
        headers: vec![("accept".to_owned(), "application/json".to_owned())],
        body: String::new(),
    }
}

async fn read<B: Body>(response: &mut Response<B>) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::new();
    while let Some(piece) = response
        .body
        .next()
        .await
        .map_err(|_broken| Fault::Unreached)?
    {
        if bytes.len() + piece.len() > MAX_TOKEN_RESPONSE_BYTES {
            return Err(Fault::Unusable("the response is too large"));
        }
        bytes.extend_from_slice(&piece);
    }
    Ok(bytes)
}
