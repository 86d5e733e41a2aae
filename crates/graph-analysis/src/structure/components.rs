//! Connected components: weak ones, and strong ones for directed graphs.

use crate::network::Network;
use crate::per_node::PerNode;

/// The components of a graph. They are numbered from 0 by size, the largest first, then by their
/// smallest node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Components {
    /// The component of each node.
    pub labels: Vec<u32>,
    /// The nodes of each component.
    pub sizes: Vec<u32>,
}

/// The label of a node without a component so far.
const NONE: u32 = u32::MAX;

impl Components {
    /// Renumbers components: largest first, then by smallest node. Labels are below the number of
    /// nodes.
    pub(crate) fn ordered(labels: &PerNode<u32>) -> Self {
        let nodes = labels.values().len() as u32;
        let mut sizes = PerNode::new(nodes, 0u32);
        let mut by_first_node = Vec::new();
        for label in labels.values() {
            sizes.update(*label, |size| {
                if *size == 0 {
                    by_first_node.push(*label);
                }
                *size += 1;
            });
        }
        // The sort is stable: of components of the same size, the one with the smaller first node
        // comes first.
        by_first_node.sort_by_key(|label| std::cmp::Reverse(sizes.get(*label)));
        let mut numbers = PerNode::new(nodes, NONE);
        for (number, label) in by_first_node.iter().enumerate() {
            numbers.set(*label, number as u32);
        }
        Self {
            labels: labels
                .values()
                .iter()
                .map(|label| numbers.get(*label))
                .collect(),
            sizes: by_first_node
                .iter()
                .map(|label| sizes.get(*label))
                .collect(),
        }
    }

    /// Returns the number of components.
    pub fn count(&self) -> u32 {
        self.sizes.len() as u32
    }
}

/// Returns the components of nodes that are joined by edges in any direction. Time O(n + m).
pub fn weak_components(network: &Network) -> Components {
    let nodes = network.node_count();
    let mut labels = PerNode::new(nodes, NONE);
    let mut stack = Vec::new();
    for start in 0..nodes {
        if labels.get(start) != NONE {
            continue;
        }
        labels.set(start, start);
        stack.push(start);
        while let Some(node) = stack.pop() {
            let both = [network.outgoing(), network.incoming()];
            for neighbour in both.iter().flat_map(|rows| rows.row(node)) {
                labels.update(*neighbour, |label| {
                    if *label == NONE {
                        *label = start;
                        stack.push(*neighbour);
                    }
                });
            }
        }
    }
    Components::ordered(&labels)
}

/// Returns the components in which every node reaches every other along the edges; in an undirected
/// graph, the weak ones. Time O(n + m).
///
/// Source: Tarjan, "Depth-first search and linear graph algorithms" (1972), in the form of Pearce,
/// "A space-efficient algorithm for finding strongly connected components" (2016), with an explicit
/// stack.
pub fn strong_components(network: &Network) -> Components {
    let nodes = network.node_count();
    let mut labels = PerNode::new(nodes, NONE);
    let mut lowest = PerNode::new(nodes, NONE);
    let mut open = Vec::new();
    let mut path: Vec<Visit> = Vec::new();
    let mut clock = 0;
    for start in 0..nodes {
        if lowest.get(start) != NONE {
            continue;
        }
        path.push(Visit::begin(start, &mut clock, &mut lowest));
        while let Some(visit) = path.last_mut() {
            let node = visit.node;
            let Some(next) = network
                .outgoing()
                .row(node)
                .get(visit.read as usize)
                .copied()
            else {
                finish(&mut path, &mut open, &mut lowest, &mut labels);
                continue;
            };
            visit.read += 1;
            if lowest.get(next) == NONE {
                path.push(Visit::begin(next, &mut clock, &mut lowest));
            } else if labels.get(next) == NONE {
                let reached = lowest.get(next);
                lowest.update(node, |low| *low = reached.min(*low));
            }
        }
    }
    Components::ordered(&labels)
}

/// A node on the path of the depth-first search.
struct Visit {
    node: u32,
    /// The number of arcs of its row that were followed.
    read: u32,
    /// The time at which the search reached it.
    time: u32,
}

impl Visit {
    fn begin(node: u32, clock: &mut u32, lowest: &mut PerNode<u32>) -> Self {
        let time = *clock;
        *clock += 1;
        lowest.set(node, time);
        Self {
            node,
            read: 0,
            time,
        }
    }
}

/// Removes the last node of the path: either it completes a component, or its component includes a
/// node above it.
fn finish(
    path: &mut Vec<Visit>,
    open: &mut Vec<u32>,
    lowest: &mut PerNode<u32>,
    labels: &mut PerNode<u32>,
) {
    let Some(visit) = path.pop() else { return };
    let low = lowest.get(visit.node);
    if let Some(above) = path.last() {
        lowest.update(above.node, |above| *above = low.min(*above));
    }
    if low < visit.time {
        open.push(visit.node);
        return;
    }
    labels.set(visit.node, visit.node);
    while let Some(member) = open.pop_if(|member| lowest.get(*member) >= visit.time) {
        labels.set(member, visit.node);
    }
}
