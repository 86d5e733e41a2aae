//! Where a new item goes that stands before or behind another, and what stands between them.

use super::request::ItemEdit;
use super::splice::Splice;
use crate::ItemRow;
use crate::model::Language;
use std::ops::Range;

/// A file beside whose items code is inserted.
#[derive(Clone, Copy)]
pub(super) struct Beside<'a> {
    pub text: &'a str,
    pub language: Language,
    /// All items of the file.
    pub items: &'a [ItemRow],
}

impl Beside<'_> {
    /// The byte before an item that certainly is none of a token: the end of the last item before it, or the beginning of the one around it.
    fn floor(&self, span: &Range<usize>) -> usize {
        let before = self.items.iter().filter_map(|item| {
            if item.span.end <= span.start {
                Some(item.span.end)
            } else if item.span.start <= span.start && item.span != *span {
                Some(item.span.start)
            } else {
                None
            }
        });
        before.max().unwrap_or(0).min(span.start)
    }
}

/// The insertion of code beside an item.
pub(super) fn insertion(
    file: Beside<'_>,
    span: &Range<usize>,
    how: ItemEdit,
    code: &str,
    index: usize,
) -> Splice {
    let text = file.text;
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let start = line_start(text, span.start);
    let before = text.get(start..span.start).unwrap_or_default();
    let alone = before.trim().is_empty();
    let indent = if alone { before } else { "" };
    let code = code.trim_matches(['\n', '\r']);
    let (at, replacement) = match how {
        ItemEdit::InsertBefore => {
            let at = if alone {
                comments_start(file, span, start)
            } else {
                span.start
            };
            let indent_in_front = if alone { indent } else { "" };
            (
                at,
                format!(
                    "{indent_in_front}{}{line_end}{line_end}",
                    unindented(code, indent)
                ),
            )
        }
        ItemEdit::InsertAfter | ItemEdit::Replace => {
            let at = behind(text, span.end);
            // What follows on the line must not become part of a comment.
            let last = code.lines().next_back().unwrap_or_default();
            let rest = text.get(at..).unwrap_or_default();
            let ends_in_comment = last.contains("//") && !rest.is_empty();
            let behind_it = if ends_in_comment && !rest.starts_with(['\n', '\r']) {
                line_end
            } else {
                ""
            };
            (
                at,
                format!(
                    "{line_end}{line_end}{indent}{}{behind_it}",
                    unindented(code, indent)
                ),
            )
        }
    };
    Splice {
        range: at..at,
        replacement,
        index,
    }
}

/// Code that comes indented as its place is must not be indented twice.
fn unindented<'c>(code: &'c str, indent: &str) -> &'c str {
    code.strip_prefix(indent).unwrap_or(code)
}

fn line_start(text: &str, byte: usize) -> usize {
    let before = text.get(..byte).unwrap_or_default();
    before.rfind('\n').map_or(0, |at| at + 1)
}

/// The start of the plain comments right above the line of an item: they belong to what stands below.
fn comments_start(file: Beside<'_>, span: &Range<usize>, line: usize) -> usize {
    let text = file.text;
    let floor = file.floor(span);
    let Some(barrier) = text
        .get(floor..line)
        .and_then(|gap| code_end(gap, file.language))
    else {
        return line;
    };
    let barrier = floor + barrier;
    let mut start = line;
    while start > barrier {
        let above = line_start(text, start - 1);
        let comment = text.get(above..start).unwrap_or_default().trim();
        let plain = comment.starts_with("//") && !comment.starts_with("//!");
        if !plain || above < barrier {
            break;
        }
        start = above;
    }
    start
}

