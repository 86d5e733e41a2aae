//! Source files as a versioned code graph, and edits that are staged, checked and applied as one.

pub mod hash;
pub mod limits;
pub mod model;
pub mod parse;
pub mod project;

include!(concat!(env!("OUT_DIR"), "/migrations.rs"));
