//! The treatment of items that exist already, as callers choose it.

use ::operation::arguments::Word;

/// The treatment of an item whose id exists already. For edges without an id, `Matching` decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnConflict {
    /// The request fails.
    Error,
    /// The item is skipped.
    Ignore,
    /// The item replaces the fields that it has in the existing one. Of two items with the same id,
    /// the later one counts.
    Replace,
}

impl Word for OnConflict {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("error", Self::Error),
        ("ignore", Self::Ignore),
        ("replace", Self::Replace),
    ];
}

/// The treatment of existing nodes and edges that the import does not contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// They are kept.
    Merge,
    /// They are removed, so that the graph has exactly the content of the import.
    Replace,
}

impl Word for Mode {
    const WORDS: &'static [(&'static str, Self)] =
        &[("merge", Self::Merge), ("replace", Self::Replace)];
}

/// The treatment of an item whose id is taken: by an existing item, and by an earlier item of the
/// request.
#[derive(Debug, Clone, Copy)]
pub(super) struct Conflicts {
    pub existing: OnConflict,
    pub repeated: OnConflict,
}
