//! Regular expressions of a schema. They are written for JavaScript or Python. The engine here
//! takes linear time, and rejects look-around, back references and nested classes. A pattern that
//! it rejects or interprets differently is unknown.

use std::collections::HashMap;

use regex_lite::{Regex, RegexBuilder};

use super::verdict::Verdict;
use crate::limits::{
    MAX_PATTERN_BYTES, MAX_SCHEMA_PATTERN_SIZE_BYTES, MAX_SCHEMA_PATTERNS_SIZE_BYTES,
};

/// One unit of work, as a product: bytes of the compiled pattern times bytes of the text. A state
/// of the pattern takes about 32 bytes, so a unit is eight states tried on one byte of text.
const STATE_BYTES: usize = 256;

/// Bytes that a pattern that cannot be compiled takes from the room for further patterns, so that
/// the number of failed attempts is limited. An attempt may do as much work as compiling a pattern
/// of the largest size, but takes only an eighth of that size.
const FAILED_PATTERN_BYTES: usize = MAX_SCHEMA_PATTERN_SIZE_BYTES / 8;

/// Notation that the engine accepts, but JavaScript or Python interprets differently.
const READ_OTHERWISE: [&str; 15] = [
    "[]", "[^]", "\\b{", "[[:", "(?x", "(?s", "(?m", "(?U", "(?R", "(?-", "\\A", "\\a", "\\z",
    "\\<", "\\>",
];

/// Notation that is ASCII in JavaScript and Unicode in Python, or the other way round.
const READ_EITHER_WAY: [&str; 9] = [
    "\\w", "\\W", "\\d", "\\D", "\\b", "\\B", "\\s", "\\S", "(?i",
];

/// Notation that languages interpret differently at line ends and control characters: `$` in Python
/// matches before the last line end.
const READ_EITHER_WAY_IN_LINES: [&str; 4] = ["$", ".", "\\s", "\\S"];

/// The compiled patterns of one check.
pub(super) struct Patterns<'s> {
    /// The compiled patterns, each with the size limit that it fits into; `None` for a pattern that
    /// cannot be checked.
    known: HashMap<&'s str, Option<(Regex, usize)>>,
    room: usize,
}

impl<'s> Patterns<'s> {
    pub(super) fn new() -> Self {
        Self {
            known: HashMap::new(),
            room: MAX_SCHEMA_PATTERNS_SIZE_BYTES,
        }
    }

    /// Returns the units of work that matching a text takes.
    pub(super) fn work(&mut self, pattern: &'s str, text: &str) -> usize {
        let size = self.compiled(pattern).as_ref().map_or(0, |(_, size)| *size);
        1 + size.max(STATE_BYTES / 16).saturating_mul(text.len()) / STATE_BYTES
    }

    /// Checks if a text matches; unknown if languages differ.
    pub(super) fn matches(&mut self, pattern: &'s str, text: &str) -> Verdict {
        let Some((regex, _)) = self.compiled(pattern) else {
            return Verdict::Unknown;
        };
        let has = |parts: &[&str]| parts.iter().any(|part| pattern.contains(part));
        let is_ambiguous = text.chars().any(|character| character.len_utf16() > 1)
            || !text.is_ascii() && has(&READ_EITHER_WAY)
            || text.chars().any(char::is_control) && has(&READ_EITHER_WAY_IN_LINES);
        if is_ambiguous {
            return Verdict::Unknown;
        }
        regex.is_match(text).into()
    }

    fn compiled(&mut self, pattern: &'s str) -> &Option<(Regex, usize)> {
        let Self { known, room } = self;
        known.entry(pattern).or_insert_with(|| {
            let found = compile(pattern, *room);
            let size = found
                .as_ref()
                .map_or(FAILED_PATTERN_BYTES, |(_, size)| *size);
            *room = room.saturating_sub(size);
            found
        })
    }
}

