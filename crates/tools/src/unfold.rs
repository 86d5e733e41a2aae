//! Decodes JSON inside a string, such as `{"content": "[…]"}` of the official filesystem server.
//!
//! A program gets the string that the tool's schema promises. Tables are made of the JSON inside,
//! if the string is the whole of the data or a field of its outermost object.

use serde_json::value::RawValue;

use super::content::json_in;
use base::entries::Entries;

/// Data in which JSON strings were decoded.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unfolded {
    /// The data.
    pub(super) data: String,
    /// The decoded fields; empty if the whole was one string.
    pub(super) fields: Vec<String>,
}

impl Unfolded {
    /// Returns the notice for the reader.
    pub(super) fn notice(&self) -> String {
        match self.fields.as_slice() {
            [] => "the text is JSON, and the tables contain its values".to_owned(),
            fields => format!(
                "the text of {} is JSON, and the tables contain its values",
                fields.join(", ")
            ),
        }
    }
}

/// Decodes the strings in the data that contain JSON; returns `None` if there are none. Strings
/// with an empty list or object are not decoded.
pub(super) fn unfold(data: &str) -> Option<Unfolded> {
    let data = data.trim();
    match data.as_bytes().first() {
        Some(b'"') => Some(Unfolded {
            data: json_of(data)?,
            fields: Vec::new(),
        }),
        Some(b'{') => {
            let entries: Entries<&RawValue, &RawValue> = serde_json::from_str(data).ok()?;
            let (mut unfolded, mut fields) = (String::from("{"), Vec::new());
            for (index, (key, value)) in entries.0.iter().enumerate() {
                if index > 0 {
                    unfolded.push(',');
                }
                unfolded.extend([key.get(), ":"]);
                match json_of(value.get()) {
                    Some(inner) => {
                        unfolded.push_str(&inner);
                        fields.push(serde_json::from_str(key.get()).unwrap_or_default());
                    }
                    None => unfolded.push_str(value.get()),
                }
            }
            unfolded.push('}');
            (!fields.is_empty()).then_some(Unfolded {
                data: unfolded,
                fields,
            })
        }
        _ => None,
    }
}

/// Returns the object or list inside a JSON string.
fn json_of(text: &str) -> Option<String> {
    // Only strings with such a beginning are decoded.
    let inner = text.strip_prefix('"')?;
    let begins = |mark: &str| inner.starts_with(mark);
    if !["{", "[", " ", "\\", "\u{feff}"].into_iter().any(begins) {
        return None;
    }
    let decoded: String = serde_json::from_str(text).ok()?;
    let json = json_in(&decoded)?;
    let is_empty = json.len() < 3 || json.get(1..json.len() - 1)?.trim().is_empty();
    (!is_empty).then(|| json.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_in_the_text_of_a_field_is_read() {
        for (data, wanted, fields) in [
            (
                r#"{"content":"[{\"a\":1}]"}"#,
                r#"{"content":[{"a":1}]}"#,
                &["content"][..],
            ),
            (
                r#"{"path":"/x","content":" {\"a\":[1]}\n","size":7}"#,
                r#"{"path":"/x","content":{"a":[1]},"size":7}"#,
                &["content"],
            ),
            (
                r#"{"a":"[1]","b":"\ufeff[2]"}"#,
                r#"{"a":[1],"b":[2]}"#,
                &["a", "b"],
            ),
            (
                r#""[{\"a\":9007199254740993}]""#,
                r#"[{"a":9007199254740993}]"#,
                &[],
            ),
        ] {
            let unfolded = unfold(data).unwrap();
            assert_eq!(unfolded.data, wanted, "{data}");
            assert_eq!(unfolded.fields, fields, "{data}");
        }
    }

    #[test]
    fn a_text_that_is_none_stays_as_it_is() {
        let deep = format!("{{\"a\":\"{}1{}\"}}", "[".repeat(500), "]".repeat(500));
        for data in [
            r#"{"content":"plain"}"#,
            r#"{"content":"[broken"}"#,
            r#"{"content":"[]","b":"{ }"}"#,
            r#"{"content":"12"}"#,
            // Only fields of the outermost object are decoded: here the string is a value of a
            // record.
            r#"{"rows":[{"meta":"{\"a\":1}"}]}"#,
            r#"[{"meta":"{\"a\":1}"}]"#,
            r#""text""#,
            "null",
            "",
            &deep,
        ] {
            assert_eq!(unfold(data), None, "{data}");
        }
    }
}
