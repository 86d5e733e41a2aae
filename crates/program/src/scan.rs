//! A scanner for JavaScript and TypeScript that never recurses.
//!
//! It is used to bound the depth before the parser runs, to find where brackets were opened, and to
//! tell code from text. It knows strings, templates, comments and regular expressions. The token
//! before a `/` decides if the `/` divides or opens a regular expression. If it does not decide,
//! [`Slashes`] gives the reading to use, so that a caller can try both.

use super::source::ends_line;
use super::token::{BEFORE_OPERAND, EITHER, HEADS, SIGNS, in_word};
pub use super::token::{Kind, NextToken, Token};

/// The readings of the slashes that the tokens before them do not decide. Slashes without a given
/// reading divide.
#[derive(Debug, Clone, Default)]
pub struct Slashes {
    /// The requested readings in order; true for a regular expression.
    pub patterns: Vec<bool>,
    /// The number of undecided slashes so far.
    pub met: usize,
    /// The byte of the last of them.
    pub last: usize,
}

/// A bracket that is still open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenBracket {
    /// `(`, `[`, `{`, or `$` for the substitution of a template.
    pub bracket: u8,
    /// The byte at which it is.
    pub start: usize,
    closes_to: NextToken,
}

/// The scanner, an iterator over [`Token`]s.
#[derive(Debug)]
pub struct Scanner<'t> {
    text: &'t str,
    at: usize,
    /// The brackets that are open now.
    pub open: Vec<OpenBracket>,
    /// The undecided slashes and their readings.
    pub slashes: Slashes,
    previous: Option<Token>,
    /// True between `function` and its parameters.
    function: bool,
    /// True if the last two words were `for await`, which a `(` may follow.
    for_await: bool,
}

impl<'t> Scanner<'t> {
    /// Creates a scanner at the start of `text`.
    pub fn new(text: &'t str, slashes: Slashes) -> Self {
        Self {
            text,
            at: 0,
            open: Vec::new(),
            slashes,
            previous: None,
            function: false,
            for_await: false,
        }
    }

