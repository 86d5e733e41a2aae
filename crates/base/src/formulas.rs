//! Protects people who open an exported CSV in a spreadsheet: a cell such as `=HYPERLINK(…)` would
//! run there as a formula, although somebody else wrote it.

use std::borrow::Cow;

use crate::{Error, Result};

/// The treatment of texts in an export that a spreadsheet would run as formulas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Formulas {
    /// They are written unchanged, so that a load restores the same data.
    #[default]
    Keep,
    /// They get an apostrophe at the beginning, by which a spreadsheet recognises the cell as text.
    Escape,
}

impl Formulas {
    /// Parses the parameter `formulas` of an export. `is_csv` is true for CSV.
    ///
    /// # Errors
    /// [`crate::CommonError::InvalidArgument`] for another word, and for `escape` if the export is
    /// not CSV.
    pub fn parse(parameter: Option<&str>, is_csv: bool) -> Result<Self> {
        match parameter {
            None | Some("keep") => Ok(Self::Keep),
            Some("escape") if is_csv => Ok(Self::Escape),
            Some("escape") => Err(Error::invalid_with_hint(
                "formulas=escape only works with CSV",
                "add format=csv, or leave formulas out",
            )),
            Some(other) => Err(Error::invalid(format!(
                "formulas must be keep or escape, not {:?}",
                crate::text::cut(other, crate::limits::MAX_NAME_CHARACTERS)
            ))),
        }
    }

    /// Returns the text of a cell, and true if the cell must be quoted because of it.
    pub fn cell(self, text: &str) -> (Cow<'_, str>, bool) {
        if self == Self::Keep {
            return (Cow::Borrowed(text), false);
        }
        let mut escaped: Option<String> = None;
        let mut at = 0;
        for piece in text.split_inclusive(is_separator) {
            let is_first_blank = at == 0 && piece.starts_with(['\t', '\r', '\n']);
            if is_first_blank || is_formula(piece) {
                let before = || text.get(..at).unwrap_or_default().to_owned();
                escaped.get_or_insert_with(before).push('\'');
            }
            if let Some(escaped) = &mut escaped {
                escaped.push_str(piece);
            }
            at += piece.len();
        }
        match escaped {
            Some(escaped) => (Cow::Owned(escaped), true),
            None => (Cow::Borrowed(text), false),
        }
    }
}

/// Returns true for a character that may end a cell in a program with another separator setting, or
/// in one that ignores quotes within a cell: the rest of the text then becomes its own cell.
fn is_separator(letter: char) -> bool {
    matches!(letter, ';' | '\t' | '\n' | '\r')
}

/// Returns true if a spreadsheet may run a cell as a formula. It checks the first character, the
/// first visible character, because some programs skip the others, and full-width characters, which
/// some read as the plain ones.
fn is_formula(text: &str) -> bool {
    let begins = |text: &str| {
        text.starts_with([
            '=', '+', '-', '@', '＝', '＋', '－', '＠', '−', '﹣', '﹢', '﹦', '﹫',
        ])
    };
    let unseen = |letter: char| letter.is_whitespace() || crate::quoted::is_hidden(letter);
    let text = text.trim_end_matches(is_separator);
    (begins(text) || begins(text.trim_start_matches(unseen))) && !is_number(text)
}

fn is_number(text: &str) -> bool {
    let is_part =
        |byte: u8| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E');
    text.bytes().all(is_part) && text.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let (escaped, is_quoted) = Formulas::Escape.cell(text);
        assert_eq!(escaped, expected, "{text:?}");
        assert_eq!(is_quoted, expected != text, "{text:?}");
        assert_eq!(Formulas::Keep.cell(text), (Cow::Borrowed(text), false));
    }

    #[test]
    fn formulas_become_texts_and_other_texts_stay() {
        for text in [
            "=1+1",
            "=HYPERLINK(\"http://evil.example\")",
            "+cmd|' /C calc'!A0",
            "-2+3",
            "@SUM(A1)",
            "＝1",
            "＋1+1",
            "－1+1",
            "＠x",
            " =1",
            "-",
            "+",
            "=",
            "-Infinity",
            "+inf",
            "-nan",
            "--1",
            "+1 ",
            "-1e5x",
            "−1+1",
            "\tplain",
        ] {
            check(text, &format!("'{text}"));
        }
    }

    #[test]
    fn formulas_behind_unseen_characters_and_separators_become_texts() {
        for unseen in [
            '\0',
            '\u{1}',
            '\u{1f}',
            '\u{7f}',
            '\u{a0}',
            '\u{ad}',
            '\u{34f}',
            '\u{61c}',
            '\u{180e}',
            '\u{200b}',
            '\u{202e}',
            '\u{2066}',
            '\u{2800}',
            '\u{3000}',
            '\u{3164}',
            '\u{fe0f}',
            '\u{feff}',
            '\u{e0041}',
        ] {
            check(&format!("{unseen}=1"), &format!("'{unseen}=1"));
            check(
                &format!("{unseen}{unseen}@x"),
                &format!("'{unseen}{unseen}@x"),
            );
            check(&format!("{unseen}1"), &format!("{unseen}1"));
        }
        for (text, escaped) in [
            (";=1", ";'=1"),
            ("x;=1", "x;'=1"),
            ("x; \u{ad}=1;@y", "x;' \u{ad}=1;'@y"),
            ("=1;=2", "'=1;'=2"),
            ("a\n=1", "a\n'=1"),
            ("a\r\n- b", "a\r\n'- b"),
            ("\t=1", "'\t'=1"),
            ("\r=1", "'\r'=1"),
            ("x\t=1", "x\t'=1"),
            ("1;-2;+3.5", "1;-2;+3.5"),
            ("a\n\nb", "a\n\nb"),
            ("a; b", "a; b"),
        ] {
            check(text, escaped);
        }
        for text in [
            "",
            "1",
            "-1",
            "+1.5",
            "-1e5",
            "-.5",
            "-1.",
            "+49301234",
            "a=b",
            "'=1",
            "a-b",
            "0x-1",
            " plain",
            "Infinity",
        ] {
            check(text, text);
        }
    }

    #[test]
    fn other_words_are_refused_and_escape_is_for_csv() {
        for (parameter, is_csv, wanted) in [
            (None, false, Some(Formulas::Keep)),
            (Some("keep"), false, Some(Formulas::Keep)),
            (Some("escape"), true, Some(Formulas::Escape)),
            (Some("escape"), false, None),
            (Some("Escape"), true, None),
            (Some(""), true, None),
            (Some("yes"), false, None),
        ] {
            let read = Formulas::parse(parameter, is_csv);
            assert_eq!(read.clone().ok(), wanted, "{parameter:?}");
            if let Err(error) = read {
                assert_eq!(error.code(), "INVALID_ARGUMENT");
            }
        }
    }
}
