//! Closeness and harmonic centrality, by incoming distance.
//!
//! A search from `s` along the edges finds `d(s, v)` for every `v`, which is the contribution of
//! `s` to `v`. So each reached node has a sum, to which every source adds in the same way, and a
//! sample of sources estimates the sums of all nodes.

use super::Scores;
use crate::error::Result;
use crate::limits::{MAX_DIJKSTRA_STEPS, MAX_SWEEP_STEPS};
use crate::network::{Network, Weights};
use crate::per_node::PerNode;
use crate::search::Search;
use crate::sources::{Chosen, Sources, choose};
use crate::sweep::sweep;

/// Returns `C(v) = (r / (n - 1)) · (r / Σ d(u, v))` over the `r` other nodes `u` that reach `v`
/// (Wasserman and Faust 1994); 0 if no distance is positive. A weight is a distance. Source:
/// `networkx.closeness_centrality`.
///
/// For a sample of `k` sources other than `v`: `(r / k) · (r / Σ d(u, v))` over the `r` of them
/// that reach `v`. Time O(s (n + m)) for `s` sources, with weights O(s (n + m) log n).
///
/// # Errors
/// [`crate::AnalysisError::TooLarge`] and [`crate::AnalysisError::SampleTooSmall`], depending on
/// `sources`.
pub fn closeness(network: &Network, weights: Weights, sources: Sources) -> Result<Scores> {
    let gathered = gather(network, weights, sources, |distance| distance)?;
    Ok(gathered.scores(|sum, reached, others| {
        if sum > 0.0 && others > 0.0 {
            (reached / others) * (reached / sum)
        } else {
            0.0
        }
    }))
}

/// Returns `H(v) = Σ 1 / d(u, v)` over the other nodes `u` that reach `v` at a positive distance.
/// It is not normalised: without weights it is at most `n - 1`. A weight is a distance. Source:
/// `networkx.harmonic_centrality`.
///
/// For a sample of `k` sources other than `v`, the sum is multiplied by `(n - 1) / k`. Time as for
/// [`closeness`].
///
/// # Errors
/// [`crate::AnalysisError::TooLarge`] and [`crate::AnalysisError::SampleTooSmall`], depending on
/// `sources`.
pub fn harmonic(network: &Network, weights: Weights, sources: Sources) -> Result<Scores> {
    let nodes = f64::from(network.node_count());
    let gathered = gather(network, weights, sources, |distance| {
        if distance > 0.0 { 1.0 / distance } else { 0.0 }
    })?;
    let is_sample = gathered.chosen.sampled.is_some();
    Ok(gathered.scores(|sum, _, others| match is_sample {
        true if others > 0.0 => sum * (nodes - 1.0) / others,
        _ => sum,
    }))
}

/// The sums over the sources at each node.
struct Gathered {
    chosen: Chosen,
    nodes: u32,
    sums: PerNode<f64>,
    /// The number of sources other than the node that reach it.
    reached: PerNode<u32>,
}

impl Gathered {
    /// Returns the score of each node from its sum, the number of sources that reach it, and the
    /// number of all sources but itself.
    fn scores(self, score: impl Fn(f64, f64, f64) -> f64) -> Scores {
        let mut others = PerNode::new(self.nodes, self.chosen.nodes.len() as u32);
        for source in &self.chosen.nodes {
            others.update(*source, |count| *count -= 1);
        }
        let values = (0..self.nodes)
            .map(|node| {
                let reached = f64::from(self.reached.get(node));
                score(self.sums.get(node), reached, f64::from(others.get(node)))
            })
            .collect();
        Scores {
            values,
            sampled_sources: self.chosen.sampled,
        }
    }
}

fn gather(
    network: &Network,
    weights: Weights,
    sources: Sources,
    term: impl Fn(f64) -> f64,
) -> Result<Gathered> {
    let what = "the number of sources of closeness";
    let limit = match weights {
        Weights::Ignored => MAX_SWEEP_STEPS,
        Weights::Used => MAX_DIJKSTRA_STEPS,
    };
    let chosen = choose(network, sources, what, limit)?;
    let nodes = network.node_count();
    let mut sums = PerNode::new(nodes, 0.0);
    let mut counts = PerNode::new(nodes, 0u32);
    let mut add = |node: u32, distance: f64, sources: u32| {
        sums.update(node, |sum| *sum += f64::from(sources) * term(distance));
        counts.update(node, |count| *count += sources);
    };
    match weights {
        Weights::Ignored => sweep(network.outgoing(), nodes, &chosen.nodes, None, |reached| {
            if reached.distance > 0 {
                add(
                    reached.node,
                    f64::from(reached.distance),
                    reached.sources.count_ones(),
                );
            }
        }),
        Weights::Used => {
            let mut search = Search::new(nodes);
            for source in &chosen.nodes {
                search.run(network.outgoing(), weights, *source, None, |_, _| true);
                for node in search.order().iter().filter(|node| *node != source) {
                    add(*node, search.state(*node).distance, 1);
                }
            }
        }
    }
    Ok(Gathered {
        chosen,
        nodes,
        sums,
        reached: counts,
    })
}
