//! The tables of a graph: `head` is the single row about it, `temporal` has the common parts of
//! present and past rows, `write` changes rows, `single` changes one row with few statements, `step`
//! commits the changes of a request as one version, `indexes` has the tables that follow the nodes,
//! `retention` bounds the history, and `find` looks up rows. The other modules are helpers for
//! these.

pub(crate) mod columns;
pub(crate) mod find;
pub(crate) mod fingerprint;
pub(crate) mod head;
mod indexes;
pub(crate) mod listed;
pub(crate) mod merge_patch;
pub(crate) mod pieces;
pub(crate) mod read;
mod retention;
pub(crate) mod single;
pub(crate) mod step;
pub(crate) mod temporal;
pub(crate) mod words;
pub(crate) mod write;
