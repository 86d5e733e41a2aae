//! Splits a text that may not be SQL into words and signs, for rules that examine it after an
//! error.
//!
//! A quoted text is a single piece, and comments are left out, as in most dialects. The pieces only
//! serve hints: no decision of the gate depends on them.

/// The kind of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Word,
    Number,
    /// `'…'`
    Text,
    /// `"…"` or `` `…` ``
    Name,
    /// `[…]`
    Bracket,
    Sign,
}

/// A piece of the text and its place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece<'t> {
    pub kind: Kind,
    pub text: &'t str,
    pub start: usize,
}

impl Piece<'_> {
    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// Returns true if it is this word or sign, ignoring case.
    pub fn is(&self, wanted: &str) -> bool {
        matches!(self.kind, Kind::Word | Kind::Sign) && self.text.eq_ignore_ascii_case(wanted)
    }
}

/// Signs of more than one character that dialects have, longest first.
const LONG_SIGNS: [&str; 22] = [
    "!~~*", "!~*", "~~*", "#>>", "->>", "<=>", "!~~", "::", ":=", "~*", "!~", "~~", "@>", "<@",
    "#>", "->", "&&", "||", "@@", "$$", "<>", "(+)",
];

/// Splits the text.
pub(super) fn pieces(sql: &str) -> Vec<Piece<'_>> {
    let mut found = Vec::new();
    let mut rest = sql;
    while let Some(first) = rest.chars().next() {
        let start = sql.len() - rest.len();
        let (kind, length) = piece(rest, first);
        let (text, behind) = rest
            .split_at_checked(length.max(first.len_utf8()))
            .unwrap_or((rest, ""));
        if let Some(kind) = kind {
            found.push(Piece { kind, text, start });
        }
        rest = behind;
    }
    found
}

/// Returns the kind and the number of bytes of the first piece; no kind for white space and
/// comments.
fn piece(rest: &str, first: char) -> (Option<Kind>, usize) {
    let until = |end: &str, from: usize| {
        let inner = rest.get(from..).unwrap_or_default();
        inner
            .find(end)
            .map_or(rest.len(), |at| from + at + end.len())
    };
    let while_any = |fits: fn(char) -> bool| {
        rest.find(|character| !fits(character))
            .unwrap_or(rest.len())
    };
    match first {
        _ if first.is_whitespace() => (None, first.len_utf8()),
        '-' if rest.starts_with("--") => (None, until("\n", 2)),
        '/' if rest.starts_with("/*") => (None, until("*/", 2)),
        '\'' => (Some(Kind::Text), quoted(rest, '\'')),
        '"' => (Some(Kind::Name), quoted(rest, '"')),
        '`' => (Some(Kind::Name), quoted(rest, '`')),
        '[' => (Some(Kind::Bracket), until("]", 1)),
        _ if first.is_ascii_digit() => (
            Some(Kind::Number),
            while_any(|character| character.is_ascii_alphanumeric() || character == '.'),
        ),
        _ if is_word(first) => (Some(Kind::Word), while_any(is_word)),
        _ => {
            let long = LONG_SIGNS.iter().find(|sign| rest.starts_with(**sign));
            (
                Some(Kind::Sign),
                long.map_or(first.len_utf8(), |sign| sign.len()),
            )
        }
    }
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Returns the number of bytes of a text in quotes, which are doubled inside.
fn quoted(rest: &str, quote: char) -> usize {
    let mut characters = rest.char_indices().skip(1).peekable();
    while let Some((at, character)) = characters.next() {
        if character == quote && characters.next_if(|(_, next)| *next == quote).is_none() {
            return at + 1;
        }
    }
    rest.len()
}
