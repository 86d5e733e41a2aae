//! Notes of objects to the index of their tenant. A deployment without the index has no lists;
//! everything else works.

use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::Response;

use super::addresses::{INDEX, NOTES};
use super::bindings::{send_to, thrown_text};
use super::instance;
use index::Note;

/// Sends a note. Returns true if the index has received it, or if there is no index.
pub async fn send(env: &JsValue, tenant: &str, note: &Note) -> bool {
    if instance::binding(env, INDEX.binding).is_none() {
        return true;
    }
    let sent = async {
        let stub = INDEX
            .stub(env, tenant)
            .map_err(|error| JsValue::from_str(&error.to_string()))?;
        let body = JsValue::from_str(&note.to_json());
        let response = JsFuture::from(send_to(&stub, "PUT", NOTES, "", &body)?).await?;
        Ok::<bool, JsValue>(response.unchecked_ref::<Response>().ok())
    };
    sent.await.unwrap_or_else(|thrown: JsValue| {
        let words = format!("the note did not reach the index: {}", thrown_text(&thrown));
        web_sys::console::warn_1(&JsValue::from_str(&words));
        false
    })
}
