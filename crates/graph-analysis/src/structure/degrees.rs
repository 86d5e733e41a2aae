//! Counts, density and degree distribution.

use crate::network::{Direction, Network};

/// The numbers of nodes and edges.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Counts {
    /// The number of nodes.
    pub nodes: u32,
    /// The number of edges after parallel ones have collapsed, including self-loops.
    pub edges: u64,
    /// The number of edges as given.
    pub given_edges: u64,
    /// The number of nodes with an edge to themselves.
    pub self_loops: u32,
    /// The share of possible edges that exist: see [`counts`].
    pub density: f64,
}

/// Returns the counts, and the density: `2m / (n (n - 1))` undirected, `m / (n (n - 1))` directed,
/// where `m` counts collapsed edges with self-loops, so that it may exceed 1; 0 below two nodes.
/// Source: `networkx.density`.
pub fn counts(network: &Network) -> Counts {
    let nodes = network.node_count();
    let edges = network.edge_count();
    let ordered_pairs = f64::from(nodes) * (f64::from(nodes) - 1.0);
    let ends = match network.direction() {
        Direction::Directed => 1.0,
        Direction::Undirected => 2.0,
    };
    Counts {
        nodes,
        edges,
        given_edges: network.given_edge_count(),
        self_loops: network.self_loop_count(),
        density: if nodes < 2 {
            0.0
        } else {
            ends * edges as f64 / ordered_pairs
        },
    }
}

/// The number of nodes with each degree: pairs of degree and nodes, in ascending order, without
/// degrees that no node has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DegreeDistribution {
    /// By all edges of a node; a self-loop counts twice.
    pub total: Vec<(u32, u32)>,
    /// By edges that end at a node; only for a directed graph.
    pub incoming: Option<Vec<(u32, u32)>>,
    /// By edges that begin at a node; only for a directed graph.
    pub outgoing: Option<Vec<(u32, u32)>>,
}

/// Returns the distribution of degrees. Source: `networkx.degree_histogram`, without its zeros.
pub fn degree_distribution(network: &Network) -> DegreeDistribution {
    let is_directed = network.direction() == Direction::Directed;
    DegreeDistribution {
        total: distribution(network, Network::degree),
        incoming: is_directed.then(|| distribution(network, Network::in_degree)),
        outgoing: is_directed.then(|| distribution(network, Network::out_degree)),
    }
}

fn distribution(network: &Network, degree: impl Fn(&Network, u32) -> u32) -> Vec<(u32, u32)> {
    let mut degrees: Vec<u32> = (0..network.node_count())
        .map(|node| degree(network, node))
        .collect();
    degrees.sort_unstable();
    degrees
        .chunk_by(|one, other| one == other)
        .filter_map(|run| Some((*run.first()?, run.len() as u32)))
        .collect()
}
