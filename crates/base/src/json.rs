//! JSON as text, and objects that are no lists.

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// A structure that stands as an object. serde takes a list for the fields of a structure, in their order.
#[derive(Debug, Clone, Default)]
pub struct Object<T>(pub T);

impl<'de, T: DeserializeOwned> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        if !raw.get().starts_with('{') {
            return Err(D::Error::custom("an object is wanted"));
        }
        serde_json::from_str(raw.get())
            .map(Object)
            .map_err(D::Error::custom)
    }
}

/// Whether JSON nests deeper than readers of it can take.
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
}
