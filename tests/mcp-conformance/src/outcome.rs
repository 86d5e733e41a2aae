//! Results: content of tools and prompts, members of results, and faults of a request.

use base::{did_you_mean, nearest};
use mcp::server::{Cache, Fault, Outcome, Scope};
use serde_json::{Value, json};

/// A PNG file with one grey pixel, in Base64.
pub const IMAGE: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJggg==";
/// A WAV file with four samples, in Base64.
pub const AUDIO: &str = "UklGRigAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQQAAACAoIBg";

/// The caching of lists and resources: they are valid until a notification, and are the same for
/// all callers.
pub const CACHE: Cache = Cache {
    ttl_ms: 60_000,
    scope: Scope::Public,
};

/// Makes a result with these members that is not cached. `result` is an object.
pub fn complete(result: &Value) -> Outcome {
    Outcome::complete(members(result))
}

/// Makes a result with these members that may be cached. `result` is an object.
pub fn cached(result: &Value) -> Outcome {
    Outcome::cached(members(result), CACHE)
}

fn members(result: &Value) -> String {
    let text = result.to_string();
    let inner = text
        .strip_prefix('{')
        .and_then(|text| text.strip_suffix('}'));
    inner.unwrap_or_default().to_owned()
}

/// Makes the result of a tool.
pub fn content(blocks: Value) -> Outcome {
    complete(&json!({ "content": blocks }))
}

/// Makes the result of a tool that is one text.
pub fn said(words: impl Into<String>) -> Outcome {
    content(json!([text(words)]))
}

/// Makes the result of a tool that failed.
pub fn failed(words: impl Into<String>) -> Outcome {
    complete(&json!({ "content": [text(words)], "isError": true }))
}

/// Makes a block of text.
pub fn text(words: impl Into<String>) -> Value {
    json!({ "type": "text", "text": words.into() })
}

/// Makes a block with the picture.
pub fn image() -> Value {
    json!({ "type": "image", "data": IMAGE, "mimeType": "image/png" })
}

/// Makes a block with a text resource.
pub fn embedded(uri: &str, mime_type: &str, words: &str) -> Value {
    json!({ "type": "resource", "resource": { "uri": uri, "mimeType": mime_type, "text": words } })
}

/// Makes the fault for an unknown name; `what` is its kind.
pub fn unknown<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a str>) -> Fault {
    Fault::params(not_known(what, name, known))
}

/// Renders the message for an unknown name, with the nearest known one.
pub fn not_known<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let problem = format!("there is no {what} `{name}`");
    match did_you_mean(&nearest(name, known)) {
        Some(hint) => format!("{problem}; {hint}"),
        None => problem,
    }
}
