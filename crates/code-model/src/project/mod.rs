//! Where a file stands: `path` which names files may have, `manifest` the crates of a workspace,
//! `layout` the module of a file, `declared` modules that stand elsewhere.

mod declared;
mod layout;
mod manifest;
mod path;
mod pattern;

pub use declared::{Declaration, overrides};
pub use layout::Layout;
pub use manifest::{Manifest, Package};
pub use path::{FilePath, folded};
pub(crate) use pattern::Matcher;
pub use pattern::PathPattern;
