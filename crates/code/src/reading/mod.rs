//! Operations that only read: `metadata` of a file, `lookup` an item, `relations` its edges, `listing` files, `text` of a file, `search` in texts,
//! `changes` between versions and beside a directory.

mod changes;
mod listing;
mod lookup;
mod metadata;
mod relations;
mod search;
mod text;

pub(crate) use changes::{inspect, scan};
pub(crate) use listing::list_files;
pub(crate) use lookup::lookup;
pub(crate) use metadata::metadata;
pub(crate) use relations::relations;
pub(crate) use search::search;
pub(crate) use text::read_file;
