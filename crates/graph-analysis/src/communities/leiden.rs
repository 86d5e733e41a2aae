//! The Leiden algorithm: the iterations of a run, and the best of several runs.

use super::level::Level;
use super::local_moving::{Run, move_nodes};
use super::quality::{check_resolution, level_of, of_level};
use super::refinement::refine;
use crate::error::Result;
use crate::limits::{MAX_LEIDEN_RUNS, MAX_LEIDEN_STEPS, SMALL_LEIDEN_STEPS, USUAL_LEIDEN_STEPS};
use crate::network::{Network, Weights};
use crate::per_node::PerNode;
use crate::random::Random;
use crate::structure::Components;

/// The options of the Leiden algorithm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Leiden {
    /// The use of edge weights as strengths.
    pub weights: Weights,
    /// The resolution. A greater one gives more and smaller communities; 1 is the usual modularity.
    pub resolution: f64,
    /// The seed. The same seed gives the same communities.
    pub seed: u64,
    /// The number of steps after which no further run or iteration begins, at most
    /// `MAX_LEIDEN_STEPS`. More steps find better communities in large graphs. `None` derives it
    /// from the size of the graph.
    pub steps: Option<u64>,
}

impl Default for Leiden {
    fn default() -> Self {
        Self {
            weights: Weights::Ignored,
            resolution: 1.0,
            seed: 0,
            steps: None,
        }
    }
}

/// The communities found.
#[derive(Debug, Clone, PartialEq)]
pub struct Communities {
    /// The community of each node. They are numbered from 0 by size, the largest first, then by
    /// smallest node.
    pub labels: Vec<u32>,
    /// The nodes of each community.
    pub sizes: Vec<u32>,
    /// The modularity at the given resolution; `None` for a graph without strength.
    pub modularity: Option<f64>,
    /// The number of runs, of which this is the best: fewer in large graphs.
    pub runs: u32,
    /// True if the limit on steps ended the last run. The communities are connected in any case,
    /// but could perhaps be improved.
    pub is_cut: bool,
}

/// A graph with fewer nodes than this counts as small.
const SMALL_NODES: u32 = 200;
/// The least improvement of modularity that counts. Anything less is rounding.
const LEAST_IMPROVEMENT: f64 = 1e-10;
/// The least gain that counts, as a share of the mean strength of a node. Anything less is
/// rounding.
const LEAST_RELATIVE_GAIN: f64 = 1e-11;

/// Returns communities of high modularity: the best of several runs with different seeds derived
/// from the given one. Each community is connected. Nodes without edges are communities of their
/// own. Edges of a directed graph lose their direction, as in [`super::modularity`]. A weight is a
/// strength.
///
/// A run iterates until modularity no longer improves. Runs and iterations begin while steps are
/// left, but there is at least one run of two iterations; small graphs get many runs. Time O(m) for
/// each iteration, as observed.
///
/// # Errors
/// [`crate::AnalysisError::InvalidResolution`], [`crate::AnalysisError::WeightOverflow`].
pub fn leiden(network: &Network, options: Leiden) -> Result<Communities> {
    check_resolution(options.resolution)?;
    let level = level_of(network, options.weights)?;
    let nodes = level.count();
    let total = level.total_strength();
    let mut best = Best {
        labels: PerNode::from_values((0..nodes).collect()),
        modularity: None,
    };
    let mut seeds = Random::new(options.seed);
    let mut steps = 0;
    let mut runs = 0;
    let mut longest = 0;
    let usual = if nodes < SMALL_NODES {
        SMALL_LEIDEN_STEPS
    } else {
        USUAL_LEIDEN_STEPS
    };
    let wanted = options.steps.unwrap_or(usual).min(MAX_LEIDEN_STEPS);
    // A further run begins if one as long as the longest so far still fits.
    while total > 0.0 && (runs == 0 || runs < MAX_LEIDEN_RUNS as u32 && steps + longest <= wanted) {
        let mut run = Run {
            random: Random::new(seeds.next()),
            penalty: options.resolution / total,
            least_gain: LEAST_RELATIVE_GAIN * total / f64::from(nodes),
            steps: 0,
            wanted: wanted - steps.min(wanted),
            limit: MAX_LEIDEN_STEPS - steps.min(MAX_LEIDEN_STEPS),
        };
        best.improve(iterated(&level, &mut run, options.resolution));
        steps += run.steps;
        longest = longest.max(run.steps);
        runs += 1;
    }
    let components = Components::ordered(&best.labels);
    Ok(Communities {
        labels: components.labels,
        sizes: components.sizes,
        modularity: best.modularity,
        runs,
        is_cut: steps > MAX_LEIDEN_STEPS,
    })
}

