//! The k shortest simple paths, after Yen, "Finding the k shortest loopless paths in a network"
//! (1971), with Lawler's modification (1972): a path is varied only from the node at which it left
//! its parent path.

use std::collections::BTreeSet;

use super::shortest::{Path, PathList, first_path};
use crate::error::Result;
use crate::limits::{MAX_LISTED_PATH_NODES, MAX_LISTED_PATHS, MAX_PATH_STEPS};
use crate::network::{Network, Weights};
use crate::per_node::PerNode;
use crate::search::Search;

/// Returns the `count` shortest paths from one node to another that visit no node twice, in order;
/// fewer if there are not as many. Time O(k n (n + m) log n) at most. The list is cut if the limit
/// on steps is reached. Source: `networkx.shortest_simple_paths`.
///
/// # Errors
/// [`crate::AnalysisError::NoSuchNode`].
pub fn k_shortest(
    network: &Network,
    source: u32,
    target: u32,
    count: u32,
    weights: Weights,
) -> Result<PathList> {
    network.check_node(source)?;
    network.check_node(target)?;
    let most = (count as usize).min(MAX_LISTED_PATHS as usize);
    let mut yen = Yen::new(network, weights, target);
    yen.vary(&[], source);
    let mut paths = Vec::new();
    while paths.len() < most {
        let Some(candidate) = yen.candidates.pop_first() else {
            break;
        };
        yen.held_nodes -= candidate.nodes.len();
        paths.push(candidate);
        if paths.len() == most || !yen.expand(&paths) {
            break;
        }
    }
    let is_short_of = paths.len() < count as usize;
    Ok(PathList {
        is_cut: is_short_of && (yen.is_cut || !yen.candidates.is_empty()),
        paths: paths.into_iter().map(Candidate::into_path).collect(),
    })
}

/// A path, in the order of candidates: the bits of its length, which sort like the length because
/// it is not negative; its edges; its nodes.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    length_bits: u64,
    edges: usize,
    nodes: Vec<u32>,
    /// The position at which it leaves its parent path.
    leaves_at: usize,
}

impl Candidate {
    fn into_path(self) -> Path {
        Path {
            nodes: self.nodes,
            length: f64::from_bits(self.length_bits),
        }
    }
}

/// The number of marks that can be cleared in the time of a step: clearing a mark writes one byte.
const NODES_CLEARED_IN_A_STEP: u64 = 64;
/// The steps for each node of a candidate: it is copied, compared, and looked up for the length.
const STEPS_FOR_A_NODE: u64 = 1;

struct Yen<'network> {
    network: &'network Network,
    weights: Weights,
    target: u32,
    search: Search,
    /// The nodes of the beginning that is kept, to which no path may return.
    is_excluded: PerNode<bool>,
    /// The next nodes of known paths after that beginning.
    taken: BTreeSet<u32>,
    candidates: BTreeSet<Candidate>,
    /// The number of steps outside of searches: marks that are cleared, nodes of candidates.
    other_steps: u64,
    /// The number of nodes of all candidates.
    held_nodes: usize,
    is_cut: bool,
}

impl<'network> Yen<'network> {
    fn new(network: &'network Network, weights: Weights, target: u32) -> Self {
        let nodes = network.node_count();
        Self {
            network,
            weights,
            target,
            search: Search::new(nodes),
            is_excluded: PerNode::new(nodes, false),
            taken: BTreeSet::new(),
            candidates: BTreeSet::new(),
            other_steps: 0,
            held_nodes: 0,
            is_cut: false,
        }
    }

    /// Makes candidates from the last path found: at each of its nodes, the best continuation that
    /// no path with the same beginning takes. Returns false if the limit on steps is reached.
    fn expand(&mut self, found: &[Candidate]) -> bool {
        let Some(last) = found.last() else {
            return false;
        };
        // The paths with the same beginning as the last one, up to the present node.
        let mut alike: Vec<&Candidate> = found.iter().collect();
        for (position, node) in last.nodes.iter().enumerate() {
            alike.retain(|path| path.nodes.get(position) == Some(node));
            if position >= last.leaves_at && *node != self.target {
                self.other_steps += u64::from(self.network.node_count()) / NODES_CLEARED_IN_A_STEP;
                if self.search.steps() + self.other_steps > MAX_PATH_STEPS {
                    self.is_cut = true;
                    break;
                }
                let next = alike.iter().filter_map(|path| path.nodes.get(position + 1));
                self.taken = next.copied().collect();
                let beginning = last.nodes.get(..position).unwrap_or_default();
                self.vary(beginning, *node);
            }
            self.is_excluded.set(*node, true);
        }
        for node in &last.nodes {
            self.is_excluded.set(*node, false);
        }
        !self.is_cut
    }

    /// Adds the best path that begins with these nodes and continues from `node`.
    fn vary(&mut self, beginning: &[u32], node: u32) {
        let (taken, is_excluded) = (&self.taken, &self.is_excluded);
        let allowed =
            |from: u32, to: u32| !is_excluded.get(to) && (from != node || !taken.contains(&to));
        let rows = self.network.outgoing();
        self.search
            .run(rows, self.weights, node, Some(self.target), allowed);
        let rest = first_path(
            self.network,
            &self.search,
            self.weights,
            node,
            self.target,
            allowed,
        );
        let Some(rest) = rest else { return };
        let mut nodes = beginning.to_vec();
        nodes.extend(rest.nodes);
        self.held_nodes += nodes.len();
        self.other_steps += nodes.len() as u64 * STEPS_FOR_A_NODE;
        self.candidates.insert(Candidate {
            // The length is summed from the source on, so that a path has the same length however
            // it was found.
            length_bits: self.length(&nodes).to_bits(),
            edges: nodes.len() - 1,
            nodes,
            leaves_at: beginning.len(),
        });
        while self.held_nodes > MAX_LISTED_PATH_NODES as usize && self.candidates.len() > 1 {
            if let Some(last) = self.candidates.pop_last() {
                self.held_nodes -= last.nodes.len();
                self.is_cut = true;
            }
        }
    }

    fn length(&self, nodes: &[u32]) -> f64 {
        let rows = self.network.outgoing();
        let length_of = |(from, to): (&u32, &u32)| match self.weights {
            Weights::Used => rows.distance_to(*from, *to).unwrap_or(0.0),
            Weights::Ignored => 1.0,
        };
        // Not `sum()`, which is -0.0 for a path without steps.
        nodes
            .iter()
            .zip(nodes.iter().skip(1))
            .map(length_of)
            .fold(0.0, |length, step| length + step)
    }
}
