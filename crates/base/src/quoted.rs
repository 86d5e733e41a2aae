//! Shows texts from others within our own texts, so that a person who reads them or decides on them
//! cannot take them for a sentence of ours.
//!
//! [`quoted`] is for forms and messages, which some clients render as Markdown; [`printed`] is for
//! terminals and logs; [`fenced`] shows a statement or a diff in full, line by line. All of them
//! show an invisible character, or one that moves others, by its number: `⟨U+202E⟩`. All of them
//! except [`visible`] also show these brackets by their numbers, so two different texts never look
//! alike, unless one was cut or [`fenced`] has shortened its blank lines. `tests/data/quoted.json`
//! has examples for implementations in other languages; those must also show a lone surrogate by
//! its number, which a Rust text cannot contain.

use std::fmt::Write as _;
use std::iter::Peekable;
use std::str::CharIndices;

use crate::limits::{
    MAX_SHOWN_BLANK_LINES, MAX_SHOWN_BLANKS, MAX_SHOWN_LINE_CHARACTERS, MAX_SHOWN_MARKS,
};

/// The maximum length of an HTML character reference, between `&` and `;`.
const MAX_REFERENCE_CHARACTERS: usize = 32;

/// A text of several lines in a fence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fenced {
    /// The lines of the text, each after `| ` (`: ` for the continuation of a long one), between
    /// two lines of backticks.
    pub text: String,
    /// The number of lines in the text.
    pub lines: usize,
    /// The number of characters that are shown by their numbers.
    pub numbered: usize,
}

/// The place in which a text is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// A client that may render Markdown.
    Form,
    /// A terminal or a log.
    Terminal,
    /// A line within a fence.
    Fence,
    /// A line of ours that already contains texts from others.
    Line,
}

/// Returns the text in quotation marks, on one line, with at most `characters` of its characters;
/// the number of the others follows the quotation.
///
/// The quotation ends at the first `”`. No part of it is read as Markdown, a link, HTML, or an HTML
/// character reference.
pub fn quoted(text: &str, characters: usize) -> String {
    let (kept, rest) = split(text, characters);
    let mut shown = Shown::new(Place::Form);
    shown.extend(kept);
    within_marks(&shown.text, rest)
}

/// Returns the text unchanged if it is one plain line, and otherwise like [`quoted`], without the
/// escapes of Markdown.
///
/// A line with a backslash or a straight quotation mark, as in a Windows path, is still plain.
pub fn printed(text: &str, characters: usize) -> String {
    let (kept, rest) = split(text, characters);
    let mut shown = Shown::new(Place::Terminal);
    shown.extend(kept);
    let is_plain = shown.numbered == 0 && !shown.is_folded && text.trim() == text;
    if rest.is_empty() && is_plain && !text.is_empty() {
        return text.to_owned();
    }
    within_marks(&shown.text, rest)
}

/// Returns a line of ours that contains texts from others, with every character replaced that ends
/// the line, moves other text, or is a command to a terminal. This is the last step before a line
/// is written, for texts that no other function has checked.
pub fn visible(line: &str) -> String {
    let mut shown = Shown::new(Place::Line);
    shown.extend(line);
    shown.text
}

/// Returns the invisible characters of a text, and those that move others, in their order. Line
/// breaks and tabs are not included.
pub fn unseen(text: &str) -> impl Iterator<Item = char> {
    text.chars()
        .filter(|character| is_hidden(*character) && !is_named(*character))
}

