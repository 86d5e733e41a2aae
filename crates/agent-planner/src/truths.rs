//! Columns of text that mean yes or no: `smoker` with `yes` and `no`, `voted` with `Y` and `N`.
//!
//! A column is treated in this way if all its known values are one of the pairs below, and both
//! words of the pair occur. The name of the column then describes the rows with yes, as for a
//! column of 0 and 1.

use crate::schema::{Column, SampleValue};

/// Words that mean yes, each with its opposite, in lower case.
const PAIRS: &[(&str, &str)] = &[
    ("yes", "no"),
    ("y", "n"),
    ("true", "false"),
    ("t", "f"),
    ("ja", "nein"),
    ("j", "n"),
    ("ja", "nee"),
    ("oui", "non"),
    ("o", "n"),
    ("sí", "no"),
    ("si", "no"),
];

/// The texts of a column that mean yes, and those that mean no, as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Truths {
    pub(crate) yes: Vec<String>,
    pub(crate) no: Vec<String>,
}

impl Truths {
    /// Judges the known values of a column; returns `None` if one of them means neither yes nor no.
    pub(crate) fn of(column: &Column) -> Option<Self> {
        if !may_tell(column) {
            return None;
        }
        let mut texts: Vec<&str> = samples(column)?;
        texts.extend(column.values.iter().map(|value| value.trim()));
        let pair = |(yes, no): &&(&str, &str)| {
            let is = |word: &str| texts.iter().any(|text| text.to_lowercase() == word);
            let known = |text: &&str| {
                let lower = text.to_lowercase();
                lower.is_empty() || lower == *yes || lower == *no
            };
            is(yes) && is(no) && texts.iter().all(known)
        };
        let (yes, no) = PAIRS.iter().find(pair)?;
        Some(Self {
            yes: spelt(column, yes),
            no: spelt(column, no),
        })
    }
}

/// Returns true if every sample of a column is blank or a word for yes or no, and at least one is
/// not blank. The look-up then searches for all words for yes and no.
pub(crate) fn may_tell(column: &Column) -> bool {
    let is_word = |text: &&str| text.is_empty() || is_truth(text);
    samples(column).is_some_and(|texts| {
        !texts.is_empty() && texts.iter().all(is_word) && texts.iter().any(|text| !text.is_empty())
    })
}

/// Returns true for a word that says yes or no.
pub(crate) fn is_truth(text: &str) -> bool {
    let lower = text.trim().to_lowercase();
    PAIRS.iter().any(|(yes, no)| lower == *yes || lower == *no)
}

/// Returns what a text says of a column of yes and no: `1` and `true` also where it has `yes`.
pub(crate) fn truth(text: &str) -> Option<bool> {
    let lower = text.trim().to_lowercase();
    if lower == "1" || PAIRS.iter().any(|(yes, _)| lower == *yes) {
        return Some(true);
    }
    (lower == "0" || is_truth(&lower)).then_some(false)
}

/// Returns the words that say yes or no, as they are looked up: the engine ignores the case of
/// ASCII letters only.
pub(crate) fn words() -> impl Iterator<Item = String> {
    let both = PAIRS.iter().flat_map(|(yes, no)| [*yes, *no]);
    both.flat_map(|word| match word.is_ascii() {
        true => vec![word.to_owned()],
        false => {
            let upper = word.to_uppercase();
            let mut letters = word.chars();
            let first = letters.next().into_iter().flat_map(char::to_uppercase);
            vec![word.to_owned(), upper, first.chain(letters).collect()]
        }
    })
}

/// Returns the samples without blanks around them, or `None` if one of them is no text.
fn samples(column: &Column) -> Option<Vec<&str>> {
    let texts = column.samples.iter().map(SampleValue::text);
    texts.map(|text| text.map(str::trim)).collect()
}

/// Returns the spellings of a word in a column.
fn spelt(column: &Column, word: &str) -> Vec<String> {
    let samples = column.samples.iter().filter_map(|sample| match sample {
        SampleValue::Text(text) => Some(text),
        SampleValue::Integer(_) | SampleValue::Real(_) => None,
    });
    let texts = samples.chain(&column.values);
    let mut found: Vec<String> = texts
        .filter(|text| text.trim().to_lowercase() == word)
        .cloned()
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::{Truths, may_tell};
    use crate::schema::{Column, SampleValue};

    fn column(samples: &[&str], values: &[&str]) -> Column {
        let text = |text: &&str| (*text).to_owned();
        Column {
            samples: samples
                .iter()
                .map(|sample| SampleValue::Text(text(sample)))
                .collect(),
            values: values.iter().map(text).collect(),
            ..Column::default()
        }
    }

    #[test]
    fn both_words_of_one_pair_and_nothing_else_are_truths() {
        for (samples, values, expected) in [
            (
                &["yes", "no"][..],
                &[][..],
                Some((&["yes"][..], &["no"][..])),
            ),
            (&["no"], &["Yes", "no"], Some((&["Yes"], &["no"]))),
            (&["Y", ""], &["N", "y"], Some((&["Y", "y"], &["N"]))),
            (&["nein"], &["Ja", "nein"], Some((&["Ja"], &["nein"]))),
            (&["yes"], &[], None),
            (&["yes", "no", "maybe"], &[], None),
            (&["NO", "SE"], &["no"], None),
            (&["yes"], &["n"], None),
            (&[], &["yes", "no"], None),
        ] {
            let found = Truths::of(&column(samples, values));
            let found = found.map(|truths| (truths.yes, truths.no));
            let expected = expected.map(|(yes, no)| {
                let owned = |texts: &[&str]| texts.iter().map(ToString::to_string).collect();
                (owned(yes), owned(no))
            });
            assert_eq!(found, expected, "{samples:?} {values:?}");
        }
        assert!(may_tell(&column(&["no", ""], &[])));
        assert!(!may_tell(&column(&["", ""], &[])));
        assert!(!may_tell(&column(&["no", "maybe"], &[])));
    }
}
