//! Repairs damage from copying: typographic quotes, invisible characters, full-width signs.
//!
//! Repairs are tried only if the text does not parse as it is, and only outside of strings,
//! templates, comments and regular expressions. Each character is replaced by one of the same width
//! in UTF-16 units, so columns stay the same.

use super::scan::{Kind, Scanner, Slashes};
use super::source::ends_line;

/// Returns the repaired text, or nothing if there is nothing to repair or it cannot be repaired.
pub fn mend(text: &str) -> Option<String> {
    let spaced: String = text
        .chars()
        .map(|character| if invisible(character) { ' ' } else { character })
        .collect();
    let mut mended = String::with_capacity(spaced.len());
    let mut copied = 0;
    // The scanner returns each character that cannot begin a token as a separate token. It does so
    // only in code, and not inside strings or comments.
    let mut scanner = Scanner::new(&spaced, Slashes::default());
    while let Some(token) = scanner.next() {
        if token.kind != Kind::Stray {
            continue;
        }
        let Some(character) = scanner.text_of(token).chars().next() else {
            continue;
        };
        mended.push_str(spaced.get(copied..token.start)?);
        copied = token.start;
        if let Some(closing) = closing_quotes(character) {
            let behind = token.start + character.len_utf8();
            let (content, quote_end) = quoted(&spaced, behind, closing)?;
            let quote = if character_is_single(character) {
                '\''
            } else {
                '"'
            };
            mended.push(quote);
            escape(content, quote, &mut mended)?;
            mended.push(quote);
            copied = quote_end;
            scanner.resume(quote_end);
        } else if let Some(plain) = plain(character) {
            mended.push(plain);
            copied = token.start + character.len_utf8();
        }
    }
    mended.push_str(spaced.get(copied..)?);
    (mended != text).then_some(mended)
}

/// Returns the text up to a closing quote on the same line, and the byte behind that quote.
fn quoted<'t>(text: &'t str, from: usize, closing: &[char]) -> Option<(&'t str, usize)> {
    let rest = text.get(from..)?;
    let length = rest.find(|character| closing.contains(&character) || ends_line(character))?;
    let quote = rest
        .get(length..)?
        .chars()
        .next()
        .filter(|quote| closing.contains(quote))?;
    Some((rest.get(..length)?, from + length + quote.len_utf8()))
}

/// Copies the content of a string. Content that has the plain quote or a backslash cannot be
/// repaired without a change of columns.
fn escape(content: &str, quote: char, into: &mut String) -> Option<()> {
    if content.contains(quote) || content.contains('\\') {
        return None;
    }
    into.push_str(content);
    Some(())
}

/// Returns the quotes that may close the given one. Plain quotes are among them, because often only
/// one of a pair was changed.
fn closing_quotes(character: char) -> Option<&'static [char]> {
    match character {
        '“' | '”' | '„' | '‟' | '«' | '»' | '＂' => {
            Some(&['“', '”', '‟', '«', '»', '＂', '"'])
        }
        '‘' | '’' | '‚' | '‛' | '＇' | '´' => Some(&['‘', '’', '‛', '＇', '´', '\'']),
        _ => None,
    }
}

fn character_is_single(character: char) -> bool {
    matches!(character, '‘' | '’' | '‚' | '‛' | '＇' | '´')
}

/// Returns true for characters that are not visible and that no program needs.
fn invisible(character: char) -> bool {
    matches!(
        character,
        '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{ad}'
    )
}

/// Returns the sign that a look-alike replaces.
fn plain(character: char) -> Option<char> {
    match character {
        '−' | '–' | '—' | '‐' | '‑' => Some('-'),
        '×' => Some('*'),
        '÷' => Some('/'),
        '，' | '、' => Some(','),
        '。' => Some('.'),
        '≤' | '≥' | '≠' => None,
        '\u{ff01}'..='\u{ff5e}' => u32::from(character)
            .checked_sub(0xfee0)
            .and_then(char::from_u32),
        _ => None,
    }
}
