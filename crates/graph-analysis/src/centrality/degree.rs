//! Degree centrality.

use crate::network::Network;

/// Which edges of a directed graph count. In an undirected graph there is no difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DegreeKind {
    /// Those of both directions.
    Total,
    /// Those that end at the node.
    Incoming,
    /// Those that begin at it.
    Outgoing,
}

/// `degree(v) / (n - 1)`, without weights. A self-loop counts twice, so values may exceed 1, and so
/// may totals of a directed graph. 1 for the only node of a graph. Source:
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
