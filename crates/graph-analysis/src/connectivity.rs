//! Where a graph falls apart: bridges and articulation points.
//!
//! One depth-first search with a stack of its own finds both. The crate petgraph has them, too;
//! Cargo.toml says why it is used in tests only.

use crate::error::Result;
use crate::network::{Direction, Network, Weights};
use crate::per_node::PerNode;

/// What holds a graph together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cuts {
    /// Edges without which their ends are not connected, the smaller node first, in order. Parallel
    /// edges are one, and so are opposite ones.
    pub bridges: Vec<(u32, u32)>,
    /// Nodes without which others are not connected, in order.
    pub articulation_points: Vec<u32>,
}

/// Bridges and articulation points of the graph without directions; self-loops do not matter. Time
/// O(n + m). Sources: Hopcroft and Tarjan, "Algorithm 447: efficient algorithms for graph
/// manipulation" (1973); `networkx.bridges`, `networkx.articulation_points`.
///
/// # Errors
/// None of its own: [`crate::AnalysisError`] of the graph without directions, which is no larger
/// than the one given.
pub fn cuts(network: &Network) -> Result<Cuts> {
    match network.direction() {
        Direction::Undirected => Ok(of_undirected(network)),
        Direction::Directed => Ok(of_undirected(&network.to_undirected(Weights::Ignored)?)),
    }
}

/// A node that the search has not come to.
const UNSEEN: u32 = u32::MAX;

/// A node on the way of the search.
struct Visit {
    node: u32,
    /// The node that it was reached from; none for the first.
    parent: Option<u32>,
    /// Arcs of its row that were followed.
    read: u32,
    /// When the search came to it.
    time: u32,
    /// The earliest node that it or what lies behind it has an edge to.
    lowest: u32,
    /// Nodes that were reached from it.
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

    /// Leaves the last node of the path, and judges the edge to it.
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
        // The first node of the search is judged by the number of its children.
        if parent.parent.is_some() && visit.lowest >= parent.time {
            self.is_articulation.set(parent.node, true);
        }
    }
}