/// Returns all lines of the text, in a fence that no part of the text closes.
pub fn fenced(text: &str) -> Fenced {
    let mut longest_run = 0_usize;
    let mut run = 0_usize;
    for character in text.chars() {
        run = if character == '`' { run + 1 } else { 0 };
        longest_run = longest_run.max(run);
    }
    let fence = "`".repeat(longest_run.saturating_add(1).max(3));
    let mut block = Fenced {
        text: format!("{fence}\n"),
        lines: 0,
        numbered: 0,
    };
    let mut lines = text.split('\n').peekable();
    while let Some(line) = lines.next() {
        block.lines += 1;
        let mut blank = 0_usize;
        if is_blank(line) {
            let mut ahead = lines.clone();
            while ahead.next_if(|next| is_blank(next)).is_some() {
                blank += 1;
            }
            if blank >= MAX_SHOWN_BLANK_LINES {
                lines = ahead;
                block.lines += blank;
                let _written = writeln!(block.text, "| ⟨{} blank lines⟩", blank + 1);
                continue;
            }
        }
        let mut shown = Shown::new(Place::Fence);
        shown.extend(line);
        block.numbered += shown.numbered;
        let mut mark = "| ";
        for piece in pieces(&shown.text) {
            block.text.extend([mark, piece, "\n"]);
            mark = ": ";
        }
    }
    block.text.push_str(&fence);
    block
}

/// Returns the text as JSON, with invisible characters as escapes: a JSON parser reads the same
/// text.
pub fn json(text: &str) -> String {
    let mut escaped = String::new();
    for character in serde_json::Value::from(text).to_string().chars() {
        if is_hidden(character) || (!character.is_ascii() && is_mark(character)) {
            let mut units = [0_u16; 2];
            for unit in character.encode_utf16(&mut units) {
                let _written = write!(escaped, "\\u{unit:04x}");
            }
        } else {
            escaped.push(character);
        }
    }
    escaped
}

/// Returns the first characters of a text, and the rest.
fn split(text: &str, characters: usize) -> (&str, &str) {
    let end = text.char_indices().nth(characters).map(|(end, _)| end);
    text.split_at_checked(end.unwrap_or(text.len()))
        .unwrap_or((text, ""))
}

fn within_marks(shown: &str, cut: &str) -> String {
    match cut.chars().count() {
        0 => format!("“{shown}”"),
        1 => format!("“{shown}” (and 1 character more)"),
        cut => format!("“{shown}” (and {cut} characters more)"),
    }
}

fn is_blank(line: &str) -> bool {
    line.chars()
        .all(|character| matches!(character, ' ' | '\t'))
}

/// Splits a line into pieces that fit the width of a form. No piece begins with a combining mark or
/// within brackets.
fn pieces(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(line);
    std::iter::from_fn(move || {
        let line = rest.take()?;
        let mut ends = line.char_indices().take(MAX_SHOWN_LINE_CHARACTERS + 1);
        let Some((last, _)) = ends.by_ref().nth(MAX_SHOWN_LINE_CHARACTERS) else {
            return Some(line);
        };
        let begins = |end: usize| line.get(end..).unwrap_or_default();
        let (fitting, _) = line.split_at_checked(last)?;
        let end = match fitting.rfind(['⟨', '⟩']) {
            Some(open) if open > 0 && begins(open).starts_with('⟨') => open,
            _ => {
                let is_mark = |next: char| !next.is_ascii() && is_mark(next);
                let mut before = fitting.char_indices().rev().map(|(end, _)| end);
                let is_letter = |end: &usize| *end > 0 && !begins(*end).starts_with(is_mark);
                if is_letter(&last) {
                    last
                } else {
                    before.find(is_letter).unwrap_or(last)
                }
            }
        };
        let (piece, after) = line.split_at_checked(end)?;
        rest = Some(after);
        Some(piece)
    })
}

/// A text in the form that a person sees, while it is built.
struct Shown {
    text: String,
    place: Place,
    numbered: usize,
    /// True if a run of spaces was replaced by its length, or a line break by an escape.
    is_folded: bool,
    /// The number of combining marks since the last letter; `None` if a mark would have no letter
    /// before it.
    marks: Option<usize>,
}

impl Shown {
    fn new(place: Place) -> Self {
        Self {
            text: String::new(),
            place,
            numbered: 0,
            is_folded: false,
            marks: None,
        }
    }

    fn extend(&mut self, text: &str) {
        let mut characters = text.char_indices().peekable();
        while let Some((at, character)) = characters.next() {
            let after = text.get(at + character.len_utf8()..).unwrap_or_default();
            match character {
                ' ' if self.place != Place::Line => self.blanks(' ', &mut characters),
                '\t' if self.place == Place::Fence => self.blanks('\t', &mut characters),
                _ => self.push(character, after),
            }
        }
    }

