//! Betweenness centrality after Brandes, "A faster algorithm for betweenness centrality" (2001).
//!
//! Instead of lists of predecessors, the way back pulls: a node reads its arcs again and takes from those one step further. So an arc is read
//! twice for each source, nothing is hashed or allocated, and what a step needs of a node lies together in memory.

use super::Scores;
use crate::error::{AnalysisError, Result};
use crate::limits::{MAX_BETWEENNESS_STEPS, MAX_DIJKSTRA_STEPS};
use crate::network::{Network, Rows, Weights};
use crate::per_node::PerNode;
use crate::search::Search;
use crate::sources::{Chosen, Sources, choose};

/// The share of shortest paths between other nodes that pass through each node:
/// `B(v) = Σ σ(s, t | v) / σ(s, t)` over `s ≠ v ≠ t`, divided by `(n - 1) (n - 2)`, the number of ordered pairs; undirected that is
/// `2 / ((n - 1) (n - 2))` for unordered ones. Ends do not count. A weight is a distance, and distances are compared exactly.
/// Source: `networkx.betweenness_centrality`.
///
/// Of a sample of `k` sources other than `v`, the sum over them times `(n - 1) / k`.
/// Time O(s (n + m)) for `s` sources, with weights O(s (n + m) log n).
///
/// # Errors
/// [`AnalysisError::TooLarge`] and [`AnalysisError::SampleTooSmall`], as `sources` says; [`AnalysisError::ZeroDistance`];
/// [`AnalysisError::TooManyPaths`].
pub fn betweenness(network: &Network, weights: Weights, sources: Sources) -> Result<Scores> {
    network.check_distances(weights)?;
    let what = "the number of sources of betweenness";
    let limit = match weights {
        Weights::Ignored => MAX_BETWEENNESS_STEPS,
        Weights::Used => MAX_DIJKSTRA_STEPS,
    };
    let chosen = choose(network, sources, what, limit)?;
    let sums = match weights {
        Weights::Ignored => unweighted(network, &chosen.nodes),
        Weights::Used => weighted(network, &chosen.nodes),
    };
    if sums.values().iter().any(|sum| !sum.is_finite()) {
        return Err(AnalysisError::TooManyPaths);
    }
    Ok(normalised(network.node_count(), sums, &chosen))
}

fn normalised(nodes: u32, mut sums: PerNode<f64>, chosen: &Chosen) -> Scores {
    let others = f64::from(nodes) - 1.0;
    let pairs = others * (others - 1.0);
    let sources = chosen.nodes.len() as f64;
    // A source never adds to itself, so a node of the sample has one source less.
    let scale = |sources: f64| match chosen.sampled {
        _ if pairs <= 0.0 => 0.0,
        Some(_) => others / sources / pairs,
        None => 1.0 / pairs,
    };
    let (of_source, of_other) = (scale(sources - 1.0), scale(sources));
    let mut is_source = PerNode::new(nodes, false);
    for source in &chosen.nodes {
        is_source.set(*source, true);
    }
    for node in 0..nodes {
        let scale = if is_source.get(node) {
            of_source
        } else {
            of_other
        };
        sums.update(node, |sum| *sum *= scale);
    }
    Scores {
        values: sums.into_values(),
        sampled_sources: chosen.sampled,
    }
}

/// What a breadth-first search knows of a node.
#[derive(Clone, Copy)]
struct Visit {
    /// The number of shortest paths from the source.
    paths: f64,
    /// `(1 + dependency) / paths`, once the way back has passed.
    share: f64,
    /// Edges from the source, or [`UNREACHED`].
    distance: u32,
}

/// The distance of a node that is not reached.
const UNREACHED: u32 = u32::MAX;

impl Default for Visit {
    fn default() -> Self {
        Self {
            paths: 0.0,
            share: 0.0,
            distance: UNREACHED,
        }
    }
}

fn unweighted(network: &Network, sources: &[u32]) -> PerNode<f64> {
    let nodes = network.node_count();
    let rows = network.outgoing();
    let mut sums = PerNode::new(nodes, 0.0);
    let mut visits = PerNode::new(nodes, Visit::default());
    let mut order = Vec::with_capacity(nodes as usize);
    for source in sources {
        visit_all(rows, *source, &mut visits, &mut order);
        // The source comes last; its own dependency does not count.
        for node in order.drain(..).rev() {
            let visit = visits.get(node);
            let further = visit.distance + 1;
            let mut shares = 0.0;
            for next in rows.row(node) {
                let next = visits.get(*next);
                shares += if next.distance == further {
                    next.share
                } else {
                    0.0
                };
            }
            let dependency = visit.paths * shares;
            visits.update(node, |visit| visit.share = (1.0 + dependency) / visit.paths);
            if node != *source {
                sums.update(node, |sum| *sum += dependency);
            }
        }
        visits.fill(Visit::default());
    }
    sums
}

/// Searches breadth first, counting shortest paths; `order` is the queue.
fn visit_all(rows: &Rows, source: u32, visits: &mut PerNode<Visit>, order: &mut Vec<u32>) {
    visits.update(source, |visit| {
        visit.distance = 0;
        visit.paths = 1.0;
    });
    order.push(source);
    let mut read = 0;
    while let Some(node) = order.get(read).copied() {
        read += 1;
        let Visit {
            paths, distance, ..
        } = visits.get(node);
        let further = distance + 1;
        for next in rows.row(node) {
            visits.update(*next, |visit| {
                if visit.distance == UNREACHED {
                    visit.distance = further;
                    order.push(*next);
                }
                if visit.distance == further {
                    visit.paths += paths;
                }
            });
        }
    }
}

fn weighted(network: &Network, sources: &[u32]) -> PerNode<f64> {
    let nodes = network.node_count();
    let rows = network.outgoing();
    let mut sums = PerNode::new(nodes, 0.0);
    let mut paths = PerNode::new(nodes, 0.0);
    let mut shares = PerNode::new(nodes, 0.0);
    let mut search = Search::new(nodes);
    for source in sources {
        search.run(rows, Weights::Used, *source, None, |_, _| true);
        paths.set(*source, 1.0);
        for node in search.order() {
            let count = paths.get(*node);
            for next in tight(rows, &search, *node) {
                paths.update(next, |paths| *paths += count);
            }
        }
        for node in search.order().iter().rev() {
            let passed: f64 = tight(rows, &search, *node)
                .map(|next| shares.get(next))
                .sum();
            let count = paths.get(*node);
            let dependency = count * passed;
            shares.set(*node, (1.0 + dependency) / count);
            if node != source {
                sums.update(*node, |sum| *sum += dependency);
            }
        }
        paths.fill(0.0);
    }
    sums
}

/// The nodes that a shortest path reaches next from a node.
fn tight<'rows>(
    rows: &'rows Rows,
    search: &'rows Search,
    node: u32,
) -> impl Iterator<Item = u32> + 'rows {
    let from = search.state(node);
    rows.distances(node).filter_map(move |(next, length)| {
        let to = search.state(next);
        // The rank matters where a distance is so much smaller than the sum that adding it changes nothing.
        (from.distance + length == to.distance && from.rank < to.rank).then_some(next)
    })
}
