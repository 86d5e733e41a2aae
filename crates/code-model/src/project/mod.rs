//! The position of files: `path` checks their names, `manifest` reads the crates of a workspace,
//! `layout` computes the module of a file, and `declared` handles modules with `#[path]`.

mod path;
mod pattern;

pub use path::{FilePath, folded};
pub(crate) use pattern::Matcher;
pub use pattern::PathPattern;