    /// Adds a run of a blank character, in full or by its length.
    fn blanks(&mut self, blank: char, characters: &mut Peekable<CharIndices<'_>>) {
        let mut count = 1_usize;
        while characters.next_if(|(_, next)| *next == blank).is_some() {
            count += 1;
        }
        // People do not read text that is pushed out of view.
        let before = self.text.chars().rev();
        let already = before.take_while(|last| matches!(last, ' ' | '\t')).count();
        let width = if blank == '\t' { 4 } else { 1 };
        if (count + already).saturating_mul(width) > MAX_SHOWN_BLANKS {
            let name = if blank == '\t' { "tabs" } else { "spaces" };
            let _written = write!(self.text, "⟨{count} {name}⟩");
            self.is_folded = true;
        } else {
            self.text.extend(std::iter::repeat_n(blank, count));
        }
        self.marks = None;
    }

    fn push(&mut self, character: char, after: &str) {
        if !character.is_ascii() && is_mark(character) && !is_hidden(character) {
            return self.mark(character);
        }
        self.marks = character.is_alphanumeric().then_some(0);
        let is_named = is_named(character) && !matches!(self.place, Place::Fence | Place::Line);
        if is_hidden(character) && !is_named {
            return self.number(character);
        }
        match character {
            _ if self.place == Place::Line => self.text.push(character),
            '⟨' | '⟩' => self.number(character),
            _ if self.place == Place::Fence => self.text.push(character),
            '\n' => self.name("\\n"),
            '\r' => self.name("\\r"),
            '\t' => self.name("\\t"),
            // Our own marks, and characters that look like them.
            '“' | '”' | '‟' | 'ʺ' | 'ˮ' | '″' | '‶' | '❝' | '❞' | '〝' | '〞' | '＂' =>
            {
                self.number(character);
            }
            '"' | '\\' => self.text.extend(['\\', character]),
            _ if self.place == Place::Terminal => self.text.push(character),
            '`' | '*' | '[' | ']' | '~' | '$' => self.text.extend(['\\', character]),
            '_' if !self.is_within_word(after) => self.text.extend(['\\', character]),
            '<' if begins_tag(after) => self.number(character),
            '&' if begins_reference(after) => self.number(character),
            // Clients turn addresses into links.
            ':' if after.starts_with("//") => self.number(character),
            '.' if self.ends_with_www() => self.number(character),
            _ => self.text.push(character),
        }
    }

    fn mark(&mut self, mark: char) {
        match self.marks {
            Some(count) if count < MAX_SHOWN_MARKS && !is_overlay(mark) => {
                self.marks = Some(count + 1);
                self.text.push(mark);
            }
            _ => {
                self.marks = None;
                self.number(mark);
            }
        }
    }

    fn number(&mut self, character: char) {
        self.numbered += 1;
        // Writing to a text cannot fail.
        let _written = write!(self.text, "⟨U+{:04X}⟩", u32::from(character));
    }

    fn name(&mut self, escape: &str) {
        self.is_folded = true;
        self.text.push_str(escape);
    }

    fn is_within_word(&self, after: &str) -> bool {
        self.text.ends_with(char::is_alphanumeric) && after.starts_with(char::is_alphanumeric)
    }

    fn ends_with_www(&self) -> bool {
        let mut last = self.text.chars().rev();
        last.by_ref()
            .take(3)
            .all(|letter| letter.eq_ignore_ascii_case(&'w'))
            && last.next().is_none_or(|before| !before.is_alphanumeric())
            && self.text.len() >= 3
    }
}

/// Returns true if a character has a named escape on one line.
fn is_named(character: char) -> bool {
    matches!(character, '\n' | '\r' | '\t')
}

