//! Cells of a CSV that a spreadsheet would take for formulas: `=HYPERLINK(…)` of a stranger runs on the machine of whoever opens the file.

use std::borrow::Cow;

use crate::{Error, Result};

/// The treatment of texts in an export that a spreadsheet would take for formulas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Formulas {
    /// They are written as they are, so that a load brings the same data back.
    #[default]
    Keep,
    /// An apostrophe stands in front of them, which a spreadsheet takes for the mark of a text.
    Escape,
}

impl Formulas {
    /// Reads the parameter `formulas` of an export as CSV or as something else.
    ///
    /// # Errors
    /// [`crate::CommonError::InvalidArgument`] for another word, and for `escape` where the export is no CSV.
    pub fn parse(parameter: Option<&str>, is_csv: bool) -> Result<Self> {
        match parameter {
            None | Some("keep") => Ok(Self::Keep),
            Some("escape") if is_csv => Ok(Self::Escape),
            Some("escape") => Err(Error::invalid_with_hint(
                "formulas=escape is for CSV",
                "add format=csv, or leave formulas out",
            )),
            Some(other) => Err(Error::invalid(format!(
                "formulas must be keep or escape, not {:?}",
                crate::text::cut(other, crate::limits::MAX_NAME_CHARACTERS)
            ))),
        }
    }

    /// The text of a cell, and whether the cell must be quoted because of it.
    pub fn cell(self, text: &str) -> (Cow<'_, str>, bool) {
        match self {
            Self::Escape if is_formula(text) => (Cow::Owned(format!("'{text}")), true),
            Self::Keep | Self::Escape => (Cow::Borrowed(text), false),
        }
    }
}

/// Returns true if a spreadsheet may take a cell for a formula: by its first character, by the first behind blanks, which some leave out, and by
/// the twins of full width, which some read as the others.
fn is_formula(text: &str) -> bool {
    let begins = |text: &str| {
        text.starts_with([
            '=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠', '−', '﹣', '﹢', '﹦',
            '﹫',
        ])
    };
    let is_blank = |letter: char| {
        letter.is_whitespace()
            || matches!(letter, '\u{feff}' | '\u{200b}'..='\u{200f}' | '\u{2060}')
    };
    (begins(text) || begins(text.trim_start_matches(is_blank))) && !is_number(text)
}

fn is_number(text: &str) -> bool {
    let is_part =
        |byte: u8| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E');
    text.bytes().all(is_part) && text.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_spreadsheet_would_run_is_a_text() {
        for text in [
            "=1+1",
            "=HYPERLINK(\"http://evil.example\")",
            "+cmd|' /C calc'!A0",
            "-2+3",
            "@SUM(A1)",
            "\t=1",
            "\r=1",
            "\n=1",
            "＝1",
            "＋1+1",
            "－1+1",
            "＠x",
            " =1",
            "\u{a0}=1",
            "\u{feff}=1",
            "\u{200b}=1",
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
            assert_eq!(
                Formulas::Escape.cell(text),
                (Cow::Owned(format!("'{text}")), true),
                "{text:?}"
            );
            assert_eq!(Formulas::Keep.cell(text), (Cow::Borrowed(text), false));
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
            "x\t=1",
            "0x-1",
            " plain",
            "Infinity",
        ] {
            assert_eq!(
                Formulas::Escape.cell(text),
                (Cow::Borrowed(text), false),
                "{text:?}"
            );
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
