//! Responses, and the bodies that they stream.

use futures::{Stream, TryStreamExt};
use js_sys::Uint8Array;
use wasm_bindgen::JsValue;
use web_sys::{Headers, Response, ResponseInit};

use crate::api::{envelope, status::status};
use crate::error::Error;

const JSON: &str = "application/json; charset=utf-8";

/// A JSON text with its status.
///
/// # Errors
/// What the platform throws; it has no reason to.
pub fn json(text: &str, status: u16) -> Result<Response, JsValue> {
    let headers = Headers::new()?;
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
    let response = Response::new_with_opt_str(Some(text))?;
    response.headers().set("content-type", content_type)?;
    Ok(response)
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
    response.headers().set("content-type", content_type)?;
    Ok(response)
}
