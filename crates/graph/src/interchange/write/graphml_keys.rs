//! The keys of a written GraphML file for the fields that every node and every edge has.

/// The key of one of our own fields.
pub(super) struct Key {
    pub(super) id: &'static str,
    pub(super) name: &'static str,
    pub(super) r#type: &'static str,
}

const fn key(id: &'static str, name: &'static str, r#type: &'static str) -> Key {
    Key { id, name, r#type }
}

/// The keys of nodes. A field of data cannot have their names.
pub(super) const NODE_KEYS: &[Key] = &[
    key("label", "label", "string"),
    key("type", "type", "string"),
    key("x", "x", "double"),
    key("y", "y", "double"),
    key("pinned", "pinned", "boolean"),
    key("data", "data", "string"),
];

/// The keys of edges.
pub(super) const EDGE_KEYS: &[Key] = &[
    key("edge_label", "label", "string"),
    key("edge_type", "type", "string"),
    key("edge_data", "data", "string"),
];

/// More names that a field of data cannot have, because readers take such attributes for the item's
/// own.
pub(super) const OTHER_NAMES: &[&str] = &["id", "key", "source", "target", "position"];
