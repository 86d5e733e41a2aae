//! Recognises two names as the same one, misspelt or abbreviated. It is strict: opposites, siblings
//! and different numbers are not variants.

use super::meaning::Meaning;
use super::{synonyms, vocabulary};
use base::{distance, words};

/// The smallest number of letters of a truncated word that is recognised (`expect` for
/// `expectancy`); shorter ones are ambiguous (`comm`).
const LEAST_PREFIX_LETTERS: usize = 5;
/// The smallest number of letters of a word that is recognised with one edit.
const ONE_EDIT_LETTERS: usize = 4;
/// The smallest number of letters of a word that is recognised with two edits.
const TWO_EDIT_LETTERS: usize = 10;
/// The minimum number of letters in an initialism (`mpg`).
const LEAST_INITIALS: usize = 3;

/// Returns true if each pair of words is equal, or one word is the plural of the other.
pub(super) fn differ_by_plural(left: &[String], right: &[String]) -> bool {
    left.len() == right.len()
        && left.iter().zip(right).all(|(one, other)| {
            one == other || is_plural_of(one, other) || is_plural_of(other, one)
        })
}

fn is_plural_of(plural: &str, singular: &str) -> bool {
    !vocabulary_plural(plural) && words::singular(plural).is_some_and(|stem| stem == singular)
}

/// Returns true for a known word that must not be read as a plural, such as `status`.
fn vocabulary_plural(word: &str) -> bool {
    synonyms::canonical(word).is_none() && vocabulary::is_known(word)
}

/// Returns true if every word of the requested name has its own word in the column, equal or
/// similar, and the column has no more words.
pub(super) fn is_variant(wanted: &Meaning, column: &Meaning, alike: bool) -> bool {
    if is_initialism(&wanted.spelt, &column.spelt) || is_initialism(&column.spelt, &wanted.spelt) {
        return true;
    }
    if wanted.words.is_empty() || column.words.is_empty() || !alike {
        return false;
    }
    let mut left: Vec<&str> = column.words.iter().map(String::as_str).collect();
    for word in &wanted.words {
        let exact = left.iter().position(|other| other == word);
        let Some(place) = exact.or_else(|| left.iter().position(|other| is_same_word(word, other)))
        else {
            return false;
        };
        left.remove(place);
    }
    left.is_empty()
}

/// Returns true if one word is the other one, truncated or misspelt.
fn is_same_word(wanted: &str, column: &str) -> bool {
    wanted == column
        || is_cut_off(wanted, column)
        || is_cut_off(column, wanted)
        || is_misspelt(wanted, column)
}

fn is_cut_off(short: &str, long: &str) -> bool {
    short.chars().count() >= LEAST_PREFIX_LETTERS
        && !vocabulary::is_known(short)
        && long.starts_with(short)
}

/// Returns true for a typing error. Two correctly spelt words are different words, and so are words
/// that differ in their last letters (`payer`, `payee`) or early on (`hypertension`,
/// `hypotension`).
fn is_misspelt(wanted: &str, column: &str) -> bool {
    if vocabulary::is_known(wanted) && vocabulary::is_known(column) {
        return false;
    }
    let (one, other): (Vec<char>, Vec<char>) = (wanted.chars().collect(), column.chars().collect());
    let shorter = one.len().min(other.len());
    if shorter < ONE_EDIT_LETTERS
        || one
            .iter()
            .chain(&other)
            .any(|letter| !letter.is_alphabetic())
        || one.first() != other.first()
    {
        return false;
    }
    let swapped_tail = one.iter().rev().take(2).eq(other
        .iter()
        .rev()
        .take(2)
        .collect::<Vec<_>>()
        .into_iter()
        .rev());
    let same_end = one.last() == other.last() || one.len() != other.len() || swapped_tail;
    match distance::edits(wanted, column, 2) {
        Some(0 | 1) => same_end,
        Some(2) => {
            shorter >= TWO_EDIT_LETTERS
                && one.get(..4) == other.get(..4)
                && one.last() == other.last()
        }
        _ => false,
    }
}

/// Returns true for `mpg` and `miles per gallon`.
fn is_initialism(short: &[String], long: &[String]) -> bool {
    let [letters] = short else { return false };
    long.len() >= LEAST_INITIALS
        && long
            .iter()
            .filter_map(|word| word.chars().next())
            .eq(letters.chars())
}

#[cfg(test)]
mod tests {
    use super::is_same_word;

    #[test]
    fn slips_and_cut_off_words_are_recognised() {
        for (wanted, column) in [
            ("titel", "title"),
            ("jounral", "journal"),
            ("abstact", "abstract"),
            ("expectancy", "expect"),
            ("organizaton", "organization"),
        ] {
            assert!(is_same_word(wanted, column), "{wanted} {column}");
        }
    }

    #[test]
    fn different_words_that_look_alike_are_not_variants() {
        let pairs = [
            ("country", "county"),
            ("employer", "employee"),
            ("payer", "payee"),
            ("hypertension", "hypotension"),
            ("price", "prize"),
            ("adsorption", "absorption"),
            ("comment", "comm"),
            ("count", "country"),
            ("intracellular", "intercellular"),
            ("licensor", "licensee"),
            ("rate", "date"),
            ("mortality", "morality"),
            ("1", "2"),
            ("import", "export"),
        ];
        for (wanted, column) in pairs {
            assert!(!is_same_word(wanted, column), "{wanted} {column}");
        }
    }
}
