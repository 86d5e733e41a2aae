//! Applies the rules to the hits of a question, one after another.

use std::collections::BTreeMap;

use super::weights::{Effect, Reason, Rule, Weights};
use super::{file, name};
use crate::fuse::{FusedHit, Modality};
use crate::item::Item;
use crate::question::Question;

/// A hit with its score and its ranks.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedHit {
    /// The item's row.
    pub row: i64,
    /// The score after all rules.
    pub score: f64,
    /// The lists that have it.
    pub modality: Modality,
    /// Its rank in the sparse list, from 1.
    pub sparse_rank: Option<usize>,
    /// Its rank in the dense list, from 1.
    pub dense_rank: Option<usize>,
    /// The rules that changed the score, in order.
    pub reasons: Vec<Reason>,
}

/// Returns the hits whose items are known, best first, ties by row.
#[must_use]
pub fn apply(
    question: &Question,
    hits: &[FusedHit],
    items: &BTreeMap<i64, Item>,
    weights: &Weights,
) -> Vec<RankedHit> {
    let best = hits.iter().map(|hit| hit.score).fold(0.0, f64::max);
    let mut known: Vec<(RankedHit, &Item)> = hits
        .iter()
        .filter_map(|hit| Some((RankedHit::from(hit), items.get(&hit.id)?)))
        .collect();
    for (ranked, item) in &mut known {
        let of_name = name::definition(question, item, weights);
        ranked.add(Rule::Definition, best * of_name);
        ranked.add(
            Rule::WholePath,
            best * name::whole_path(question, item, weights),
        );
        ranked.add(
            Rule::NameInSentence,
            best * name::name_in_sentence(question, item, weights),
        );
        ranked.add(
            Rule::NameWords,
            best * name::name_words(question, item, weights),
        );
        ranked.add(Rule::Summary, best * name::summary(question, item, weights));
        ranked.add(
            Rule::OwnerWords,
            best * name::owner_words(question, item, weights),
        );
        ranked.add(
            Rule::FileName,
            best * file::file_name(question, &item.file_path, weights),
        );
        ranked.add(
            Rule::Path,
            best * file::path(question, &item.file_path, weights),
        );
    }
    cohere(&mut known, best * weights.coherence);
    if !file::asks_for_secondary(question) {
        for (ranked, item) in &mut known {
            if file::is_secondary(&item.file_path) || file::is_inside_tests(&item.canon_path) {
                ranked.multiply(Rule::Secondary, weights.secondary);
            }
        }
    }
    decay(&mut known, weights.further_hit);
    known.into_iter().map(|(ranked, _)| ranked).collect()
}

/// Raises the score of the first hit of each file by the sum of the file's scores: several hits in
/// one file are stronger evidence than one.
fn cohere(known: &mut [(RankedHit, &Item)], most: f64) {
    sort(known);
    let sums = file::sums(
        known
            .iter()
            .map(|(ranked, item)| (item.file_path.as_str(), ranked.score)),
    );
    let greatest = sums.values().copied().fold(0.0, f64::max);
    let mut seen: BTreeMap<&str, ()> = BTreeMap::new();
    for (ranked, item) in known {
        let path = item.file_path.as_str();
        if seen.insert(path, ()).is_none() && greatest > 0.0 {
            let sum = sums.get(path).copied().unwrap_or_default();
            ranked.add(Rule::Coherence, most * sum / greatest);
        }
    }
}

/// Lowers the scores of the further hits of a file, so that one file does not fill the response.
fn decay(known: &mut [(RankedHit, &Item)], factor: f64) {
    sort(known);
    let mut seen: BTreeMap<&str, f64> = BTreeMap::new();
    for (ranked, item) in known.iter_mut() {
        let share = seen.entry(item.file_path.as_str()).or_insert(1.0);
        ranked.multiply(Rule::FurtherHit, *share);
        *share *= factor;
    }
    sort(known);
}

fn sort(known: &mut [(RankedHit, &Item)]) {
    known.sort_by(|(left, _), (right, _)| {
        right
            .score
            .total_cmp(&left.score)
            .then(left.row.cmp(&right.row))
    });
}

impl From<&FusedHit> for RankedHit {
    fn from(hit: &FusedHit) -> Self {
        let mut ranked = Self {
            row: hit.id,
            score: 0.0,
            modality: hit.modality,
            sparse_rank: hit.sparse_rank,
            dense_rank: hit.dense_rank,
            reasons: Vec::new(),
        };
        ranked.add(Rule::Fused, hit.score);
        ranked
    }
}

impl RankedHit {
    fn add(&mut self, rule: Rule, score: f64) {
        if score != 0.0 {
            self.score += score;
            self.reasons.push(Reason {
                rule,
                effect: Effect::Added(score),
            });
        }
    }

    fn multiply(&mut self, rule: Rule, factor: f64) {
        #[expect(clippy::float_cmp, reason = "a factor of exactly 1 changes nothing")]
        if factor != 1.0 {
            self.score *= factor;
            self.reasons.push(Reason {
                rule,
                effect: Effect::Multiplied(factor),
            });
        }
    }
}
