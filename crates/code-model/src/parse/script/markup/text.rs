//! Character classes of code and of markup.

/// The construct that a `<` begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Markup,
    /// Type parameters or a comparison.
    Plain,
    Either,
}

/// Returns the length in bytes of the white space and comments at the start of a text, and true if
/// they contain a line break; `None` if a comment is not closed.
pub(super) fn trivia(text: &str) -> Option<(usize, bool)> {
    let (mut at, mut ended) = (0, false);
    loop {
        let rest = text.get(at..).unwrap_or_default();
        let first = rest.chars().next();
        if rest.starts_with("//") {
            at += rest.find(ends_line).unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            let inner = rest.get(2..).unwrap_or_default();
            let comment = inner.get(..inner.find("*/")?).unwrap_or_default();
            ended |= comment.contains(ends_line);
            at += "/*".len() + comment.len() + "*/".len();
        } else if let Some(blank) = first.filter(|first| is_blank(*first)) {
            ended |= ends_line(blank);
            at += blank.len_utf8();
        } else {
            return Some((at, ended));
        }
    }
}

/// Returns the text after the white space and comments at its start.
fn behind_trivia(text: &str) -> &str {
    let bytes = trivia(text).map_or(text.len(), |(bytes, _)| bytes);
    text.get(bytes..).unwrap_or_default()
}

pub(super) fn shape(behind: &str) -> Shape {
    let behind = behind_trivia(behind);
    let length = behind.find(|next| !in_name(next)).unwrap_or(behind.len());
    let (name, rest) = behind.split_at_checked(length).unwrap_or_default();
    let rest = behind_trivia(rest);
    match rest.chars().next() {
        // An element that closes like this may also be a type parameter of a function type.
        Some('>') => {
            let inner = rest.get(1..).unwrap_or_default();
            if behind_trivia(inner).starts_with('(') {
                Shape::Either
            } else {
                Shape::Markup
            }
        }
        _ if name.is_empty() => Shape::Plain,
        Some(',' | '=') => Shape::Plain,
        _ if ["const", "in", "out"].contains(&name) || rest.starts_with("extends") => Shape::Either,
        _ => Shape::Markup,
    }
}

pub(super) const BYTE_ORDER_MARK: char = '\u{feff}';

pub(super) fn ends_line(character: char) -> bool {
    matches!(character, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

fn is_blank(character: char) -> bool {
    character.is_whitespace() || character == BYTE_ORDER_MARK
}

/// Returns true for characters of a word. Non-ASCII characters count as well; `Reader::word` checks
/// whether they are letters.
pub(super) fn in_word(character: char) -> bool {
    character.is_ascii_alphanumeric()
        || matches!(character, '_' | '$' | '\\')
        || !(character.is_ascii() || is_blank(character))
}

/// Returns true for characters in the name of an element or an attribute.
pub(super) fn in_name(character: char) -> bool {
    in_word(character) || matches!(character, '-' | ':' | '.')
}

pub(super) fn begins_number(text: &str) -> bool {
    let digits = text.strip_prefix('.').unwrap_or(text);
    digits.starts_with(|first: char| first.is_ascii_digit())
}
