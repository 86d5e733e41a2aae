//! Betweenness centrality after Brandes, "A faster algorithm for betweenness centrality" (2001).
//!
//! Without weights, `lanes` processes eight sources at a time if they share enough steps. Otherwise
//! sources are processed one by one, as on a line and in graphs whose lanes do not fit into a
//! cache. The forward search then records the arcs of shortest paths in order, and the backward
//! pass reads that list from its end: each node takes a share from the nodes one step further.
//! Nothing is hashed or allocated per source, and the loop over arcs has no branch on its data,
//! which is unpredictable in random graphs.

use super::{Scores, lanes};
use crate::error::{AnalysisError, Result};
use crate::limits::{MAX_BETWEENNESS_STEPS, MAX_DIJKSTRA_STEPS};
use crate::network::{Network, Rows, Weights};
use crate::per_node::PerNode;
use crate::search::Search;
use crate::sources::{Chosen, Sources, choose};

/// Returns the share of shortest paths between other nodes that pass through each node: `B(v) = Σ
/// σ(s, t | v) / σ(s, t)` over `s ≠ v ≠ t`, divided by `(n - 1) (n - 2)`, the number of ordered
/// pairs; undirected that is `2 / ((n - 1) (n - 2))` for unordered ones. The ends of a path do not
/// count. A weight is a distance, and distances are compared exactly. Source:
/// `networkx.betweenness_centrality`.
///
/// For a sample of `k` sources other than `v`, the value is the sum over them times `(n - 1) / k`.
/// Time O(s (n + m)) for `s` sources, with weights O(s (n + m) log n).
///
/// # Errors
/// [`AnalysisError::TooLarge`] and [`AnalysisError::SampleTooSmall`], depending on `sources`;
/// [`AnalysisError::ZeroDistance`]; [`AnalysisError::TooManyPaths`].
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
    // A source never adds to its own value, so a node in the sample has one source less.
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

/// The state of a node in a breadth-first search.
#[derive(Clone, Copy)]
struct Visit {
    /// The number of shortest paths from the source.
    paths: f64,
    /// The distance from the source in edges, or [`UNREACHED`].
    distance: u32,
}

/// The distance of a node that is not reached.
const UNREACHED: u32 = u32::MAX;

impl Default for Visit {
    fn default() -> Self {
        Self {
            paths: 0.0,
            distance: UNREACHED,
        }
    }
}

fn unweighted(network: &Network, sources: &[u32]) -> PerNode<f64> {
    let mut sums = PerNode::new(network.node_count(), 0.0);
    let left = lanes::add_dependencies(network, sources, &mut sums);
    add_dependencies(network, left, &mut sums);
    sums
}

/// Adds the dependencies of the sources, one after the other.
fn add_dependencies(network: &Network, sources: &[u32], sums: &mut PerNode<f64>) {
    // `(1 + dependency) / paths` of each node that the backward pass has processed.
    let mut shares = PerNode::new(network.node_count(), 0.0);
    let mut search = Forward::new(network);
    for source in sources {
        search.run(network.outgoing(), *source);
        // The source is the first in the order and so the last in the backward pass. Its own
        // dependency does not count.
        for index in (0..search.reached).rev() {
            let node = search.order.get(index);
            let passed: f64 = search
                .further(index)
                .iter()
                .map(|next| shares.get(*next))
                .sum();
            let paths = search.visits.get(node).paths;
            let dependency = paths * passed;
            shares.set(node, (1.0 + dependency) / paths);
            if index > 0 {
                sums.update(node, |sum| *sum += dependency);
            }
        }
    }
}

/// A breadth-first search that counts shortest paths. Its inner loop has no branch that depends on
/// the graph: every value is written after the end of a list, and the end moves only if the value
/// is kept.
struct Forward {
    visits: PerNode<Visit>,
    /// The nodes in order of distance, which is also the queue.
    order: PerNode<u32>,
    reached: u32,
    /// The next nodes on shortest paths, for each node of `order` in turn.
    tight: PerNode<u32>,
    /// The end of each node's part of `tight`, by its index in `order`.
    ends: PerNode<u32>,
}

impl Forward {
    fn new(network: &Network) -> Self {
        let nodes = network.node_count();
        Self {
            visits: PerNode::new(nodes, Visit::default()),
            order: PerNode::new(nodes + 1, 0),
            reached: 0,
            tight: PerNode::new(network.arc_count() as u32 + 1, 0),
            ends: PerNode::new(nodes, 0),
        }
    }

    fn run(&mut self, rows: &Rows, source: u32) {
        self.visits.fill(Visit::default());
        self.visits.set(
            source,
            Visit {
                paths: 1.0,
                distance: 0,
            },
        );
        self.order.set(0, source);
        // Plain slices and local variables, which the compiler can keep in registers.
        let (visits, order) = (self.visits.slots(), self.order.slots());
        let (tight, ends) = (self.tight.slots(), self.ends.slots());
        let (mut reached, mut end) = (1usize, 0usize);
        for index in 0..ends.len() {
            let Some(node) = order.get(index).filter(|_| index < reached).copied() else {
                break;
            };
            let Visit { paths, distance } = visits.get(node as usize).copied().unwrap_or_default();
            let further = distance + 1;
            for next in rows.row(node) {
                let slots = (
                    visits.get_mut(*next as usize),
                    order.get_mut(reached),
                    tight.get_mut(end),
                );
                let (Some(visit), Some(queued), Some(listed)) = slots else {
                    break;
                };
                let is_new = visit.distance == UNREACHED;
                let is_tight = is_new | (visit.distance == further);
                visit.distance = if is_new { further } else { visit.distance };
                visit.paths += if is_tight { paths } else { 0.0 };
                *queued = *next;
                *listed = *next;
                reached += usize::from(is_new);
                end += usize::from(is_tight);
            }
            if let Some(slot) = ends.get_mut(index) {
                *slot = end as u32;
            }
        }
        self.reached = reached as u32;
    }

    /// Returns the next nodes on shortest paths from a node of the order.
    #[inline(always)]
    fn further(&self, index: u32) -> &[u32] {
        let start = index
            .checked_sub(1)
            .map_or(0, |before| self.ends.get(before));
        let range = start as usize..self.ends.get(index) as usize;
        self.tight.values().get(range).unwrap_or_default()
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

/// Returns the next nodes on shortest paths from a node.
fn tight<'rows>(
    rows: &'rows Rows,
    search: &'rows Search,
    node: u32,
) -> impl Iterator<Item = u32> + 'rows {
    let from = search.state(node);
    rows.distances(node).filter_map(move |(next, length)| {
        let to = search.state(next);
        // The rank matters if a length is so small compared with the distance that adding it
        // changes nothing.
        (from.distance + length == to.distance && from.rank < to.rank).then_some(next)
    })
}
