//! Finds the place of a new item before or after another one, and the white space between them.

use base::Result;

use super::proposal::StoredEdit;
use super::request::ItemEdit;
use super::splice::{Splice, ordered};
use crate::ItemRow;
use crate::parse::{Grammar, SharedLine};
use std::ops::Range;

/// A file in which code is inserted beside an item.
#[derive(Clone, Copy)]
pub(super) struct Beside<'a> {
    pub text: &'a str,
    pub grammar: &'static dyn Grammar,
    /// All items of the file.
    pub items: &'a [ItemRow],
}

impl Beside<'_> {
    /// Returns a byte before an item that is certainly not within a token: the end of the previous
    /// item, or the beginning of the one around it.
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

/// Returns the ordered splices of a file from edits and their positions.
pub(super) fn splices(
    path: &str,
    file: Beside<'_>,
    edits: &[(&StoredEdit, Range<usize>)],
) -> Result<Vec<Splice>> {
    let splices = edits.iter().map(|(edit, range)| {
        let index = usize::try_from(edit.sequence).unwrap_or(usize::MAX);
        match edit.how() {
            Some(how @ (ItemEdit::InsertBefore | ItemEdit::InsertAfter)) => {
                insertion(file, range, how, &edit.code, index)
            }
            Some(ItemEdit::Replace) | None => Splice {
                range: range.clone(),
                replacement: edit.code.clone(),
                index,
            },
        }
    });
    ordered(path, splices.collect())
}

/// Returns the insertion of code beside an item.
fn insertion(
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
    if let Some(shared) = file.grammar.shared_line(text, span) {
        return divided(text, span, how, (code, line_end), &shared, index);
    }
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
            let at = file.grammar.behind(text, span);
            // The rest of the line must not become part of a comment.
            let last = code.lines().next_back().unwrap_or_default();
            let rest = text.get(at..).unwrap_or_default();
            let ends_in_comment = last.contains(file.grammar.line_comment()) && !rest.is_empty();
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

/// Returns the insertion of code beside an item that shares its line with other code. Each gets
/// lines of its own.
fn divided(
    text: &str,
    span: &Range<usize>,
    how: ItemEdit,
    (code, line_end): (&str, &str),
    shared: &SharedLine,
    index: usize,
) -> Splice {
    let SharedLine {
        indent,
        before,
        behind,
    } = shared;
    let own = text.get(span.clone()).unwrap_or_default();
    let start = before.as_ref().map_or(span.start, |before| before.start);
    let end = behind.as_ref().map_or(span.end, |behind| behind.end);
    let break_of = |separator: &Option<Range<usize>>| match separator {
        Some(_) => format!("{line_end}{indent}"),
        None => String::new(),
    };
    let (first, last) = match how {
        ItemEdit::InsertBefore => (code, own),
        ItemEdit::InsertAfter | ItemEdit::Replace => (own, code),
    };
    Splice {
        range: start..end,
        replacement: format!(
            "{}{first}{line_end}{line_end}{indent}{last}{}",
            break_of(before),
            break_of(behind)
        ),
        index,
    }
}

/// Removes an indentation that the code has already, so that it is not indented twice.
fn unindented<'c>(code: &'c str, indent: &str) -> &'c str {
    code.strip_prefix(indent).unwrap_or(code)
}

fn line_start(text: &str, byte: usize) -> usize {
    let before = text.get(..byte).unwrap_or_default();
    before.rfind('\n').map_or(0, |at| at + 1)
}

/// Returns the start of the plain comments directly above an item. They belong to the item below
/// them.
fn comments_start(file: Beside<'_>, span: &Range<usize>, line: usize) -> usize {
    let text = file.text;
    let floor = file.floor(span);
    let Some(barrier) = text
        .get(floor..line)
        .and_then(|gap| file.grammar.code_end(gap))
    else {
        return line;
    };
    let barrier = floor + barrier;
    let mut start = line;
    while start > barrier {
        let above = line_start(text, start - 1);
        let comment = text.get(above..start).unwrap_or_default().trim();
        if !file.grammar.belongs_below(comment) || above < barrier {
            break;
        }
        start = above;
    }
    start
}

#[cfg(test)]
mod tests {
    use super::super::splice::apply;
    use super::*;

    fn inserted(text: &str, item: &str, how: ItemEdit, code: &str) -> String {
        let start = text.find(item).unwrap();
        let file = Beside {
            text,
            grammar: crate::parse::rules(crate::model::Language::Rust),
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
}
