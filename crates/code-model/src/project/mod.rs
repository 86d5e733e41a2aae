//! The files of a workspace: `path` checks their names, and `pattern` reads the ways in which
//! callers name them.

mod path;
mod pattern;

pub use path::{FilePath, folded};
pub(crate) use pattern::Matcher;
pub use pattern::PathPattern;
