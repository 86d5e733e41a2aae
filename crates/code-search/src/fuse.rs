//! Fuses two lists into one: reciprocal rank fusion.
//!
//! A hit gets `weight / (k + rank)` for each list that has it, with ranks from 1 (Cormack et al.,
//! SIGIR 2009). The scores within the lists do not count, so cosines and BM25 need no common scale.

use std::collections::BTreeMap;

use serde::Serialize;

/// A row of a list. The best row comes first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The item's id.
    pub id: i64,
    /// The score in the list, used only in explanations: negated BM25, or a cosine.
    pub score: f64,
}

/// The lists that have a hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Modality {
    /// Only the vectors.
    Dense,
    /// Only the text index, or a look-up by name.
    Sparse,
    /// Both.
    HybridFused,
}

/// A hit of the fused list.
#[derive(Debug, Clone, PartialEq)]
pub struct FusedHit {
    /// The item's id.
    pub id: i64,
    /// The sum of its scores over the lists.
    pub score: f64,
    /// The lists that have it.
    pub modality: Modality,
    /// Its rank in the sparse list, from 1.
    pub sparse_rank: Option<usize>,
    /// Its rank in the dense list, from 1.
    pub dense_rank: Option<usize>,
}

/// Returns the hits of both lists, best first, ties by id. `k` is added to each rank, so that the
/// first few hits do not decide alone. An id that a list contains twice counts at its first
/// position.
#[must_use]
pub fn fuse(sparse: &[Hit], dense: &[Hit], dense_share: f64, k: f64) -> Vec<FusedHit> {
    let mut fused: BTreeMap<i64, FusedHit> = BTreeMap::new();
    for (rank, hit) in (1..).zip(sparse) {
        let entry = fused
            .entry(hit.id)
            .or_insert_with(|| FusedHit::new(hit.id, Modality::Sparse));
        if entry.sparse_rank.is_none() {
            entry.sparse_rank = Some(rank);
            entry.score += share(1.0 - dense_share, k, rank);
        }
    }
    for (rank, hit) in (1..).zip(dense) {
        let entry = fused
            .entry(hit.id)
            .or_insert_with(|| FusedHit::new(hit.id, Modality::Dense));
        if entry.dense_rank.is_none() {
            entry.dense_rank = Some(rank);
            entry.score += share(dense_share, k, rank);
            if entry.sparse_rank.is_some() {
                entry.modality = Modality::HybridFused;
            }
        }
    }
    let mut fused: Vec<FusedHit> = fused.into_values().collect();
    fused.sort_by(|left, right| {
        right
            .score
            .total_cmp(&left.score)
            .then(left.id.cmp(&right.id))
    });
    fused
}

impl FusedHit {
    const fn new(id: i64, modality: Modality) -> Self {
        Self {
            id,
            score: 0.0,
            modality,
            sparse_rank: None,
            dense_rank: None,
        }
    }
}

fn share(weight: f64, k: f64, rank: usize) -> f64 {
    let rank = rank as f64;
    weight / (k + rank)
}

#[cfg(test)]
mod tests {
    use super::{Hit, Modality, fuse};

    fn list(ids: &[i64]) -> Vec<Hit> {
        ids.iter()
            .map(|id| Hit {
                id: *id,
                score: 0.0,
            })
            .collect()
    }

    fn ids(sparse: &[i64], dense: &[i64], share: f64) -> Vec<i64> {
        fuse(&list(sparse), &list(dense), share, 60.0)
            .iter()
            .map(|hit| hit.id)
            .collect()
    }

    #[test]
    fn what_both_lists_have_comes_first() {
        assert_eq!(ids(&[1, 2, 3], &[4, 3], 0.5), [3, 1, 4, 2]);
    }

    #[test]
    fn ties_are_broken_by_id() {
        assert_eq!(ids(&[9], &[2], 0.5), [2, 9]);
    }

    #[test]
    fn the_share_decides_between_the_lists() {
        assert_eq!(ids(&[9], &[2], 0.3), [9, 2]);
    }

    #[test]
    fn a_score_is_the_sum_of_weighted_reciprocal_ranks() {
        let fused = fuse(&list(&[1]), &list(&[7, 1]), 0.5, 60.0);
        let expected = 0.5 / 61.0 + 0.5 / 62.0;
        assert!((fused[0].score - expected).abs() < 1e-12);
        assert_eq!(
            (fused[0].modality, fused[0].sparse_rank, fused[0].dense_rank),
            (Modality::HybridFused, Some(1), Some(2))
        );
        assert_eq!(fused[1].modality, Modality::Dense);
    }

    #[test]
    fn a_row_that_comes_twice_counts_once() {
        assert_eq!(fuse(&list(&[1, 1]), &[], 0.5, 60.0).len(), 1);
    }
}
