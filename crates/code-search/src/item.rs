//! What ranking and packing know of an item of code.

use serde::Serialize;

/// What an item is to somebody who looks for its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It defines the name: a function, a type, a trait, a macro, a constant, a module.
    Definition,
    /// It gives the name another path, as `pub use` and `export … from` do.
    Reexport,
    /// It adds to what is defined elsewhere: `impl`.
    Extension,
    /// It defines nothing: a chunk of lines, a private import.
    Text,
}

/// What the whole text of an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PartKind {
    /// Source code.
    Code,
    /// Prose: a README, a chapter.
    Doc,
    /// The head of an item whose body does not fit.
    Signature,
    /// The item's path alone: its text cannot be read.
    Metadata,
}

/// An item without its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// The row that lists refer to.
    pub row: i64,
    /// The id that callers know.
    pub id: String,
    /// The file, relative to the root of the workspace.
    pub file_path: String,
    /// The path as code names it: `crate::runtime::Builder::build`.
    pub canon_path: String,
    /// The last part of that path.
    pub name: String,
    /// The first sentence of its documentation; empty if it has none.
    pub summary: String,
    /// The kind of item, in snake case: `function`, `type_alias`.
    pub node_kind: String,
    /// The crate or package.
    pub package: String,
    /// What it is to its name.
    pub role: Role,
    /// What its text is: [`PartKind::Code`] or [`PartKind::Doc`].
    pub part: PartKind,
    /// The first byte of what is shown of it, and the one behind the last. Of an item with others
    /// in it that is what stands before the first of these, so that it does not hide them.
    pub range: (u64, u64),
    /// The first and the last line of that, from 1.
    pub lines: (u64, u64),
}

/// The text of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Text {
    /// As it was indexed.
    Current {
        /// The text of its range.
        text: String,
        /// What stands before its body, if it has one. Blanks may be other than in the text.
        signature: Option<String>,
    },
    /// It has no text of its own: the heads of what is in it.
    Outline {
        /// A line for each.
        text: String,
    },
    /// As it was indexed, and the file is another since.
    Stale {
        /// The text of its range when it was indexed.
        text: String,
    },
    /// It cannot be read.
    Missing,
}

/// Which items are wanted. It is applied to what was found, so more is fetched than is wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Paths begin with one of these, or any if there are none. A prefix ends at a folder or at the
    /// path's end.
    pub paths: Vec<String>,
    /// Kinds are one of these, or any if there are none.
    pub node_kinds: Vec<String>,
    /// Packages are one of these, or any if there are none.
    pub packages: Vec<String>,
}

impl Filter {
    /// Returns true if everything passes.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        self.paths.is_empty() && self.node_kinds.is_empty() && self.packages.is_empty()
    }

    /// Returns true if an item passes.
    #[must_use]
    pub fn passes(&self, item: &Item) -> bool {
        let path = self.paths.is_empty()
            || self
                .paths
                .iter()
                .any(|prefix| begins(&item.file_path, prefix));
        let kind = self.node_kinds.is_empty() || self.node_kinds.contains(&item.node_kind);
        let package = self.packages.is_empty() || self.packages.contains(&item.package);
        path && kind && package
    }
}

fn begins(path: &str, prefix: &str) -> bool {
    let prefix = prefix.trim_end_matches('/');
    prefix.is_empty()
        || path
            .strip_prefix(prefix)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::begins;

    #[test]
    fn a_prefix_ends_at_a_folder() {
        assert!(begins("src/api/routes.rs", "src/api"));
        assert!(begins("src/api/routes.rs", "src/api/"));
        assert!(begins("src/api", "src/api"));
        assert!(begins("src/api", ""));
        assert!(!begins("src/api_old/routes.rs", "src/api"));
    }
}
