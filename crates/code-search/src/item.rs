//! Items of code, with the properties that ranking and packing use.

use serde::Serialize;

/// The relation of an item to its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A definition of the name: a function, a type, a trait, a macro, a constant, a module.
    Definition,
    /// Another path to the name, created by `pub use` or `export … from`.
    Reexport,
    /// An extension of something that is defined elsewhere: `impl`.
    Extension,
    /// Not a definition: a chunk of lines, a private import.
    Text,
}

/// The kind of a part's text.
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
    /// The row by which lists refer to it.
    pub row: i64,
    /// The id that callers use.
    pub id: String,
    /// The path of the file, relative to the root of the workspace.
    pub file_path: String,
    /// The path in code: `crate::runtime::Builder::build`.
    pub canon_path: String,
    /// The last part of that path.
    pub name: String,
    /// The first sentence of its documentation; empty if it has none.
    pub summary: String,
    /// The kind of item, in snake case: `function`, `type_alias`.
    pub node_kind: String,
    /// The crate or package.
    pub package: String,
    /// The relation to its name.
    pub role: Role,
    /// The kind of its text: [`PartKind::Code`] or [`PartKind::Doc`].
    pub part: PartKind,
    /// The bytes that are shown: the first, and the one after the last. An item that contains other
    /// items ends before the first of them, so that its text does not take the place of theirs.
    pub range: (u64, u64),
    /// The lines of that range, first and last, from 1.
    pub lines: (u64, u64),
}

/// The text of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Text {
    /// The text as it was indexed.
    Current {
        /// The text of the range.
        text: String,
        /// The text before the body, if the item has one. Its white space may differ from that in
        /// `text`.
        signature: Option<String>,
    },
    /// The signatures of the inner items, because the item has no text of its own.
    Outline {
        /// The signatures, one a line.
        text: String,
    },
    /// The text as it was indexed; the file has changed since.
    Stale {
        /// The text of the range when it was indexed.
        text: String,
    },
    /// The text cannot be read.
    Missing,
}

/// A filter of items. It is applied to the hits, so a search must fetch more hits than it returns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// The accepted path prefixes; empty to accept any path. A prefix ends at a folder or at the
    /// end of the path.
    pub paths: Vec<String>,
    /// The accepted kinds; empty to accept any.
    pub node_kinds: Vec<String>,
    /// The accepted packages; empty to accept any.
    pub packages: Vec<String>,
}

impl Filter {
    /// Returns true if the filter accepts every item.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        self.paths.is_empty() && self.node_kinds.is_empty() && self.packages.is_empty()
    }

    /// Returns true if the filter accepts an item.
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
