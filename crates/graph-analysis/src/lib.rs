//! Analysis of graphs: structure, centrality, communities, paths and connectivity.
//!
//! Pure functions over [`Network`], a graph in compressed rows whose nodes are numbers. They follow
//! the conventions of NetworkX. The same input gives the same result, bit for bit, on every
//! machine: there are no threads and no clock, ties are broken by node number, and randomness comes
//! from a seed. No function recurses, and each bounds its work before it starts (see [`limits`]):
//! it returns [`AnalysisError::TooLarge`], or analyses a sample and reports that.
//!
//! The caller decides what nodes and edges mean, where they are stored and how results are named.
//!
//! A weight is a distance for paths, betweenness, closeness and harmonic centrality: less is
//! closer. It is a strength for eigenvector centrality, PageRank and communities: more is closer.

pub mod centrality;
pub mod communities;
pub mod connectivity;
mod error;
pub mod limits;
mod network;
pub mod paths;
mod per_node;
mod random;
mod search;
mod sources;
pub mod structure;
mod sweep;

pub use error::{AnalysisError, Result};
pub use network::{Direction, Network, Weights};
pub use sources::Sources;
