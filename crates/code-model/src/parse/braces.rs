//! C-style comments, and attributes and decorators before an item: the common parts of Rust and
//! scripts.

use super::front::Front;

/// Returns the documentation and the attributes or decorators at the start of an item.
pub(super) fn front(text: &str) -> Front<'_> {
    let mut front = Front::default();
    let mut rest = text.trim_start();
    loop {
        let length = if rest.starts_with("//") {
            front.is_documented |= rest.starts_with("///");
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            front.is_documented |= rest.starts_with("/**") && !rest.starts_with("/**/");
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if rest.starts_with("#[") || rest.starts_with('@') {
            let length = attribute_length(rest);
            let written = rest.get(..length).unwrap_or_default();
            if written.starts_with("#[doc") {
                front.is_documented = true;
            } else {
                let compact = written.split_whitespace().collect();
                front.attributes.push((compact, written));
            }
            length
        } else {
            // These words may come before decorators.
            let words = ["export", "default", "declare", "abstract"];
            let is_word = |word: &&&str| {
                let behind = rest.strip_prefix(**word);
                behind.is_some_and(|behind| behind.starts_with(char::is_whitespace))
            };
            match words.iter().find(is_word) {
                Some(word) => word.len(),
                None => return front,
            }
        };
        rest = rest.get(length..).unwrap_or_default().trim_start();
    }
}

/// Returns the length in bytes of the attribute or decorator at the start of a text: its name, and
/// the brackets after it.
fn attribute_length(text: &str) -> usize {
    let is_name = |letter: char| letter.is_alphanumeric() || "_$.#@".contains(letter);
    let name = text.find(|letter| !is_name(letter)).unwrap_or(text.len());
    let mut depth = 0_usize;
    let mut quote = None;
    let mut letters = text.char_indices().skip_while(|(at, _)| *at < name);
    while let Some((at, letter)) = letters.next() {
        match (quote, letter) {
            (Some(_), '\\') => drop(letters.next()),
            (Some(open), _) if open == letter => quote = None,
            (Some(_), _) => {}
            (None, '"' | '`') => quote = Some(letter),
            (None, '\'') if text.starts_with('@') => quote = Some(letter),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') if depth > 1 => depth -= 1,
            (None, ')' | ']' | '}') => return at + 1,
            (None, _) if depth == 0 => return name,
            (None, _) => {}
        }
    }
    if depth == 0 { name } else { text.len() }
}

/// Returns the text of a line that is a comment but not documentation.
pub(super) fn plain_comment(line: &str) -> Option<&str> {
    let line = line
        .strip_prefix('{')
        .and_then(|inner| inner.strip_suffix('}'))
        .unwrap_or(line);
    if let Some(comment) = line.strip_prefix("//") {
        return (!comment.starts_with(['/', '!'])).then_some(comment.trim());
    }
    let comment = line.strip_prefix("/*")?.strip_suffix("*/")?;
    (!comment.starts_with(['*', '!'])).then_some(comment.trim())
}

/// Returns the end of the code in a text that begins at a token boundary; only white space and line
/// comments follow it. Returns `None` if that is uncertain, because a string or an expression could
/// look like a comment.
pub(super) fn code_end(gap: &str, is_rust: bool) -> Option<usize> {
    let bytes = gap.as_bytes();
    let (mut at, mut end) = (0, 0);
    while let Some(byte) = bytes.get(at) {
        let rest = gap.get(at..).unwrap_or_default();
        match byte {
            b'/' if rest.starts_with("//") => {
                let comment = rest.lines().next().unwrap_or_default();
                // Scripts also end lines with these characters.
                if comment.contains(['\r', '\u{2028}', '\u{2029}']) {
                    return None;
                }
                at += comment.len();
                continue;
            }
            b'/' if rest.starts_with("/*") => {
                at += block_comment(rest, is_rust)?;
                end = at;
                continue;
            }
            b'\'' if is_rust => {
                // A lifetime. A character literal would be closed.
                let mut letters = rest.chars().skip(1);
                let (first, second) = (letters.next(), letters.next());
                if first == Some('\\') || second == Some('\'') {
                    return None;
                }
                at += 1;
            }
            b'"' | b'\'' | b'`' | b'/' => return None,
            byte if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            _ => at += 1,
        }
        end = at;
    }
    Some(end)
}

/// Returns the length in bytes of the block comment at the start of a text. In Rust, block comments
/// nest.
fn block_comment(text: &str, is_rust: bool) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (2, 1_usize);
    while depth > 0 {
        match (bytes.get(at)?, bytes.get(at + 1)?) {
            (b'*', b'/') => {
                depth -= 1;
                at += 2;
            }
            (b'/', b'*') if is_rust => {
                depth += 1;
                at += 2;
            }
            _ => at += 1,
        }
    }
    Some(at)
}

/// Returns the byte after an item, and after a comment on its last line.
pub(super) fn behind(text: &str, end: usize, mark: &str) -> usize {
    let rest = text.get(end..).unwrap_or_default();
    let line = rest.split(['\n', '\r']).next().unwrap_or_default();
    let only_comment = line.trim().is_empty() || line.trim_start().starts_with(mark);
    if only_comment { end + line.len() } else { end }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_ends_where_only_comments_follow() {
        const RUST: bool = true;
        const SCRIPT: bool = false;
        for (gap, is_rust, expected) in [
            ("\n// a\n", RUST, Some(0)),
            ("mod m {\n// a\n", RUST, Some("mod m {".len())),
            ("/* a\n// b */\n", RUST, Some("/* a\n// b */".len())),
            ("/* /* */\n// b */\n", RUST, Some("/* /* */\n// b */".len())),
            ("/* /* */\n// b\n", SCRIPT, Some("/* /* */".len())),
            (
                "impl<'a> T for &'a U {\n// b\n",
                RUST,
                Some("impl<'a> T for &'a U {".len()),
            ),
            ("/* a\n// b\n", RUST, None),
            ("#![doc = \"\n// b\"]\n", RUST, None),
            ("a!('\"');\n", RUST, None),
            ("a(`\n// b`)\n", SCRIPT, None),
            ("a(/\"/)\n// b\n", SCRIPT, None),
            ("a('\\\n// b')\n", SCRIPT, None),
        ] {
            assert_eq!(code_end(gap, is_rust), expected, "{gap:?}");
        }
    }
}
