//! Finds the JSON object in the text of a model: alone, in a code fence, or between sentences.
//!
//! Several different objects are an error, because it is not clear which one is the response. An
//! object without an end is not an object, and objects nested in it are not used.

use serde_json::{Map, Value};

use crate::lenient;
use crate::limits::MAX_JSON_CANDIDATES;
use crate::thinking;

type Object = Map<String, Value>;

/// The reason why a text has no usable object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoObject {
    /// There is no object.
    None,
    /// There are several different objects.
    Several,
}

/// Returns the object that follows the thoughts in a response. An object that contains a mark of
/// thoughts in one of its texts is found as well.
///
/// # Errors
/// [`NoObject`].
pub(crate) fn object_behind_thoughts(text: &str) -> Result<Object, NoObject> {
    let found = object_in(thinking::response(text));
    match (found, thinking::end_of_thoughts(text)) {
        (Err(NoObject::None), Some(end)) => object_over(text, end).ok_or(NoObject::None),
        (found, _) => found,
    }
}

/// Returns the object that begins before a position and ends after it.
fn object_over(text: &str, place: usize) -> Option<Object> {
    let starts = text.match_indices('{').map(|(at, _)| at);
    starts
        .take_while(|at| *at < place)
        .take(MAX_JSON_CANDIDATES)
        .find_map(|at| {
            let mut values =
                serde_json::Deserializer::from_str(text.get(at..)?).into_iter::<Object>();
            let object = values.next()?.ok()?;
            (at + values.byte_offset() >= place).then_some(object)
        })
}

/// Returns the object of a text: alone, in a fence, between sentences, as a JSON string, or with
/// HTML entities.
///
/// # Errors
/// [`NoObject`].
pub fn object_in(text: &str) -> Result<Object, NoObject> {
    let text = text.trim_start_matches('\u{feff}');
    match serde_json::from_str(text.trim()) {
        Ok(Value::Object(object)) => return Ok(object),
        // Some endpoints return the object as a JSON string.
        Ok(Value::String(inner)) => return among_prose(&inner),
        _ => {}
    }
    match among_prose(text) {
        Err(NoObject::None) if text.contains("{\\\"") => among_prose(&unescaped(text)),
        Err(NoObject::None) if text.contains("&quot;") => {
            among_prose(&base::text::without_entities(text))
        }
        found => found,
    }
}

/// Unescapes a text whose quotes are escaped once too often.
fn unescaped(text: &str) -> String {
    let quoted = format!("\"{}\"", text.replace('\n', "\\n").replace('\r', ""));
    serde_json::from_str(&quoted).unwrap_or_default()
}

fn among_prose(text: &str) -> Result<Object, NoObject> {
    let mut found: Option<Object> = None;
    let mut rest = text;
    for _ in 0..MAX_JSON_CANDIDATES {
        let Some((_, candidate)) = rest.find('{').and_then(|at| rest.split_at_checked(at)) else {
            break;
        };
        let mut values = serde_json::Deserializer::from_str(candidate).into_iter::<Object>();
        match values.next() {
            Some(Ok(object)) => {
                if found.as_ref().is_some_and(|known| *known != object) {
                    return Err(NoObject::Several);
                }
                found = Some(object);
                rest = candidate.get(values.byte_offset()..).unwrap_or_default();
            }
            Some(Err(error)) if error.is_eof() => break,
            _ => {
                let read = lenient::strict(candidate);
                let object =
                    read.and_then(|(json, bytes)| Some((serde_json::from_str(&json).ok()?, bytes)));
                match object {
                    Some((object, bytes)) => {
                        if found.as_ref().is_some_and(|known| *known != object) {
                            return Err(NoObject::Several);
                        }
                        found = Some(object);
                        rest = candidate.get(bytes..).unwrap_or_default();
                    }
                    None => rest = after_braces(candidate),
                }
            }
        }
    }
    found.ok_or(NoObject::None)
}

/// Returns the text after the brace that closes the first one, or after the first brace if none
/// closes it.
fn after_braces(candidate: &str) -> &str {
    let mut depth = 0_usize;
    let mut in_text = false;
    let mut bytes = candidate.bytes().enumerate();
    while let Some((index, byte)) = bytes.next() {
        match byte {
            b'"' => in_text = !in_text,
            b'\\' if in_text => {
                bytes.next();
            }
            b'{' if !in_text => depth += 1,
            b'}' if !in_text => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return candidate.get(index + 1..).unwrap_or_default();
                }
            }
            _ => {}
        }
    }
    candidate.get(1..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(text: &str, expected: Result<Value, NoObject>) {
        assert_eq!(object_in(text).map(Value::Object), expected, "{text}");
    }

    #[test]
    fn an_object_is_found_alone_in_a_fence_and_between_sentences() {
        let object = || Ok(json!({"sql":"SELECT '}' || \"{\""}));
        let text = r#"{"sql":"SELECT '}' || \"{\""}"#;
        for around in [
            "$",
            " \n$\n",
            "```json\n$\n```",
            "Here it is:\n\n```\n$\n```\nIt counts the {rows}.",
            "Use {name} as in {\"a\": nothing}: $",
            "An opening { and then $ and no closing one",
            "$ once more: $",
        ] {
            check(&around.replace('$', text), object());
        }
        check(&serde_json::to_string(text).unwrap(), object());
    }

    #[test]
    fn texts_without_one_object_have_none() {
        for text in [
            "",
            "null",
            "[1]",
            "no JSON at all",
            "{}{",
            "{\"sql\":\"SELECT",
            "{\"sql\":1,\"more\":{\"a\":1}",
            "{'sql':'SELECT 1', \"more\":{\"a\":1}}",
            "} {",
            "prose {with {\"a\":1} in} braces",
        ] {
            let expected = if text == "{}{" {
                Ok(json!({}))
            } else {
                Err(NoObject::None)
            };
            check(text, expected);
        }
        check("{\"a\":1} or {\"a\":2}", Err(NoObject::Several));
    }

    #[test]
    fn braces_without_end_are_given_up() {
        for text in [
            "{".repeat(200_000),
            "{\"a\":".repeat(40_000),
            "{x".repeat(100_000),
        ] {
            check(&text, Err(NoObject::None));
        }
        let late = format!("{} {{\"a\":1}}", "{x}".repeat(MAX_JSON_CANDIDATES));
        check(&late, Err(NoObject::None));
    }
}
