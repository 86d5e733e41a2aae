//! What boon and serde_json_bytes use of the crate `regex`, over the engine of `regex-lite`: a text is read in time linear in its length,
//! without look-around, back references and Unicode properties.

use std::fmt::Write;

pub use regex_lite::Error;

/// A compiled pattern.
#[derive(Debug, Clone)]
pub struct Regex {
    engine: regex_lite::Regex,
    pattern: String,
}

impl Regex {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// What the engine says: another syntax, or a machine that would be too large.
    pub fn new(pattern: &str) -> Result<Self, Error> {
        Ok(Self {
            engine: regex_lite::Regex::new(&flat(pattern))?,
            pattern: pattern.to_owned(),
        })
    }

    /// Whether the text has a match anywhere.
    pub fn is_match(&self, text: &str) -> bool {
        self.engine.is_match(text)
    }

    /// The pattern as it was given.
    pub fn as_str(&self) -> &str {
        &self.pattern
    }
}

/// The pattern with classes within classes spelt out: boon writes `[a-z\d]` as `[a-z[0-9]]` and `[\W]` as `[[^A-Za-z0-9_]]`, and
/// regex-lite has no classes within classes.
fn flat(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut rest = pattern.chars();
    // Whether a class is open, and whether the next character is its first, where `]` is no end.
    let mut in_class = false;
    let mut is_first = false;
    while let Some(character) = rest.next() {
        let was_first = std::mem::take(&mut is_first);
        match character {
            '\\' => {
                out.push(character);
                out.extend(rest.next());
            }
            // The classes of POSIX, `[:alpha:]`, are the engine's own.
            '[' if in_class && !rest.as_str().starts_with(':') => {
                let inner: String = rest
                    .by_ref()
                    .take_while(|character| *character != ']')
                    .collect();
                push_class(&mut out, &inner);
            }
            '[' if in_class => {
                let end = rest
                    .as_str()
                    .find(']')
                    .map_or(rest.as_str().len(), |end| end + 1);
                out.push('[');
                out.extend(rest.by_ref().take(end));
            }
            _ => {
                match character {
                    '[' => {
                        in_class = true;
                        is_first = true;
                    }
                    '^' if was_first => is_first = true,
                    ']' if in_class && !was_first => in_class = false,
                    _ => {}
                }
                out.push(character);
            }
        }
    }
    out
}

/// What stands in a class without escapes, as ranges within the class around it.
fn push_class(out: &mut String, inner: &str) {
    let (members, is_negated) = match inner.strip_prefix('^') {
        Some(members) => (members, true),
        None => (inner, false),
    };
    let mut ranges = Vec::new();
    let mut rest = members.chars().peekable();
    while let Some(first) = rest.next() {
        let mut last = first;
        if rest.next_if_eq(&'-').is_some() {
            last = rest.next().unwrap_or('-');
        }
        ranges.push((first, last));
    }
    if is_negated {
        ranges = complement(ranges);
    }
    for (first, last) in ranges {
        // By number: among them are `]`, `^` and `-`. Writing to a text cannot fail.
        let _ = write!(
            out,
            r"\x{{{:X}}}-\x{{{:X}}}",
            u32::from(first),
            u32::from(last)
        );
    }
}

/// All characters that are in none of the ranges.
fn complement(mut ranges: Vec<(char, char)>) -> Vec<(char, char)> {
    ranges.sort_unstable();
    let mut free = Some('\0');
    let mut gaps = Vec::new();
    for (first, last) in ranges {
        let Some(start) = free else { break };
        if let Some(end) = before(first).filter(|end| *end >= start) {
            gaps.push((start, end));
        }
        free = after(last.max(before(start).unwrap_or('\0')));
    }
    gaps.extend(free.map(|start| (start, char::MAX)));
    gaps
}

/// The characters before and after one; surrogates, between U+D7FF and U+E000, are none.
fn before(character: char) -> Option<char> {
    ('\0'..character).next_back()
}

fn after(character: char) -> Option<char> {
    (character..=char::MAX).nth(1)
}

#[cfg(test)]
mod tests {
    use super::{Regex, complement, flat};

    #[track_caller]
    fn matches(pattern: &str, yes: &[&str], no: &[&str]) {
        let regex = Regex::new(pattern).unwrap();
        for text in yes {
            assert!(
                regex.is_match(text),
                "{pattern} and {text}: {}",
                flat(pattern)
            );
        }
        for text in no {
            assert!(
                !regex.is_match(text),
                "{pattern} and {text}: {}",
                flat(pattern)
            );
        }
    }

    #[test]
    fn classes_within_classes_are_spelt_out() {
        matches("^[a-z[0-9]]$", &["a", "7"], &["A", "[", "]", "-"]);
        matches("^[[0-9]a]$", &["a", "7"], &["b"]);
        matches("^[^[0-9]a]$", &["b", "é"], &["7", "a"]);
        matches(
            "^[[^0-9]5]$",
            &["5", "x", "]", "^", "-", "é", "\u{10FFFF}"],
            &["4"],
        );
        matches("^[^[^0-9]]$", &["4"], &["x", "é"]);
        matches("^[[^ \t\u{2029}]]$", &["x", "\n"], &[" ", "\t", "\u{2029}"]);
        matches("^[[A-Za-z0-9_].-]+$", &["a.b-c_D9"], &["a b"]);
    }

    #[test]
    fn other_classes_stay_as_they_are() {
        for pattern in [
            r"^[a-z]+$",
            r"[]a]",
            r"[^]a]",
            r"\[a[b]",
            r"[\]\[]",
            r"[[:alpha:]1]",
            r"a\\[b]",
        ] {
            assert_eq!(flat(pattern), pattern);
            assert!(Regex::new(pattern).is_ok(), "{pattern}");
        }
        assert_eq!(Regex::new("[a[0-9]]").unwrap().as_str(), "[a[0-9]]");
    }

    #[test]
    fn what_is_left_open_is_an_error_of_the_engine() {
        for pattern in [
            "[a[0-9]", "[a[", "[", "[[", "\\", "[\\", r"\p{L}", "(?=a)", "[[:",
        ] {
            assert!(Regex::new(pattern).is_err(), "{pattern}");
        }
    }

    #[test]
    fn the_complement_skips_surrogates_and_joins_ranges() {
        assert_eq!(complement(vec![]), [('\0', char::MAX)]);
        assert_eq!(complement(vec![('\0', char::MAX)]), []);
        assert_eq!(
            complement(vec![('a', 'f'), ('b', 'c'), ('g', 'z')]),
            [('\0', '`'), ('{', char::MAX)]
        );
        assert_eq!(
            complement(vec![('\0', '\u{D7FF}'), ('\u{E000}', 'z')]),
            [('\u{E000}', char::MAX)]
        );
    }
}
