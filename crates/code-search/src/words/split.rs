//! Splits text into words: identifiers, their parts, and the whole of each.

use std::borrow::Cow;

use super::abbreviation::common;
use super::stem::{stem, stem_in_place};
use super::stop::is_stop_word;
use crate::limits::{MAX_INDEXED_TEXT_BYTES, MAX_WORD_BYTES};

/// The relation of a word to its identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Share {
    /// One of several parts, or an identifier that has only one part.
    Part,
    /// The whole of an identifier that has several parts, without underscores.
    Whole,
}

/// Returns the words of a text for the text index, with a space between each two.
///
/// ```
/// use code_search::words::index_words;
///
/// assert_eq!(index_words("fn parse_HTTPHeaders()"), "par http head parsehttphead");
/// ```
#[must_use]
pub fn index_words(text: &str) -> String {
    let text = text
        .get(..text.floor_char_boundary(limit(MAX_INDEXED_TEXT_BYTES)))
        .unwrap_or_default();
    let mut words = String::with_capacity(text.len());
    each_word(text, &mut |word, _| {
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(word);
    });
    words
}

/// Returns the words of a path for the text index: those of its folders and of its file's stem.
/// Names such as `src` and `mod.rs`, and the extension, are left out.
#[must_use]
pub fn path_words(path: &str) -> String {
    let mut words = String::new();
    for part in crate::path::telling_parts(path) {
        let of_part = index_words(part);
        if !of_part.is_empty() && !words.is_empty() {
            words.push(' ');
        }
        words.push_str(&of_part);
    }
    words
}

/// Calls `visit` with each word of a text that is not a stop word, stemmed, in order: the parts of
/// an identifier, then the whole of it.
pub fn each_word(text: &str, visit: &mut impl FnMut(&str, Share)) {
    let mut buffers = Buffers::default();
    for identifier in identifiers_of(text) {
        buffers.identifier(identifier, visit);
    }
}

/// Returns the stem of a lower-case word, or its short form in code.
#[must_use]
pub fn common_stem(word: &str) -> Cow<'_, str> {
    let stem = stem(word);
    match common(&stem) {
        Some(short) => Cow::Borrowed(short),
        None => stem,
    }
}

/// Calls `visit` with the parts of each identifier of a text, in lower case, neither stemmed nor
/// joined, without stop words.
pub fn each_raw_word(text: &str, visit: &mut impl FnMut(&str)) {
    let mut part = String::new();
    for identifier in
        identifiers_of(text).filter(|identifier| identifier.len() <= limit(MAX_WORD_BYTES))
    {
        for piece in Parts(identifier) {
            part.clear();
            push_lower(&mut part, piece);
            if says_something(&part) {
                visit(&part);
            }
        }
    }
}

/// Returns the runs of letters, digits and underscores.
pub(super) fn identifiers_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !(character.is_alphanumeric() || character == '_'))
        .filter(|run| !run.is_empty())
}

/// Buffers for the next word, so that a text needs two allocations and not two per word.
#[derive(Default)]
struct Buffers {
    part: String,
    whole: String,
}

impl Buffers {
    fn identifier(&mut self, identifier: &str, visit: &mut impl FnMut(&str, Share)) {
        if identifier.len() > limit(MAX_WORD_BYTES) {
            return;
        }
        self.whole.clear();
        let mut parts = 0_usize;
        for part in Parts(identifier) {
            parts = parts.saturating_add(1);
            self.part.clear();
            push_lower(&mut self.part, part);
            self.whole.push_str(&self.part);
            visit_word(&mut self.part, Share::Part, visit);
        }
        if parts > 1 {
            visit_word(&mut self.whole, Share::Whole, visit);
        }
    }
}

/// Stems the word and passes it on, unless it is a stop word or a single letter.
fn visit_word(word: &mut String, share: Share, visit: &mut impl FnMut(&str, Share)) {
    if says_something(word) {
        stem_in_place(word);
        visit(common(word).unwrap_or(word), share);
    }
}

/// Returns true if a word is neither a stop word nor a single ASCII letter, which is a type
/// parameter or a counter.
fn says_something(word: &str) -> bool {
    let letter = word.len() == 1 && word.as_bytes().first().is_some_and(u8::is_ascii_alphabetic);
    !letter && !is_stop_word(word)
}

fn push_lower(buffer: &mut String, text: &str) {
    if text.is_ascii() {
        buffer.push_str(text);
        buffer.make_ascii_lowercase();
    } else {
        buffer.extend(
            text.chars()
                .flat_map(char::to_lowercase)
                .filter(|character| character.is_alphanumeric()),
        );
    }
}

/// The parts of an identifier. It is split at underscores, before an upper-case letter that follows
/// a lower-case one, before the last letter of a run of upper-case letters that a lower-case one
/// follows, and between letters and digits.
pub(super) struct Parts<'a>(pub(super) &'a str);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Upper,
    Lower,
    Digit,
    Break,
}

fn class(character: char) -> Class {
    match character {
        '_' => Class::Break,
        'a'..='z' => Class::Lower,
        'A'..='Z' => Class::Upper,
        '0'..='9' => Class::Digit,
        other if other.is_uppercase() => Class::Upper,
        other if other.is_numeric() => Class::Digit,
        _ => Class::Lower,
    }
}

impl<'a> Iterator for Parts<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let text = self.0.trim_start_matches('_');
        let mut before: Option<(Class, usize)> = None;
        let mut end = text.len();
        for (at, character) in text.char_indices() {
            let now = class(character);
            match (before, now) {
                (_, Class::Break) => {
                    end = at;
                    break;
                }
                // `HTTPServer`: the `S` belongs to the next part, unless it is the first letter.
                (Some((Class::Upper, last)), Class::Lower) if last > 0 => {
                    end = last;
                    break;
                }
                (Some((Class::Lower, _)), Class::Upper | Class::Digit)
                | (Some((Class::Upper, _)), Class::Digit)
                | (Some((Class::Digit, _)), Class::Upper | Class::Lower) => {
                    end = at;
                    break;
                }
                _ => {}
            }
            before = Some((now, at));
        }
        let (part, rest) = text.split_at_checked(end)?;
        self.0 = rest;
        (!part.is_empty()).then_some(part)
    }
}

/// Returns a limit as a `usize`.
pub(super) fn limit(limit: u64) -> usize {
    usize::try_from(limit).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::{Parts, index_words};

    #[track_caller]
    fn parts(identifier: &str, expected: &str) {
        assert_eq!(Parts(identifier).collect::<Vec<_>>().join(" "), expected);
    }

    #[test]
    fn an_identifier_is_split_at_every_border() {
        parts("join_set", "join set");
        parts("JoinSet", "Join Set");
        parts("HTTPServer", "HTTP Server");
        parts("parseURL", "parse URL");
        parts("sha256_hex", "sha 256 hex");
        parts("Vec2D", "Vec 2 D");
        parts("__init__", "init");
        parts("größeÄndern", "größe Ändern");
        parts("A", "A");
        parts("_", "");
        parts("", "");
    }

    #[test]
    fn snake_case_and_camel_case_share_the_whole() {
        assert_eq!(index_words("JoinSet"), index_words("join_set"));
        assert!(index_words("JoinSet").ends_with("joinset"));
    }

    #[test]
    fn data_is_no_word() {
        assert_eq!(index_words(&"a1".repeat(100)), "");
    }
}
