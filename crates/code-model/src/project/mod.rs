//! The files of a workspace: `path` checks their paths, and `pattern` parses the paths and patterns
//! by which requests select them.

mod path;
mod pattern;

pub use path::{FilePath, folded};
pub(crate) use pattern::Matcher;
pub use pattern::PathPattern;
