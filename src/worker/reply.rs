//! Responses, and the bodies that they stream.

use futures::{Stream, TryStreamExt};
use js_sys::Uint8Array;
use wasm_bindgen::JsValue;
use web_sys::{Headers, Response, ResponseInit};

use crate::api::{envelope, status::status};
use crate::error::Error;

const JSON: &str = "application/json; charset=utf-8";

/// Every response says that its type is what it says: data of a caller, opened in a browser, must not be taken for a page.
pub fn no_sniff() -> (&'static str, String) {
    ("x-content-type-options", "nosniff".to_owned())
}

/// The headers that every response has.
///
/// # Errors
/// As [`json`].
pub fn headers() -> Result<Headers, JsValue> {
    let headers = Headers::new()?;
    let (name, value) = no_sniff();
    headers.set(name, &value)?;
    Ok(headers)
}

/// A JSON text with its status.
///
/// # Errors
/// What the platform throws; it has no reason to.
pub fn json(text: &str, status: u16) -> Result<Response, JsValue> {
    let headers = headers()?;
    headers.set("content-type", JSON)?;
    let init = ResponseInit::new();
    init.set_status(status);
    init.set_headers(&headers);
    // As bytes: a string would be made into one of JavaScript and back.
    let bytes = Uint8Array::from(text.as_bytes());
    Response::new_with_opt_js_u8_array_and_init(Some(&bytes), &init)
}

/// Text of another type.
///
/// # Errors
/// As [`json`].
pub fn text(content_type: &str, text: &str) -> Result<Response, JsValue> {
    let headers = headers()?;
    headers.set("content-type", content_type)?;
    let init = ResponseInit::new();
    init.set_headers(&headers);
    Response::new_with_opt_str_and_init(Some(text), &init)
}

/// A failure with the status of its code.
///
/// # Errors
/// As [`json`].
pub fn failure(error: &Error) -> Result<Response, JsValue> {
    let response = json(&envelope::failure(error), status(error))?;
    if let Error::MethodNotAllowed { allowed, .. } = error {
        response.headers().set("allow", &allowed.join(", "))?;
    }
    if let Error::Unauthorized { .. } = error {
        response.headers().set("www-authenticate", "Bearer")?;
    }
    Ok(response)
}

/// A body made piece by piece, each when the reader asks for it. When the reader goes away, `pieces` is dropped. A piece that is an error
/// breaks the connection off, so that nobody takes the part for the whole.
///
/// # Errors
/// As [`json`].
pub fn stream(
    content_type: &str,
    pieces: impl Stream<Item = Result<Vec<u8>, Error>> + 'static,
) -> Result<Response, JsValue> {
    let bytes = pieces.map_err(|error| worker::Error::RustError(error.to_string()));
    let response: Response = worker::Response::from_stream(bytes)?.into();
    let (name, value) = no_sniff();
    response.headers().set(name, &value)?;
    response.headers().set("content-type", content_type)?;
    Ok(response)
}
