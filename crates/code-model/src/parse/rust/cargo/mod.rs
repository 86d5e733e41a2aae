//! Crates: `manifest` reads their `Cargo.toml`, `layout` finds the module of a file by the
//! conventions of cargo, and `declared` the modules that another file declares with `#[path]`.
//! `folders` compares paths.

mod declared;
mod folders;
mod layout;
mod manifest;

pub use declared::{Declaration, overrides};
pub use layout::Layout;
pub use manifest::Manifest;
