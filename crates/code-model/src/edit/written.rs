//! Adapts code from a model to its file: removes a Markdown fence, and gives it the line ends of
//! the file and the indentation of its place. Code with a placeholder comment, such as `// ...
//! existing code ...`, is rejected.

use std::ops::Range;

use base::Result;

use super::request::{Edit, ItemEdit, Place};
use crate::CodeError;
use crate::limits::MAX_SEARCH_LINE_CHARACTERS;
use crate::model::Language;
use crate::parse::{Grammar, LongText, grammar};

/// A comment that begins or ends with dots is a placeholder if it contains one of these words.
const LEFT_OUT: &[&str] = &[
    "existing",
    "rest of",
    "remaining",
    "unchanged",
    "omitted",
    "same as",
    "previous",
    "other ",
    "more ",
    "keep ",
    "code here",
    "implementation",
    "as before",
    "truncated",
    "snip",
];
/// A comment without dots is a placeholder if it begins with one of these words and ends with a
/// word for code.
const STAYS: &[&str] = &[
    "existing",
    "rest of",
    "the rest of",
    "remaining",
    "the remaining",
    "unchanged",
    "original",
    "previous",
];
/// The longest placeholder comment without dots, in characters. A longer comment is a sentence
/// about the code.
const MAX_HINT_LETTERS: usize = 48;
const CODE: &[&str] = &[
    "code",
    "function",
    "method",
    "class",
    "implementation",
    "body",
    "logic",
    "file",
    "module",
    "unchanged",
    "same",
    "here",
    "imports",
    "tests",
];

/// A file, and the place in it for which code is written.
pub(super) struct Target<'f> {
    pub path: &'f str,
    pub language: Language,
    pub text: &'f str,
    pub range: Range<usize>,
}

/// Code in the form of its file.
pub(super) struct Written {
    pub code: String,
    /// A notice about code that was taken out of a fence.
    pub notice: Option<String>,
}

impl Written {
    /// Adapts the code of an edit to its place.
    ///
    /// # Errors
    /// [`CodeError::Placeholder`].
    pub fn of(edit: &Edit, target: &Target<'_>) -> Result<Self> {
        let Target {
            path,
            language,
            text,
            range,
        } = target;
        let Some(grammar) = grammar(*language) else {
            let code = with_line_ends(&edit.code, text, range.start);
            return Ok(Self { code, notice: None });
        };
        let inner = unfenced(&edit.code);
        let code = match edit.place {
            Place::Item { .. } => inner.unwrap_or(&edit.code).trim_matches(['\n', '\r']),
            Place::Bytes { .. } => inner.unwrap_or(&edit.code),
        };
        let old = match &edit.place {
            Place::Item {
                how: ItemEdit::InsertBefore | ItemEdit::InsertAfter,
                ..
            } => "",
            Place::Item {
                how: ItemEdit::Replace,
                ..
            }
            | Place::Bytes { .. } => text.get(range.clone()).unwrap_or_default(),
        };
        if let Some(line) = placeholder(grammar, code, old) {
            return Err(CodeError::Placeholder {
                path: (*path).to_owned(),
                line: base::text::cut(line, MAX_SEARCH_LINE_CHARACTERS),
            }
            .into());
        }
        let before = text.get(..range.start).unwrap_or_default();
        let indent = before.rsplit('\n').next().unwrap_or_default();
        let code = match edit.place {
            Place::Item { .. } if indent.trim().is_empty() => indented(code, indent, grammar),
            Place::Item { .. } | Place::Bytes { .. } => code.to_owned(),
        };
        Ok(Self {
            code: with_line_ends(&code, text, range.start),
            notice: inner
                .map(|_| format!("the Markdown fence around the code for {path} was removed")),
        })
    }
}