    /// Returns the text of a token.
    pub fn text_of(&self, token: Token) -> &'t str {
        self.text.get(token.start..token.end).unwrap_or("")
    }

    /// Continues at a later byte, as if behind an operand.
    pub fn resume(&mut self, at: usize) {
        let start = self.at;
        self.at = at.max(start);
        self.previous = Some(Token {
            kind: Kind::Text { closed: true },
            start,
            end: self.at,
            new_line: false,
            after: NextToken::Operator,
        });
    }

    fn byte(&self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or(0)
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// Skips white space and comments. Returns true if a line ended, and the first byte of a
    /// comment that does not end.
    fn skip(&mut self) -> (bool, Option<usize>) {
        let mut new_line = self.at == 0;
        if new_line && self.rest().starts_with("#!") {
            self.line();
        }
        loop {
            match self.byte(self.at) {
                b'\n' | b'\r' => {
                    new_line = true;
                    self.at += 1;
                }
                b' ' | b'\t' | 0x0b | 0x0c => self.at += 1,
                b'/' if self.byte(self.at + 1) == b'/' => self.line(),
                b'/' if self.byte(self.at + 1) == b'*' => {
                    let start = self.at;
                    let Some(length) = self.text.get(start + 2..).and_then(|rest| rest.find("*/"))
                    else {
                        self.at = self.text.len();
                        return (new_line, Some(start));
                    };
                    self.at = start + 2 + length + 2;
                    new_line |= self
                        .text
                        .get(start..self.at)
                        .is_some_and(|comment| comment.contains(ends_line));
                }
                byte if byte >= 0x80 => match self.rest().chars().next() {
                    Some(space) if space.is_whitespace() || space == '\u{feff}' => {
                        new_line |= ends_line(space);
                        self.at += space.len_utf8();
                    }
                    _ => return (new_line, None),
                },
                _ => return (new_line, None),
            }
        }
    }

    fn line(&mut self) {
        self.at += self.rest().find(ends_line).unwrap_or(self.rest().len());
    }

    fn string(&mut self, quote: u8) -> bool {
        self.at += 1;
        loop {
            match self.byte(self.at) {
                b'\\' => self.escape(),
                b'\n' | b'\r' => return false,
                byte if byte == quote => {
                    self.at += 1;
                    return true;
                }
                _ if self.at >= self.text.len() => return false,
                _ => self.at += 1,
            }
        }
    }

    /// Skips a backslash and the character behind it; CR LF counts as one character.
    fn escape(&mut self) {
        self.at += 1;
        if self.byte(self.at) == b'\r' && self.byte(self.at + 1) == b'\n' {
            self.at += 1;
        }
        self.at =
            (self.at + self.rest().chars().next().map_or(0, char::len_utf8)).min(self.text.len());
    }

    /// Skips the text of a template, up to its end or behind the next `${`.
    fn template(&mut self, start: usize) -> Kind {
        loop {
            match self.byte(self.at) {
                b'\\' => self.escape(),
                b'`' => {
                    self.at += 1;
                    return Kind::Template { closed: true };
                }
                b'$' if self.byte(self.at + 1) == b'{' => {
                    self.at += 2;
                    self.open.push(OpenBracket {
                        bracket: b'$',
                        start,
                        closes_to: NextToken::Operand,
                    });
                    return Kind::OpenSubstitution;
                }
                _ if self.at >= self.text.len() => return Kind::Template { closed: false },
                _ => self.at += 1,
            }
        }
    }

    fn pattern(&mut self) -> Kind {
        let mut class = false;
        self.at += 1;
        loop {
            match self.byte(self.at) {
                b'/' if !class => break,
                b'[' => class = true,
                b']' => class = false,
                b'\\' if !matches!(self.byte(self.at + 1), b'\n' | b'\r') => self.at += 1,
                _ => {}
            }
            let Some(character) = self
                .rest()
                .chars()
                .next()
                .filter(|character| !ends_line(*character))
            else {
                return Kind::Stray;
            };
            self.at += character.len_utf8();
        }
        self.at += 1;
        self.word();
        Kind::Pattern
    }

    fn word(&mut self) {
        let rest = self.rest();
        let mut characters = rest.char_indices();
        let end = loop {
            match characters.next() {
                Some((_, character)) if in_word(character) => {}
                Some((at, _)) => break at,
                None => break rest.len(),
            }
        };
        self.at += end;
    }

    fn digits(&mut self) {
        while self.byte(self.at).is_ascii_digit() || self.byte(self.at) == b'_' {
            self.at += 1;
        }
    }

    fn number(&mut self) {
        self.digits();
        if self.byte(self.at) == b'.' {
            self.at += 1;
            self.digits();
        }
        if matches!(self.byte(self.at), b'e' | b'E') {
            self.at += 1;
            if matches!(self.byte(self.at), b'+' | b'-') {
                self.at += 1;
            }
        }
        self.word();
    }

    fn sign(&mut self) {
        let rest = self.rest();
        self.at += SIGNS
            .iter()
            .find(|sign| rest.starts_with(**sign))
            .map_or_else(
                || rest.chars().next().map_or(1, char::len_utf8),
                |sign| sign.len(),
            );
    }

    /// Returns true if a `/` here opens a regular expression.
    fn opens_pattern(&mut self, new_line: bool) -> bool {
        match self
            .previous
            .map_or(NextToken::Operand, |token| token.after)
        {
            NextToken::Operand => true,
            NextToken::Operator if !new_line => false,
            NextToken::Operator | NextToken::Either => {
                let asked = self
                    .slashes
                    .patterns
                    .get(self.slashes.met)
                    .copied()
                    .unwrap_or(false);
                self.slashes.met += 1;
                self.slashes.last = self.at;
                asked
            }
        }
    }

    fn open(&mut self, bracket: u8) -> Kind {
        let closes_to = match (bracket, self.previous) {
            (b'(', Some(token)) => self.paren(token),
            (b'{', _) => NextToken::Either,
            _ => NextToken::Operator,
        };
        self.open.push(OpenBracket {
            bracket,
            start: self.at,
            closes_to,
        });
        self.at += 1;
        Kind::Open(bracket)
    }

    /// Returns the kind of token that may follow the `)` of a `(` behind this token.
    fn paren(&mut self, before: Token) -> NextToken {
        let function = std::mem::take(&mut self.function);
        let Kind::Word { property } = before.kind else {
            return if function {
                NextToken::Either
            } else {
                NextToken::Operator
            };
        };
        let word = self.text_of(before);
        if word.contains('\\') {
            return NextToken::Either;
        }
        if !property && (HEADS.contains(&word) || (word == "await" && self.for_await)) {
            return NextToken::Operand;
        }
        if function {
            NextToken::Either
        } else {
            NextToken::Operator
        }
    }

    fn close(&mut self, bracket: u8) -> (Kind, NextToken) {
        let wanted = match bracket {
            b')' => b'(',
            b']' => b'[',
            _ => b'{',
        };
        let top = self.open.last().copied();
        if bracket == b'}' && top.is_some_and(|opened| opened.bracket == b'$') {
            let start = top.map_or(0, |opened| opened.start);
            self.open.pop();
            self.at += 1;
            return (self.template(start), NextToken::Operator);
        }
        self.at += 1;
        let matched = top.is_some_and(|opened| opened.bracket == wanted);
        if matched {
            self.open.pop();
        }
        let after = top
            .filter(|_| matched)
            .map_or(NextToken::Either, |opened| opened.closes_to);
        (Kind::Close { bracket, matched }, after)
    }

    fn after_sign(&self, sign: &str, new_line: bool) -> NextToken {
        match sign {
            ">" | ">>" | ">>>" | "?" => NextToken::Either,
            // Behind an operand on the same line they belong to it, otherwise to the next operand.
            "++" | "--" | "!" => match self
                .previous
                .map_or(NextToken::Operand, |token| token.after)
            {
                NextToken::Operator if new_line => NextToken::Operand,
                before @ (NextToken::Operand | NextToken::Operator | NextToken::Either) => before,
            },
            _ => NextToken::Operand,
        }
    }

    fn after_word(&mut self, word: &str, property: bool) -> NextToken {
        self.for_await = word == "await"
            && self
                .previous
                .is_some_and(|token| self.text_of(token) == "for");
        if property {
            return NextToken::Operator;
        }
        self.function |= word == "function";
        if word.contains('\\') || EITHER.contains(&word) {
            NextToken::Either
        } else if BEFORE_OPERAND.contains(&word) {
            NextToken::Operand
        } else {
            NextToken::Operator
        }
    }
}