/// The best partition so far; the first one of equally good ones.
struct Best {
    labels: PerNode<u32>,
    modularity: Option<f64>,
}

impl Best {
    /// Replaces the partition if the new one is better. Returns true if it is.
    fn improve(&mut self, (labels, modularity): (PerNode<u32>, Option<f64>)) -> bool {
        let is_better = match (self.modularity, modularity) {
            (Some(before), Some(after)) => after > before + LEAST_IMPROVEMENT,
            (before, after) => before.is_none() && after.is_some(),
        };
        if is_better {
            *self = Self { labels, modularity };
        }
        is_better
    }
}

/// Runs iterations, each from the communities of the previous one.
fn iterated(level: &Level, run: &mut Run, resolution: f64) -> (PerNode<u32>, Option<f64>) {
    let mut best = Best {
        labels: PerNode::from_values((0..level.count()).collect()),
        modularity: None,
    };
    let mut unchanged = 0;
    let mut iterations = 0;
    while iterations < LEAST_ITERATIONS || run.steps <= run.wanted {
        iterations += 1;
        let found = connected(level, &iteration(level, &best.labels, run));
        let modularity = of_level(level, &found, resolution);
        let is_better = best.improve((found, modularity));
        unchanged = if is_better { 0 } else { unchanged + 1 };
        if unchanged == PATIENCE || run.steps > run.limit {
            break;
        }
    }
    (best.labels, best.modularity)
}

/// The least number of iterations of a run, if steps allow: the second one improves much that the
/// first one left.
const LEAST_ITERATIONS: u32 = 2;
/// The number of iterations without improvement after which a run ends. Refinement is random, so a
/// second one may find an improvement that the first one did not.
const PATIENCE: u32 = 2;

/// Runs one iteration: moves, refines and aggregates nodes, and repeats that with the parts as
/// nodes, until every community is one node.
fn iteration(first: &Level, communities: &PerNode<u32>, run: &mut Run) -> PerNode<u32> {
    let mut communities = communities.clone();
    let mut has_moved = move_nodes(first, &mut communities, run);
    let (mut parts, mut count) = refine(first, &communities, run);
    // For each node of the graph, its part, which is its node in the present level.
    let mut of_node = parts.clone();
    let mut below = first.count();
    let mut level = first.aggregated(&parts, count);
    loop {
        communities = lifted(&communities, &parts, count);
        let is_stuck = count == below && !has_moved;
        if is_stuck || run.steps > run.limit {
            break;
        }
        has_moved = move_nodes(&level, &mut communities, run);
        if is_discrete(&communities) {
            break;
        }
        run.steps += level.steps();
        below = count;
        (parts, count) = refine(&level, &communities, run);
        level = level.aggregated(&parts, count);
        of_node = composed(&of_node, &parts);
    }
    composed(&of_node, &communities)
}

/// Returns the communities of parts, from those of their nodes.
fn lifted(communities: &PerNode<u32>, parts: &PerNode<u32>, count: u32) -> PerNode<u32> {
    let ordered = Components::ordered(communities);
    let mut lifted = PerNode::new(count, 0);
    for (part, community) in parts.values().iter().zip(&ordered.labels) {
        lifted.set(*part, *community);
    }
    lifted
}

/// Returns the composition of two maps: the second one applied to the results of the first.
fn composed(first: &PerNode<u32>, second: &PerNode<u32>) -> PerNode<u32> {
    PerNode::from_values(
        first
            .values()
            .iter()
            .map(|middle| second.get(*middle))
            .collect(),
    )
}

/// Returns true if every node is a community of its own.
fn is_discrete(communities: &PerNode<u32>) -> bool {
    let mut is_taken = PerNode::new(communities.values().len() as u32, false);
    communities.values().iter().all(|community| {
        let is_free = !is_taken.get(*community);
        is_taken.set(*community, true);
        is_free
    })
}

/// Returns the communities, each split into its components by edges with strength, which never
/// lowers modularity. Communities are connected already unless an iteration was cut short.
fn connected(level: &Level, communities: &PerNode<u32>) -> PerNode<u32> {
    let nodes = level.count();
    let mut labels = PerNode::new(nodes, u32::MAX);
    let mut stack = Vec::new();
    for start in 0..nodes {
        if labels.get(start) != u32::MAX {
            continue;
        }
        labels.set(start, start);
        stack.push(start);
        while let Some(node) = stack.pop() {
            for (next, _) in level.arcs(node) {
                if labels.get(next) == u32::MAX && communities.get(next) == communities.get(start) {
                    labels.set(next, start);
                    stack.push(next);
                }
            }
        }
    }
    labels
}
