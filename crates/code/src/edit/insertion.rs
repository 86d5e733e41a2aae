//! Where a new item goes that stands before or behind another, and what stands between them.

use super::request::ItemEdit;
use super::splice::Splice;
use std::ops::Range;

/// The insertion of code beside an item.
pub(super) fn insertion(
    text: &str,
    span: &Range<usize>,
    how: ItemEdit,
    code: &str,
    index: usize,
) -> Splice {
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let start = line_start(text, span.start);
    let before = text.get(start..span.start).unwrap_or_default();
    let alone = before.trim().is_empty();
    let indent = if alone { before } else { "" };
    let code = code.trim_matches(['\n', '\r']);
    let (at, replacement) = match how {
        ItemEdit::InsertBefore => {
            let at = if alone {
                comments_start(text, start)
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
            (
                at,
                format!("{line_end}{line_end}{indent}{}", unindented(code, indent)),
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

/// The start of the plain comments right above a line: they belong to what stands below.
fn comments_start(text: &str, line: usize) -> usize {
    let mut start = line;
    while start > 0 {
        let above = line_start(text, start - 1);
        let comment = text.get(above..start).unwrap_or_default().trim();
        let plain = comment.starts_with("//") && !comment.starts_with("//!");
        if !plain {
            break;
        }
        start = above;
    }
    start
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
        let splice = insertion(text, &(start..start + item.len()), how, code, 0);
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
}
