//! Triangles: transitivity and clustering coefficients.

use crate::error::{AnalysisError, Result};
use crate::limits::MAX_TRIANGLE_STEPS;
use crate::network::{Direction, Network, Weights};
use crate::per_node::PerNode;

/// The clustering of a graph: how often the neighbours of a node are neighbours of each other.
#[derive(Debug, Clone, PartialEq)]
pub struct Clustering {
    /// `3 triangles / connected triples` of the graph without directions; 0 without triples.
    pub transitivity: f64,
    /// The mean of the coefficients; 0 without nodes.
    pub average: f64,
    /// The coefficient of each node.
    pub coefficients: Vec<f64>,
    /// The number of triangles of the graph without directions.
    pub triangles: u64,
}

/// Returns the clustering without weights. Self-loops do not count. Time O(m √m).
///
/// Undirected: `c(v) = 2 T(v) / (k (k - 1))` with `T` triangles at `v` and `k` neighbours.
/// Directed, after Fagiolo (2007): `c(v) = T(v) / (2 (k (k - 1) - 2 b))` with `T` directed
/// triangles, `k` edges in both directions and `b` neighbours joined both ways. 0 where the divisor
/// is. Sources: `networkx.transitivity`, `networkx.clustering`, `networkx.average_clustering`;
/// triangles are listed as by Latapy, "Main-memory triangle computations for very large (sparse
/// (power-law)) graphs" (2008).
///
/// # Errors
/// [`AnalysisError::TooLarge`].
pub fn clustering(network: &Network) -> Result<Clustering> {
    // The weight of an edge in it is the number of directions that it represents.
    let skeleton = network.to_undirected(Weights::Ignored)?;
    let nodes = skeleton.node_count();
    let (at_node, triangles) = triangles(&skeleton)?;
    let mut coefficients = Vec::with_capacity(nodes as usize);
    let mut triples = 0.0;
    for node in 0..nodes {
        let mut neighbours = 0.0;
        let mut ends = 0.0;
        for (_, directions) in skeleton.outgoing().arcs(node).filter(|arc| arc.0 != node) {
            neighbours += 1.0;
            ends += directions;
        }
        triples += neighbours * (neighbours - 1.0) / 2.0;
        let divisor = match network.direction() {
            Direction::Undirected => neighbours * (neighbours - 1.0),
            // An edge in both directions counts as two ends here.
            Direction::Directed => 2.0 * (ends * (ends - 1.0) - 2.0 * (ends - neighbours)),
        };
        let closed = at_node.get(node);
        coefficients.push(if closed > 0.0 { closed / divisor } else { 0.0 });
    }
    Ok(Clustering {
        transitivity: if triples > 0.0 {
            3.0 * triangles as f64 / triples
        } else {
            0.0
        },
        // Adding 0.0 turns -0, the sum of no terms, into 0.
        average: (coefficients.iter().sum::<f64>() + 0.0) / f64::from(nodes.max(1)),
        coefficients,
        triangles,
    })
}

/// Returns, for each node, twice the number of its triangles, counted once for each choice of
/// directions, and the number of triangles of the whole graph.
fn triangles(skeleton: &Network) -> Result<(PerNode<f64>, u64)> {
    let nodes = skeleton.node_count();
    let rows = skeleton.outgoing();
    // Each edge is followed from the end with the smaller degree, so no node has more than √(2m) of
    // them.
    let follows = |from: u32, to: u32| (rows.length(from), from) < (rows.length(to), to);
    let forward = |from: u32| rows.arcs(from).filter(move |arc| follows(from, arc.0));
    let steps: u64 = (0..nodes)
        .flat_map(|node| forward(node).map(|(next, _)| u64::from(rows.length(next)) + 1))
        .fold(0, u64::saturating_add);
    AnalysisError::check_size("the steps of clustering", steps, MAX_TRIANGLE_STEPS)?;
    let mut marks = PerNode::new(nodes, 0.0);
    let mut at_node = PerNode::new(nodes, 0.0);
    let mut count = 0;
    for first in 0..nodes {
        for (second, directions) in forward(first) {
            marks.set(second, directions);
        }
        for (second, one) in forward(first) {
            for (third, other) in forward(second) {
                let closing = marks.get(third);
                if closing > 0.0 {
                    let found = 2.0 * one * other * closing;
                    for node in [first, second, third] {
                        at_node.update(node, |sum| *sum += found);
                    }
                    count += 1;
                }
            }
        }
        for (second, _) in forward(first) {
            marks.set(second, 0.0);
        }
    }
    Ok((at_node, count))
}
