//! A question cut into words, numbers, dates, quoted texts and signs.

use base::text;

use crate::day::Day;
use crate::limits::{MAX_QUESTION_CHARACTERS, MAX_QUESTION_TOKENS, MAX_SHOWN_WORD_CHARACTERS};
use crate::plan::{Step, Stop};

/// One piece of a question.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Token {
    /// The text as written; of a quoted text, the part between the quotes.
    pub(crate) text: String,
    /// The text in lower case, without a possessive ending.
    pub(crate) lower: String,
    pub(crate) kind: TokenKind,
    /// The position of its first character in the question; `end` is the position after its last.
    /// Both count characters.
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum TokenKind {
    Word,
    Number(f64),
    Date(Day),
    Quoted,
    Sign,
}

impl Token {
    pub(crate) fn is_word(&self) -> bool {
        self.kind == TokenKind::Word
    }

    /// Returns the number that is written in digits.
    pub(crate) fn number(&self) -> Option<f64> {
        match self.kind {
            TokenKind::Number(value) => Some(value),
            TokenKind::Word | TokenKind::Date(_) | TokenKind::Quoted | TokenKind::Sign => None,
        }
    }

    /// Returns true if it is written with a capital.
    pub(crate) fn is_capital(&self) -> bool {
        self.text.starts_with(char::is_uppercase)
    }

    /// Returns the word in the form in which messages repeat it.
    pub(crate) fn shown(&self) -> String {
        text::cut(&text::one_line(&self.text), MAX_SHOWN_WORD_CHARACTERS)
    }
}

/// Quotes that open a text, and those that close it.
const QUOTES: &[(char, char)] = &[
    ('"', '"'),
    ('\'', '\''),
    ('`', '`'),
    ('“', '”'),
    ('‘', '’'),
    ('«', '»'),
    ('„', '“'),
];

/// Signs that a question may have beside words.
const SIGNS: &[&str] = &[
    "<=", ">=", "<>", "!=", "==", "<", ">", "=", "≤", "≥", "≠", ",", ".", "?", "!", ":", "(", ")",
    "%", "$", "€", "£", "&",
];

/// Cuts a question into its pieces.
///
/// # Errors
/// A question that is too long, or that has control characters, a quote without its end, or a sign
/// that questions do not have, such as those of SQL.
pub(crate) fn tokenize(question: &str) -> Step<Vec<Token>> {
    let letters: Vec<char> = question.chars().take(MAX_QUESTION_CHARACTERS + 1).collect();
    if letters.len() > MAX_QUESTION_CHARACTERS {
        return Err(Stop::cannot(format!(
            "the question has more than {MAX_QUESTION_CHARACTERS} characters"
        )));
    }
    let mut reader = Reader {
        letters: &letters,
        at: 0,
    };
    let mut tokens = Vec::new();
    while let Some(letter) = reader.peek(0) {
        if tokens.len() == MAX_QUESTION_TOKENS {
            return Err(Stop::cannot(format!(
                "the question has more than {MAX_QUESTION_TOKENS} words"
            )));
        }
        if letter.is_whitespace() || reader.is_apostrophe() {
            reader.at += 1;
        } else if let Some(quoted) = reader.quoted()? {
            tokens.push(quoted);
        } else if let Some(word) = reader.word() {
            tokens.push(word);
        } else if let Some(sign) = reader.sign() {
            tokens.push(sign);
        } else {
            return Err(Stop::Unknown(text::one_line(&letter.to_string())));
        }
    }
    Ok(tokens)
}

struct Reader<'a> {
    letters: &'a [char],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.letters.get(self.at + ahead).copied()
    }

    fn before(&self) -> Option<char> {
        self.at
            .checked_sub(1)
            .and_then(|at| self.letters.get(at))
            .copied()
    }

    /// Returns true for the apostrophe of `customers' orders`.
    fn is_apostrophe(&self) -> bool {
        matches!(self.peek(0), Some('\'' | '’')) && self.before().is_some_and(char::is_alphanumeric)
    }

    /// Takes a text between quotes. An apostrophe after a letter does not open one.
    fn quoted(&mut self) -> Step<Option<Token>> {
        let Some(open) = self.peek(0) else {
            return Ok(None);
        };
        let Some((_, close)) = QUOTES.iter().find(|(quote, _)| *quote == open) else {
            return Ok(None);
        };
        if self.before().is_some_and(char::is_alphanumeric) {
            return Ok(None);
        }
        let rest = self.letters.get(self.at + 1..).unwrap_or_default();
        let ends = |at: &usize| {
            rest.get(*at) == Some(close)
                && (open != '\'' || !rest.get(at + 1).copied().is_some_and(char::is_alphanumeric))
        };
        let Some(length) = (0..rest.len()).find(ends) else {
            return Err(Stop::Unknown(open.to_string()));
        };
        let inside: String = rest.iter().take(length).collect();
        if inside.chars().any(char::is_control) || inside.trim().is_empty() {
            return Err(Stop::cannot(
                "a text between quotes is empty or has control characters",
            ));
        }
        let start = self.at;
        self.at += length + 2;
        Ok(Some(Token {
            start,
            end: self.at,
            lower: inside.to_lowercase(),
            text: inside,
            kind: TokenKind::Quoted,
        }))
    }

    /// Takes letters and digits, with the signs that may stand within a word: `O-`, `T-01`,
    /// `example.org`, `80,000`, `customer's`.
    fn word(&mut self) -> Option<Token> {
        if !self.peek(0)?.is_alphanumeric() && self.peek(0) != Some('_') {
            return None;
        }
        let start = self.at;
        while let Some(letter) = self.peek(0) {
            let next = self.peek(1).unwrap_or(' ');
            let number_so_far = self
                .letters
                .get(start..self.at)
                .is_some_and(|part| part.iter().all(|one| one.is_ascii_digit() || *one == ','));
            let within = match letter {
                '_' => true,
                '.' | '@' | '\'' | '’' | '/' => next.is_alphanumeric(),
                ',' => number_so_far && next.is_ascii_digit(),
                '-' | '+' => next.is_alphanumeric() || self.ends_a_word(1),
                _ => letter.is_alphanumeric(),
            };
            if !within {
                break;
            }
            self.at += 1;
        }
        let written: String = self.letters.get(start..self.at)?.iter().collect();
        Some(Token {
            start,
            end: self.at,
            ..Token::word(written)
        })
    }

    /// Returns true if a sign such as the one of `O-` is the last of its word.
    fn ends_a_word(&self, ahead: usize) -> bool {
        self.peek(ahead)
            .is_none_or(|letter| letter.is_whitespace() || ",.?!)".contains(letter))
    }

    fn sign(&mut self) -> Option<Token> {
        let pair: String = [self.peek(0)?, self.peek(1).unwrap_or(' ')]
            .iter()
            .collect();
        let one = self.peek(0)?.to_string();
        let sign = SIGNS.iter().find(|sign| **sign == pair || **sign == one)?;
        let start = self.at;
        self.at += sign.chars().count();
        // A second full stop, comma or bracket says nothing more.
        Some(Token {
            text: (*sign).to_owned(),
            lower: (*sign).to_owned(),
            kind: TokenKind::Sign,
            start,
            end: self.at,
        })
    }
}

