//! Properties that the structured content of several tools has, as JSON text.

/// The node, the edge or the result of an analysis.
pub(crate) const ITEM: &str = r#""data":{"type":"object"}"#;

/// The item, and a flag that it is new.
pub(crate) const CREATED: &str = r#""data":{"type":"object"},"created":{"type":"boolean"}"#;

/// The item, and a flag that it has changed.
pub(crate) const CHANGED: &str = r#""data":{"type":"object"},"changed":{"type":"boolean"}"#;

/// Counts of many items.
pub(crate) const COUNTS: &str = r#""created":{"type":"integer"},"skipped":{"type":"integer"}"#;

/// Counts of nodes and edges.
pub(crate) const IMPORTED: &str = r#""nodes":{"type":"object"},"edges":{"type":"object"}"#;

/// A page of items.
pub(crate) const PAGE: &str =
    r#""data":{"type":"array","items":{"type":"object"}},"nextCursor":{"type":["string","null"]}"#;
