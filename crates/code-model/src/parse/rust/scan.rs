//! A scanner of Rust tokens, precise enough for brackets and names: it distinguishes strings,
//! comments and lifetimes, and does not recurse.
//!
//! It accepts any text. A string or comment that is not closed ends with the text.

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A name or keyword.
    Word,
    /// A number, text or character.
    Literal,
    /// `'a`.
    Lifetime,
    /// One of `([{`.
    Open,
    /// One of `)]}`.
    Close,
    /// Any other sign, one at a time.
    Sign,
    /// A documentation comment: `///`, `//!`, `/**`, `/*!`.
    Doc,
}

/// A token. Plain comments are not tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
}

/// An iterator over the tokens of a text.
pub(crate) struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    /// Returns a scanner from `at` on, which is after any byte order mark and shebang.
    pub fn new(text: &'a str, at: usize) -> Self {
        Self { text, at }
    }

    fn byte(&self, ahead: usize) -> u8 {
        let byte = self.text.as_bytes().get(self.at + ahead);
        byte.copied().unwrap_or(0)
    }

    fn ended(&self) -> bool {
        self.at >= self.text.len()
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Moves to the next character. The text is UTF-8, so the scanner never stops within a
    /// character.
    fn step(&mut self) {
        self.at += 1;
        while !self.ended() && !self.text.is_char_boundary(self.at) {
            self.at += 1;
        }
    }

    fn skip_while(&mut self, taken: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.at += rest
            .find(|character| !taken(character))
            .unwrap_or(rest.len());
    }

    fn skip_line(&mut self) {
        let rest = self.rest();
        self.at += rest.find('\n').unwrap_or(rest.len());
    }

    fn skip_block_comment(&mut self) {
        let mut depth = 0_usize;
        while !self.ended() {
            match (self.byte(0), self.byte(1)) {
                (b'/', b'*') => {
                    depth += 1;
                    self.at += 2;
                }
                (b'*', b'/') => {
                    depth -= 1;
                    self.at += 2;
                    if depth == 0 {
                        return;
                    }
                }
                _ => self.step(),
            }
        }
    }

    fn skip_quoted(&mut self, quote: u8) {
        self.at += 1;
        while !self.ended() {
            let byte = self.byte(0);
            self.step();
            if byte == quote {
                return;
            }
            if byte == b'\\' && !self.ended() {
                self.step();
            }
        }
    }

    /// Skips a raw string, from its first `#` or its quotation mark on.
    fn skip_raw(&mut self) {
        let hashes = self.rest().bytes().take_while(|byte| *byte == b'#').count();
        self.at += hashes + 1;
        let end = format!("\"{}", "#".repeat(hashes));
        let rest = self.rest();
        self.at += rest
            .find(&end)
            .map_or(rest.len(), |found| found + end.len());
    }

    /// Returns true if a raw string begins after `ahead` bytes.
    fn raw_begins(&self, ahead: usize) -> bool {
        let rest = self
            .text
            .as_bytes()
            .get(self.at + ahead..)
            .unwrap_or_default();
        let hashes = rest.iter().take_while(|byte| **byte == b'#').count();
        rest.get(hashes) == Some(&b'"')
    }

    /// Returns the prefix of a string or character such as `br#"…"#`, if there is one.
    fn prefix(&self) -> Option<Prefix> {
        let (first, second) = (self.byte(0), self.byte(1));
        match first {
            b'r' if self.raw_begins(1) => Some(Prefix::Raw(1)),
            b'b' | b'c' if second == b'r' && self.raw_begins(2) => Some(Prefix::Raw(2)),
            b'b' | b'c' if second == b'"' => Some(Prefix::Quoted(1, b'"')),
            b'b' if second == b'\'' => Some(Prefix::Quoted(1, b'\'')),
            _ => None,
        }
    }

    fn word(&mut self) -> Kind {
        match self.prefix() {
            Some(Prefix::Raw(bytes)) => {
                self.at += bytes;
                self.skip_raw();
                return Kind::Literal;
            }
            Some(Prefix::Quoted(bytes, quote)) => {
                self.at += bytes;
                self.skip_quoted(quote);
                return Kind::Literal;
            }
            None => {}
        }
        if self.byte(0) == b'r' && self.byte(1) == b'#' {
            self.at += 2;
        }
        self.skip_while(is_word);
        Kind::Word
    }

    /// Scans a character or a lifetime, from its `'` on.
    fn quote(&mut self) -> Kind {
        let mut after = self.rest().chars().skip(1);
        let (first, second) = (after.next(), after.next());
        let lifetime = first.is_some_and(is_word_start) && second != Some('\'');
        if lifetime {
            self.at += 1;
            self.skip_while(is_word);
            return Kind::Lifetime;
        }
        if first == Some('\\') {
            self.skip_quoted(b'\'');
        } else {
            let length: usize = self.rest().chars().take(2).map(char::len_utf8).sum();
            self.at += length;
            if self.byte(0) == b'\'' {
                self.at += 1;
            }
        }
        Kind::Literal
    }

    fn number(&mut self) {
        self.skip_while(is_word);
        // `1.5`, but neither `1..2` nor `1.max(2)`.
        if self.byte(0) == b'.' && self.byte(1).is_ascii_digit() {
            self.at += 1;
            self.skip_while(is_word);
        }
    }
}

