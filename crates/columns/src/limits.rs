//! The limits of this crate: each with its unit (in the name) and its reason.

base::limits! {
    /// Entries of the environment variable `COLUMN_MAPPINGS`: they are read on every cold start.
    pub const MAX_COLUMN_MAPPINGS: usize = 1_000;
}