fn begins_tag(after: &str) -> bool {
    after.starts_with(|next: char| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?'))
}

fn begins_reference(after: &str) -> bool {
    let is_name = |next: &char| next.is_ascii_alphanumeric() || *next == '#';
    let name = after.chars().take_while(is_name).count();
    (1..=MAX_REFERENCE_CHARACTERS).contains(&name) && after.chars().nth(name) == Some(';')
}

/// Returns true if a character is invisible, looks like a space, or moves others: categories C and
/// Z, and letters, marks and symbols without ink.
pub(crate) fn is_hidden(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_control();
    }
    let has_no_ink = matches!(character,
        '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{2800}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{ffa0}' | '\u{16fe4}' | '\u{1d159}' | '\u{e0100}'..='\u{e01ef}');
    has_no_ink || (is_escaped(&[character]) && is_escaped(&['a', character]))
}

/// Returns true if a character extends the one before it, such as an accent.
fn is_mark(character: char) -> bool {
    is_escaped(&[character]) && !is_escaped(&['a', character])
}

/// Returns true if a mark is drawn across its letter or around it, such as a strikethrough.
fn is_overlay(mark: char) -> bool {
    matches!(mark, '\u{334}'..='\u{338}' | '\u{488}' | '\u{489}' | '\u{1abe}' | '\u{20d0}'..='\u{20f0}')
}

