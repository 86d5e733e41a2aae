//! Comparison of JSON texts regardless of the blanks between their tokens.

use std::hash::{DefaultHasher, Hash, Hasher};

/// The identity of a JSON text, which ignores blanks between its tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Fingerprint {
    hash: u64,
    /// The number of bytes that are not blanks, so that two texts are not equal by a collision of
    /// hashes alone.
    bytes: usize,
}

impl Fingerprint {
    /// Returns the fingerprint of a text.
    pub fn of(json: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        let mut bytes = 0;
        let (mut in_text, mut is_escaped) = (false, false);
        for byte in json.bytes() {
            if !in_text && byte.is_ascii_whitespace() {
                continue;
            }
            match byte {
                b'"' if !is_escaped => in_text = !in_text,
                _ => {}
            }
            is_escaped = in_text && byte == b'\\' && !is_escaped;
            byte.hash(&mut hasher);
            bytes += 1;
        }
        Self {
            hash: hasher.finish(),
            bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Fingerprint;

    #[test]
    fn blanks_count_in_texts_only() {
        let same = [
            r#"{"a":[1,2],"b c":"d  \" e"}"#,
            "{ \"a\": [1,\n2],\t\"b c\": \"d  \\\" e\" }",
        ];
        assert_eq!(Fingerprint::of(same[0]), Fingerprint::of(same[1]));
        for other in [
            r#"{"a":[1,2],"b c":"d \" e"}"#,
            r#"{"a":[1,2.0],"b c":"d  \" e"}"#,
            r#"{"a":[1,2],"bc":"d  \" e"}"#,
            "{}",
        ] {
            assert_ne!(Fingerprint::of(same[0]), Fingerprint::of(other), "{other}");
        }
    }
}
