//! The tables of a workspace: `head` is the single row about it, `files` and `items` read the rows
//! of a version, `commit` makes a version from the changes of a request, `write` writes the rows of
//! one file, `edges` and `words` belong to its items, `places` finds the crates and modules of
//! files, `retention` bounds the history, and `candidates` and `vectors` are for searches. `rows`
//! has helpers for these.

pub(crate) mod candidates;
pub(crate) mod commit;
pub(crate) mod edges;
pub(crate) mod files;
pub(crate) mod head;
pub(crate) mod items;
mod places;
mod retention;
pub(crate) mod rows;
pub(crate) mod vectors;
mod words;
mod write;
