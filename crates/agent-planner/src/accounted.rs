//! Checks that no word of a question is lost. A word such as `them` must refer to something in the
//! question. In a question that changes rows, each word that may be a value must have become one,
//! and each word that is left out must change nothing: otherwise the statement would change other
//! rows than the question says.

use crate::ask::Condition;
use crate::calendar;
use crate::catalog::{ColumnId, Holds};
use crate::day::Day;
use crate::lexicon::{TITLES, Words, of};
use crate::links::Links;
use crate::lookup::is_common;
use crate::plan::{Step, Stop};
use crate::token::{Token, TokenKind};

/// Words that compare a column with what follows.
const COMPARES: &[&str] = &["is", "are", "was", "were", "equals", "=", "=="];

/// Words for somebody or something named before.
const REFERRING: Words = Words(
    "
     he her hers him himself his it itself its she their theirs them themselves these they
     those
    ",
);

/// `that`, and the words of [`REFERRING`] that may stand directly in front of the noun that they
/// refer to: `those orders`.
const POINTING: &[&str] = &["that", "these", "those"];

/// Prepositions: the next words name a thing.
pub(crate) const PREPOSITIONS: Words =
    Words("about at but by except for from in of on to with without");

/// Words before or after the `there` of `there are`, which refers to nothing.
const BEING: Words = Words("are be been exist exists have has is was were");

/// Words that need no counterpart in a statement that changes rows, because they do not affect
/// which rows it changes.
const SILENT: Words = Words(
    "
     a all an any are as at be been being by did do does every for from had has have having in
     into is of on s that the those to was were where which who whom whose with
    ",
);

/// Verbs that need no counterpart in a statement that changes rows if a preposition follows:
/// `customers living in Oslo`.
const BELONGING: Words = Words("base belong come live locate made make place relate reside");

/// Returns true if a statement that changes rows needs no counterpart of this word.
pub(crate) fn is_silent(word: &str) -> bool {
    SILENT.contains(word)
}

/// Returns true if a verb needs no counterpart in a statement that changes rows, because it only
/// says that two things belong together. `next` is the word after the verb.
pub(crate) fn only_relates(stems: &[String], next: &str) -> bool {
    PREPOSITIONS.contains(next) && stems.iter().any(|stem| BELONGING.contains(stem))
}

/// Refuses a word such as `them` if the question does not name what it refers to. Earlier questions
/// are not considered.
///
/// # Errors
/// The word.
pub(crate) fn require_referents(links: &Links<'_>) -> Step<()> {
    let mut named = 0;
    let mut has_rows = false;
    for (at, token) in links.tokens.iter().enumerate() {
        let tokens = named_at(links, at);
        let is_named = at < named;
        named = named.max(at + tokens);
        if !is_named && tokens == 0 && refers(links, at, has_rows) {
            return Err(Stop::cannot(format!(
                "{:?} refers to something that this question does not name, and each question is read alone; name the rows",
                token.shown()
            )));
        }
        has_rows |= tokens > 0 && names_rows(links, at);
    }
    Ok(())
}

/// Returns the number of tokens at a position that name a value, a table or a column; 0 for none.
fn named_at(links: &Links<'_>, at: usize) -> usize {
    let value = links.value_at(at).map(|found| found.tokens);
    let common = (!links.common_at(at).is_empty() || links.in_capitals(at)).then_some(1);
    let table = links.table_at(at).map(|found| found.tokens);
    let column = links.column_at(at, None).map(|found| found.tokens);
    let found = [value, common, table, column].into_iter().flatten();
    found.max().unwrap_or_default()
}

/// Returns true if the name at a position means rows, and not a number that rows have.
fn names_rows(links: &Links<'_>, at: usize) -> bool {
    let is_number = |found: &crate::links::Found<crate::links::ColumnLink>| {
        let mut ids = found.item.ids.iter();
        ids.any(|id| links.catalog.holds(*id) == Holds::Number)
    };
    links.value_at(at).is_some()
        || links.table_at(at).is_some()
        || links
            .column_at(at, None)
            .is_some_and(|found| !links.strict && !is_number(&found))
}

/// Returns true if a word refers to what stands before the question.
fn refers(links: &Links<'_>, at: usize, has_rows: bool) -> bool {
    let word = |at: Option<usize>| {
        let token = at.and_then(|at| links.tokens.get(at));
        token
            .filter(|token| token.is_word())
            .map_or("", |token| token.lower.as_str())
    };
    let (before, this, next) = (word(at.checked_sub(1)), word(Some(at)), word(Some(at + 1)));
    let points = POINTING.contains(&this) && named_at(links, at + 1) > 0;
    match this {
        // `those of Ann`, and not `those orders`.
        "those" if links.strict => !has_rows || points || !PREPOSITIONS.contains(before),
        "that" => points && (at == 0 || PREPOSITIONS.contains(before)),
        "there" => !BEING.contains(before) && !BEING.contains(next),
        this if REFERRING.contains(this) => links.strict || !has_rows || points,
        _ => false,
    }
}

