//! Communities that maximise modularity, by the Leiden algorithm.
//!
//! Traag, Waltman and van Eck, "From Louvain to Leiden: guaranteeing well-connected communities"
//! (2019). `local_moving` moves nodes between communities, `refinement` splits each community into
//! well connected parts, and `level` makes nodes of the parts. `leiden` repeats that until nothing
//! improves, from several seeds, and keeps the best result.

mod leiden;
mod level;
mod local_moving;
mod quality;
mod refinement;

pub use leiden::{Communities, Leiden, leiden};
pub use quality::modularity;
