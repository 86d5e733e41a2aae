//! The documentation of a Python item: the docstring at the start of its body, and `#:` comments
//! above it.

use ruff_python_ast::{Expr, Stmt};

/// Returns the docstring at the start of a body, without its indentation.
pub(super) fn docstring(body: &[Stmt]) -> String {
    let Some(Stmt::Expr(first)) = body.first() else {
        return String::new();
    };
    match &*first.value {
        Expr::StringLiteral(text) => cleaned(text.value.to_str()),
        _ => String::new(),
    }
}

/// Returns a text without the white space that all lines after the first begin with.
fn cleaned(text: &str) -> String {
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default().trim();
    let rest: Vec<&str> = lines.collect();
    let width = |line: &&&str| line.len() - line.trim_start().len();
    let filled = rest.iter().filter(|line| !line.trim().is_empty());
    let margin = filled.map(|line| width(&line)).min().unwrap_or_default();
    let mut cleaned = first.to_owned();
    for line in rest {
        cleaned.push('\n');
        cleaned.push_str(line.get(margin..).unwrap_or_default().trim_end());
    }
    cleaned.trim().to_owned()
}

/// Returns the first byte and the text of the `#:` lines directly above a byte.
pub(super) fn above(text: &str, start: usize) -> Option<(usize, String)> {
    let line_start = |byte: usize| {
        let before = text.get(..byte).unwrap_or_default();
        before.rfind('\n').map_or(0, |at| at + 1)
    };
    let mut line = line_start(start);
    let before = text.get(line..start)?;
    if !before.trim().is_empty() {
        return None;
    }
    let mut first = None;
    let mut lines = Vec::new();
    while line > 0 {
        let begin = line_start(line - 1);
        let comment = text.get(begin..line)?;
        let Some(documentation) = comment.trim().strip_prefix("#:") else {
            break;
        };
        lines.push(documentation.trim());
        first = Some(begin + (comment.len() - comment.trim_start().len()));
        line = begin;
    }
    lines.reverse();
    Some((first?, lines.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indentation_is_no_part_of_documentation() {
        for (text, expected) in [
            ("", ""),
            (" One. ", "One."),
            (
                "One.\n\n    Two.\n      Three.\n    ",
                "One.\n\nTwo.\n  Three.",
            ),
            ("\n    One.\n\tTwo.", "One.\nTwo."),
            ("A\r\n  b", "A\nb"),
            ("A\n\u{a0}é", "A\né"),
        ] {
            let cleaned = cleaned(text);
            let plain: Vec<&str> = cleaned.lines().map(str::trim_end).collect();
            let has_all = expected
                .split_whitespace()
                .all(|word| cleaned.contains(word));
            assert!(has_all, "{text:?}: {plain:?}");
        }
        assert_eq!(
            cleaned("One.\n\n    Two.\n      Three.\n    "),
            "One.\n\nTwo.\n  Three."
        );
    }

    #[test]
    fn comments_of_documentation_stand_right_above() {
        let above = |text: &str| above(text, text.find('X').unwrap());
        assert_eq!(above("#: a\n#: b\nX = 1"), Some((0, "a\nb".to_owned())));
        assert_eq!(above("y = 1\n  #: b\n  X = 1"), Some((8, "b".to_owned())));
        assert_eq!(above("# a\nX = 1"), None);
        assert_eq!(above("#: a\n\nX = 1"), None);
        assert_eq!(above("y = 2; X = 1"), None);
    }
}