/// Returns the code in a Markdown fence, if the text is a single fence.
pub(super) fn unfenced(code: &str) -> Option<&str> {
    let trimmed = code.trim();
    let (first, rest) = trimmed.split_once('\n')?;
    let (inner, last) = rest.rsplit_once('\n').unwrap_or(("", rest));
    let inner = inner.strip_suffix('\r').unwrap_or(inner);
    let ticks = first
        .find(|letter| letter != '`')
        .unwrap_or(first.trim_end().len());
    let is_tag = |letter: char| letter.is_alphanumeric() || "+-_.#/ \r".contains(letter);
    let (fence, tag) = first.split_at_checked(ticks)?;
    (ticks >= 3 && tag.chars().all(is_tag) && last.trim() == fence).then_some(inner)
}

/// Returns the first line that is a placeholder comment, such as `// ... existing code ...`, unless
/// the old code has the same line.
fn placeholder<'c>(grammar: &dyn Grammar, code: &'c str, old: &str) -> Option<&'c str> {
    let hints = code
        .lines()
        .map(str::trim)
        .filter(|line| stands_for_code(grammar, line));
    let known: Vec<&str> = old.lines().map(str::trim).collect();
    hints.into_iter().find(|line| !known.contains(line))
}

fn stands_for_code(grammar: &dyn Grammar, line: &str) -> bool {
    let Some(comment) = grammar.plain_comment(line) else {
        return false;
    };
    let dots = |letter: char| matches!(letter, '.' | '…');
    let has_dots = comment.contains("...") || comment.contains('…');
    let around = |letter: char| !letter.is_alphanumeric();
    let words = comment.trim_matches(around).to_lowercase();
    let is_dotted = comment
        .trim_matches(['[', '<', '(', '{', ' '])
        .starts_with(dots)
        || comment
            .trim_end_matches([']', '>', ')', '}', ' '])
            .ends_with(dots);
    if has_dots && is_dotted {
        return words.is_empty() || LEFT_OUT.iter().any(|hint| words.contains(hint));
    }
    STAYS.iter().any(|hint| words.starts_with(hint))
        && words.len() <= MAX_HINT_LETTERS
        && CODE.iter().any(|noun| words.ends_with(noun))
}

/// Returns the code with the line ends that the file uses around a byte.
fn with_line_ends(code: &str, file: &str, at: usize) -> String {
    let before = file.get(..at).unwrap_or_default();
    let nearest = before.rfind('\n').or_else(|| file.find('\n'));
    let returns =
        nearest.is_some_and(|end| file.get(..end).is_some_and(|text| text.ends_with('\r')));
    let plain = code.replace("\r\n", "\n");
    match (nearest, returns) {
        (None, _) => code.to_owned(),
        (Some(_), true) => plain.replace('\n', "\r\n"),
        (Some(_), false) => plain,
    }
}

/// Returns the code with all lines after the first indented like its place. Lines within a string
/// literal are not changed. If the literals are uncertain, no line is.
fn indented(code: &str, indent: &str, grammar: &dyn Grammar) -> String {
    let lines: Vec<&str> = code.split('\n').collect();
    let Some(texts) = grammar.long_texts(code) else {
        return code.to_owned();
    };
    let mut starts = Vec::with_capacity(lines.len());
    let mut at = 0;
    for line in &lines {
        starts.push(at);
        at += line.len() + 1;
    }
    let text_at = |index: usize| {
        let start = starts.get(index).copied().unwrap_or_default();
        let next = texts.partition_point(|text| text.range.end < start);
        let is_within = |text: &&LongText| text.range.start < start && start <= text.range.end;
        texts.get(next).filter(is_within)
    };
    let is_free = |index: usize, line: &str| !line.trim().is_empty() && text_at(index).is_none();
    let own = lines.first().map_or("", |line| white_space(line));
    let rest: Vec<&str> = lines
        .iter()
        .enumerate()
        .skip(1)
        .filter(|(index, line)| is_free(*index, line))
        .map(|(_, line)| *line)
        .collect();
    let common = rest
        .iter()
        .map(|line| white_space(line))
        .reduce(common_start)
        .unwrap_or("");
    let base = if own.is_empty() {
        let closes = rest
            .last()
            .is_some_and(|last| last.trim_start().starts_with(['}', ')', ']']));
        // After documentation and attributes comes code at the same level.
        let is_front = grammar.is_front_line(lines.first().copied().unwrap_or_default());
        let is_level = closes || is_front || common.len() > indent.len();
        let is_placed = common.starts_with(indent) && is_level;
        if is_placed { indent } else { "" }
    } else {
        common_start(own, common)
    };
    let mut placed = String::with_capacity(code.len() + lines.len() * indent.len());
    for (index, line) in lines.iter().enumerate() {
        if index == 0 {
            placed.push_str(line.trim_start());
            continue;
        }
        placed.push('\n');
        let moves = text_at(index)
            .is_some_and(|text| text.is_documentation && !line.trim().is_empty())
            && line.starts_with(base);
        if moves || is_free(index, line) {
            placed.push_str(indent);
            placed.push_str(line.strip_prefix(base).unwrap_or(line));
        } else {
            placed.push_str(line);
        }
    }
    placed
}

