//! Diameter, radius and average path length, of the graph and of each component.

use super::components::{Components, strong_components, weak_components};
use crate::error::Result;
use crate::limits::MAX_SWEEP_STEPS;
use crate::network::{Direction, Network};
use crate::per_node::PerNode;
use crate::sources::{Sources, choose};
use crate::sweep::sweep;

/// The distances between nodes, in edges.
#[derive(Debug, Clone, PartialEq)]
pub struct Distances {
    /// True if every node reaches every other one. False for a graph without nodes.
    pub is_connected: bool,
    /// The greatest distance; `None` if a node does not reach another one. From a sample, a lower
    /// bound.
    pub diameter: Option<u32>,
    /// The least eccentricity, which is the greatest distance from a node; `None` in the same case.
    /// From a sample, an upper bound.
    pub radius: Option<u32>,
    /// The mean over ordered pairs of nodes; `None` in the same case, and without nodes. From a
    /// sample, the mean over pairs that begin in it.
    pub average_path_length: Option<f64>,
    /// The components, in the order of `components`.
    pub by_component: Vec<ComponentDistances>,
    /// The components to which `by_component` refers: strong ones for a directed graph.
    pub components: Components,
    /// The number of sources if they are a sample.
    pub sampled_sources: Option<u32>,
}

/// The distances between the nodes of a component. All are `None` if the sample contains none of
/// its nodes, which only happens to large components or small samples.
#[derive(Debug, Clone, PartialEq)]
pub struct ComponentDistances {
    /// The number of nodes.
    pub size: u32,
    /// The greatest distance within the component.
    pub diameter: Option<u32>,
    /// The least eccentricity within the component.
    pub radius: Option<u32>,
    /// The mean over its ordered pairs; 0 for a single node.
    pub average_path_length: Option<f64>,
}

/// Returns the distances between all nodes, or from a sample of them, ignoring weights. The time is
/// O(s (n + m)) for `s` sources, and up to 64 times less.
///
/// `eccentricity(v) = max d(v, u)`, `diameter = max eccentricity`, `radius = min eccentricity`,
/// `average = Σ d(v, u) / (n (n - 1))`. In a directed graph `d` follows the edges. Sources:
/// `networkx.diameter`, `radius`, `average_shortest_path_length`, which reject disconnected graphs;
/// for `by_component` they are applied to the subgraph of each component.
///
/// # Errors
/// [`crate::AnalysisError::TooLarge`] and [`crate::AnalysisError::SampleTooSmall`], depending on
/// `sources`.
pub fn distances(network: &Network, sources: Sources) -> Result<Distances> {
    let chosen = choose(
        network,
        sources,
        "the number of sources of distances",
        MAX_SWEEP_STEPS,
    )?;
    let components = match network.direction() {
        Direction::Directed => strong_components(network),
        Direction::Undirected => weak_components(network),
    };
    let labels = PerNode::from_values(components.labels.clone());
    let eccentricities = measure(network, &chosen.nodes, &labels);
    let mut sums = vec![Sum::default(); components.sizes.len()];
    for (source, (eccentricity, total)) in chosen.nodes.iter().zip(eccentricities) {
        if let Some(sum) = sums.get_mut(labels.get(*source) as usize) {
            sum.add(eccentricity, total);
        }
    }
    let by_component: Vec<_> = components
        .sizes
        .iter()
        .zip(&sums)
        .map(|(size, sum)| sum.of_component(*size))
        .collect();
    let whole = match by_component.as_slice() {
        [whole] => Some(whole.clone()),
        _ => None,
    };
    Ok(Distances {
        is_connected: whole.is_some(),
        diameter: whole.as_ref().and_then(|whole| whole.diameter),
        radius: whole.as_ref().and_then(|whole| whole.radius),
        average_path_length: whole.and_then(|whole| whole.average_path_length),
        by_component,
        components,
        sampled_sources: chosen.sampled,
    })
}

/// Returns the eccentricity of each source within its component, and the sum of its distances.
fn measure(network: &Network, sources: &[u32], labels: &PerNode<u32>) -> Vec<(u32, u64)> {
    let mut measured = vec![(0, 0); sources.len()];
    // Undirected edges do not leave a component.
    let regions = (network.direction() == Direction::Directed).then_some(labels);
    sweep(
        network.outgoing(),
        network.node_count(),
        sources,
        regions,
        |reached| {
            let mut bits = reached.sources;
            let batch = measured.get_mut(reached.batch..).unwrap_or_default();
            while bits != 0 {
                if let Some((eccentricity, total)) = batch.get_mut(bits.trailing_zeros() as usize) {
                    // Nodes come in order of distance, so the last one is the farthest.
                    *eccentricity = reached.distance;
                    *total += u64::from(reached.distance);
                }
                bits &= bits - 1;
            }
        },
    );
    measured
}

/// The sums over the sources of a component.
#[derive(Clone, Default)]
struct Sum {
    sources: u32,
    diameter: u32,
    radius: Option<u32>,
    total: u64,
}

impl Sum {
    fn add(&mut self, eccentricity: u32, total: u64) {
        self.sources += 1;
        self.diameter = self.diameter.max(eccentricity);
        self.radius = Some(
            self.radius
                .map_or(eccentricity, |least| least.min(eccentricity)),
        );
        self.total += total;
    }

    fn of_component(&self, size: u32) -> ComponentDistances {
        let pairs = f64::from(self.sources) * (f64::from(size) - 1.0);
        let average = if pairs > 0.0 {
            self.total as f64 / pairs
        } else {
            0.0
        };
        ComponentDistances {
            size,
            diameter: self.radius.map(|_| self.diameter),
            radius: self.radius,
            average_path_length: self.radius.map(|_| average),
        }
    }
}
