//! Counts the fields of a column in constant memory: how often each set of readings occurred, with
//! examples.

use super::fit::{Fit, trim};
use super::missing::MissingWords;
use super::number::{self, Decimal};
use super::spellings::Spellings;
use super::wording::SHOWN_CHARACTERS;

/// The number of fields that a notice shows.
const EXAMPLES: usize = 3;

/// The number of words that a recommendation names.
const WORDS: usize = 3;

/// Marks in a number that SQLite cannot read.
const NO_SQL: Fit = Fit::CURRENCY
    .with(Fit::PERCENT)
    .with(Fit::NEGATIVE)
    .with(Fit::WHOLE_PRICE);

/// The number of different sets of readings that are counted separately: more than the notations of
/// one file need. Further sets count as texts.
const SETS: usize = 64;

/// The readings of the fields of a column.
#[derive(Debug, Clone, Default)]
pub(crate) struct Profile {
    sets: Vec<ReadingCount>,
    /// The position of the last set: most fields have the same set as the field before.
    last: usize,
    /// The fields that are words for a missing value.
    pub(super) missing: ReadingCount,
    pub(super) spellings: Spellings,
}

/// Fields with the same readings.
#[derive(Debug, Clone, Default)]
pub(super) struct ReadingCount {
    pub(super) fit: Fit,
    pub(super) count: u64,
    pub(super) examples: Vec<String>,
    /// True if there are more fields than the examples.
    pub(super) has_others: bool,
}

impl Profile {
    /// Counts a field that is not empty.
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

    /// Counts a JSON number.
    pub(crate) fn add_number(&mut self, text: &str) {
        self.count(Fit::of_json_number(text), text);
    }

    /// Counts `true` or `false` of JSON.
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
            self.sets.push(ReadingCount {
                fit,
                ..ReadingCount::default()
            });
        }
        if let Some(seen) = self.sets.get_mut(self.last) {
            seen.add(field);
        }
    }

    /// Returns the sets of readings.
    pub(super) fn sets(&self) -> &[ReadingCount] {
        &self.sets
    }

    /// Counts the fields that are not words for a missing value.
    pub(super) fn fields(&self) -> u64 {
        self.sets.iter().map(|seen| seen.count).sum()
    }

    /// Counts the fields that have one of these readings or marks.
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

    /// Returns true if SQLite reads each whole field as a number.
    pub(crate) fn are_numbers_of_sql(&self) -> bool {
        self.missing.count == 0
            && self
                .sets
                .iter()
                .all(|seen| seen.fit.has(Fit::PLAIN.with(Fit::LOSSY)) && !seen.fit.has(NO_SQL))
    }

    /// Returns true if there are numbers, dates or truth values that SQLite does not read as such.
    pub(crate) fn has_foreign(&self) -> bool {
        let meant = Fit::NUMBER.with(Fit::DATE).with(Fit::TRUTH);
        self.counted(|fit| fit.has(meant) && (!fit.has(Fit::PLAIN) || fit.has(NO_SQL))) > 0
    }

    /// Returns all fields without these readings, as words for `?null=`; `None` if there are many,
    /// or some are not words.
    pub(super) fn all_without(&self, readings: Fit) -> Option<Vec<String>> {
        let others = || self.sets.iter().filter(|seen| !seen.fit.has(readings));
        let is_word = |word: &String| {
            word.chars().count() <= SHOWN_CHARACTERS
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

    /// Returns examples of the fields whose readings satisfy a condition.
    pub(super) fn examples(&self, which: impl Fn(Fit) -> bool) -> Vec<&str> {
        let chosen = self.sets.iter().filter(|seen| which(seen.fit));
        let fields = chosen.flat_map(|seen| seen.examples.iter().map(String::as_str));
        fields.take(EXAMPLES).collect()
    }
}

/// Returns the notations in which a number is equal to a word for a missing value.
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

impl ReadingCount {
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
                self.examples
                    .push(shown.chars().take(SHOWN_CHARACTERS + 1).collect());
            }
        }
    }
}
