//! A level of the Leiden algorithm: the graph, or the graph of its parts.

use crate::network::{Network, Weights, sorted_by};
use crate::per_node::PerNode;

/// A graph with strengths, whose nodes may represent several nodes each. Self-loops are included in
/// the strengths of nodes and not in the arcs.
pub(crate) struct Level {
    starts: PerNode<u32>,
    targets: Vec<u32>,
    weights: Vec<f64>,
    /// The strength of each node: that of its arcs, and twice that of its self-loops.
    strengths: PerNode<f64>,
}

impl Level {
    /// Returns the level of a graph without directions, with strengths relative to the greatest
    /// one. Edges without strength are left out.
    pub fn of(network: &Network, weights: Weights) -> Self {
        let nodes = network.node_count();
        let arcs = |node| network.outgoing().arcs(node);
        let all = (0..nodes).flat_map(arcs).map(|arc| arc.1);
        let unit = match weights {
            Weights::Used => all.fold(0.0, f64::max),
            Weights::Ignored => 1.0,
        };
        let mut level = Self::empty(nodes);
        for node in 0..nodes {
            let mut sum = 0.0;
            for (target, strength) in arcs(node) {
                let strength = match weights {
                    Weights::Used if strength > 0.0 => strength / unit,
                    Weights::Used => 0.0,
                    Weights::Ignored => 1.0,
                };
                if target == node {
                    sum += 2.0 * strength;
                } else if strength > 0.0 {
                    sum += strength;
                    level.targets.push(target);
                    level.weights.push(strength);
                }
            }
            level.close_row(node, sum);
        }
        level
    }

    /// Returns the level whose nodes are the parts of this one. Parts are numbered below `count`.
    pub fn aggregated(&self, parts: &PerNode<u32>, count: u32) -> Self {
        let nodes: Vec<u32> = (0..self.count()).collect();
        let members = sorted_by(count, &nodes, |node| parts.get(node));
        let mut level = Self::empty(count);
        let mut scratch = Neighbours::new(count);
        for group in members.chunk_by(|one, other| parts.get(*one) == parts.get(*other)) {
            let Some(part) = group.first().map(|node| parts.get(*node)) else {
                continue;
            };
            let mut strength = 0.0;
            scratch.clear();
            for node in group {
                strength += self.strength(*node);
                for (target, weight) in self.arcs(*node) {
                    let other = parts.get(target);
                    if other != part {
                        scratch.add(other, weight);
                    }
                }
            }
            for other in scratch.found() {
                level.targets.push(*other);
                level.weights.push(scratch.weight(*other));
            }
            level.close_row(part, strength);
        }
        level
    }

    fn empty(nodes: u32) -> Self {
        Self {
            starts: PerNode::new(nodes + 1, 0),
            targets: Vec::new(),
            weights: Vec::new(),
            strengths: PerNode::new(nodes, 0.0),
        }
    }

    /// Ends the row of a node. Rows are filled in order.
    fn close_row(&mut self, node: u32, strength: f64) {
        self.starts.set(node + 1, self.targets.len() as u32);
        self.strengths.set(node, strength);
    }

    /// Returns the number of nodes.
    pub fn count(&self) -> u32 {
        self.strengths.values().len() as u32
    }

    /// Returns the number of arcs and nodes, which is the number of steps of a walk over all.
    pub fn steps(&self) -> u64 {
        self.targets.len() as u64 + u64::from(self.count())
    }

    #[inline(always)]
    pub fn strength(&self, node: u32) -> f64 {
        self.strengths.get(node)
    }

    /// Returns twice the strength of all edges: `2m`.
    pub fn total_strength(&self) -> f64 {
        self.strengths.values().iter().sum()
    }

    /// Returns the other nodes joined to a node, with the strengths of the edges.
    #[inline(always)]
    pub fn arcs(&self, node: u32) -> impl Iterator<Item = (u32, f64)> {
        let range = self.starts.get(node) as usize..self.starts.get(node + 1) as usize;
        let targets = self.targets.get(range.clone()).unwrap_or_default();
        let weights = self.weights.get(range).unwrap_or_default();
        targets.iter().copied().zip(weights.iter().copied())
    }
}

/// Sums of strengths by community. Resetting takes no longer than filling did.
pub(crate) struct Neighbours {
    weights: PerNode<f64>,
    found: Vec<u32>,
}

impl Neighbours {
    pub fn new(communities: u32) -> Self {
        Self {
            weights: PerNode::new(communities, 0.0),
            found: Vec::new(),
        }
    }

    pub fn clear(&mut self) {
        for community in self.found.drain(..) {
            self.weights.set(community, 0.0);
        }
    }

    /// Adds a strength, which must be positive.
    #[inline(always)]
    pub fn add(&mut self, community: u32, weight: f64) {
        self.weights.update(community, |sum| {
            if *sum == 0.0 {
                self.found.push(community);
            }
            *sum += weight;
        });
    }

    /// Returns the communities with a strength, in the order in which they were found.
    pub fn found(&self) -> &[u32] {
        &self.found
    }

    #[inline(always)]
    pub fn weight(&self, community: u32) -> f64 {
        self.weights.get(community)
    }
}
