//! Finds the column that a caller means by a semantic name.
//!
//! Every column gets the score of its best match, from identical spelling through abbreviations to
//! similarity; the best column is the result if its score is high enough and clearly above the
//! next. A wrong column is worse than none. So the result is no column, only alternatives, for a
//! tie, for an opposite (`start_date` for `end_date`), and for a column whose type cannot hold the
//! requested thing. All returned names were passed in.

use std::cmp::Reverse;

use super::abbreviation::{self, Phrases, Surroundings};
use super::concepts::{Concept, Narrower, Types};
use super::meaning::Meaning;
use super::{ColumnInfo, Mappings, concepts, spelling, synonyms};
use base::distance::thousandths;
use base::limits::{MAX_COLUMNS, MAX_SUGGESTIONS};
use base::{distance, words};

/// Scores in thousandths, best match first. The steps are wider than [`MARGIN`], so that a better
/// kind of match always wins.
mod score {
    pub(super) const IDENTICAL: u32 = 1000;
    pub(super) const CASE: u32 = 990;
    pub(super) const SEPARATORS: u32 = 970;
    pub(super) const PLURAL: u32 = 940;
    pub(super) const MAPPED: u32 = 910;
    pub(super) const SAME_WORDS: u32 = 880;
    pub(super) const SAME_CONCEPT: u32 = 850;
    pub(super) const NAMED_BY: u32 = 820;
    pub(super) const BROADER: u32 = 790;
    pub(super) const NARROWER: u32 = 760;
    /// The deduction for a column of a neighbouring concept.
    pub(super) const NEIGHBOUR: u32 = 30;
    /// The score of an abbreviation before its cost is subtracted.
    pub(super) const ABBREVIATED: u32 = 755;
    pub(super) const WORST_ABBREVIATED: u32 = ABBREVIATED - super::abbreviation::MAX_COST;
    /// The highest score of a misspelling.
    pub(super) const LIKE: u32 = 690;
    /// The highest score of a column that is similar, but without further evidence. It is below the
    /// score of a result, so such a column is only an alternative.
    pub(super) const UNTRUSTED_LIKE: u32 = 500;
    /// The lowest score of an alternative.
    pub(super) const WORTH_NAMING: u32 = 250;
}

/// The lowest score of a result.
const THRESHOLD: u32 = 600;
/// The least difference between the score of a result and that of the next column, if the two names
/// differ in more than spelling.
const MARGIN: u32 = 20;
/// The least difference for abbreviations, whose costs have smaller steps.
const ABBREVIATION_MARGIN: u32 = 15;
/// The least difference for similar names.
const LIKENESS_MARGIN: u32 = 80;
/// The trigram similarity below which two names are unrelated, measured on 4,503 pairs of names and
/// columns.
const LEAST_DICE: f64 = 0.40;

/// The result of [`find_column`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Found {
    /// The column, as the table spells it.
    pub column: Option<String>,
    /// The confidence, from 0 to 1; 0 without a column.
    pub score: f64,
    /// Other possible columns with their scores, best first.
    pub alternatives: Vec<(String, f64)>,
}

/// Finds the column that `semantic_name` means, among the columns of a table without a known name.
///
/// Otherwise it is like [`find_column_of`].
pub fn find_column(
    columns: &[ColumnInfo],
    semantic_name: &str,
    server: Option<&str>,
    mappings: &Mappings,
) -> Found {
    find_column_of("", columns, semantic_name, server, mappings)
}

