//! Imports and exports of files, and rows of a query as nodes and edges: files of other programs,
//! hostile files, and our own files read back.
//!
//! `files/` has files written by NetworkX, igraph and Cytoscape.js (`generate.py`, `generate.mjs`),
//! one file each in the format of Cytoscape and of yEd, and `ours.*`, which `check.py` loads in
//! NetworkX and igraph.

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
