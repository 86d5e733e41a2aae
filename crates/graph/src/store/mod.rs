//! The tables of a graph: `head` is its one row, `temporal` what present and past have in common,
//! `write` changes rows, `step` commits what a request changed as one version, `retention` bounds
//! the history, `find` looks rows up, and the others are what these are written with.

pub(crate) mod columns;
pub(crate) mod find;
pub(crate) mod fingerprint;
pub(crate) mod head;
pub(crate) mod listed;
pub(crate) mod merge_patch;
pub(crate) mod pieces;
pub(crate) mod read;
mod retention;
pub(crate) mod step;
pub(crate) mod temporal;
pub(crate) mod words;
pub(crate) mod write;
