//! The JSON object in what a model wrote: alone, in a code fence, or between sentences.
//!
//! Several different objects are an error: nobody could tell which of them is meant. An object that does not end is no object, and what is
//! nested in it is not taken for one.

use serde_json::{Map, Value};

use crate::limits::MAX_JSON_CANDIDATES;

type Object = Map<String, Value>;

/// Why a text has no object that is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoObject {
    /// There is none.
    None,
    /// There are several different ones.
    Several,
}

/// The object of a text.
///
/// # Errors
/// [`NoObject`].
pub fn object_in(text: &str) -> Result<Object, NoObject> {
    match serde_json::from_str(text.trim()) {
        Ok(Value::Object(object)) => return Ok(object),
        // Some endpoints return the object as a text of JSON.
        Ok(Value::String(inner)) => return among_prose(&inner),
        _ => {}
    }
    among_prose(text)
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
            _ => rest = after_braces(candidate),
        }
    }
    found.ok_or(NoObject::None)
}

/// What follows the brace that closes the first one; where none does, what follows the first one.
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
