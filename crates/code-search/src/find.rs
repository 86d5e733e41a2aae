//! Turns a question into a context: searches two lists of hits, fuses them, applies the rules, and
//! packs the parts.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use serde::Serialize;

use crate::fuse::{Hit, fuse};
use crate::item::{Filter, Item, Text};
use crate::pack::{PackedContext, candidates, pack, top_k};
use crate::question::Question;
use crate::rules::{RankedHit, Weights, apply};

/// The source of a search: the store of a workspace at one version.
pub trait Source {
    /// The reason why the store could not be read.
    type Error;

    /// Returns the items that match an expression of
    /// [`words::query_words`](crate::words::query_words), best first; `None` if there is no text
    /// index.
    ///
    /// # Errors
    ///
    /// Errors of the store.
    fn text(&mut self, expression: &str, limit: usize) -> Result<Option<Vec<Hit>>, Self::Error>;

    /// Returns the items whose vectors are nearest to that of the question, best first; `None` if
    /// there are no vectors.
    ///
    /// # Errors
    ///
    /// Errors of the store.
    fn near(&mut self, question: &str, limit: usize) -> Result<Option<Vec<Hit>>, Self::Error>;

    /// Returns the rows of the items that define or re-export one of these names, spelled exactly
    /// like this.
    ///
    /// # Errors
    ///
    /// Errors of the store.
    fn named(&mut self, names: &[String], limit: usize) -> Result<Vec<i64>, Self::Error>;

    /// Returns the items of these rows. Removed items are left out.
    ///
    /// # Errors
    ///
    /// Errors of the store.
    fn items(&mut self, rows: &[i64]) -> Result<Vec<Item>, Self::Error>;

    /// Returns the text of an item.
    ///
    /// # Errors
    ///
    /// Errors of the store.
    fn read(&mut self, item: &Item) -> Result<Text, Self::Error>;
}

/// The lists that a search used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The text index and the vectors.
    Hybrid,
    /// The text index alone: there are no vectors.
    SparseOnly,
    /// Vectors alone: there is no text index, or no word of the question can be looked up in it.
    DenseOnly,
    /// Names alone.
    NamesOnly,
}

/// The ranked hits with their items.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// The lists that the search used.
    pub mode: Mode,
    /// The hits that pass the filter, best first.
    pub hits: Vec<RankedHit>,
    /// Their items by row.
    pub items: BTreeMap<i64, Item>,
}

/// The response to a question within a budget.
#[derive(Debug, Clone, PartialEq)]
pub struct Context {
    /// The lists that the search used.
    pub mode: Mode,
    /// The number of parts that the budget allows.
    pub top_k: usize,
    /// The parts and their statistics.
    pub packed: PackedContext,
    /// The hits that the parts were chosen from, best first, each with its reasons.
    pub hits: Vec<RankedHit>,
}

/// Returns the best hits for a question. Each list returns at most `limit` rows, before the filter
/// is applied.
///
/// # Errors
///
/// Errors of the source.
pub fn rank<S: Source>(
    source: &mut S,
    question: &Question,
    filter: &Filter,
    weights: &Weights,
    limit: usize,
) -> Result<Ranking, S::Error> {
    let text = match question.expression() {
        Some(expression) => source.text(&expression, limit)?,
        None => None,
    };
    let near = source.near(question.text(), limit)?;
    let mode = match (&text, &near) {
        (Some(_), Some(_)) => Mode::Hybrid,
        (Some(_), None) => Mode::SparseOnly,
        (None, Some(_)) => Mode::DenseOnly,
        (None, None) => Mode::NamesOnly,
    };
    let mut sparse = text.unwrap_or_default();
    let named = if question.names().is_empty() {
        Vec::new()
    } else {
        source.named(question.names(), limit)?
    };
    // A definition of a name in the question is always a candidate, even if the text index ranks it
    // low or not at all. The rules decide about it.
    let missing = named
        .into_iter()
        .filter(|row| !sparse.iter().any(|hit| hit.id == *row))
        .collect::<Vec<_>>();
    sparse.extend(missing.into_iter().map(|id| Hit { id, score: 0.0 }));
    let share = if question.is_symbol() {
        weights.dense_of_symbol
    } else {
        weights.dense_of_sentence
    };
    let mut fused = fuse(
        &sparse,
        &near.unwrap_or_default(),
        share,
        weights.rank_constant,
    );
    let rows: Vec<i64> = fused.iter().map(|hit| hit.id).collect();
    let items: BTreeMap<i64, Item> = source
        .items(&rows)?
        .into_iter()
        .filter(|item| filter.passes(item))
        .map(|item| (item.row, item))
        .collect();
    fused.retain(|hit| items.contains_key(&hit.id));
    Ok(Ranking {
        mode,
        hits: apply(question, &fused, &items, weights),
        items,
    })
}

/// Returns the context of a question within a token budget.
///
/// # Errors
///
/// Errors of the source.
pub fn context<S: Source>(
    source: &mut S,
    question: &Question,
    filter: &Filter,
    budget: NonZeroU32,
) -> Result<Context, S::Error> {
    let top_k = top_k(budget);
    let ranking = rank(source, question, filter, &Weights::USED, candidates(top_k))?;
    let packed = pack(&ranking.hits, &ranking.items, budget, |item| {
        source.read(item)
    })?;
    Ok(Context {
        mode: ranking.mode,
        top_k,
        packed,
        hits: ranking.hits,
    })
}

#[cfg(test)]
mod tests;
