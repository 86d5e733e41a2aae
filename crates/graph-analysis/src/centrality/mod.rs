//! Centrality measures of nodes.

mod betweenness;
mod closeness;
mod degree;
mod eigenvector;
mod lanes;
mod pagerank;

pub use betweenness::betweenness;
pub use closeness::{closeness, harmonic};
pub use degree::{DegreeKind, degree};
pub use eigenvector::eigenvector;
pub use pagerank::pagerank;

/// A value for each node, from shortest paths that start at all nodes or at a sample.
#[derive(Debug, Clone, PartialEq)]
pub struct Scores {
    /// The values by node.
    pub values: Vec<f64>,
    /// The number of sources if they are a sample. The values are then estimates.
    pub sampled_sources: Option<u32>,
}
