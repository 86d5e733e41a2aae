//! Files in and out, and rows of a query as nodes and edges: files of other programs, hostile
//! files, and everything of ours read back.
//!
//! `files/` has what NetworkX, igraph and Cytoscape.js wrote (`generate.py`, `generate.mjs`), one
//! file each in the forms of Cytoscape and yEd, and `ours.*`, which `check.py` loads in NetworkX
//! and igraph.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at its first surprise; clippy.toml allows this in test functions, and here the helpers may, too"
)]

mod detect;
mod documented;
mod foreign;
mod hostile;
mod mapping;
mod ours;
mod random;
mod round_trip;
mod shapes;
mod support;
