//! Regular expressions of a schema: which can be checked, and what they cost.
//!
//! Expressions are written for JavaScript; the engine here is linear in time and knows no looking around and no back references. It
//! unrolls counted retry, so the weight of an expression, about the number of states it is compiled to, is foreseen from its text.

use std::collections::HashSet;

use boon::{Compiler, Schemas};
use serde_json::{Map, Value, json};

use super::{LOCATION, Refusing};
use crate::limits::MAX_PATTERN_BYTES;
use crate::limits::{MAX_PATTERN_WEIGHT, MAX_TOOL_SCHEMA_PATTERN_WEIGHT};

/// States of one class, with those that UTF-8 needs.
const CLASS_WEIGHT: u64 = 12;

/// How servers may read an expression, and a length, for the texts of some arguments: where their languages differ, what any of them accepts passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reading {
    /// A letter or digit beyond ASCII: JavaScript reads classes in ASCII, Python in all of Unicode.
    pub(super) beyond_ascii: bool,
    /// A line end or another control character: `$` of Python matches before the last line end, and `.` and `\s` have several readings.
    pub(super) controls: bool,
    /// A character that is two in UTF-16: JavaScript counts both.
    pub(super) pairs: bool,
}

impl Reading {
    /// In one way: all readings agree.
    pub(super) const ONE: Self = Self {
        beyond_ascii: false,
        controls: false,
        pairs: false,
    };

    /// That of all texts of a value, names among them. The depth of the value was looked at.
    pub(super) fn of(value: &Value) -> Self {
        match value {
            Value::String(text) => Self::of_text(text),
            Value::Array(items) => items.iter().map(Self::of).fold(Self::ONE, Self::and),
            Value::Object(entries) => entries
                .iter()
                .map(|(name, item)| Self::of_text(name).and(Self::of(item)))
                .fold(Self::ONE, Self::and),
            _ => Self::ONE,
        }
    }

    fn of_text(text: &str) -> Self {
        Self {
            beyond_ascii: !text.is_ascii(),
            controls: text.chars().any(char::is_control),
            pairs: text.chars().any(|character| character.len_utf16() > 1),
        }
    }

    fn and(self, other: Self) -> Self {
        Self {
            beyond_ascii: self.beyond_ascii || other.beyond_ascii,
            controls: self.controls || other.controls,
            pairs: self.pairs || other.pairs,
        }
    }

    /// Whether servers agree on an expression.
    fn is_one_of(self, pattern: &str) -> bool {
        let has = |parts: &[&str]| parts.iter().any(|part| pattern.contains(part));
        !(self.pairs
            || (self.beyond_ascii && has(&READ_EITHER_WAY))
            || (self.controls && has(&READ_EITHER_WAY_IN_LINES)))
    }
}

/// Classes, edges and flags that JavaScript reads in ASCII and others in Unicode, or the other way around.
const READ_EITHER_WAY: [&str; 9] = [
    "\\w", "\\W", "\\d", "\\D", "\\b", "\\B", "\\s", "\\S", "(?i",
];

/// What is read differently where there are line ends and control characters.
const READ_EITHER_WAY_IN_LINES: [&str; 5] = ["$", ".", "\\s", "\\S", "\\Z"];

/// Those expressions of a schema that can be checked, as far as their weights together allow.
pub(super) fn readable(expressions: HashSet<String>, reading: Reading) -> HashSet<String> {
    let mut room = MAX_TOOL_SCHEMA_PATTERN_WEIGHT;
    // In order, so that it is the same ones each time.
    let mut light: Vec<String> = expressions.into_iter().collect();
    light.retain(|pattern| reading.is_one_of(pattern));
    light.sort_unstable();
    light.retain(|pattern| {
        let left = weight(pattern).and_then(|weight| room.checked_sub(weight));
        room = left.unwrap_or(room);
        left.is_some()
    });
    let mut known = HashSet::new();
    let mut open = vec![light];
    // All are nearly always good, so they are tried together, and halved where they are not.
    while let Some(mut some) = open.pop() {
        if is_read(&some) {
            known.extend(some);
        } else if some.len() > 1 {
            let rest = some.split_off(some.len() / 2);
            open.extend([some, rest]);
        }
    }
    known
}

