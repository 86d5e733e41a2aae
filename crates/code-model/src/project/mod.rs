//! The files of a workspace: `path` has the names that files may have, `pattern` the ways in which callers name them.

mod path;
mod pattern;

pub use path::{FilePath, folded};
pub(crate) use pattern::Matcher;
pub use pattern::PathPattern;
