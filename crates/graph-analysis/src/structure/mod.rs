//! The structure of a graph as a whole: counts, density, components, distances and clustering.

mod clustering;
mod components;
mod degrees;
mod distances;

pub use clustering::{Clustering, clustering};
pub use components::{Components, strong_components, weak_components};
pub use degrees::{Counts, DegreeDistribution, counts, degree_distribution};
pub use distances::{ComponentDistances, Distances, distances};