/// Finds the column of a table that `semantic_name` means.
///
/// Matches are tried in this order: identical; case, separators and plurals; the server's mapping;
/// synonyms with the column's type; abbreviations and the table's own name; similarity. Hidden
/// columns only match their own name. Only the first [`MAX_COLUMNS`] columns are used, which is all
/// that a table can have.
pub fn find_column_of(
    table: &str,
    columns: &[ColumnInfo],
    semantic_name: &str,
    server: Option<&str>,
    mappings: &Mappings,
) -> Found {
    let mapped = server.and_then(|server| mappings.column(server, semantic_name));
    let candidates: Vec<Candidate<'_>> = columns
        .iter()
        .take(MAX_COLUMNS)
        .map(Candidate::new)
        .collect();
    let pieces = candidates
        .iter()
        .map(|candidate| candidate.meaning.spelt.as_slice());
    let surroundings = Surroundings::new(table, pieces);
    let meaning = Meaning::parse(semantic_name);
    let wanted = Wanted {
        name: semantic_name,
        folded: words::fold(semantic_name),
        phrases: Phrases::new(&meaning.spelt, &meaning.words, &surroundings),
        meaning,
        mapped,
        surroundings,
    };
    let mut ranked: Vec<(u32, &str)> = candidates
        .iter()
        .map(|candidate| {
            (
                wanted.score(candidate, &candidates),
                candidate.info.name.as_str(),
            )
        })
        .filter(|(score, _)| *score >= score::WORTH_NAMING)
        .collect();
    ranked.sort_by_key(|(score, _)| Reverse(*score));
    decide(&ranked)
}

fn decide(ranked: &[(u32, &str)]) -> Found {
    let name = |&(score, column): &(u32, &str)| (column.to_owned(), f64::from(score) / 1000.0);
    let runner_up = ranked.get(1).map_or(0, |(score, _)| *score);
    match ranked.split_first() {
        Some((best, others)) if is_answer(best.0, runner_up) => {
            let (column, score) = name(best);
            Found {
                column: Some(column),
                score,
                alternatives: others.iter().take(MAX_SUGGESTIONS).map(name).collect(),
            }
        }
        _ => Found {
            column: None,
            score: 0.0,
            alternatives: ranked.iter().take(MAX_SUGGESTIONS).map(name).collect(),
        },
    }
}

fn is_answer(best: u32, runner_up: u32) -> bool {
    let margin = match best {
        score::CASE.. => return true,
        score::WORST_ABBREVIATED..=score::ABBREVIATED => ABBREVIATION_MARGIN,
        0..score::WORST_ABBREVIATED => LIKENESS_MARGIN,
        _ => MARGIN,
    };
    best >= THRESHOLD && best - runner_up.min(best) >= margin
}

/// A column with its analysed name.
struct Candidate<'a> {
    info: &'a ColumnInfo,
    folded: String,
    meaning: Meaning,
    holds: ValueKind,
}

/// The values that a column's declared type holds, by SQLite's affinity rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ValueKind {
    Integer,
    Number,
    Text,
    Flag,
    Moment,
    Blob,
    Anything,
}

impl ValueKind {
    fn of(declared_type: &str) -> Self {
        let upper = declared_type.to_ascii_uppercase();
        let has = |part: &str| upper.contains(part);
        match () {
            () if upper.trim().is_empty() || upper == "ANY" => Self::Anything,
            () if has("BOOL") => Self::Flag,
            () if has("DATE") || has("TIME") => Self::Moment,
            () if has("INT") => Self::Integer,
            () if has("CHAR") || has("CLOB") || has("TEXT") || has("JSON") || has("STRING") => {
                Self::Text
            }
            () if has("BLOB") => Self::Blob,
            () => Self::Number,
        }
    }

    fn can_be(self, types: Types) -> bool {
        match types {
            Types::Any => self != Self::Blob,
            Types::Text => matches!(self, Self::Text | Self::Anything),
            Types::Number => matches!(self, Self::Integer | Self::Number | Self::Anything),
        }
    }
}

impl<'a> Candidate<'a> {
    fn new(info: &'a ColumnInfo) -> Self {
        let meaning = Meaning::parse(&info.name);
        Self {
            info,
            folded: words::fold(&info.name),
            meaning,
            holds: ValueKind::of(&info.declared_type),
        }
    }

