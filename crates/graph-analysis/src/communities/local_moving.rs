//! The fast local moving phase: each node moves to the community with the greatest gain of
//! modularity, and only nodes whose neighbourhood changed are visited again.

use std::collections::VecDeque;

use super::level::{Level, Neighbours};
use crate::per_node::PerNode;
use crate::random::Random;

/// The common state of the phases of a run.
pub(crate) struct Run {
    pub random: Random,
    /// `γ / 2m`: the cost of a pair of strengths in the same community.
    pub penalty: f64,
    /// The least gain for which a node moves. Anything less is rounding.
    pub least_gain: f64,
    /// The number of arcs and nodes read.
    pub steps: u64,
    /// The number of steps after which no iteration begins.
    pub wanted: u64,
    /// The number of steps after which a phase ends early. The partition is valid at any time.
    pub limit: u64,
}

/// Moves nodes until no move gains. `communities` are numbered below the number of nodes. Returns
/// true if a node moved.
pub(crate) fn move_nodes(level: &Level, communities: &mut PerNode<u32>, run: &mut Run) -> bool {
    let nodes = level.count();
    let mut moving = Moving::new(level, communities);
    let mut order: Vec<u32> = (0..nodes).collect();
    run.random.shuffle(&mut order);
    let mut queue = VecDeque::from(order);
    let mut is_queued = PerNode::new(nodes, true);
    let mut has_moved = false;
    while let Some(node) = queue.pop_front() {
        is_queued.set(node, false);
        if run.steps > run.limit {
            break;
        }
        let target = moving.best(level, communities, node, run);
        if target == communities.get(node) {
            continue;
        }
        has_moved = true;
        moving.take(level, communities, node, target);
        for (neighbour, _) in level.arcs(node) {
            if communities.get(neighbour) != target && !is_queued.get(neighbour) {
                is_queued.set(neighbour, true);
                queue.push_back(neighbour);
            }
        }
    }
    has_moved
}

/// The sums of each community.
struct Moving {
    strengths: PerNode<f64>,
    sizes: PerNode<u32>,
    /// The numbers of communities without nodes.
    unused: Vec<u32>,
    neighbours: Neighbours,
}

impl Moving {
    fn new(level: &Level, communities: &PerNode<u32>) -> Self {
        let nodes = level.count();
        let mut strengths = PerNode::new(nodes, 0.0);
        let mut sizes = PerNode::new(nodes, 0u32);
        for node in 0..nodes {
            let community = communities.get(node);
            strengths.update(community, |sum| *sum += level.strength(node));
            sizes.update(community, |size| *size += 1);
        }
        let unused = (0..nodes)
            .filter(|community| sizes.get(*community) == 0)
            .collect();
        Self {
            strengths,
            sizes,
            unused,
            neighbours: Neighbours::new(nodes),
        }
    }

    /// Returns the community with the greatest gain for a node: its own, one of its neighbours', or
    /// a new one.
    fn best(&mut self, level: &Level, communities: &PerNode<u32>, node: u32, run: &mut Run) -> u32 {
        let own = communities.get(node);
        self.neighbours.clear();
        run.steps += 1;
        for (neighbour, weight) in level.arcs(node) {
            run.steps += 1;
            self.neighbours.add(communities.get(neighbour), weight);
        }
        let strength = level.strength(node);
        let gain = |community: u32, without: f64| {
            let rest = self.strengths.get(community) - without;
            self.neighbours.weight(community) - run.penalty * strength * rest
        };
        let mut best = (gain(own, strength), own);
        for community in self.neighbours.found() {
            let gain = if *community == own {
                continue;
            } else {
                gain(*community, 0.0)
            };
            if gain > best.0 + run.least_gain {
                best = (gain, *community);
            }
        }
        let is_alone = self.sizes.get(own) == 1;
        match self.unused.last() {
            Some(unused) if !is_alone && best.0 < -run.least_gain => *unused,
            _ => best.1,
        }
    }

    fn take(&mut self, level: &Level, communities: &mut PerNode<u32>, node: u32, target: u32) {
        let own = communities.get(node);
        let strength = level.strength(node);
        if self.unused.last() == Some(&target) {
            self.unused.pop();
        }
        self.strengths.update(own, |sum| *sum -= strength);
        self.strengths.update(target, |sum| *sum += strength);
        self.sizes.update(target, |size| *size += 1);
        self.sizes.update(own, |size| *size -= 1);
        if self.sizes.get(own) == 0 {
            // Removes the remaining rounding error.
            self.strengths.set(own, 0.0);
            self.unused.push(own);
        }
        communities.set(node, target);
    }
}