impl Iterator for Scanner<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        let (new_line, comment) = self.skip();
        let start = comment.unwrap_or(self.at);
        let (kind, after) = if comment.is_some() {
            (Kind::OpenComment, NextToken::Either)
        } else {
            let first = self.rest().chars().next()?;
            match first {
                '"' | '\'' => (
                    Kind::Text {
                        closed: self.string(self.byte(self.at)),
                    },
                    NextToken::Operator,
                ),
                '`' => {
                    self.at += 1;
                    let kind = self.template(start);
                    (kind, NextToken::Operator)
                }
                '(' | '[' | '{' => (self.open(self.byte(self.at)), NextToken::Operand),
                ')' | ']' | '}' => self.close(self.byte(self.at)),
                '/' if self.opens_pattern(new_line) => (self.pattern(), NextToken::Operator),
                _ if first.is_ascii_digit()
                    || (first == '.' && self.byte(start + 1).is_ascii_digit()) =>
                {
                    self.number();
                    (Kind::Number, NextToken::Operator)
                }
                _ if in_word(first) || (first == '#' && self.byte(start + 1) != b'!') => {
                    self.at += first.len_utf8();
                    self.word();
                    let behind_dot = self
                        .previous
                        .is_some_and(|token| matches!(self.text_of(token), "." | "?."));
                    let property = first == '#' || behind_dot;
                    let word = self.text.get(start..self.at).unwrap_or("");
                    (Kind::Word { property }, self.after_word(word, property))
                }
                _ if first.is_ascii_punctuation() => {
                    self.sign();
                    let sign = self.text.get(start..self.at).unwrap_or("");
                    (Kind::Sign, self.after_sign(sign, new_line))
                }
                _ => {
                    self.at += first.len_utf8();
                    (Kind::Stray, NextToken::Either)
                }
            }
        };
        // An operand follows the start of a substitution.
        let after = if kind == Kind::OpenSubstitution {
            NextToken::Operand
        } else {
            after
        };
        let token = Token {
            kind,
            start,
            end: self.at,
            new_line,
            after,
        };
        self.previous = Some(token);
        Some(token)
    }
}
