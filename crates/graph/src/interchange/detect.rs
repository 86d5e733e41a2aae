//! Detects the format of a text.

use base::entries::Fields;
use base::{Error, Result};
use serde_json::value::RawValue;

use super::error::InterchangeError;
use super::{Format, cytoscape, without_mark};
use crate::limits::MAX_SHOWN_CHARACTERS;

/// Returns the format of a text: by its media type if that is specific enough, else by its
/// beginning and its fields.
///
/// # Errors
/// [`InterchangeError::UnsupportedMediaType`]; [`base::CommonError::InvalidBody`] for an empty
/// text.
pub fn detect(content_type: Option<&str>, text: &str) -> Result<Format> {
    let text = without_mark(text).trim_start();
    if text.is_empty() {
        return Err(Error::body("the text is empty: it has no graph"));
    }
    match essence(content_type).as_str() {
        "application/graphml+xml" | "application/graphml" | "application/xml" | "text/xml" => {
            Ok(Format::GraphMl)
        }
        "text/csv" | "text/tab-separated-values" => Ok(Format::Csv),
        "application/json" | "text/json" | "application/vnd.cytoscape.cyjs+json" => {
            Ok(json_format(text))
        }
        // These media types say nothing about the format; the last is the one that curl sends with
        // `-d`.
        "" | "application/octet-stream" | "text/plain" | "application/x-www-form-urlencoded" => {
            Ok(match text.bytes().next() {
                Some(b'<') => Format::GraphMl,
                Some(b'{' | b'[') => json_format(text),
                _ => Format::Csv,
            })
        }
        other => Err(Error::from(InterchangeError::UnsupportedMediaType {
            media_type: base::text::cut(other, MAX_SHOWN_CHARACTERS),
        })),
    }
}

fn essence(content_type: Option<&str>) -> String {
    let essence = content_type.unwrap_or_default().split(';').next();
    essence.unwrap_or_default().trim().to_ascii_lowercase()
}

/// Returns the format of a JSON text. A text that cannot be parsed counts as our own format, whose
/// reader reports the error.
fn json_format(text: &str) -> Format {
    if text.starts_with('[') {
        return Format::Cytoscape;
    }
    let Ok(Fields(fields)) = serde_json::from_str::<Fields<&RawValue>>(text) else {
        return Format::Json;
    };
    let has = |name: &str| fields.iter().any(|(field, _)| field == name);
    let nodes = fields.iter().find(|(field, _)| field == "nodes");
    if has("elements") || nodes.is_some_and(|(_, raw)| cytoscape::is_elements(raw)) {
        return Format::Cytoscape;
    }
    if ["links", "directed", "multigraph", "graph"]
        .into_iter()
        .any(has)
    {
        return Format::NodeLink;
    }
    Format::Json
}
