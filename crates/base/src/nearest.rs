//! Finds the known names that a caller may have meant, for "did you mean".
//!
//! The work is bounded: at most [`MAX_COMPARED_NAMES`] names are compared, and long ones only as a
//! whole. Dissimilar names are not suggested, so the result may be empty.

use std::cmp::Reverse;

use super::{distance, words};
use crate::limits::{MAX_COMPARED_CHARACTERS, MAX_COMPARED_NAMES, MAX_SUGGESTIONS};

/// The lowest share of common letters, in thousandths, of a name that is suggested.
const LEAST_LIKENESS: u32 = 670;
/// The score if one of the two names contains all words of the other (`users` and `app_users`).
const HOLDS_THE_WORDS: u32 = 700;
/// The lengths of names that are checked for two swapped letters. In longer names, two swapped
/// letters lower the score only a little.
const SWAPPED_NAME_CHARACTERS: std::ops::RangeInclusive<usize> = 3..=4;
/// The score of a name with two swapped letters.
const SWAPPED_LETTERS: u32 = 750;
/// The score of a name that only differs in case and separators.
const SAME_LETTERS: u32 = 1000;

/// Returns the names most similar to `wanted`, best first, at most [`MAX_SUGGESTIONS`]. ASCII case
/// is ignored, as in SQLite.
pub fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let long = wanted.chars().nth(MAX_COMPARED_CHARACTERS).is_some();
    let target = Target {
        name: wanted,
        long,
        lower: if long {
            String::new()
        } else {
            wanted.to_ascii_lowercase()
        },
        words: singular_words(wanted),
    };
    let mut ranked: Vec<(u32, &str)> = names
        .take(MAX_COMPARED_NAMES)
        .map(|name| (target.likeness(name), name))
        .filter(|(likeness, _)| *likeness >= LEAST_LIKENESS)
        .collect();
    ranked.sort_by_key(|(likeness, _)| Reverse(*likeness));
    ranked.dedup_by_key(|(_, name)| *name);
    ranked
        .into_iter()
        .take(MAX_SUGGESTIONS)
        .map(|(_, name)| name.to_owned())
        .collect()
}

struct Target<'a> {
    name: &'a str,
    long: bool,
    lower: String,
    words: Vec<String>,
}

impl Target<'_> {
    fn likeness(&self, name: &str) -> u32 {
        if self.name.eq_ignore_ascii_case(name) {
            return SAME_LETTERS;
        }
        if self.long || name.chars().nth(MAX_COMPARED_CHARACTERS).is_some() {
            return 0;
        }
        let other = singular_words(name);
        if !self.words.is_empty() && self.words.concat() == other.concat() {
            return SAME_LETTERS;
        }
        let holds = |whole: &[String], part: &[String]| {
            !part.is_empty()
                && part
                    .iter()
                    .all(|word| word.len() > 1 && whole.contains(word))
        };
        if is_swapped(&self.lower, &name.to_ascii_lowercase()) {
            return SWAPPED_LETTERS;
        }
        let spelt = distance::thousandths(distance::indel(&self.lower, &name.to_ascii_lowercase()));
        if holds(&other, &self.words) || holds(&self.words, &other) {
            return spelt.max(HOLDS_THE_WORDS);
        }
        spelt
    }
}

/// Returns true if short names only differ by two swapped neighbouring letters, which is one slip
/// but counts as two edits.
fn is_swapped(one: &str, other: &str) -> bool {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    if one.len() != other.len() || !SWAPPED_NAME_CHARACTERS.contains(&one.len()) {
        return false;
    }
    let different: Vec<usize> = (0..one.len())
        .filter(|at| one.get(*at) != other.get(*at))
        .collect();
    match *different {
        [first, second] => {
            second == first + 1
                && one.get(first) == other.get(second)
                && one.get(second) == other.get(first)
        }
        _ => false,
    }
}

fn singular_words(name: &str) -> Vec<String> {
    words::split(name)
        .into_iter()
        .map(|word| words::singular(&word).unwrap_or(word))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::nearest;

    fn check(wanted: &str, names: &[&str], expected: &[&str]) {
        assert_eq!(nearest(wanted, names.iter().copied()), expected, "{wanted}");
    }

    #[test]
    fn misspelt_and_differently_written_names_are_found() {
        let tables = ["users", "app_orders", "article", "clinical_trials", "Genes"];
        check("user", &tables, &["users"]);
        check("articels", &tables, &["article"]);
        check("orders", &tables, &["app_orders"]);
        check("ClinicalTrial", &tables, &["clinical_trials"]);
        check("GENES", &tables, &["Genes"]);
        check("yaer", &["year", "journal"], &["year"]);
    }

    #[test]
    fn two_letters_that_changed_places_are_one_slip() {
        check("tpo", &["top", "id"], &["top"]);
        check("aeg", &["age", "id"], &["age"]);
        check("Ulr", &["url"], &["url"]);
        check("di", &["id"], &[]);
        check("pot", &["top"], &[]);
    }

    #[test]
    fn names_with_little_in_common_are_not_suggested() {
        check("total", &["title", "id", "abstract"], &[]);
        check("x", &["y", "xy_plane", "id"], &[]);
        check("id", &["ip", "is", "it"], &[]);
        check("", &["a", ""], &[""]);
        check("🙂", &["🙃", "smile"], &[]);
    }

    #[test]
    fn the_best_come_first_and_no_more_than_the_cap() {
        let many: Vec<String> = (0..50).map(|number| format!("column_{number}")).collect();
        let found = nearest("column_7", many.iter().map(String::as_str));
        assert_eq!(found.first().map(String::as_str), Some("column_7"));
        assert_eq!(found.len(), crate::limits::MAX_SUGGESTIONS);
    }
}
