//! Whether each word of a change that may be a value has become one: a word that was left out would make it hit other rows.

use crate::ask::Condition;
use crate::calendar;
use crate::day::Day;
use crate::lexicon::{TITLES, of};
use crate::links::Links;
use crate::lookup::is_common;
use crate::plan::{Step, Stop};
use crate::token::{Token, TokenKind};

/// Words that compare a column with what follows.
const COMPARES: &[&str] = &["is", "are", "was", "were", "equals", "=", "=="];

/// Refuses a change where a word may be a value and no condition has it.
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
        let said = has_value || says(&lower, token);
        let suspect = match named {
            Some(named) => value.is_some() && tokens > named,
            None => value.is_some() || is_written(links, at) || is_listed(links, at),
        };
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

/// Whether a text of the conditions has the word.
fn says(texts: &[String], token: &Token) -> bool {
    texts.iter().any(|text| {
        let mut words = text.split(|letter: char| !letter.is_alphanumeric());
        *text == token.lower || words.any(|word| word == token.lower)
    })
}

/// Whether a word is written as a name, and does not say who somebody is.
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

/// Whether a word is a part of a date.
fn is_in_date(links: &Links<'_>, at: usize, today: Day) -> bool {
    let dated = |from: usize| {
        let rest = links.tokens.get(from..).unwrap_or_default();
        let found = calendar::dated(rest, today);
        found.is_some_and(|found| from + found.tokens > at)
    };
    (at.saturating_sub(2)..=at).any(dated)
}

/// Whether a word of sentences that a value is spelt like stands alone where a value may stand: `and it`, `with unit each`.
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

/// The texts that conditions compare with.
fn collect(conditions: &[Condition], texts: &mut Vec<String>) {
    for condition in conditions {
        match condition {
            Condition::In(_, values) => texts.extend(values.iter().cloned()),
            Condition::Same(_, text) | Condition::Text(_, _, text) => texts.push(text.clone()),
            Condition::Not(inner) => collect(std::slice::from_ref(inner), texts),
            Condition::Any(any) | Condition::Lacks(_, any) => collect(any, texts),
            Condition::Related(related) => collect(&related.conditions, texts),
            _ => {}
        }
    }
}
