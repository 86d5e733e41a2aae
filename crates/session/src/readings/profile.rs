//! What the fields of one column have been so far, in constant memory: how often each set of readings came, with examples.

use super::fit::{Fit, trim};
use super::missing::MissingWords;
use super::number::{self, Decimal};
use super::reading::Reading;
use super::spellings::Spellings;

/// Fields that a notice shows.
const EXAMPLES: usize = 3;

/// Words that an advice names.
const WORDS: usize = 3;

/// Marks that SQLite does not read.
const NO_SQL: Fit = Fit::CURRENCY
    .with(Fit::PERCENT)
    .with(Fit::NEGATIVE)
    .with(Fit::WHOLE_PRICE);

/// Different sets of readings that are told apart: more than the notations of one file make. Further ones count as texts.
const SETS: usize = 64;

/// The readings of the fields of a column.
#[derive(Debug, Clone, Default)]
pub(crate) struct Profile {
    sets: Vec<Seen>,
    /// The set that came last: the next field mostly has the same.
    last: usize,
    /// Words for a missing value.
    pub(super) missing: Seen,
    pub(super) spellings: Spellings,
}

/// Fields with the same readings.
#[derive(Debug, Clone, Default)]
pub(super) struct Seen {
    pub(super) fit: Fit,
    pub(super) count: u64,
    pub(super) examples: Vec<String>,
    /// There are fields beside the examples.
    pub(super) has_others: bool,
}

impl Profile {
    /// Takes a field that is not empty.
    pub(crate) fn add(&mut self, field: &str, words: &MissingWords) {
        if words.hold_everywhere() && words.has(field) {
            return self.missing.add(field);
        }
        let fit = Fit::of(field);
        if fit == Fit::NOTHING && words.has(field) {
            return self.missing.add(field);
        }
        if fit.has(Fit::NUMBER) {
            self.spellings.add(field);
        }
        self.count(fit.with(equal_to_missing(fit, field, words)), field);
    }

    /// Takes a number of JSON.
    pub(crate) fn add_number(&mut self, text: &str) {
        self.count(Fit::of_json_number(text), text);
    }

    /// Takes `true` or `false` of JSON.
    pub(crate) fn add_truth(&mut self, text: &str) {
        self.count(Fit::of_json_truth(), text);
    }

    fn count(&mut self, fit: Fit, field: &str) {
        if let Some(seen) = self.sets.get_mut(self.last).filter(|seen| seen.fit == fit) {
            return seen.add(field);
        }
        let known = self.sets.iter().position(|seen| seen.fit == fit);
        let fit = if known.is_none() && self.sets.len() >= SETS {
            Fit::NOTHING
        } else {
            fit
        };
        self.last = self
            .sets
            .iter()
            .position(|seen| seen.fit == fit)
            .unwrap_or(self.sets.len());
        if self.last == self.sets.len() {
            self.sets.push(Seen {
                fit,
                ..Seen::default()
            });
        }
        if let Some(seen) = self.sets.get_mut(self.last) {
            seen.add(field);
        }
    }

    /// Fields that equal a word for a missing value where their column is read as numbers.
    pub(super) fn equal_to_missing(&self, reading: Reading) -> u64 {
        self.counted(|fit| reading.is_missing(fit))
    }

    /// The sets of readings that came.
    pub(super) fn sets(&self) -> &[Seen] {
        &self.sets
    }

    /// Fields that are no words for a missing value.
    pub(super) fn fields(&self) -> u64 {
        self.sets.iter().map(|seen| seen.count).sum()
    }

    /// Fields that have one of these readings, or marks.
    pub(super) fn with(&self, readings: Fit) -> u64 {
        self.counted(|fit| fit.has(readings))
    }

    pub(super) fn counted(&self, which: impl Fn(Fit) -> bool) -> u64 {
        self.sets
            .iter()
            .filter(|seen| which(seen.fit))
            .map(|seen| seen.count)
            .sum()
    }

    /// Returns true if SQLite reads each field as a number, to its end.
    pub(crate) fn are_numbers_of_sql(&self) -> bool {
        self.missing.count == 0
            && self
                .sets
                .iter()
                .all(|seen| seen.fit.has(Fit::PLAIN.with(Fit::LOSSY)) && !seen.fit.has(NO_SQL))
    }

    /// Returns true for numbers, dates or truth values that SQLite does not read as such.
    pub(crate) fn has_foreign(&self) -> bool {
        let meant = Fit::NUMBER.with(Fit::DATE).with(Fit::TRUTH);
        self.counted(|fit| fit.has(meant) && (!fit.has(Fit::PLAIN) || fit.has(NO_SQL))) > 0
    }

    /// All fields without these readings, as words for `?null=`; `None` where they are many, or no words.
    pub(super) fn all_without(&self, readings: Fit) -> Option<Vec<String>> {
        let others = || self.sets.iter().filter(|seen| !seen.fit.has(readings));
        let is_word = |word: &String| {
            word.chars().count() <= super::sentences::SHOWN_CHARACTERS
                && word == word.trim()
                && word
                    .chars()
                    .all(|character| !character.is_control() && !",&#+%\"".contains(character))
        };
        let usual = (self.missing.count > 0).then_some(&self.missing);
        let all: Vec<String> = others()
            .chain(usual)
            .flat_map(|seen| seen.examples.iter().cloned())
            .collect();
        let are_all = others().chain(usual).all(|seen| !seen.has_others);
        (are_all && all.len() <= WORDS && all.iter().all(is_word)).then_some(all)
    }

    /// Some of the fields whose readings are such.
    pub(super) fn examples(&self, which: impl Fn(Fit) -> bool) -> Vec<&str> {
        let chosen = self.sets.iter().filter(|seen| which(seen.fit));
        let fields = chosen.flat_map(|seen| seen.examples.iter().map(String::as_str));
        fields.take(EXAMPLES).collect()
    }
}

/// Returns true if a number, in the notations that it fits, equals a word for a missing value.
fn equal_to_missing(fit: Fit, field: &str, words: &MissingWords) -> Fit {
    if !words.hold_everywhere() || !fit.has(Fit::NUMBER) {
        return Fit::NOTHING;
    }
    let equals = |decimal| {
        number::normalize(trim(field), decimal).is_some_and(|number| words.equals(&number))
    };
    let mut marks = Fit::NOTHING;
    if equals(Decimal::Point) {
        marks = marks.with(Fit::MISSING_POINT);
    }
    if equals(Decimal::Comma) {
        marks = marks.with(Fit::MISSING_COMMA);
    }
    marks
}

impl Seen {
    fn add(&mut self, field: &str) {
        self.count += 1;
        if self.has_others {
            return;
        }
        let shown = if self.fit == Fit::NOTHING {
            trim(field)
        } else {
            field
        };
        if !self.examples.iter().any(|known| known == shown) {
            if self.examples.len() >= EXAMPLES {
                self.has_others = true;
            } else {
                self.examples.push(
                    shown
                        .chars()
                        .take(super::sentences::SHOWN_CHARACTERS + 1)
                        .collect(),
                );
            }
        }
    }
}