/// Refuses a question that changes rows if one of its words may be a value, and no condition has
/// that value.
///
/// # Errors
/// The word.
pub(crate) fn require_values(links: &Links<'_>, conditions: &[Condition], today: Day) -> Step<()> {
    let mut texts = Vec::new();
    collect(conditions, &mut texts);
    let lower: Vec<String> = texts.iter().map(|text| text.to_lowercase()).collect();
    let mut at = 0;
    while let Some(token) = links.tokens.get(at) {
        let names = [
            links.table_at(at).map(|found| found.tokens),
            links.column_at(at, None).map(|found| found.tokens),
        ];
        let named = names.into_iter().flatten().max();
        let value = links.value_at(at);
        let tokens = value.as_ref().map_or(1, |found| found.tokens);
        let has_value = value.as_ref().is_some_and(|found| {
            let mut values = found.item.iter();
            values.any(|link| texts.contains(&link.stored))
        });
        let said = has_value || says(&lower, token) || happened(links, conditions, &token.lower);
        let suspect = match named {
            Some(named) => value.is_some() && tokens > named,
            None => value.is_some() || is_written(links, at) || is_listed(links, at),
        };
        let suspect = suspect && !links.is_word_for_table(at);
        if suspect && !said && !is_in_date(links, at, today) {
            let word = links.shown(at, tokens);
            return Err(Stop::cannot(format!(
                "{word:?} may be a value, and I do not see of which column; name the column and put the value between quotes, as in `whose name is '{word}'`"
            )));
        }
        at += named.unwrap_or(1).max(if has_value { tokens } else { 1 });
    }
    let compares = |token: &Token| COMPARES.contains(&token.lower.as_str());
    let is_present = |condition: &Condition| matches!(condition, Condition::Present(_));
    if conditions.iter().all(is_present) && links.tokens.iter().any(compares) {
        return Err(Stop::cannot(
            "the question compares a column with something, and I do not see with which value",
        ));
    }
    Ok(())
}

/// Returns true if a condition asks whether a column called like the word has a value: `not left`,
/// where a column has the day.
fn happened(links: &Links<'_>, conditions: &[Condition], word: &str) -> bool {
    let called = |id: ColumnId| {
        let view = links.catalog.column(id);
        view.is_some_and(|view| view.words.iter().any(|part| part == word))
    };
    conditions.iter().any(|condition| match condition {
        Condition::Missing(id) | Condition::Present(id) | Condition::Date(id, ..) => called(*id),
        Condition::Not(inner) => happened(links, std::slice::from_ref(inner), word),
        Condition::Any(any) | Condition::Lacks(_, any) => happened(links, any, word),
        Condition::Related(related) => happened(links, &related.conditions, word),
        Condition::In(..)
        | Condition::Same(..)
        | Condition::Text(..)
        | Condition::Number(..)
        | Condition::Between(..)
        | Condition::Columns(..)
        | Condition::Flag(_) => false,
    })
}

/// Returns true if a text of the conditions has the word.
fn says(texts: &[String], token: &Token) -> bool {
    texts.iter().any(|text| {
        let mut words = text.split(|letter: char| !letter.is_alphanumeric());
        *text == token.lower || words.any(|word| word == token.lower)
    })
}

/// Returns true if a word is written as a name, and does not say who somebody is.
fn is_written(links: &Links<'_>, at: usize) -> bool {
    let Some(token) = links.tokens.get(at) else {
        return false;
    };
    let capitals = links.in_capitals(at);
    token.kind == TokenKind::Quoted
        || token.is_word()
            && token.is_capital()
            && (at > 0 || capitals)
            && (capitals || !is_common(token))
            && of(TITLES, &token.lower).is_none()
}

/// Returns true if a word is a part of a date.
fn is_in_date(links: &Links<'_>, at: usize, today: Day) -> bool {
    let dated = |from: usize| {
        let rest = links.tokens.get(from..).unwrap_or_default();
        let found = calendar::dated(rest, today);
        found.is_some_and(|found| from + found.tokens > at)
    };
    // A month whose year was chosen, or any year of it.
    let is_month = links.tokens.get(at).is_some_and(calendar::is_month);
    is_month && links.value_at(at).is_none() || (at.saturating_sub(2)..=at).any(dated)
}

/// Returns true if a word of sentences that a value is spelt like stands alone where a value may
/// stand: `and it`, `with unit each`.
fn is_listed(links: &Links<'_>, at: usize) -> bool {
    let joins = |at: Option<usize>| {
        let token = at.and_then(|at| links.tokens.get(at));
        let small = !at.is_some_and(|at| links.in_capitals(at));
        small && token.is_some_and(|token| ["and", "or", ","].contains(&token.lower.as_str()))
    };
    let before = at.checked_sub(1);
    let ends = joins(Some(at + 1)) || links.tokens.get(at + 1).is_none();
    let begins = joins(before)
        || before.is_some_and(|before| {
            links.table_at(before).is_some()
                || links.column_at(before, None).is_some()
                || links.tokens.get(before).is_some_and(|token| {
                    COMPARES.contains(&token.lower.as_str())
                        || ["in", "from", "of"].contains(&token.lower.as_str())
                })
        });
    let common = links.tokens.get(at).is_some_and(is_common);
    common && begins && ends && !links.common_at(at).is_empty()
}

/// Adds the texts that conditions compare with.
fn collect(conditions: &[Condition], texts: &mut Vec<String>) {
    for condition in conditions {
        match condition {
            Condition::In(_, values) => texts.extend(values.iter().cloned()),
            Condition::Same(_, text) | Condition::Text(_, _, text) => texts.push(text.clone()),
            Condition::Not(inner) => collect(std::slice::from_ref(inner), texts),
            Condition::Any(any) | Condition::Lacks(_, any) => collect(any, texts),
            Condition::Related(related) => collect(&related.conditions, texts),
            Condition::Number(..)
            | Condition::Between(..)
            | Condition::Missing(_)
            | Condition::Present(_)
            | Condition::Date(..)
            | Condition::Columns(..)
            | Condition::Flag(_) => {}
        }
    }
}
