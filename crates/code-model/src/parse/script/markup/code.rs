//! Reads the tokens of code, as far as needed to decide where markup begins: which kinds of tokens
//! may follow each of them.

use super::text::{Shape, begins_number, ends_line, in_word, shape};
use super::{After, Ended, Open, Reader};

/// Words that an operand follows.
const BEFORE_OPERAND: [&str; 12] = [
    "return",
    "throw",
    "case",
    "else",
    "do",
    "default",
    "in",
    "instanceof",
    "typeof",
    "delete",
    "new",
    "extends",
];

/// Words that may be names or types, or may precede an operand.
const EITHER: [&str; 4] = ["yield", "await", "of", "void"];

/// Words whose parentheses may belong to a statement, as in `for await (…)`.
const HEADS: [&str; 5] = ["if", "while", "for", "with", "await"];

impl Reader<'_> {
    pub(super) fn code(&mut self) -> Result<(), Ended> {
        let start = self.at;
        let ended = self.trivia()?;
        if self.at > start {
            self.plain.push(if ended { '\n' } else { ' ' });
            self.new_line |= ended;
        }
        let first = self.peek().ok_or(Ended)?;
        match first {
            '"' | '\'' => self.string(first),
            '`' => {
                self.keep(1);
                self.open.push(Open::Template);
                Ok(())
            }
            '(' | '[' | '{' => {
                let behind = match first {
                    '(' if self.head => After::Either,
                    '{' => After::Either,
                    _ => After::Operator,
                };
                self.open.push(Open::Code(first, behind));
                self.keep(1);
                self.behind(After::Operand);
                Ok(())
            }
            ')' | ']' | '}' => self.closes(first),
            '<' => self.angle(),
            '/' if self.begins_pattern() => self.pattern(),
            _ if begins_number(self.rest()) => {
                self.number();
                Ok(())
            }
            _ if in_word(first) || first == '#' => {
                self.word(first);
                Ok(())
            }
            _ => {
                self.sign(first);
                Ok(())
            }
        }
    }

    fn string(&mut self, quote: char) -> Result<(), Ended> {
        let rest = self.rest();
        let mut escaped = false;
        for (at, character) in rest.char_indices().skip(1) {
            match character {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                // The backslash before it escapes both characters of `\r\n`.
                '\n' if rest.get(..=at).is_some_and(|text| text.ends_with("\\\r\n")) => {}
                '\n' | '\r' => return Err(Ended),
                _ if character == quote => {
                    self.keep(at + 1);
                    self.behind(After::Operator);
                    return Ok(());
                }
                _ => {}
            }
        }
        Err(Ended)
    }

    /// Reads the text of a template literal, to its end or to its next `${`.
    pub(super) fn template(&mut self) -> Result<(), Ended> {
        let rest = self.rest();
        let mut escaped = false;
        for (at, character) in rest.char_indices() {
            match character {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '`' => {
                    self.keep(at + 1);
                    self.open.pop();
                    self.behind(After::Operator);
                    return Ok(());
                }
                '$' if rest.get(at + 1..).is_some_and(|rest| rest.starts_with('{')) => {
                    self.keep(at + 2);
                    self.open.push(Open::Code('{', After::Operator));
                    self.behind(After::Operand);
                    return Ok(());
                }
                _ => {}
            }
        }
        Err(Ended)
    }

    fn closes(&mut self, bracket: char) -> Result<(), Ended> {
        let after = match (self.open.pop(), bracket) {
            (Some(Open::Code('(', after)), ')')
            | (Some(Open::Code('[', after)), ']')
            | (Some(Open::Code('{', after)), '}') => after,
            (Some(Open::Braces), '}') => {
                self.plain.push_str("),");
                self.at += 1;
                return Ok(());
            }
            _ => return Err(Ended),
        };
        self.keep(1);
        self.behind(after);
        Ok(())
    }

    fn word(&mut self, first: char) {
        let property = first == '#' || self.dot;
        let rest = self.rest();
        let mut length = first.len_utf8();
        while let Some(next) = rest.get(length..).and_then(|rest| rest.chars().next()) {
            if next == '{' && rest.get(..length).is_some_and(|word| word.ends_with("\\u")) {
                let escape = rest.get(length..).and_then(|rest| rest.find('}'));
                length = escape.map_or(rest.len(), |end| length + end + 1);
            } else if in_word(next) {
                length += next.len_utf8();
            } else {
                break;
            }
        }
        let word = rest.get(..length).unwrap_or_default();
        // A word with such characters may be a keyword, or not a word at all.
        let strange = word.contains('\\')
            || word
                .chars()
                .any(|character| !character.is_ascii() && !character.is_alphanumeric());
        self.keep(length);
        self.behind(match word {
            _ if strange => After::Either,
            _ if property => After::Operator,
            _ if EITHER.contains(&word) => After::Either,
            _ if BEFORE_OPERAND.contains(&word) => After::Operand,
            _ => After::Operator,
        });
        self.head = strange || (!property && HEADS.contains(&word));
    }

    fn number(&mut self) {
        let rest = self.rest();
        let whole = rest.find(|next| !in_word(next)).unwrap_or(rest.len());
        let mut length = whole;
        if let Some(part) = rest.get(whole..).and_then(|rest| rest.strip_prefix('.')) {
            length += 1 + part.find(|next| !in_word(next)).unwrap_or(part.len());
        }
        self.keep(length);
        self.behind(After::Operator);
    }

    fn begins_pattern(&mut self) -> bool {
        match self.after {
            After::Operand => true,
            After::Operator if !self.new_line => false,
            After::Element => false,
            After::Operator | After::Either => self.choose(),
        }
    }

    fn pattern(&mut self) -> Result<(), Ended> {
        let rest = self.rest();
        let (mut class, mut escaped) = (false, false);
        for (at, character) in rest.char_indices().skip(1) {
            match character {
                _ if ends_line(character) => return Err(Ended),
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '[' => class = true,
                ']' => class = false,
                '/' if !class => {
                    let flags = rest.get(at + 1..).unwrap_or_default();
                    let flags = flags.find(|next| !in_word(next)).unwrap_or(flags.len());
                    self.keep(at + 1 + flags);
                    self.behind(After::Operator);
                    return Ok(());
                }
                _ => {}
            }
        }
        Err(Ended)
    }

    fn sign(&mut self, first: char) {
        let rest = self.rest();
        let optional = rest.starts_with("?.")
            && !rest
                .get(2..)
                .is_some_and(|rest| rest.starts_with(|next: char| next.is_ascii_digit()));
        let length = match first {
            '.' if rest.starts_with("...") => 3,
            '?' if optional => 2,
            '=' if rest.starts_with("=>") => 2,
            '+' if rest.starts_with("++") => 2,
            '-' if rest.starts_with("--") => 2,
            _ => first.len_utf8(),
        };
        let sign = rest.get(..length).unwrap_or_default();
        self.keep(length);
        let after = match sign {
            // After an operand on the same line these belong to it, otherwise to the next operand.
            "++" | "--" | "!" => match self.after {
                After::Operator | After::Element if self.new_line => After::Operand,
                before @ (After::Operand | After::Operator | After::Either | After::Element) => {
                    before
                }
            },
            ">" => match self.open.last_mut() {
                Some(Open::Types(angles)) => {
                    *angles -= 1;
                    if *angles == 0 {
                        self.open.pop();
                    }
                    After::Either
                }
                _ => After::Either,
            },
            "." | "?." => After::Operator,
            _ => After::Operand,
        };
        self.behind(after);
        self.dot = matches!(sign, "." | "?.");
    }

    fn angle(&mut self) -> Result<(), Ended> {
        if let Some(Open::Types(angles)) = self.open.last_mut() {
            *angles += 1;
            self.keep(1);
            self.behind(After::Operand);
            return Ok(());
        }
        let behind = self.rest().get(1..).unwrap_or_default();
        let shape = if behind.starts_with(['<', '=']) {
            Shape::Plain
        } else {
            shape(behind)
        };
        let markup = match (self.after, shape) {
            // The parser rejects adjacent elements.
            (After::Element, _) => return Err(Ended),
            (After::Operator, _) if !self.new_line => false,
            (_, Shape::Plain) => false,
            (After::Operand, Shape::Markup) => true,
            _ => self.choose(),
        };
        if markup {
            self.at += 1;
            self.begins_element();
        } else {
            self.keep(if behind.starts_with('<') { 2 } else { 1 });
            self.behind(After::Operand);
        }
        Ok(())
    }
}
