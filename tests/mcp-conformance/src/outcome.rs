//! Results: content of tools and prompts, members of results, and what is wrong with a request.

use base::{did_you_mean, nearest};
use mcp::server::{Cache, Fault, Outcome, Scope};
use serde_json::{Value, json};

/// A picture of one grey dot, as Base64 of a PNG file.
pub const IMAGE: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mNoAAAAggCB2kUIOwAAAABJRU5ErkJggg==";
/// A sound of four samples, as Base64 of a WAV file.
pub const AUDIO: &str = "UklGRigAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQQAAACAoIBg";

/// Lists and resources stay as they are until a notification says otherwise, and are the same for everybody.
pub const CACHE: Cache = Cache {
    ttl_ms: 60_000,
    scope: Scope::Public,
};

/// A result with these members, which nobody keeps. `result` is an object.
pub fn complete(result: &Value) -> Outcome {
    Outcome::complete(members(result))
}

/// A result with these members, which may be kept. `result` is an object.
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

/// The result of a tool.
pub fn content(blocks: Value) -> Outcome {
    complete(&json!({ "content": blocks }))
}

/// The result of a tool that is one text.
pub fn said(words: impl Into<String>) -> Outcome {
    content(json!([text(words)]))
}

/// The result of a tool that failed.
pub fn failed(words: impl Into<String>) -> Outcome {
    complete(&json!({ "content": [text(words)], "isError": true }))
}

/// A block of text.
pub fn text(words: impl Into<String>) -> Value {
    json!({ "type": "text", "text": words.into() })
}

/// The picture as a block.
pub fn image() -> Value {
    json!({ "type": "image", "data": IMAGE, "mimeType": "image/png" })
}

/// A block with a resource of text.
pub fn embedded(uri: &str, mime_type: &str, words: &str) -> Value {
    json!({ "type": "resource", "resource": { "uri": uri, "mimeType": mime_type, "text": words } })
}

/// There is no such thing: `what` says of which kind.
pub fn unknown<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a str>) -> Fault {
    Fault::params(not_known(what, name, known))
}

/// The words for it, with the nearest known name.
pub fn not_known<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a str>) -> String {
    let problem = format!("there is no {what} `{name}`");
    match did_you_mean(&nearest(name, known)) {
        Some(hint) => format!("{problem}; {hint}"),
        None => problem,
    }
}