/// Compiles a pattern within the smallest possible of four size limits, which then is its weight. A
/// limit that is too small costs no more than its size.
fn compile(pattern: &str, room: usize) -> Option<(Regex, usize)> {
    // `/…/i` with JavaScript flags.
    let flags = pattern
        .strip_prefix('/')
        .and_then(|rest| rest.rsplit_once('/'));
    let is_flag = |flag: char| flag.is_ascii_lowercase();
    let is_read_otherwise = READ_OTHERWISE.iter().any(|part| pattern.contains(part))
        || flags.is_some_and(|(_, flags)| flags.chars().all(is_flag));
    if pattern.len() > MAX_PATTERN_BYTES || is_read_otherwise {
        return None;
    }
    let sizes = [64, 16, 4, 1].map(|share| MAX_SCHEMA_PATTERN_SIZE_BYTES / share);
    sizes
        .into_iter()
        .filter(|size| *size <= room)
        .find_map(|size| {
            let regex = RegexBuilder::new(pattern).size_limit(size).build();
            Some((regex.ok()?, size))
        })
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn ordinary_expressions_are_small() {
        for pattern in [
            r"^[A-Z]{2}\d{6}$",
            r"^https?://",
            r"^(?:\d{4}-\d{2}-\d{2}|today)$",
            r"^10\.\d{4,9}/[-._;()/:A-Za-z0-9]+$",
            r"^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$",
            "^NCT[0-9]{8}$",
            r"^[a-z\d_-]+$",
            "(?i)^abc$",
            "",
        ] {
            let (_, size) = compile(pattern, usize::MAX).expect(pattern);
            assert!(size <= 16 * 1024, "{pattern} {size}");
        }
    }

    #[test]
    fn notation_that_the_engine_does_not_know_is_set_aside() {
        for pattern in [
            r"^(?!\s*$).+",
            r"(?=a)b",
            r"(?<=a)b",
            r"(a)\1",
            r"\k<name>",
            r"\p{L}+",
            r"(?x) a",
            "/^a$/i",
            "/a/",
            "((a",
            "a))",
            r"^[\w-.]+@[\w-.]+$",
            r"^[\ud83c-\udbff\udc00-\udfff]+$",
            r"^[^\0\cA]*$",
            "[z-a]",
            "*",
            "[a[b]]",
            "[a&&b]",
            "[a--b]",
            r"a\b{start}",
        ] {
            assert!(compile(pattern, usize::MAX).is_none(), "{pattern}");
        }
    }

    #[test]
    fn counted_repetition_is_bounded_by_size_and_time() {
        let begin = Instant::now();
        for pattern in [
            "(a{100}){100}",
            "((((a{9}){9}){9}){9}){9}",
            "(?:(?:(?:){1000}){1000}){1000}",
            "((a{0}){5000}){5000}",
            "a{99999999999999999999}",
            "((((((a|b)?){50})?){50}){50})",
            &"a".repeat(100_000),
            &"(".repeat(900),
        ] {
            assert!(compile(pattern, usize::MAX).is_none(), "{pattern}");
        }
        assert!(begin.elapsed() < Duration::from_secs(5));
        assert!(compile("(x+x+)+y", usize::MAX).is_some());
    }

    #[test]
    fn expressions_of_a_schema_are_bounded_together() {
        let heavy: Vec<String> = (0..500)
            .map(|number| format!(r"^\w{{400}}{number}$"))
            .collect();
        let mut patterns = Patterns::new();
        let text = "a".repeat(400);
        let mut known = 0;
        for pattern in &heavy {
            known += usize::from(patterns.matches(pattern, &text) != Verdict::Unknown);
        }
        assert!((3..100).contains(&known), "{known}");
    }

    #[test]
    fn a_heavy_pattern_on_a_long_text_is_much_work() {
        let mut patterns = Patterns::new();
        let text = "a".repeat(1_000_000);
        assert!(patterns.work("^a$", &text) < patterns.work(r"^\w{400}$", &text));
        assert!(patterns.work(r"^\w{400}$", &text) > 50_000_000);
    }
}
