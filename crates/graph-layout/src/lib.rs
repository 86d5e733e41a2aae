//! Computes positions of the nodes of a graph: pure functions without threads, with the same result
//! for the same input.
//!
//! [`Problem`] is the validated input of all of them. [`force`](fn@force),
//! [`hierarchy`](fn@hierarchy), [`circular`](fn@circular) and [`grid`](fn@grid) place nodes,
//! [`optimize_positions`] improves positions, and [`crossings`](fn@crossings) counts crossings.
//! Every layout guarantees that a pinned node keeps its position to the bit, that every number is
//! finite, that no node that it places is closer than [`limits::MINIMUM_DISTANCE`] to any other,
//! and that its work has a bound: beyond it the result is [`LayoutError::TooLarge`].
//!
//! The caller decides what a node or an edge means, and where positions are stored.

mod circular;
mod components;
mod crossings;
mod error;
mod force;
mod graph;
mod grid;
mod hierarchy;
mod lattice;
pub mod limits;
mod optimize;
mod packing;
mod problem;
mod random;
mod spacing;

pub use circular::{CircularOptions, circular};
pub use crossings::crossings;
pub use error::{LayoutError, Result};
pub use force::{ForceOptions, Start, force};
pub use grid::{GridOptions, grid};
pub use hierarchy::{Direction, Hierarchy, HierarchyOptions, Method, hierarchy};
pub use optimize::{OptimizeOptions, Optimized, optimize_positions};
pub use problem::{Position, Problem};
