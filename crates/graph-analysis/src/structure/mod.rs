//! The shape of a graph as a whole: how many, how dense, in how many pieces, how far apart, how
//! clustered.

mod clustering;
mod components;
mod degrees;
mod distances;

pub use clustering::{Clustering, clustering};
pub use components::{Components, strong_components, weak_components};
pub use degrees::{Counts, DegreeDistribution, counts, degree_distribution};
pub use distances::{ComponentDistances, Distances, distances};