impl Token {
    fn word(written: String) -> Self {
        let mut lower = written.to_lowercase().replace('’', "'");
        if let Some(stem) = lower.strip_suffix("'s") {
            lower = stem.to_owned();
        }
        let kind = match (Day::parse(&lower), number(&lower)) {
            (Some(day), _) => TokenKind::Date(day),
            (None, Some(value)) => TokenKind::Number(value),
            (None, None) => TokenKind::Word,
        };
        Self {
            text: written,
            lower,
            kind,
            start: 0,
            end: 0,
        }
    }
}

/// Parses `1200`, `80,000`, `4.5`, `5k`, `2m`, `3bn`.
fn number(text: &str) -> Option<f64> {
    let (digits, factor) = match text {
        _ if text.ends_with("bn") => (text.strip_suffix("bn")?, 1e9),
        _ if text.ends_with('k') => (text.strip_suffix('k')?, 1e3),
        _ if text.ends_with('m') => (text.strip_suffix('m')?, 1e6),
        _ => (text, 1.0),
    };
    let plain = digits.replace(',', "");
    let grouped = !digits.contains(',') || is_grouped(digits);
    let decimal = plain
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.')
        && plain.starts_with(|letter: char| letter.is_ascii_digit());
    // Longer ones lose digits as floating point numbers.
    if !decimal || !grouped || plain.len() > 15 {
        return None;
    }
    plain.parse::<f64>().ok().map(|value| value * factor)
}

/// Returns true if the commas of a number stand before groups of three digits.
fn is_grouped(digits: &str) -> bool {
    let whole = digits.split('.').next().unwrap_or_default();
    let mut groups = whole.split(',');
    let first = groups.next().map_or(0, str::len);
    (1..=3).contains(&first) && groups.all(|group| group.len() == 3)
}

#[cfg(test)]
mod tests {
    use super::{TokenKind, tokenize};

    fn check(question: &str, expected: &[&str]) {
        let tokens = tokenize(question).unwrap();
        let words: Vec<&str> = tokens.iter().map(|token| token.lower.as_str()).collect();
        assert_eq!(words, expected, "{question}");
    }

    #[test]
    fn words_keep_the_signs_that_are_theirs() {
        check("Blood type O-?", &["blood", "type", "o-", "?"]);
        check("sensor T-01, room", &["sensor", "t-01", ",", "room"]);
        check("the customer's city", &["the", "customer", "city"]);
        check(
            "ends with example.org.",
            &["ends", "with", "example.org", "."],
        );
        check("name is 'O'Hara'", &["name", "is", "o'hara"]);
        check("price>=5", &["price", ">=", "5"]);
    }

    #[test]
    fn numbers_have_their_suffix_and_groups() {
        for (text, value) in [
            ("80,000", 80_000.0),
            ("5k", 5_000.0),
            ("2m", 2e6),
            ("4.5", 4.5),
        ] {
            assert_eq!(
                tokenize(text).unwrap()[0].kind,
                TokenKind::Number(value),
                "{text}"
            );
        }
        for text in ["1q84", "8,00", "1.2.3", "12345678901234567890"] {
            assert_eq!(tokenize(text).unwrap()[0].kind, TokenKind::Word, "{text}");
        }
    }

    #[test]
    fn signs_of_sql_and_open_quotes_are_refused() {
        for question in [
            "a; b", "a -- b", "/* a */", "' OR 1=1", "a\0b", "x = {y}", "a | b",
        ] {
            assert!(tokenize(question).is_err(), "{question}");
        }
        assert!(tokenize(&"a".repeat(1_001)).is_err());
        assert!(tokenize(&"a ".repeat(400)).is_err());
    }
}