enum Prefix {
    Raw(usize),
    Quoted(usize, u8),
}

fn is_word_start(character: char) -> bool {
    character == '_' || character.is_alphabetic()
}

fn is_word(character: char) -> bool {
    character == '_' || character.is_alphanumeric()
}

impl Iterator for Scanner<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        loop {
            self.skip_while(char::is_whitespace);
            let start = self.at;
            let first = self.rest().chars().next()?;
            let kind = match first {
                '/' if self.byte(1) == b'/' => {
                    let documents =
                        matches!(self.byte(2), b'!' | b'/') && !self.rest().starts_with("////");
                    self.skip_line();
                    if !documents {
                        continue;
                    }
                    Kind::Doc
                }
                '/' if self.byte(1) == b'*' => {
                    let rest = self.rest();
                    let documents = matches!(self.byte(2), b'!' | b'*')
                        && !rest.starts_with("/***")
                        && !rest.starts_with("/**/");
                    self.skip_block_comment();
                    if !documents {
                        continue;
                    }
                    Kind::Doc
                }
                '"' => {
                    self.skip_quoted(b'"');
                    Kind::Literal
                }
                '\'' => self.quote(),
                '(' | '[' | '{' => {
                    self.at += 1;
                    Kind::Open
                }
                ')' | ']' | '}' => {
                    self.at += 1;
                    Kind::Close
                }
                _ if first.is_ascii_digit() => {
                    self.number();
                    Kind::Literal
                }
                _ if is_word_start(first) => self.word(),
                _ => {
                    self.step();
                    Kind::Sign
                }
            };
            let end = self.at.max(start + 1);
            return Some(Token { kind, start, end });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<(Kind, &str)> {
        Scanner::new(text, 0)
            .map(|token| (token.kind, text.get(token.start..token.end).unwrap()))
            .collect()
    }

    #[test]
    fn strings_comments_and_lifetimes_are_told_apart() {
        use Kind::{Close, Doc, Lifetime, Literal, Open, Sign, Word};
        for (text, expected) in [
            ("a /* { /* } */ ( */ b", vec![(Word, "a"), (Word, "b")]),
            ("r#\"}\"# r#fn", vec![(Literal, "r#\"}\"#"), (Word, "r#fn")]),
            (
                "br\"\\\" b'\\'' c\"x\"",
                vec![
                    (Literal, "br\"\\\""),
                    (Literal, "b'\\''"),
                    (Literal, "c\"x\""),
                ],
            ),
            (
                "&'a '{' '\\'' 'ß'",
                vec![
                    (Sign, "&"),
                    (Lifetime, "'a"),
                    (Literal, "'{'"),
                    (Literal, "'\\''"),
                    (Literal, "'ß'"),
                ],
            ),
            (
                "1..2 1.5e3",
                vec![
                    (Literal, "1"),
                    (Sign, "."),
                    (Sign, "."),
                    (Literal, "2"),
                    (Literal, "1.5e3"),
                ],
            ),
            (
                "// }\n/// {\n{}",
                vec![(Doc, "/// {"), (Open, "{"), (Close, "}")],
            ),
            ("\"a\\\"}\" x", vec![(Literal, "\"a\\\"}\""), (Word, "x")]),
            ("\"never ends }", vec![(Literal, "\"never ends }")]),
            ("/* never ends }", vec![]),
            ("'", vec![(Literal, "'")]),
        ] {
            assert_eq!(tokens(text), expected, "{text}");
        }
    }
}
