//! Modularity.

use super::level::Level;
use crate::error::{AnalysisError, Result};
use crate::limits::MAX_RESOLUTION;
use crate::network::{Direction, Network, Weights};
use crate::per_node::PerNode;

/// Returns `Q = Σ (L(c) / m - γ (K(c) / 2m)²)` over communities, with `L` the strength of the edges
/// within and `K` the strengths of the nodes, in which a self-loop counts twice; `None` for a graph
/// without strength. Edges of a directed graph lose their direction: the strengths of both
/// directions add up. Source: Newman and Girvan (2004), Reichardt and Bornholdt (2006);
/// `networkx.community.modularity`.
///
/// # Errors
/// [`AnalysisError::WrongLabelCount`], [`AnalysisError::InvalidResolution`],
/// [`AnalysisError::WeightOverflow`].
pub fn modularity(
    network: &Network,
    weights: Weights,
    labels: &[u32],
    resolution: f64,
) -> Result<Option<f64>> {
    check_resolution(resolution)?;
    let nodes = network.node_count();
    if labels.len() != nodes as usize {
        return Err(AnalysisError::WrongLabelCount {
            given: labels.len(),
            nodes,
        });
    }
    let level = level_of(network, weights)?;
    let mut known: Vec<u32> = labels.to_vec();
    known.sort_unstable();
    known.dedup();
    // Labels may be any numbers, so they are replaced by compact ones.
    let compact = labels
        .iter()
        .map(|label| known.binary_search(label).unwrap_or_default() as u32)
        .collect();
    Ok(of_level(&level, &PerNode::from_values(compact), resolution))
}

/// Checks a resolution.
///
/// # Errors
/// [`AnalysisError::InvalidResolution`].
pub(crate) fn check_resolution(resolution: f64) -> Result<()> {
    if !(0.0..=MAX_RESOLUTION as f64).contains(&resolution) {
        return Err(AnalysisError::InvalidResolution { resolution });
    }
    Ok(())
}

/// Returns the first level of a graph, without its directions.
pub(crate) fn level_of(network: &Network, weights: Weights) -> Result<Level> {
    match network.direction() {
        Direction::Undirected => Ok(Level::of(network, weights)),
        // Opposite edges without weights add up to 2.
        Direction::Directed => Ok(Level::of(&network.to_undirected(weights)?, Weights::Used)),
    }
}

/// Returns the modularity of communities that are numbered below the number of nodes.
pub(crate) fn of_level(level: &Level, labels: &PerNode<u32>, resolution: f64) -> Option<f64> {
    let total = level.total_strength();
    if total <= 0.0 {
        return None;
    }
    let nodes = level.count();
    let mut strengths = PerNode::new(nodes, 0.0);
    // Strength that is not between communities is within them, because self-loops are not among the
    // arcs.
    let mut between = 0.0;
    for node in 0..nodes {
        let label = labels.get(node);
        strengths.update(label, |sum| *sum += level.strength(node) / total);
        let leaving = level.arcs(node).filter(|arc| labels.get(arc.0) != label);
        between += leaving.map(|arc| arc.1).sum::<f64>();
    }
    let expected: f64 = strengths.values().iter().map(|share| share * share).sum();
    Some(1.0 - between / total - resolution * expected)
}
