//! The errors of analyses. Each variant has the data that a caller needs to change the request.

/// The result of an analysis.
pub type Result<T> = std::result::Result<T, AnalysisError>;

/// An error of a graph or of a request.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum AnalysisError {
    /// The work or the graph exceeds its limit.
    #[error("{what} is {size}, and the limit is {limit}")]
    TooLarge {
        /// The counted quantity, with its unit.
        what: &'static str,
        /// The size for this request.
        size: u64,
        /// The limit.
        limit: u64,
    },
    /// An edge ends at a node that does not exist.
    #[error("edge {edge} ends at node {node}, and the graph has {nodes} nodes")]
    NoSuchEnd {
        /// The edge, counted from 0 in the order given.
        edge: usize,
        /// The node that does not exist, as its source or its target.
        node: u32,
        /// Nodes of the graph: they are numbered from 0.
        nodes: u32,
    },
    /// A weight is negative, infinite or not a number.
    #[error("edge {edge} has weight {weight}; a weight is a finite number that is not negative")]
    InvalidWeight {
        /// The edge, counted from 0 in the order given.
        edge: usize,
        /// Its weight.
        weight: f64,
    },
    /// The sum of the weights exceeds the range of a double.
    #[error("the sum of the weights is too large for a double")]
    WeightOverflow,
    /// An edge has the length 0, which would make the number of shortest paths infinite.
    #[error(
        "the edge from {from} to {to} has weight 0; shortest paths are counted over positive distances only"
    )]
    ZeroDistance {
        /// One end.
        from: u32,
        /// The other end.
        to: u32,
    },
    /// A request names a node that does not exist.
    #[error("node {node} does not exist; the graph has {nodes} nodes")]
    NoSuchNode {
        /// The node.
        node: u32,
        /// Nodes of the graph.
        nodes: u32,
    },
    /// The number of shortest paths between two nodes exceeds a double.
    #[error("two nodes have more shortest paths than a double can count")]
    TooManyPaths,
    /// A directed graph without cycles, whose only eigenvalue is 0.
    #[error(
        "a directed graph without cycles has no eigenvector centrality; PageRank is defined for every graph"
    )]
    NoEigenvector,
    /// The power iteration ended before it converged to the eigenvector.
    #[error(
        "the eigenvector did not converge in {iterations} iterations; PageRank is defined for every graph"
    )]
    NotConverged {
        /// The number of iterations.
        iterations: u32,
    },
    /// The resolution is negative, too great or not a number.
    #[error("resolution {resolution} is not a number from 0 to {limit}", limit = crate::limits::MAX_RESOLUTION)]
    InvalidResolution {
        /// The resolution.
        resolution: f64,
    },
    /// The list has another length than the number of nodes.
    #[error("{given} labels for {nodes} nodes")]
    WrongLabelCount {
        /// The number of labels given.
        given: usize,
        /// The number of nodes of the graph.
        nodes: u32,
    },
    /// The sample has too few sources.
    #[error("a sample must have at least {least} sources, not {given}")]
    SampleTooSmall {
        /// The number of sources requested.
        given: u32,
        /// The least number of sources that gives an estimate.
        least: u32,
    },
}

impl AnalysisError {
    /// Returns an error if a size exceeds its limit.
    pub(crate) fn check_size(what: &'static str, size: u64, limit: u64) -> Result<()> {
        if size > limit {
            return Err(Self::TooLarge { what, size, limit });
        }
        Ok(())
    }
}
