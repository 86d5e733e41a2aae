//! The surroundings of an item: the modules, conditions and types that it is in.

/// The surroundings of an item.
#[derive(Debug, Clone, Default)]
pub(super) struct Around {
    pub parent: Option<usize>,
    pub module_path: String,
    pub cfgs: Vec<String>,
    /// The path after the module, for the members of an impl or a trait.
    pub owner: Option<String>,
    /// The type that `Self` refers to.
    pub self_type: Option<String>,
    pub depth: usize,
}

impl Around {
    /// Returns the canonical path of an item with this name.
    pub fn canon(&self, name: &str) -> String {
        match &self.owner {
            Some(owner) => format!("{}::{owner}::{name}", self.module_path),
            None => format!("{}::{name}", self.module_path),
        }
    }
}
