//! The front of an item: documentation and attributes.

/// The documentation and the attributes at the start of an item.
#[derive(Default)]
pub(crate) struct Front<'t> {
    pub is_documented: bool,
    /// The attributes, without white space and as they are written.
    pub attributes: Vec<(String, &'t str)>,
}
