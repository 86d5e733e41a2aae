//! A knowledge graph: nodes and edges in SQLite, every step of which can be undone.
//!
//! [`model`] says what nodes and edges are, [`drafts`] reads what callers want to become one, and `limits` how much of each there may be.

pub mod drafts;
mod error;
pub mod interchange;
pub mod limits;
pub mod mapping;
pub mod model;

pub use error::{GraphError, Issue, ItemList, codes};
