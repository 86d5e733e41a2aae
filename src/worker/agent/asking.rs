//! Requests of a thread to other objects of its tenant.

use serde_json::Value;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::Response;

use super::super::bindings::{header_lines, send_to};
use super::super::object::Class;
use base::{Error, Result};

/// Sends a request to an object and returns the JSON of its response.
///
/// # Errors
/// [`base::CommonError::Internal`] if the object does not respond. It is then unknown whether it
/// did the work.
pub async fn ask(
    env: &JsValue,
    class: &Class,
    name: &str,
    url: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Result<Value> {
    let failed = |thrown: JsValue| class.stopped(&thrown);
    let stub = class.stub(env, name)?;
    let body = JsValue::from_str(body);
    let sent = send_to(&stub, "POST", url, &header_lines(headers), &body).map_err(failed)?;
    let response: Response = JsFuture::from(sent)
        .await
        .and_then(JsCast::dyn_into)
        .map_err(failed)?;
    let text = JsFuture::from(response.text().map_err(failed)?)
        .await
        .map_err(failed)?;
    serde_json::from_str(&text.as_string().unwrap_or_default()).map_err(|_| {
        Error::internal(format!(
            "the response of {} cannot be read; its status is {}",
            class.in_words,
            response.status()
        ))
    })
}
