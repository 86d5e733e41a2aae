//! Writes scalar values into rows. No value is refused: one that SQLite cannot represent is stored
//! as its text.

use crate::json_reader::Reader;
use crate::records::{Kinds, append_json_text, append_json_value};

/// The number of digits from which on a number may be too large for a double, which ends at
/// 1.8·10^308.
const LARGE_NUMBER_CHARACTERS: usize = 300;

/// Appends a scalar, `{"$blob":…}` or `{"$real":…}` in the form that the insert reads, and returns
/// its kinds.
///
/// An integer beyond 64 bits, a number beyond the range of a double, half of a surrogate pair and a
/// `$blob` that is not base64 become texts.
pub(super) fn append_scalar(json: &str, out: &mut String) -> Kinds {
    if exceeds_double(json) {
        append_json_text(json, out);
        return Kinds::TEXT;
    }
    append_json_value(json, out).unwrap_or_else(|_| {
        append_json_text(json, out);
        Kinds::TEXT
    })
}

/// Returns the kinds that [`append_scalar`] would return.
pub(super) fn kinds_of_scalar(json: &str) -> Kinds {
    match json.as_bytes().first() {
        Some(b'"') => Kinds::TEXT,
        Some(b't' | b'f') => Kinds::INTEGER,
        Some(b'n') | None => Kinds::NOTHING,
        Some(b'{' | b'[') => append_scalar(json, &mut String::new()),
        Some(_) if exceeds_double(json) => Kinds::TEXT,
        Some(_) => Kinds::of_number(json).unwrap_or(Kinds::TEXT),
    }
}

fn exceeds_double(json: &str) -> bool {
    let digits = matches!(json.as_bytes().first(), Some(b'-' | b'0'..=b'9'));
    digits
        && (json.len() > LARGE_NUMBER_CHARACTERS || json.contains(['e', 'E']))
        && json.parse::<f64>().is_ok_and(f64::is_infinite)
}

/// Writes the JSON text of arguments with sorted keys and without white space, so that equal
/// arguments are equal texts. Of two equal keys the last counts. Values nested deeper than `depth`
/// are copied unchanged.
pub(super) fn canonical(reader: &mut Reader<'_>, depth: usize, out: &mut String) {
    match reader.peek() {
        b'{' if depth > 0 => {
            let mut entries = std::collections::BTreeMap::new();
            reader.enter();
            while let Some(key) = reader.key() {
                let mut value = String::new();
                canonical(reader, depth - 1, &mut value);
                entries.insert(crate::json_reader::decode(key).into_owned(), value);
            }
            out.push('{');
            for (index, (key, value)) in entries.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                append_json_text(key, out);
                out.push(':');
                out.push_str(value);
            }
            out.push('}');
        }
        b'[' if depth > 0 => {
            reader.enter();
            out.push('[');
            let mut first = true;
            while reader.element() {
                if !std::mem::take(&mut first) {
                    out.push(',');
                }
                canonical(reader, depth - 1, out);
            }
            out.push(']');
        }
        b'"' => append_json_text(&crate::json_reader::decode(reader.value()), out),
        _ => out.push_str(reader.value()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_row_cannot_hold_as_a_number_is_kept_as_a_text() {
        for (json, kinds, text) in [
            ("5", Kinds::INTEGER, "5"),
            (
                "9223372036854775807",
                Kinds::LONG_INTEGER,
                "9223372036854775807",
            ),
            (
                "9223372036854775808",
                Kinds::TEXT,
                "\"9223372036854775808\"",
            ),
            ("1e5", Kinds::REAL, "1e5"),
            ("-1e400", Kinds::TEXT, "\"-1e400\""),
            ("true", Kinds::INTEGER, "1"),
            ("\"a\"", Kinds::TEXT, "\"a\""),
            ("\"\\ud800\"", Kinds::TEXT, r#""\"\\ud800\"""#),
            ("{\"$blob\":\"AAE=\"}", Kinds::BLOB, "{\"b\":\"0001\"}"),
            ("{\"$blob\":\"?\"}", Kinds::TEXT, r#""{\"$blob\":\"?\"}""#),
            ("{\"$real\":\"Infinity\"}", Kinds::REAL, "9e999"),
        ] {
            let mut out = String::new();
            assert_eq!(append_scalar(json, &mut out), kinds, "{json}");
            assert_eq!(kinds_of_scalar(json), kinds, "{json}");
            assert_eq!(out, text, "{json}");
        }
    }

    #[test]
    fn equal_arguments_are_equal_texts() {
        let text = |json: &str| {
            let mut out = String::new();
            canonical(&mut Reader::new(json), 8, &mut out);
            out
        };
        assert_eq!(
            text(
                " { \"b\" : [ 1 , {\"d\":null,\"c\":\"\\u0061\\n\"} ] , \"a\" : 1, \"a\": 2.50 } "
            ),
            "{\"a\":2.50,\"b\":[1,{\"c\":\"a\\n\",\"d\":null}]}"
        );
        assert_eq!(text("{}"), "{}");
        assert_eq!(text(&"[".repeat(9)).matches('[').count(), 9);
    }
}