    /// Returns the concept and qualifiers implied by the type: `views` in a column of numbers is a
    /// count of views, and `published` in a column of text or times is a date.
    fn implied_concept(&self) -> Option<(&'static str, Vec<String>)> {
        let last = self.meaning.words.last()?;
        let sorted = || {
            let mut all = self.meaning.words.clone();
            all.sort_unstable();
            all
        };
        let countable =
            self.meaning.concept.is_none() || synonyms::COUNTED.contains(&last.as_str());
        if countable
            && self.meaning.plural
            && matches!(self.holds, ValueKind::Integer | ValueKind::Number)
        {
            return Some(("plural", sorted()));
        }
        if self.meaning.happened() && matches!(self.holds, ValueKind::Text | ValueKind::Moment) {
            return Some(("date", sorted()));
        }
        None
    }
}

/// The requested name.
struct Wanted<'a> {
    name: &'a str,
    folded: String,
    meaning: Meaning,
    mapped: Option<&'a str>,
    phrases: Phrases,
    surroundings: Surroundings,
}

impl Wanted<'_> {
    fn score(&self, candidate: &Candidate<'_>, table: &[Candidate<'_>]) -> u32 {
        let column = candidate.info.name.as_str();
        if self.name == column {
            return score::IDENTICAL;
        }
        if self.name.eq_ignore_ascii_case(column) {
            return score::CASE;
        }
        if candidate.info.hidden {
            return 0;
        }
        let spelling = self.by_spelling(candidate);
        let mapping = self
            .mapped
            .filter(|mapped| mapped.eq_ignore_ascii_case(column))
            .map(|_| score::MAPPED);
        let meaning = || self.by_meaning(candidate, table);
        spelling
            .or(mapping)
            .or_else(meaning)
            .or_else(|| self.by_abbreviation(candidate))
            .unwrap_or_else(|| self.by_likeness(candidate))
    }

    fn by_spelling(&self, candidate: &Candidate<'_>) -> Option<u32> {
        if self.folded.is_empty() || candidate.folded.is_empty() {
            return None;
        }
        if self.folded == candidate.folded {
            return Some(score::SEPARATORS);
        }
        let (wanted, column) = (&self.meaning.spelt, &candidate.meaning.spelt);
        (spelling::differ_by_plural(wanted, column) && candidate.implied_concept().is_none())
            .then_some(score::PLURAL)
    }

    fn by_meaning(&self, candidate: &Candidate<'_>, table: &[Candidate<'_>]) -> Option<u32> {
        let (wanted, column) = (&self.meaning, &candidate.meaning);
        if wanted.words.is_empty() || column.words.is_empty() {
            return None;
        }
        if self.measures_otherwise(candidate) {
            return None;
        }
        let direct = [
            self.by_words(candidate),
            self.by_concept(candidate, table),
            self.by_name_of(candidate),
        ];
        direct.into_iter().flatten().max()
    }

    /// Returns true if the units differ: kilograms are not pounds.
    fn measures_otherwise(&self, candidate: &Candidate<'_>) -> bool {
        let (wanted, column) = (&self.meaning.unit, &candidate.meaning.unit);
        wanted.is_some() && column.is_some() && wanted != column
    }

    /// Scores the same canonical words in any order.
    fn by_words(&self, candidate: &Candidate<'_>) -> Option<u32> {
        let types = self
            .meaning
            .concept
            .map_or(Types::Any, |concept| concept.types);
        let same = self.meaning.sorted_words() == candidate.meaning.sorted_words();
        let counts = self.meaning.concept.is_none()
            && self.meaning.plural != candidate.meaning.plural
            && candidate.implied_concept().is_some();
        (same && !counts && candidate.holds.can_be(types)).then_some(
            match self.meaning.unit == candidate.meaning.unit {
                true => score::SAME_WORDS,
                false => score::NAMED_BY,
            },
        )
    }

    /// Scores the same concept, or a neighbour of it, if the qualifiers agree.
    fn by_concept(&self, candidate: &Candidate<'_>, table: &[Candidate<'_>]) -> Option<u32> {
        let implied = candidate.implied_concept();
        let (concept, qualifiers) = match &implied {
            Some((concept, qualifiers)) => (Some(*concept), qualifiers.as_slice()),
            None => (
                candidate.meaning.concept.map(|concept| concept.name),
                candidate.meaning.qualifiers.as_slice(),
            ),
        };
        let Some(wanted) = self.counted_or_concept() else {
            let same_head =
                concept.is_none() && self.meaning.words.last() == candidate.meaning.words.last();
            let narrower = is_part(&self.meaning.qualifiers, qualifiers)
                && !alters(&self.meaning.qualifiers, qualifiers);
            let a_word = self
                .meaning
                .words
                .last()
                .is_some_and(|word| word.chars().any(char::is_alphabetic));
            let only = || {
                !table
                    .iter()
                    .any(|other| !std::ptr::eq(other, candidate) && self.is_another(other))
            };
            return (same_head && narrower && a_word && only()).then_some(score::NARROWER);
        };
        if !candidate.holds.can_be(wanted.0.types) || self.is_one_of_several(candidate, table) {
            return None;
        }
        if concept == Some(wanted.0.name) {
            return qualified(
                wanted.0,
                &wanted.1,
                qualifiers,
                wanted.0.implied,
                candidate,
                table,
            );
        }
        let accepted = wanted
            .0
            .accepts
            .iter()
            .find(|accepted| Some(accepted.concept) == concept)?;
        if self.meaning.concept.is_none() && accepted.concept == "year" {
            return None;
        }
        if table.iter().any(|other| {
            !std::ptr::eq(other, candidate) && mentions(&other.meaning, accepted.unless)
        }) {
            return None;
        }
        let implied = if accepted.implied.is_empty() {
            wanted.0.implied
        } else {
            accepted.implied
        };
        qualified(wanted.0, &wanted.1, qualifiers, implied, candidate, table)
            .map(|score| score - score::NEIGHBOUR)
    }

    /// Returns true if a column without a concept is a narrower kind of the requested thing.
    fn is_another(&self, column: &Candidate<'_>) -> bool {
        let meaning = &column.meaning;
        meaning.concept.is_none()
            && meaning.words.last() == self.meaning.words.last()
            && is_part(&self.meaning.qualifiers, &meaning.qualifiers)
    }

    /// Returns true if a plural (`cases`) is ambiguous, because another column has the same counts
    /// (`total_cases`, `new_cases`).
    fn is_one_of_several(&self, candidate: &Candidate<'_>, table: &[Candidate<'_>]) -> bool {
        let plural = self.meaning.concept.is_none() && self.meaning.plural;
        let same = |other: &Candidate<'_>| {
            other.meaning.plural && other.meaning.spelt.last() == self.meaning.spelt.last()
        };
        plural
            && table
                .iter()
                .any(|other| !std::ptr::eq(other, candidate) && same(other))
    }

    /// Returns the requested concept and qualifiers. Without another concept, `citations` is a
    /// count and `created` a date.
    fn counted_or_concept(&self) -> Option<(&'static Concept, Vec<String>)> {
        if let Some(concept) = self.meaning.concept {
            return Some((concept, self.meaning.qualifiers.clone()));
        }
        let last = self.meaning.words.last()?;
        let head = match self.meaning.plural && synonyms::COUNTED.contains(&last.as_str()) {
            true => "count",
            false if self.meaning.happened() => "date",
            false => return None,
        };
        let mut words = self.meaning.words.clone();
        words.push(head.to_owned());
        let (concept, length) = concepts::ending(&words)?;
        words.truncate(words.len() - length);
        words.sort_unstable();
        Some((concept, words))
    }

    /// Scores `disease` and `disease_name`: a text column with the name of the thing.
    fn by_name_of(&self, candidate: &Candidate<'_>) -> Option<u32> {
        let (wanted, column) = (
            self.meaning.words.as_slice(),
            candidate.meaning.words.as_slice(),
        );
        let names = |named: &[String], thing: &[String]| {
            named.split_last().is_some_and(|(last, rest)| {
                ["name", "title"].contains(&last.as_str()) && !rest.is_empty() && rest == thing
            })
        };
        let fits = names(column, wanted) || names(wanted, column) && !candidate.meaning.plural;
        (fits && candidate.holds.can_be(Types::Text)).then_some(score::NAMED_BY)
    }

    /// Scores an abbreviation, or the name without the table's own name.
    fn by_abbreviation(&self, candidate: &Candidate<'_>) -> Option<u32> {
        let types = self
            .meaning
            .concept
            .map_or(Types::Any, |concept| concept.types);
        if !candidate.holds.can_be(types) || self.measures_otherwise(candidate) {
            return None;
        }
        let cost = self
            .phrases
            .cost(&candidate.meaning.spelt, &self.surroundings)?;
        Some(score::ABBREVIATED - cost.min(abbreviation::MAX_COST))
    }

    /// Scores the similarity of the spellings. It is trusted if every word of one name is an
    /// abbreviation or misspelling of a word of the other.
    fn by_likeness(&self, candidate: &Candidate<'_>) -> u32 {
        if self.folded.is_empty() || candidate.folded.is_empty() {
            return 0;
        }
        let dice = distance::dice(&self.folded, &candidate.folded);
        let indel = distance::indel(&self.folded, &candidate.folded);
        let types = self
            .meaning
            .concept
            .map_or(Types::Any, |concept| concept.types);
        let possible = candidate.holds.can_be(types) && !self.measures_otherwise(candidate);
        let trusted =
            possible && spelling::is_variant(&self.meaning, &candidate.meaning, dice >= LEAST_DICE);
        if trusted {
            return thousandths(dice.max(indel)).clamp(THRESHOLD, score::LIKE);
        }
        thousandths(dice.max(indel) / 2.0).min(score::UNTRUSTED_LIKE)
    }
}

