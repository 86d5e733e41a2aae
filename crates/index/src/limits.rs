//! The limits of this crate: each with its unit (in the name) and its reason.

base::limits! {
    /// Objects on one page of a list, unless the request has a limit.
    pub const DEFAULT_LISTED_OBJECTS: usize = 100;

    /// Objects on one page at most: some 150 bytes of JSON each.
    pub const MAX_LISTED_OBJECTS: usize = 1_000;

    /// Objects that one request deletes: each needs its own request, and the platform allows a
    /// Worker 1,000 of them.
    pub const MAX_DELETED_OBJECTS: usize = 500;

    /// Objects that are deleted at the same time.
    pub const DELETED_AT_A_TIME: usize = 8;
}
