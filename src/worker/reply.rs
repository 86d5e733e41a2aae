//! Responses, and the bodies that they stream.

use crate::api::RequestError;
use futures::{Stream, TryStreamExt};
use wasm_bindgen::JsValue;
use web_sys::{Response, ResponseInit};

use super::bindings::respond;

use crate::api::disposition::attachment;
use crate::api::envelope;
use crate::api::status::status;
use base::Error;
use session::tabular::Tabular;

const JSON: &str = "application/json; charset=utf-8";

/// Returns the header that forbids guessing the type of a response. A caller's data, opened in a
/// browser, must not be taken for a page.
pub fn no_sniff() -> (&'static str, String) {
    ("x-content-type-options", "nosniff".to_owned())
}

/// Makes a response of a JSON text and a status.
///
/// # Errors
/// Exceptions of the platform; none is known.
pub fn json(text: &str, status: u16) -> Result<Response, JsValue> {
    respond(text.as_bytes(), status, JSON)
}

/// Makes a response of text of another type.
///
/// # Errors
/// As [`json`].
pub fn text(content_type: &str, text: &str) -> Result<Response, JsValue> {
    respond(text.as_bytes(), 200, content_type)
}

/// Makes a response of rows in another form than JSON.
///
/// # Errors
/// As [`json`].
pub fn tabular(rows: &Tabular) -> Result<Response, JsValue> {
    let response = text(rows.format.content_type(), &rows.text)?;
    let headers = response.headers();
    for (name, value) in &rows.headers {
        headers.set(name, value)?;
    }
    let file = attachment("query", rows.format.extension());
    headers.set("content-disposition", &file)?;
    Ok(response)
}

/// Makes the same response without its body, which is cancelled.
///
/// # Errors
/// As [`json`].
pub fn without_body(response: &Response) -> Result<Response, JsValue> {
    let init = ResponseInit::new();
    init.set_status(response.status());
    init.set_headers(&response.headers());
    if let Some(body) = response.body() {
        let _settles = body.cancel();
    }
    Response::new_with_opt_str_and_init(None, &init)
}

/// Makes a failure with the status of its code.
///
/// # Errors
/// As [`json`].
pub fn failure(error: &Error) -> Result<Response, JsValue> {
    let response = json(&envelope::failure(error), status(error))?;
    if let Some(RequestError::MethodNotAllowed { allowed, .. }) = error.of() {
        response.headers().set("allow", &allowed.join(", "))?;
    }
    Ok(response)
}

/// Makes a response whose body is made piece by piece, each when the reader requests it. `pieces`
/// is dropped when the reader goes away. A piece that is an error breaks the connection off, so
/// that nobody takes the part for the whole.
///
/// # Errors
/// As [`json`].
pub fn stream(
    content_type: &str,
    file: Option<&str>,
    pieces: impl Stream<Item = Result<Vec<u8>, Error>> + 'static,
) -> Result<Response, JsValue> {
    let bytes = pieces.map_err(|error| worker::Error::RustError(error.to_string()));
    let response: Response = worker::Response::from_stream(bytes)?.into();
    let (name, value) = no_sniff();
    response.headers().set(name, &value)?;
    response.headers().set("content-type", content_type)?;
    if let Some(file) = file {
        response.headers().set("content-disposition", file)?;
    }
    Ok(response)
}