fn white_space(line: &str) -> &str {
    line.get(..line.len() - line.trim_start().len())
        .unwrap_or_default()
}

fn common_start<'t>(one: &'t str, other: &'t str) -> &'t str {
    let same = one
        .bytes()
        .zip(other.bytes())
        .take_while(|(one, other)| one == other)
        .count();
    // White space here is single bytes, so no character is cut.
    one.get(..same).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::rules;

    #[test]
    fn code_is_taken_out_of_a_fence() {
        for (code, inner) in [
            ("```rust\nfn a() {}\n```", Some("fn a() {}")),
            (
                "\n```\nfn a() {}\n\nfn b() {}\n```\n",
                Some("fn a() {}\n\nfn b() {}"),
            ),
            (
                "````ts title.ts\nlet a = `\n```\n`;\n````",
                Some("let a = `\n```\n`;"),
            ),
            ("```rust\r\nfn a() {}\r\n```", Some("fn a() {}")),
            ("```\n```", Some("")),
            ("fn a() {}", None),
            ("```rust\nfn a() {}", None),
            ("Here:\n```\nfn a() {}\n```", None),
            ("/// ```\n/// a();\n/// ```\nfn a() {}", None),
            ("```${x}\n`\n```", None),
        ] {
            assert_eq!(unfenced(code), inner, "{code:?}");
        }
    }

    #[test]
    fn comments_in_the_place_of_code_are_found_and_others_are_not() {
        for line in [
            "// ... existing code ...",
            "// ...",
            "// …",
            "/* ... */",
            "{/* ... existing markup ... */}",
            "// ... (rest of the function)",
            "// [existing code]",
            "// <existing code>",
            "// rest of the code",
            "// The rest of the implementation remains the same",
            "// unchanged",
            "/* existing code here */",
            "// ... other methods ...",
            "// remaining methods unchanged",
            "//...",
            "// ...rest of class",
            "// … unchanged …",
            "// ... same as before",
            "// previous implementation",
            "// existing imports",
        ] {
            assert_eq!(
                placeholder(
                    rules(Language::Rust),
                    &format!("fn a() {{\n    {line}\n}}"),
                    ""
                ),
                Some(line)
            );
            assert_eq!(
                placeholder(
                    rules(Language::Rust),
                    &format!("fn a() {{\n    {line}\n}}"),
                    &format!("{line}\n")
                ),
                None,
                "{line}"
            );
        }
        for line in [
            "// Reads the existing code of the file.",
            "// a, b, ... z",
            "/// ...",
            "/** ... */",
            "//! ...",
            "// Wait for it...",
            "let a = 0..3; // ...",
            "// See https://example.com/...",
            "let s = \"// ...\";",
            "// TODO: remove the previous value",
            "// 1. first\n// 2. second",
            "...rest",
            "// the original order is kept here because readers rely on the same",
            "// unchanged rows are skipped",
        ] {
            assert_eq!(placeholder(rules(Language::Rust), line, ""), None, "{line}");
        }
    }

    /// Code, the indentation of its place, its language, and the expected code.
    const INDENTED: &[(&str, &str, Language, &str)] = &[
        (
            "fn a() {\n    1;\n}",
            "    ",
            Language::Rust,
            "fn a() {\n        1;\n    }",
        ),
        (
            "    fn a() {\n        1;\n    }",
            "    ",
            Language::Rust,
            "fn a() {\n        1;\n    }",
        ),
        (
            "fn a() {\n        1;\n    }",
            "    ",
            Language::Rust,
            "fn a() {\n        1;\n    }",
        ),
        (
            "        fn a() {\n            1;\n        }",
            "    ",
            Language::Rust,
            "fn a() {\n        1;\n    }",
        ),
        (
            "fn a() {\n    1;\n}",
            "",
            Language::Rust,
            "fn a() {\n    1;\n}",
        ),
        (
            "  fn a() {\n    1;\n  }",
            "",
            Language::Rust,
            "fn a() {\n  1;\n}",
        ),
        (
            "fn a() {\n\t1;\n\n\t2;\n}",
            "\t",
            Language::Rust,
            "fn a() {\n\t\t1;\n\n\t\t2;\n\t}",
        ),
        (
            "const A: u8 =\n    1;",
            "    ",
            Language::Rust,
            "const A: u8 =\n        1;",
        ),
        (
            "const A: u8 =\n        1;",
            "    ",
            Language::Rust,
            "const A: u8 =\n        1;",
        ),
        (
            "fn a() {\n    \"x\n  y\";\n    r#\"\n\"#;\n}",
            "  ",
            Language::Rust,
            "fn a() {\n      \"x\n  y\";\n      r#\"\n\"#;\n  }",
        ),
        (
            "/// A.\nfn a() {}",
            "    ",
            Language::Rust,
            "/// A.\n    fn a() {}",
        ),
        (
            "m() {\n  return 1;\n}",
            "  ",
            Language::TypeScript,
            "m() {\n    return 1;\n  }",
        ),
        (
            "m() {\n  return `a`;\n}",
            "  ",
            Language::TypeScript,
            "m() {\n    return `a`;\n  }",
        ),
        (
            "m() {\n  return `a\n b`;\n}",
            "  ",
            Language::TypeScript,
            "m() {\n  return `a\n b`;\n}",
        ),
        (
            "m() {\n  return `${`a\n`}`;\n}",
            "  ",
            Language::TypeScript,
            "m() {\n  return `${`a\n`}`;\n}",
        ),
        (
            "/**\n * D.\n */\nm() {}",
            "  ",
            Language::TypeScript,
            "/**\n   * D.\n   */\n  m() {}",
        ),
        ("fn a() {}", "    ", Language::Rust, "fn a() {}"),
        ("  fn a() {}", "    ", Language::Rust, "fn a() {}"),
    ];

    #[test]
    fn code_has_the_indentation_of_its_place() {
        for (code, indent, language, expected) in INDENTED {
            assert_eq!(
                indented(code, indent, rules(*language)),
                *expected,
                "{code:?}"
            );
            // Code that fits already is not changed.
            assert_eq!(
                indented(expected, indent, rules(*language)),
                *expected,
                "{expected:?}"
            );
        }
    }

    #[test]
    fn code_has_the_line_ends_around_its_place() {
        for (code, file, at, expected) in [
            ("a\nb\r\nc", "x\r\ny\r\n", 3, "a\r\nb\r\nc"),
            ("a\r\nb", "x\ny\n", 2, "a\nb"),
            ("a\nb", "x\r\ny\nz", 5, "a\nb"),
            ("a\nb", "x\r\ny\nz", 0, "a\r\nb"),
            ("a\r\nb", "x", 0, "a\r\nb"),
        ] {
            assert_eq!(
                with_line_ends(code, file, at),
                expected,
                "{code:?} in {file:?}"
            );
        }
    }
}
