//! Percent-encoding of paths, query strings and fragments of URLs.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// The characters to escape: all except those that RFC 3986 calls unreserved, which are allowed in
/// every part of a URL.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Encodes a text for one segment of a path or one value of a query string.
pub fn encode(text: &str) -> String {
    utf8_percent_encode(text, ESCAPED).to_string()
}

/// Decodes percent-encoding. Returns `None` for a broken escape or bytes that are not UTF-8.
///
/// The library leaves a broken escape unchanged; here it is an error, because its meaning is
/// unknown.
pub fn decode(text: &str) -> Option<String> {
    let is_whole = text
        .split('%')
        .skip(1)
        .all(|rest| rest.bytes().take(2).filter(u8::is_ascii_hexdigit).count() == 2);
    let bytes = percent_encoding::percent_decode_str(text);
    is_whole.then(|| bytes.decode_utf8().ok())?.map(Into::into)
}

#[cfg(test)]
mod tests {
    use super::{decode, encode};

    #[test]
    fn what_is_encoded_is_decoded_again() {
        assert_eq!(encode("a/b ?ü%-._~"), "a%2Fb%20%3F%C3%BC%25-._~");
        for text in ["", "a&b=c#d", "ü\0", "%41"] {
            assert_eq!(decode(&encode(text)).as_deref(), Some(text));
        }
    }

    #[test]
    fn escapes_are_decoded_once() {
        for (text, expected) in [
            ("", ""),
            ("plain + text", "plain + text"),
            ("a%20b%C3%BC%2541", "a bü%41"),
            ("%e2%82%AC", "€"),
            ("ü%00", "ü\0"),
        ] {
            assert_eq!(decode(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn a_broken_escape_is_none() {
        for text in [
            "%", "a%", "%4", "%zz", "%4z", "%+1", "%%41", "%ü", "%ff", "%C3", "%C3%28",
        ] {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}
