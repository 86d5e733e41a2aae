//! Source files as a versioned code graph, and edits that are staged, checked and applied as one.

pub mod hash;

include!(concat!(env!("OUT_DIR"), "/migrations.rs"));