/// Returns true if the standard library shows the last of these characters by its number, which it
/// does for the categories C and Z, and for a mark at the beginning of a text.
fn is_escaped(characters: &[char]) -> bool {
    let text: String = characters.iter().collect();
    text.escape_debug().nth(characters.len() - 1) == Some('\\')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Object;
    use serde::Deserialize;

    /// Characters that no place may show, as ranges that are independent of the code above.
    const FORBIDDEN: &[std::ops::RangeInclusive<char>] = &[
        '\0'..='\u{1f}',
        '\u{7f}'..='\u{a0}',
        '\u{ad}'..='\u{ad}',
        '\u{34f}'..='\u{34f}',
        '\u{61c}'..='\u{61c}',
        '\u{115f}'..='\u{1160}',
        '\u{1680}'..='\u{1680}',
        '\u{17b4}'..='\u{17b5}',
        '\u{180b}'..='\u{180f}',
        '\u{2000}'..='\u{200f}',
        '\u{2028}'..='\u{202f}',
        '\u{205f}'..='\u{206f}',
        '\u{2800}'..='\u{2800}',
        '\u{3000}'..='\u{3000}',
        '\u{3164}'..='\u{3164}',
        '\u{e000}'..='\u{f8ff}',
        '\u{fe00}'..='\u{fe0f}',
        '\u{feff}'..='\u{feff}',
        '\u{ffa0}'..='\u{ffa0}',
        '\u{fff0}'..='\u{fffb}',
        '\u{1d173}'..='\u{1d17a}',
        '\u{e0000}'..='\u{10ffff}',
    ];

    fn is_forbidden(character: char) -> bool {
        FORBIDDEN.iter().any(|range| range.contains(&character))
    }

    /// Decodes a text from the form in which it is shown.
    fn decoded(shown: &str) -> String {
        let mut text = String::new();
        let mut characters = shown.chars();
        while let Some(first) = characters.next() {
            if first == '⟨' {
                let (name, after) = characters.as_str().split_once('⟩').unwrap();
                characters = after.chars();
                if let Some(number) = name.strip_prefix("U+") {
                    let number = u32::from_str_radix(number, 16).unwrap();
                    text.push(char::from_u32(number).unwrap());
                } else {
                    let (count, blank) = name.split_once(' ').unwrap();
                    let blank = if blank == "tabs" { "\t" } else { " " };
                    text.push_str(&blank.repeat(count.parse().unwrap()));
                }
            } else if first == '\\' {
                let escaped = characters.next().unwrap();
                text.push(match escaped {
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    other => other,
                });
            } else {
                text.push(first);
            }
        }
        text
    }

    fn decoded_quotation(shown: &str) -> String {
        let inner = shown.strip_prefix('“').unwrap().strip_suffix('”').unwrap();
        assert!(!inner.contains(['“', '”']), "{shown}");
        decoded(inner)
    }

    fn decoded_fence(shown: &str) -> String {
        let mut lines: Vec<&str> = shown.split('\n').collect();
        let fence = lines.remove(0);
        assert_eq!(lines.pop(), Some(fence));
        let mut text = String::new();
        for (index, line) in lines.iter().enumerate() {
            assert!(!line.contains(fence), "{shown}");
            if let Some(line) = line.strip_prefix("| ") {
                text.push_str(if index == 0 { "" } else { "\n" });
                text.push_str(line);
            } else {
                text.push_str(line.strip_prefix(": ").unwrap());
            }
        }
        // Here, a backslash is an ordinary character.
        decoded(&text.replace('\\', "\\\\"))
    }

    fn check(text: &str) {
        let (form, terminal, fence) = (
            quoted(text, usize::MAX),
            printed(text, usize::MAX),
            fenced(text),
        );
        for shown in [&form, &terminal] {
            assert!(!shown.chars().any(is_forbidden), "{text:?}: {shown:?}");
        }
        let is_seen = |line: &str| !line.replace('\t', "").chars().any(is_forbidden);
        assert!(fence.text.lines().all(is_seen), "{text:?}: {fence:?}");
        assert_eq!(decoded_quotation(&form), text);
        if terminal.starts_with('“') {
            assert_eq!(decoded_quotation(&terminal), text);
        } else {
            assert_eq!(terminal, text);
        }
        if !fence.text.contains(" blank lines⟩") {
            assert_eq!(decoded_fence(&fence.text), text);
        }
        assert_eq!(fence.lines, text.split('\n').count());
        assert!(!visible(text).chars().any(is_forbidden), "{text:?}");
        assert_eq!(visible(&visible(text)), visible(text));
        let quoted_json = json(text);
        let is_visible = |character: char| !is_forbidden(character);
        assert!(quoted_json.chars().all(is_visible), "{quoted_json:?}");
        assert_eq!(serde_json::from_str::<String>(&quoted_json).unwrap(), text);
    }

    #[test]
    fn each_character_is_shown_and_none_of_them_is_hidden() {
        // The planes between these have no characters.
        let planes = ('\0'..='\u{3ffff}').chain('\u{e0000}'..='\u{e0fff}');
        let all: Vec<char> = planes.chain('\u{10ff00}'..=char::MAX).collect();
        for some in all.chunks(64) {
            check(&some.iter().collect::<String>());
            check(&some.iter().map(|own| format!("a{own}")).collect::<String>());
        }
    }

    #[test]
    fn what_is_shown_can_be_read_back() {
        let tokens: Vec<String> = [
            "a",
            "_",
            "\\",
            "\"",
            "“",
            "”",
            "⟨",
            "⟩",
            "⟨U+202E⟩",
            "\u{202e}",
            "\u{2028}",
            "\n",
            "\r",
            "\t",
            " ",
            "\u{301}",
            "\u{336}",
            "<",
            "&lt;",
            "`",
            "```",
            "*",
            "http://",
            "www.",
            "\\n",
            "Kind: read.",
            "e\u{301}\u{301}\u{301}\u{301}\u{301}",
            "\u{1f600}",
            "\u{200d}",
            "א",
            "漢",
        ]
        .iter()
        .map(|token| (*token).to_owned())
        .chain([
            " ".repeat(39),
            " ".repeat(41),
            "\t".repeat(11),
            "x".repeat(99),
        ])
        .collect();
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        for _ in 0..4_000 {
            let mut text = String::new();
            for _ in 0..12 {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                text.push_str(&tokens[(state % tokens.len() as u64) as usize]);
            }
            check(&text);
        }
    }

    #[test]
    fn the_examples_for_other_languages_hold() {
        #[derive(Deserialize)]
        struct Example {
            text: String,
            characters: usize,
            quoted: String,
            printed: String,
            fenced: String,
            visible: String,
        }
        let file = include_str!("../../../tests/data/quoted.json");
        let examples: Vec<Object<Example>> = serde_json::from_str(file).unwrap();
        assert!(examples.len() > 40);
        for Object(example) in examples {
            let text = &example.text;
            assert_eq!(quoted(text, example.characters), example.quoted, "{text:?}");
            assert_eq!(
                printed(text, example.characters),
                example.printed,
                "{text:?}"
            );
            assert_eq!(fenced(text).text, example.fenced, "{text:?}");
            assert_eq!(visible(text), example.visible, "{text:?}");
        }
    }
}
