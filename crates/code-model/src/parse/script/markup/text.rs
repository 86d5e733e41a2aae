//! The characters of code and of markup.

/// The shape of what stands behind a `<`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Markup,
    /// Parameters of a type or a comparison.
    Plain,
    Either,
}

/// Returns the white space and comments at the start of a text, in bytes, and whether a line ends
/// in them; nothing where a comment does not end.
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

/// Returns the text behind the white space and comments at its start.
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
        // What closes in this way may be a parameter of a function's type as well.
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

/// What is no ASCII counts: whether it is a letter shows in `Reader::word`.
pub(super) fn in_word(character: char) -> bool {
    character.is_ascii_alphanumeric()
        || matches!(character, '_' | '$' | '\\')
        || !(character.is_ascii() || is_blank(character))
}

/// In the name of an element or an attribute.
pub(super) fn in_name(character: char) -> bool {
    in_word(character) || matches!(character, '-' | ':' | '.')
}

pub(super) fn begins_number(text: &str) -> bool {
    let digits = text.strip_prefix('.').unwrap_or(text);
    digits.starts_with(|first: char| first.is_ascii_digit())
}
