//! Words for a missing value.

use super::kinds::Kinds;
use super::number::plain_kind;

/// The usual words. They only mean a missing value in columns that otherwise hold numbers, dates or
/// truth values.
const USUAL: [&str; 40] = [
    "NA", "N/A", "n/a", "na", "N.A.", "n.a.", "#N/A", "#NA", "<NA>", "NULL", "null", "Null",
    "(null)", "NaN", "nan", "NAN", "-nan", "-NaN", "NaT", "None", "\\N", "-", "--", "---",
    "\u{2013}", "\u{2014}", "\u{2212}", "?", ".", "..", "...", "\u{2026}", "*",
    // Errors of a spreadsheet.
    "#DIV/0!", "#NAME?", "#NUM!", "#REF!", "#VALUE!", "#NULL!", "#SPILL!",
];

/// The length of the longest word, in bytes.
const LONGEST: usize = 7;

/// The words that mean a missing value in a load.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum MissingWords {
    /// The usual words, in columns that otherwise hold numbers, dates or truth values.
    #[default]
    Usual,
    /// The words that the caller names, in every column.
    Named(Vec<String>),
}

impl MissingWords {
    /// Parses a list of words with commas between them; an empty list has no words.
    pub fn parse(list: &str) -> Self {
        let words = list
            .split(',')
            .map(str::trim)
            .filter(|word| !word.is_empty());
        Self::Named(words.map(str::to_owned).collect())
    }

    /// Returns true if a field is such a word, or blank.
    pub(super) fn has(&self, field: &str) -> bool {
        let word = super::fit::trim(field);
        word.is_empty()
            || match self {
                Self::Usual => word.len() <= LONGEST && USUAL.contains(&word),
                Self::Named(words) => words.iter().any(|known| known == word),
            }
    }

    /// Returns true if a number is one of the named words in another notation: `-999.0` beside
    /// `-999`.
    pub(super) fn equals(&self, number: &str) -> bool {
        let Self::Named(words) = self else {
            return false;
        };
        let mut words = words
            .iter()
            .filter(|word| plain_kind(word) != Kinds::TEXT)
            .filter_map(|word| word.parse::<f64>().ok())
            .peekable();
        // Most loads name no number, so the field is only parsed if one does.
        words.peek().is_some()
            && number
                .parse::<f64>()
                .is_ok_and(|value| words.any(|word| word == value))
    }

    /// Returns true if the words also count in columns of texts.
    pub(crate) fn hold_everywhere(&self) -> bool {
        matches!(self, Self::Named(_))
    }
}