/// Whether the library takes the expressions: what it makes of them for its engine is its own affair.
fn is_read(patterns: &[String]) -> bool {
    let named: Map<String, Value> = patterns
        .iter()
        .map(|pattern| (pattern.clone(), Value::Bool(true)))
        .collect();
    let mut compiler = Compiler::new();
    compiler.use_loader(Box::new(Refusing));
    let added = compiler.add_resource(LOCATION, json!({ "patternProperties": named }));
    added.is_ok() && compiler.compile(LOCATION, &mut Schemas::new()).is_ok()
}

/// The weight of an expression, or `None` for one that is not checked: other syntax, too long, too heavy.
pub(super) fn weight(pattern: &str) -> Option<u64> {
    if pattern.len() > MAX_PATTERN_BYTES || uses_other_syntax(pattern) {
        return None;
    }
    Scales::new(pattern)
        .weigh()
        .filter(|weight| *weight <= MAX_PATTERN_WEIGHT)
}

/// What the engine refuses, reads otherwise, or what is large in it: looking around, back references, Unicode properties, flags other than
/// `i`, classes within classes and their operators, and the notation `/…/i` of a whole expression.
fn uses_other_syntax(pattern: &str) -> bool {
    let flags = pattern
        .strip_prefix('/')
        .and_then(|rest| rest.rsplit_once('/'));
    if flags.is_some_and(|(_, flags)| flags.chars().all(|flag| flag.is_ascii_lowercase())) {
        return true;
    }
    let characters: Vec<char> = pattern.chars().collect();
    let at = |place: usize| characters.get(place).copied().unwrap_or('\0');
    let mut place = 0;
    let mut in_class = false;
    while place < characters.len() {
        match (at(place), at(place + 1), at(place + 2)) {
            ('\\', _, _) if in_class && !matches!(at(place + 1), 'p' | 'P' | '0'..='9') => {
                place += 1
            }
            ('[', _, _) | ('&', '&', _) | ('-', '-', _) | ('~', '~', _) if in_class => return true,
            (']', _, _) if in_class => in_class = false,
            ('[', ']', _) | ('[', '^', ']') => return true,
            ('[', _, _) => in_class = true,
            ('(', _, _) if in_class => {}
            ('\\', 'p' | 'P' | 'k' | 'b' | 'B', '{' | '<') | ('\\', '1'..='9', _) => return true,
            ('\\', 'p' | 'P' | '<' | '>' | 'A' | 'z' | 'a', _) => return true,
            ('\\', _, _) => place += 1,
            ('(', '?', ':') => {}
            ('(', '?', '<') if at(place + 3).is_ascii_alphabetic() => {}
            ('(', '?', 'P') if at(place + 3) == '<' => {}
            ('(', '?', 'i') if matches!(at(place + 3), ')' | ':') => {}
            ('(', '?', _) => return true,
            _ => {}
        }
        place += 1;
    }
    false
}

/// Adds up one expression: a sum for each open group, and what the last thing weighs, in case a count follows.
struct Scales<'a> {
    rest: std::iter::Peekable<std::str::Chars<'a>>,
    sums: Vec<u64>,
    last: u64,
}

impl<'a> Scales<'a> {
    fn new(pattern: &'a str) -> Self {
        Self {
            rest: pattern.chars().peekable(),
            sums: vec![0],
            last: 0,
        }
    }

    fn weigh(mut self) -> Option<u64> {
        while let Some(character) = self.rest.next() {
            match character {
                '\\' => {
                    let shorthand = self
                        .rest
                        .next()
                        .is_some_and(|escaped| "dDwWsS".contains(escaped));
                    self.add(if shorthand { CLASS_WEIGHT } else { 1 });
                }
                '[' => {
                    let weight = self.class();
                    self.add(weight);
                }
                '(' => self.sums.push(0),
                ')' => {
                    let group = self.sums.pop().unwrap_or(0) + 1;
                    if self.sums.is_empty() {
                        return None;
                    }
                    self.add(group);
                }
                '{' => self.repeat()?,
                '.' => self.add(CLASS_WEIGHT),
                _ => self.add(1),
            }
        }
        (self.sums.len() == 1).then(|| self.sums.iter().sum())
    }

