//! Eigenvector centrality and PageRank, by power iteration.

use crate::error::{AnalysisError, Result};
use crate::limits::{MAX_POWER_ITERATIONS, MAX_POWER_STEPS};
use crate::network::{Direction, Network, Weights};
use crate::per_node::PerNode;
use crate::structure::strong_components;

/// The damping factor of PageRank: the usual one, and the default of NetworkX.
const DAMPING: f64 = 0.85;
/// PageRank ends when the values change by less than this in sum. They shrink by the damping factor each time, so that is some 180 iterations.
const RANK_TOLERANCE: f64 = 1e-13;
/// Iterations of PageRank at most: 0.85^250 is 2e-18, below what a double resolves beside 1.
const MAX_RANK_ITERATIONS: u32 = 250;
/// The eigenvector ends when a step changes it by less than this in length. What is left to go is longer by the ratio of the two largest
/// eigenvalues, which leaves five digits of the 1e-4 that results promise.
const VECTOR_TOLERANCE: f64 = 1e-11;

/// The reciprocal of strengths so small that theirs is infinite.
const GREATEST_UNIT: f64 = 1e300;

/// The eigenvector of the greatest eigenvalue, `λ x(v) = Σ w(u, v) x(u)`: of length 1 and without negative values. A weight is a
/// strength. In a directed graph the edges that end at a node count. Found by iterating `A + s I` from equal values; the shift `s`, half the mean
/// strength, lets bipartite graphs converge. A graph without edges has equal values. Source: `networkx.eigenvector_centrality`.
///
/// # Errors
/// [`AnalysisError::NoEigenvector`]; [`AnalysisError::NotConverged`] after as many iterations as the limits allow, where the two greatest
/// eigenvalues are close, as in a long line.
pub fn eigenvector(network: &Network, weights: Weights) -> Result<Vec<f64>> {
    let nodes = network.node_count();
    let equal = 1.0 / f64::from(nodes.max(1)).sqrt();
    let mut current = PerNode::new(nodes, equal);
    if network.arc_count() == 0 {
        return Ok(current.into_values());
    }
    let shift = half_mean_strength(network, weights);
    if shift <= 0.0 {
        return Ok(current.into_values());
    }
    let has_cycle = || strong_components(network).count() < nodes || network.self_loop_count() > 0;
    if network.direction() == Direction::Directed && !has_cycle() {
        return Err(AnalysisError::NoEigenvector);
    }
    // Strengths in units of the shift, so that neither large nor small ones leave the range of a double.
    let unit = (1.0 / shift).min(GREATEST_UNIT);
    let fitting = MAX_POWER_STEPS / (u64::from(nodes) + network.arc_count());
    let iterations = fitting.min(MAX_POWER_ITERATIONS);
    let mut next = PerNode::new(nodes, 0.0);
    for _ in 0..iterations {
        let mut squares = 0.0;
        for node in 0..nodes {
            let pulled = pulled(network, weights, node, |from, strength| {
                unit * strength * current.get(from)
            });
            let value = unit * shift * current.get(node) + pulled;
            next.set(node, value);
            squares += value * value;
        }
        let length = squares.sqrt();
        let mut change = 0.0;
        for node in 0..nodes {
            next.update(node, |value| {
                *value /= length;
                let difference = *value - current.get(node);
                change += difference * difference;
            });
        }
        std::mem::swap(&mut current, &mut next);
        if change.sqrt() < VECTOR_TOLERANCE {
            return Ok(current.into_values());
        }
    }
    Err(AnalysisError::NotConverged {
        iterations: iterations as u32,
    })
}

/// Half the mean strength of a node. The greatest eigenvalue of an undirected graph is at least twice that.
fn half_mean_strength(network: &Network, weights: Weights) -> f64 {
    let nodes = network.node_count();
    let total: f64 = (0..nodes)
        .map(|node| strength(network, weights, node))
        .sum();
    total / f64::from(nodes) / 2.0
}

/// The sum of the strengths of the edges that begin at a node.
fn strength(network: &Network, weights: Weights, node: u32) -> f64 {
    match weights {
        Weights::Ignored => f64::from(network.outgoing().length(node)),
        Weights::Used => network.outgoing().arcs(node).map(|arc| arc.1).sum(),
    }
}

/// The sum over the edges that end at a node of what a function makes of their other end and strength.
fn pulled(network: &Network, weights: Weights, node: u32, term: impl Fn(u32, f64) -> f64) -> f64 {
    let incoming = network.incoming();
    match weights {
        Weights::Ignored => incoming.row(node).iter().map(|from| term(*from, 1.0)).sum(),
        Weights::Used => incoming
            .arcs(node)
            .map(|(from, strength)| term(from, strength))
            .sum(),
    }
}

/// PageRank: `p(v) = (1 - α) / n + α (Σ w(u, v) p(u) / W(u) + D / n)` with `α` = 0.85, `W(u)` the strength of all edges that begin at
/// `u`, and `D` the rank of the nodes where none does. Sums to 1. A weight is a strength; an undirected edge counts both ways.
/// Source: `networkx.pagerank`; Page, Brin, Motwani and Winograd (1999). Always converges, to 1e-12 in sum.
pub fn pagerank(network: &Network, weights: Weights) -> Vec<f64> {
    let nodes = network.node_count();
    let count = f64::from(nodes.max(1));
    let mut ranks = PerNode::new(nodes, 1.0 / count);
    let mut next = ranks.clone();
    let strengths = PerNode::from_values(
        (0..nodes)
            .map(|node| strength(network, weights, node))
            .collect(),
    );
    for _ in 0..MAX_RANK_ITERATIONS {
        let dangling: f64 = (0..nodes)
            .filter(|node| strengths.get(*node) <= 0.0)
            .map(|node| ranks.get(node))
            .sum();
        let base = (1.0 - DAMPING + DAMPING * dangling) / count;
        let mut change = 0.0;
        for node in 0..nodes {
            let pulled = pulled(network, weights, node, |from, strength| {
                ranks.get(from) * share(strength, strengths.get(from))
            });
            let rank = base + DAMPING * pulled;
            change += (rank - ranks.get(node)).abs();
            next.set(node, rank);
        }
        std::mem::swap(&mut ranks, &mut next);
        if change < RANK_TOLERANCE {
            break;
        }
    }
    ranks.into_values()
}

/// The share of a node's rank that goes along an edge. An edge without strength takes none.
fn share(strength: f64, all: f64) -> f64 {
    if strength > 0.0 { strength / all } else { 0.0 }
}
