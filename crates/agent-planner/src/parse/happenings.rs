//! Verbs that stand for tables of events, also where a column has the participle as a value.

use super::Parser;
use crate::lexicon::{VERBS_OF_NOUNS, of};
use crate::links::{Found, ValueLink};
use crate::morphology::{is_participle, lemma, stems};
use crate::plan::Step;

/// Words between a verb and its participle.
const ADVERBS: &[&str] = &["not", "never", "ever", "already", "yet"];

/// Words behind which a participle says how a row is, and not what happened to it.
const STATES: &[&str] = &[
    "is",
    "are",
    "isn't",
    "aren't",
    "and",
    "or",
    ",",
    "currently",
    "now",
];

impl Parser<'_> {
    /// The table that a verb stands for.
    pub(super) fn table_of_verb(&self, word: &str) -> Option<usize> {
        let stems = stems(word);
        let nouns = stems
            .iter()
            .find_map(|stem| of(VERBS_OF_NOUNS, stem))
            .unwrap_or_default();
        let own = stems
            .iter()
            .skip(usize::from(!is_participle(word)))
            .filter_map(|stem| self.links.table_named(&lemma(stem)));
        let named = nouns.iter().filter_map(|noun| self.links.table_named(noun));
        own.chain(named).next()
    }

    /// `vehicles that have never been rented`, where a vehicle has the status `rented` and rows of another table say when it was.
    ///
    /// # Errors
    /// A question back for `vehicles that were rented`, which may be either.
    pub(super) fn value_is_event(&mut self, found: &Found<Vec<ValueLink>>) -> Step<bool> {
        let word = self.word(0);
        let Some(own) = self.table_of(self.scope).filter(|own| {
            let mut links = found.item.iter();
            links.any(|link| link.column.table == *own)
        }) else {
            return Ok(false);
        };
        let is_quality = self.links.table_at(self.at + 1).is_some();
        if found.tokens != 1 || !is_participle(word) || self.is_capital() || is_quality {
            return Ok(false);
        }
        let certain = self.table_of_verb(word).filter(|table| *table != own);
        let Some(event) = certain.or_else(|| self.event_of(word, own)) else {
            return Ok(false);
        };
        let before = self.tokens().iter().take(self.at).rev();
        let mut before = before.map(|token| token.lower.as_str());
        let mut ever = false;
        let verb = before.find(|word| {
            ever |= ["never", "ever"].contains(word);
            !ADVERBS.contains(word)
        });
        let verb = verb.unwrap_or_default();
        if !ever && STATES.contains(&verb) {
            return Ok(false);
        }
        let catalog = self.links.catalog;
        let rows = format!("rows of {}", catalog.table_name(event));
        if certain.is_none() || !ever && verb != "been" {
            let column = found.item.iter().find(|link| link.column.table == own);
            let column = column.map_or_else(String::new, |link| catalog.shown(link.column));
            let question = format!("{word:?}: is a value meant, or that there are rows?");
            let chosen = catalog.choose(question, &[rows.clone(), column], Clone::clone)?;
            if chosen != rows {
                return Ok(false);
            }
        }
        let word = word.to_owned();
        self.at += 1;
        self.open(event, None, true, word)?;
        Ok(true)
    }

    /// The table of what happens to rows, by the beginning of its name: `reservations` for `reserved`.
    fn event_of(&self, verb: &str, own: usize) -> Option<usize> {
        let stems = stems(verb);
        let is_event = |table: &usize| {
            let view = self.links.catalog.table(*table);
            view.and_then(|view| view.words.last()).is_some_and(|noun| {
                let begins = |stem: &String| {
                    let stem = stem.trim_end_matches(['e', 'y']);
                    stem.len() > 2 && noun.starts_with(stem)
                };
                stems.iter().skip(1).any(begins) && !noun.ends_with("er") && !noun.ends_with("or")
            })
        };
        let edges = self.relations.edges.iter();
        let children = edges
            .filter(|edge| edge.parent.table == own)
            .map(|edge| edge.child.table);
        children.filter(|table| *table != own).find(is_event)
    }
}