    fn add(&mut self, weight: u64) {
        self.last = weight;
        if let Some(sum) = self.sums.last_mut() {
            *sum = sum.saturating_add(weight);
        }
    }

    /// A class weighs what it lists. Nested classes are none of JavaScript's, but the engine knows them: depth is counted.
    fn class(&mut self) -> u64 {
        let mut weight = CLASS_WEIGHT;
        let mut depth = 1;
        let mut first = true;
        while depth > 0 {
            match self.rest.next() {
                None => break,
                Some('\\') => {
                    self.rest.next();
                    weight += CLASS_WEIGHT;
                }
                Some('[') => depth += 1,
                Some('^') if first => continue,
                Some(']') if !first => depth -= 1,
                Some(_) => weight += 1,
            }
            first = false;
        }
        weight
    }

    /// `{3}`, `{3,}`, `{3,5}`: the last thing as often as that. Anything else in braces is what it is.
    fn repeat(&mut self) -> Option<()> {
        let mut counts = [0u64, 0];
        let mut which = 0;
        let mut digits = 0;
        for character in self.rest.by_ref() {
            match (character, counts.get_mut(which)) {
                ('}', _) => break,
                (',', _) => which += 1,
                (digit, Some(count)) => {
                    let value = digit.to_digit(10)?;
                    *count = count.saturating_mul(10).saturating_add(u64::from(value));
                    digits += 1;
                }
                (_, None) => return None,
            }
        }
        if digits == 0 {
            return None;
        }
        let times = counts.into_iter().max().unwrap_or(1);
        let more = self.last.saturating_mul(times);
        self.add(more);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::Reading;
    use super::{HashSet, readable, weight};

    #[test]
    fn ordinary_expressions_are_light() {
        for pattern in [
            r"^[A-Z]{2}\d{6}$",
            r"^https?://",
            r"^(?:\d{4}-\d{2}-\d{2}|today)$",
            r"^10\.\d{4,9}/[-._;()/:A-Za-z0-9]+$",
            r"^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$",
            "^NCT[0-9]{8}$",
            "(?i)^abc$",
            "",
        ] {
            assert!(weight(pattern).is_some(), "{pattern}");
        }
    }

    #[test]
    fn what_the_engine_does_not_know_is_set_aside() {
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
        ] {
            assert_eq!(weight(pattern), None, "{pattern}");
        }
    }

    #[test]
    fn what_the_engine_cannot_read_is_found_among_many() {
        let good = (0..300).map(|number| format!("^a{number}$"));
        let bad = [
            r"^[\w-.]+@[\w-.]+$",
            r"^[\ud83c-\udbff\udc00-\udfff]+$",
            r"^[^\0\cA]*$",
            "[z-a]",
            "*",
        ];
        let all: HashSet<String> = good.clone().chain(bad.map(str::to_owned)).collect();
        assert_eq!(readable(all, Reading::ONE), good.collect());
    }

    #[test]
    fn expressions_of_a_schema_are_bounded_together() {
        let heavy: HashSet<String> = (0..500)
            .map(|number| format!(r"^\w{{400}}{number}$"))
            .collect();
        let known = readable(heavy, Reading::ONE).len();
        assert!((3..10).contains(&known), "{known}");
    }

    #[test]
    fn counted_repetition_multiplies() {
        assert!(weight("a{100}").unwrap() >= 100);
        assert!(weight("(a{100}){100}").is_none());
        assert!(weight("((((a{9}){9}){9}){9}){9}").is_none());
        assert!(weight("(x+x+)+y").unwrap() < 20);
        assert!(weight("a{99999999999999999999}").is_none());
        assert!(weight(&"a".repeat(100_000)).is_none());
    }
}