/// Returns the score of a column with the right concept, by its qualifiers.
fn qualified(
    concept: &Concept,
    wanted: &[String],
    column: &[String],
    implied: &[&str],
    candidate: &Candidate<'_>,
    table: &[Candidate<'_>],
) -> Option<u32> {
    if wanted == column {
        return Some(score::SAME_CONCEPT);
    }
    if is_part(column, wanted) {
        let missing = wanted.iter().filter(|word| !column.contains(word));
        return missing
            .into_iter()
            .all(|word| implied.contains(&word.as_str()))
            .then_some(score::BROADER);
    }
    if !is_part(wanted, column) || alters(wanted, column) {
        return None;
    }
    let related = |other: &Concept| {
        other.name == concept.name
            || concept
                .accepts
                .iter()
                .any(|accepted| accepted.concept == other.name)
    };
    let another = |other: &Candidate<'_>| {
        other.meaning.concept.is_some_and(related) && is_part(wanted, &other.meaning.qualifiers)
    };
    let open = matches!(concept.narrower, Narrower::AllBut(_));
    if open
        && table
            .iter()
            .any(|other| !std::ptr::eq(other, candidate) && another(other))
    {
        return None;
    }
    let mut added = column
        .iter()
        .filter(|word| !wanted.contains(word))
        .map(String::as_str);
    let fits = match concept.narrower {
        Narrower::AllBut(specific) => added.all(|word| !specific.contains(&word)),
        Narrower::Only(plain) => added.all(|word| plain.contains(&word)),
        Narrower::PrimaryKey => wanted.is_empty() && is_whole_primary_key(candidate, table),
    };
    fits.then_some(score::NARROWER)
}

fn is_whole_primary_key(candidate: &Candidate<'_>, table: &[Candidate<'_>]) -> bool {
    candidate.info.primary_key > 0
        && table
            .iter()
            .filter(|other| other.info.primary_key > 0)
            .count()
            == 1
}

/// Returns true if all words of `part` are in `whole`.
fn is_part(part: &[String], whole: &[String]) -> bool {
    part.iter().all(|word| whole.contains(word))
}

/// Returns true if the words that `column` adds change the meaning.
fn alters(wanted: &[String], column: &[String]) -> bool {
    column
        .iter()
        .any(|word| !wanted.contains(word) && synonyms::ALTERING.contains(&word.as_str()))
}

fn mentions(meaning: &Meaning, words: &[&str]) -> bool {
    meaning
        .words
        .iter()
        .any(|word| words.contains(&word.as_str()))
}
