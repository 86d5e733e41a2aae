//! Degree centrality.

use crate::network::Network;

/// The edges that count in a directed graph. In an undirected graph there is no difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DegreeKind {
    /// Edges of both directions.
    Total,
    /// Edges that end at the node.
    Incoming,
    /// Edges that begin at the node.
    Outgoing,
}

/// Returns `degree(v) / (n - 1)`, without weights. A self-loop counts twice, so values may exceed
/// 1, and so may totals of a directed graph. The only node of a graph has the value 1. Source:
/// `networkx.degree_centrality`, `in_degree_centrality`, `out_degree_centrality`.
pub fn degree(network: &Network, kind: DegreeKind) -> Vec<f64> {
    let nodes = network.node_count();
    if nodes == 1 {
        return vec![1.0];
    }
    let others = f64::from(nodes) - 1.0;
    (0..nodes)
        .map(|node| {
            let edges = match kind {
                DegreeKind::Total => network.degree(node),
                DegreeKind::Incoming => network.in_degree(node),
                DegreeKind::Outgoing => network.out_degree(node),
            };
            f64::from(edges) / others
        })
        .collect()
}
