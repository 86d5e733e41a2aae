//! Operations that only read: `metadata` of a file, `lookup` of an item, `relations` with its
//! edges, `listing` of files, `text` of a file, `search` in texts, and `changes` compared with a
//! directory.

mod changes;
mod listing;
mod lookup;
mod metadata;
mod relations;
mod search;
mod text;

pub use changes::{Inspect, ScanForChange};
pub use listing::ListFiles;
pub use lookup::CodeItemLookup;
pub use metadata::GetFileMetadata;
pub use relations::CodeItemEdges;
pub use search::SearchCode;
pub use text::ReadFile;
