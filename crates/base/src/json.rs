//! Helpers for JSON: checks of a text before it is parsed, and [`Object`], which rejects a list in
//! place of an object.

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// A structure that must be a JSON object. By itself, serde would also accept a list with the
/// values of its fields.
#[derive(Debug, Clone, Default)]
pub struct Object<T>(pub T);

impl<'de, T: DeserializeOwned> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        if !raw.get().starts_with('{') {
            return Err(D::Error::custom("expected an object"));
        }
        serde_json::from_str(raw.get())
            .map(Object)
            .map_err(D::Error::custom)
    }
}

/// Returns true if JSON is nested deeper than `limit`.
pub fn is_deeper_than(json: &str, limit: usize) -> bool {
    let mut depth = 0_usize;
    let mut in_text = false;
    let mut bytes = json.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => in_text = !in_text,
            b'\\' if in_text => {
                bytes.next();
            }
            b'{' | b'[' if !in_text => {
                depth += 1;
                if depth > limit {
                    return true;
                }
            }
            b'}' | b']' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

/// Returns the first number that a 64-bit float cannot represent, such as `1e400`: JSON parsers
/// turn it into infinity, or fail.
pub fn number_too_large(json: &str) -> Option<&str> {
    let mut rest = json;
    while let Some(start) = rest.find(|c: char| c == '"' || c.is_ascii_digit()) {
        let (_, from) = rest.split_at_checked(start)?;
        if let Some(text) = from.strip_prefix('"') {
            rest = after_text(text);
            continue;
        }
        let end = from
            .find(|c: char| !matches!(c, '0'..='9' | '+' | '-' | '.' | 'e' | 'E'))
            .unwrap_or(from.len());
        let (number, after) = from.split_at_checked(end)?;
        let may_be_large = number.len() > f64::MAX_10_EXP as usize || number.contains(['e', 'E']);
        if may_be_large && number.parse().is_ok_and(f64::is_infinite) {
            return Some(number);
        }
        rest = after;
    }
    None
}

/// Returns the rest after the end of a string, whose first quote has already been removed.
fn after_text(text: &str) -> &str {
    let mut bytes = text.bytes().enumerate();
    while let Some((index, byte)) = bytes.next() {
        match byte {
            b'"' => return text.get(index + 1..).unwrap_or_default(),
            b'\\' => {
                bytes.next();
            }
            _ => {}
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_no_object() {
        #[derive(Debug, Deserialize)]
        struct Point {
            x: u8,
        }
        let read = serde_json::from_str::<Object<Point>>;
        assert_eq!(read(r#"{"x":1}"#).unwrap().0.x, 1);
        for text in ["[1]", "1", "null", r#"{"x":-1}"#] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn nesting_is_bounded_and_brackets_in_texts_are_not_nesting() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(!is_deeper_than(&nested(5), 5) && is_deeper_than(&nested(6), 5));
        assert!(!is_deeper_than(r#"["[[[[[\"[[[[\\","[["]"#, 1));
        assert!(!is_deeper_than(&nested(5).repeat(9), 5));
    }

    #[test]
    fn a_number_that_no_float_holds_is_found_outside_of_texts() {
        let zeros = "0".repeat(400);
        for (json, found) in [
            (r#"{"a":1e400}"#, Some("1e400")),
            (r#"[1,-2.5E+999,3]"#, Some("2.5E+999")),
            (r#"{"a":"1e400","b\"":"\\","c":1e308}"#, None),
            (r#"{"1e400":[1e-400, 9007199254740993, 0]}"#, None),
            ("1e", None),
            (r#""1e400"#, None),
        ] {
            assert_eq!(number_too_large(json), found, "{json}");
        }
        assert!(number_too_large(&format!("[1{zeros}]")).is_some());
        assert!(number_too_large(&format!("[0.{zeros}1]")).is_none());
    }
}
