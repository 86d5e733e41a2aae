//! Shortest paths between two nodes: one, all of the same length, or the k shortest.
//!
//! Without weights the length of a path is its number of edges, with weights the sum of its
//! distances. Ties are always broken in the same way: less distance, then fewer edges, then the
//! smaller node at the first difference.

mod all_shortest;
mod k_shortest;
mod shortest;

pub use all_shortest::all_shortest;
pub use k_shortest::k_shortest;
pub use shortest::{Path, PathList, shortest};
