//! The front of an item, as the languages find it.

/// The documentation and the attributes that an item begins with.
#[derive(Default)]
pub(crate) struct Front<'t> {
    pub is_documented: bool,
    /// Without white space, and as they are written.
    pub attributes: Vec<(String, &'t str)>,
}
