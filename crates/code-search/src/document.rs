//! The indexed text of an item: its words, and the text from which its vector is computed.

use crate::words::{index_words, path_words};

/// An item as an index sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Document<'a> {
    /// The name; empty if there is none.
    pub name: &'a str,
    /// The type, trait or class that a method belongs to; empty for other items.
    pub owner: &'a str,
    /// The file, relative to the root of the workspace.
    pub file_path: &'a str,
    /// Documentation, signature and body. For an `impl` and a trait, only the text before the first
    /// method, because methods are items too.
    pub text: &'a str,
}

impl Document<'_> {
    /// Returns the columns of the text index: name, path with owner, body. Their weights are
    /// [`words::COLUMN_WEIGHTS`](crate::words::COLUMN_WEIGHTS).
    #[must_use]
    pub fn columns(&self) -> [String; 3] {
        let mut path = path_words(self.file_path);
        let owner = index_words(self.owner);
        if !path.is_empty() && !owner.is_empty() {
            path.push(' ');
        }
        path.push_str(&owner);
        [index_words(self.name), path, index_words(self.text)]
    }

    /// Returns the text from which the vector is computed.
    #[must_use]
    pub fn embedded(&self) -> String {
        [self.name, self.owner, self.file_path, self.text].join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::Document;

    #[test]
    fn a_method_is_found_by_its_owner() {
        let document = Document {
            name: "abort_all",
            owner: "JoinSet",
            file_path: "src/task/join_set.rs",
            text: "fn abort_all(&mut self) {}",
        };
        let [name, path, body] = document.columns();
        assert_eq!(name, "abort abortall");
        assert_eq!(path, "task join set joinset join set joinset");
        assert_eq!(body, "abort abortall");
    }
}
