//! The tables of a workspace: `head` is its one row, `files` and `items` read rows of a version,
//! `commit` makes a version of what a request writes, `write` the rows of one file, `edges` and
//! `words` what hangs on its items, `places` the crates and modules of files, `retention` bounds
//! the history, `candidates` and `vectors` are for retrieval, and `rows` is what these are written
//! with.

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
