//! The refinement phase: within each community, nodes merge into parts that are well connected to
//! the rest of it.
//!
//! A node moves only if it is still alone, only into a part to which it has an edge, and only if
//! modularity does not fall. So every part is connected. The choice among such parts is random,
//! better ones being more likely, which lets later iterations find partitions that greedy merging
//! excludes.

use super::level::{Level, Neighbours};
use super::local_moving::Run;
use crate::network::sorted_by;
use crate::per_node::PerNode;

/// The randomness of a choice, relative to the mean strength of an arc: the value of the paper and
/// of its implementations.
const RANDOMNESS: f64 = 0.01;

/// Returns the parts of all communities, numbered from 0, and their number.
pub(crate) fn refine(
    level: &Level,
    communities: &PerNode<u32>,
    run: &mut Run,
) -> (PerNode<u32>, u32) {
    let nodes = level.count();
    let all: Vec<u32> = (0..nodes).collect();
    let mut members = sorted_by(nodes, &all, |node| communities.get(node));
    let mut parts = Parts::new(level);
    for community in
        members.chunk_by_mut(|one, other| communities.get(*one) == communities.get(*other))
    {
        parts.begin(level, communities, community);
        run.random.shuffle(community);
        for node in community {
            parts.merge(level, communities, *node, run);
        }
    }
    parts.numbered()
}

/// The parts of a community. Each has the number of the node that it began with.
struct Parts {
    of_node: PerNode<u32>,
    strengths: PerNode<f64>,
    sizes: PerNode<u32>,
    /// The strength of the edges from a part to the rest of its community.
    outside: PerNode<f64>,
    neighbours: Neighbours,
    /// The candidates of the present node, each with its gain.
    gains: Vec<(u32, f64)>,
    /// The strength of the present community.
    community: f64,
    /// The factor that turns gains, which are strengths, into exponents.
    scale: f64,
}

impl Parts {
    fn new(level: &Level) -> Self {
        let nodes = level.count();
        let arcs = level.steps() - u64::from(nodes);
        let sum: f64 = (0..nodes)
            .flat_map(|node| level.arcs(node))
            .map(|arc| arc.1)
            .sum();
        let mean = if arcs > 0 { sum / arcs as f64 } else { 1.0 };
        Self {
            of_node: PerNode::from_values((0..nodes).collect()),
            strengths: PerNode::from_values((0..nodes).map(|node| level.strength(node)).collect()),
            sizes: PerNode::new(nodes, 1),
            outside: PerNode::new(nodes, 0.0),
            neighbours: Neighbours::new(nodes),
            gains: Vec::new(),
            community: 0.0,
            scale: 1.0 / (RANDOMNESS * mean),
        }
    }

    /// Begins a community: each of its nodes is a part.
    fn begin(&mut self, level: &Level, communities: &PerNode<u32>, members: &[u32]) {
        self.community = members.iter().map(|node| level.strength(*node)).sum();
        for node in members {
            let own = communities.get(*node);
            let inside = level
                .arcs(*node)
                .filter(|arc| communities.get(arc.0) == own);
            self.outside.set(*node, inside.map(|arc| arc.1).sum());
        }
    }

    /// Returns true if a part has at least as many edges to the rest of its community as modularity
    /// expects.
    fn is_well_connected(&self, part: u32, run: &Run) -> bool {
        let strength = self.strengths.get(part);
        self.outside.get(part) + run.least_gain
            >= run.penalty * strength * (self.community - strength)
    }

    /// Merges a node that is alone into a part, or leaves it alone.
    fn merge(&mut self, level: &Level, communities: &PerNode<u32>, node: u32, run: &mut Run) {
        let own = self.of_node.get(node);
        if own != node || self.sizes.get(own) != 1 || !self.is_well_connected(own, run) {
            return;
        }
        self.neighbours.clear();
        run.steps += 1;
        for (neighbour, weight) in level.arcs(node) {
            run.steps += 1;
            if communities.get(neighbour) == communities.get(node) {
                self.neighbours.add(self.of_node.get(neighbour), weight);
            }
        }
        // Staying alone has the gain 0.
        self.gains.clear();
        self.gains.push((own, 0.0));
        let strength = level.strength(node);
        for part in self.neighbours.found() {
            let gain =
                self.neighbours.weight(*part) - run.penalty * strength * self.strengths.get(*part);
            if gain >= 0.0 && self.is_well_connected(*part, run) {
                self.gains.push((*part, gain));
            }
        }
        let chosen = self.chosen(run);
        if chosen == own {
            return;
        }
        let joined = self.neighbours.weight(chosen);
        let outside = self.outside.get(own);
        self.of_node.set(node, chosen);
        self.sizes.set(own, 0);
        self.sizes.update(chosen, |size| *size += 1);
        self.strengths.update(chosen, |sum| *sum += strength);
        self.outside
            .update(chosen, |sum| *sum += outside - 2.0 * joined);
    }

    /// Returns one of the candidates, with a probability proportional to the exponential of its
    /// gain.
    fn chosen(&mut self, run: &mut Run) -> u32 {
        let greatest = self.gains.iter().fold(0.0, |most, gain| gain.1.max(most));
        let mut total = 0.0;
        for (_, gain) in &mut self.gains {
            // The greatest term is 1, however great the gains are.
            total += ((*gain - greatest) * self.scale).exp();
            *gain = total;
        }
        let drawn = run.random.unit() * total;
        let found = self.gains.iter().find(|(_, up_to)| drawn < *up_to);
        found.or(self.gains.last()).map_or(0, |(part, _)| *part)
    }

    fn numbered(self) -> (PerNode<u32>, u32) {
        let nodes = self.of_node.values().len() as u32;
        let mut numbers = PerNode::new(nodes, 0);
        let mut count = 0;
        for part in (0..nodes).filter(|part| self.sizes.get(*part) > 0) {
            numbers.set(part, count);
            count += 1;
        }
        let parts = self
            .of_node
            .values()
            .iter()
            .map(|part| numbers.get(*part))
            .collect();
        (PerNode::from_values(parts), count)
    }
}
