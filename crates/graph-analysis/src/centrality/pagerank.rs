//! PageRank by power iteration, and the strengths of edges that it shares with the eigenvector.

use crate::network::{Network, Weights};
use crate::per_node::PerNode;

/// The damping factor of PageRank: the usual one, and the default of NetworkX.
const DAMPING: f64 = 0.85;
/// PageRank ends when the sum of the changes is less than this. The changes shrink by the damping
/// factor each time, so that takes some 180 iterations.
const RANK_TOLERANCE: f64 = 1e-13;
/// The most iterations of PageRank: 0.85^250 is 2e-18, below the precision of a double near 1.
const MAX_RANK_ITERATIONS: u32 = 250;
/// Returns the PageRank: `p(v) = (1 - α) / n + α (Σ w(u, v) p(u) / W(u) + D / n)` with `α` = 0.85,
/// `W(u)` the strength of all edges that begin at `u`, and `D` the rank of the nodes at which none
/// begins. The ranks add up to 1. A weight is a strength; an undirected edge counts both ways. It
/// always converges, to 1e-12 in sum. Source: `networkx.pagerank`; Page, Brin, Motwani and Winograd
/// (1999).
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

/// Returns the share of a node's rank that goes along an edge. An edge without strength gets none.
fn share(strength: f64, all: f64) -> f64 {
    if strength > 0.0 { strength / all } else { 0.0 }
}

/// Returns the sum of the strengths of the edges that begin at a node.
pub(super) fn strength(network: &Network, weights: Weights, node: u32) -> f64 {
    match weights {
        Weights::Ignored => f64::from(network.outgoing().length(node)),
        Weights::Used => network.outgoing().arcs(node).map(|arc| arc.1).sum(),
    }
}

/// Returns the sum of a function of the other end and the strength, over the edges that end at a
/// node.
pub(super) fn pulled(
    network: &Network,
    weights: Weights,
    node: u32,
    term: impl Fn(u32, f64) -> f64,
) -> f64 {
    let incoming = network.incoming();
    match weights {
        Weights::Ignored => incoming.row(node).iter().map(|from| term(*from, 1.0)).sum(),
        Weights::Used => incoming
            .arcs(node)
            .map(|(from, strength)| term(from, strength))
            .sum(),
    }
}
