//! Bridges and articulation points of a graph.
//!
//! One depth-first search with an explicit stack finds both. The crate petgraph has them as well;
//! Cargo.toml says why it is used in tests only.

use crate::error::Result;
use crate::network::{Direction, Network, Weights};
use crate::per_node::PerNode;

/// The edges and nodes whose removal disconnects a graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cuts {
    /// The edges whose removal disconnects their ends, in order, each with the smaller node first.
    /// Parallel edges count as one, and so do opposite ones.
    pub bridges: Vec<(u32, u32)>,
    /// The nodes whose removal disconnects other nodes, in order.
    pub articulation_points: Vec<u32>,
}

/// Returns bridges and articulation points of the graph without directions. Self-loops do not
/// matter. Time O(n + m). Sources: Hopcroft and Tarjan, "Algorithm 447: efficient algorithms for
/// graph manipulation" (1973); `networkx.bridges`, `networkx.articulation_points`.
///
/// # Errors
/// [`crate::AnalysisError`] if the graph cannot be converted to one without directions.
pub fn cuts(network: &Network) -> Result<Cuts> {
    match network.direction() {
        Direction::Undirected => Ok(of_undirected(network)),
        Direction::Directed => Ok(of_undirected(&network.to_undirected(Weights::Ignored)?)),
    }
}

/// The time of a node that the search has not reached.
const UNSEEN: u32 = u32::MAX;

/// A node on the path of the search.
struct Visit {
    node: u32,
    /// The node from which it was reached; `None` for the first one.
    parent: Option<u32>,
    /// The number of arcs of its row that were followed.
    read: u32,
    /// The time at which the search reached it.
    time: u32,
    /// The time of the earliest node to which it, or a node reached from it, has an edge.
    lowest: u32,
    /// The number of nodes that were reached directly from it.
    children: u32,
}

fn of_undirected(network: &Network) -> Cuts {
    let nodes = network.node_count();
    let mut depth_first = DepthFirst {
        times: PerNode::new(nodes, UNSEEN),
        clock: 0,
        path: Vec::new(),
        bridges: Vec::new(),
        is_articulation: PerNode::new(nodes, false),
    };
    for start in 0..nodes {
        if depth_first.times.get(start) == UNSEEN {
            depth_first.search(network, start);
        }
    }
    depth_first.bridges.sort_unstable();
    let is_articulation = depth_first.is_articulation;
    Cuts {
        bridges: depth_first.bridges,
        articulation_points: (0..nodes)
            .filter(|node| is_articulation.get(*node))
            .collect(),
    }
}

struct DepthFirst {
    times: PerNode<u32>,
    clock: u32,
    path: Vec<Visit>,
    bridges: Vec<(u32, u32)>,
    is_articulation: PerNode<bool>,
}

impl DepthFirst {
    fn search(&mut self, network: &Network, start: u32) {
        self.begin(start, None);
        while let Some(visit) = self.path.last_mut() {
            let row = network.outgoing().row(visit.node);
            let Some(next) = row.get(visit.read as usize).copied() else {
                self.finish();
                continue;
            };
            visit.read += 1;
            let time = self.times.get(next);
            if time == UNSEEN {
                visit.children += 1;
                let node = visit.node;
                self.begin(next, Some(node));
            } else if Some(next) != visit.parent {
                visit.lowest = visit.lowest.min(time);
            }
        }
    }

    fn begin(&mut self, node: u32, parent: Option<u32>) {
        let time = self.clock;
        self.clock += 1;
        self.times.set(node, time);
        self.path.push(Visit {
            node,
            parent,
            read: 0,
            time,
            lowest: time,
            children: 0,
        });
    }

    /// Removes the last node of the path, and decides about the edge to it.
    fn finish(&mut self) {
        let Some(visit) = self.path.pop() else { return };
        if visit.parent.is_none() && visit.children > 1 {
            self.is_articulation.set(visit.node, true);
        }
        let Some(parent) = self.path.last_mut() else {
            return;
        };
        parent.lowest = parent.lowest.min(visit.lowest);
        if visit.lowest > parent.time {
            let (one, other) = (parent.node, visit.node);
            self.bridges.push((one.min(other), one.max(other)));
        }
        // For the first node of the search, the number of its children decides instead.
        if parent.parent.is_some() && visit.lowest >= parent.time {
            self.is_articulation.set(parent.node, true);
        }
    }
}