/// Where the code ends that stands in a text from the boundary of a token on: what follows is white space and comments of one line. None where that is not
/// certain, because it has a text or an expression that could look like a comment.
fn code_end(gap: &str, language: Language) -> Option<usize> {
    let bytes = gap.as_bytes();
    let (mut at, mut end) = (0, 0);
    while let Some(byte) = bytes.get(at) {
        let rest = gap.get(at..).unwrap_or_default();
        match byte {
            b'/' if rest.starts_with("//") => {
                let comment = rest.lines().next().unwrap_or_default();
                // Scripts end lines with these, too.
                if comment.contains(['\r', '\u{2028}', '\u{2029}']) {
                    return None;
                }
                at += comment.len();
                continue;
            }
            b'/' if rest.starts_with("/*") => {
                at += block_comment(rest, language)?;
                end = at;
                continue;
            }
            b'\'' if language == Language::Rust => {
                // A lifetime; a letter would be closed.
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

/// The bytes of a comment that begins a text. In Rust it has others in it.
fn block_comment(text: &str, language: Language) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (2, 1_usize);
    while depth > 0 {
        match (bytes.get(at)?, bytes.get(at + 1)?) {
            (b'*', b'/') => {
                depth -= 1;
                at += 2;
            }
            (b'/', b'*') if language == Language::Rust => {
                depth += 1;
                at += 2;
            }
            _ => at += 1,
        }
    }
    Some(at)
}

/// Behind the end of an item, and a comment on its line.
fn behind(text: &str, end: usize) -> usize {
    let rest = text.get(end..).unwrap_or_default();
    let line = rest.split(['\n', '\r']).next().unwrap_or_default();
    let only_comment = line.trim().is_empty() || line.trim_start().starts_with("//");
    if only_comment { end + line.len() } else { end }
}

#[cfg(test)]
mod tests {
    use super::super::splice::apply;
    use super::*;

    fn inserted(text: &str, item: &str, how: ItemEdit, code: &str) -> String {
        let start = text.find(item).unwrap();
        let file = Beside {
            text,
            language: Language::Rust,
            items: &[],
        };
        let splice = insertion(file, &(start..start + item.len()), how, code, 0);
        apply(text, &[splice])
    }

    #[test]
    fn a_new_item_stands_on_lines_of_its_own() {
        use ItemEdit::{InsertAfter, InsertBefore};
        for (text, item, how, expected) in [
            (
                "fn a() {}\n",
                "fn a() {}",
                InsertAfter,
                "fn a() {}\n\nfn n() {}\n",
            ),
            (
                "fn a() {}",
                "fn a() {}",
                InsertBefore,
                "fn n() {}\n\nfn a() {}",
            ),
            (
                "// of a\nfn a() {} // end\nfn b() {}\n",
                "fn a() {}",
                InsertBefore,
                "fn n() {}\n\n// of a\nfn a() {} // end\nfn b() {}\n",
            ),
            (
                "// of a\nfn a() {} // end\nfn b() {}\n",
                "fn a() {}",
                InsertAfter,
                "// of a\nfn a() {} // end\n\nfn n() {}\nfn b() {}\n",
            ),
            (
                "mod m {\r\n    fn a() {}\r\n}",
                "fn a() {}",
                InsertAfter,
                "mod m {\r\n    fn a() {}\r\n\r\n    fn n() {}\r\n}",
            ),
            (
                "mod m {\n    fn a() {}\n}",
                "fn a() {}",
                InsertBefore,
                "mod m {\n    fn n() {}\n\n    fn a() {}\n}",
            ),
            (
                "mod m { fn a() {} }",
                "fn a() {}",
                InsertAfter,
                "mod m { fn a() {}\n\nfn n() {} }",
            ),
            (
                "mod m { fn a() {} }",
                "fn a() {}",
                InsertBefore,
                "mod m { fn n() {}\n\nfn a() {} }",
            ),
        ] {
            assert_eq!(inserted(text, item, how, "fn n() {}\n"), expected);
        }
    }

    #[test]
    fn code_ends_where_only_comments_follow() {
        use Language::{JavaScript, Rust};
        for (gap, language, expected) in [
            ("\n// a\n", Rust, Some(0)),
            ("mod m {\n// a\n", Rust, Some("mod m {".len())),
            ("/* a\n// b */\n", Rust, Some("/* a\n// b */".len())),
            ("/* /* */\n// b */\n", Rust, Some("/* /* */\n// b */".len())),
            ("/* /* */\n// b\n", JavaScript, Some("/* /* */".len())),
            (
                "impl<'a> T for &'a U {\n// b\n",
                Rust,
                Some("impl<'a> T for &'a U {".len()),
            ),
            ("/* a\n// b\n", Rust, None),
            ("#![doc = \"\n// b\"]\n", Rust, None),
            ("a!('\"');\n", Rust, None),
            ("a(`\n// b`)\n", JavaScript, None),
            ("a(/\"/)\n// b\n", JavaScript, None),
            ("a('\\\n// b')\n", JavaScript, None),
        ] {
            assert_eq!(code_end(gap, language), expected, "{gap:?}");
        }
    }
}
