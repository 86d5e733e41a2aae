//! The limits of this crate: each with its unit (in the name) and its reason.

base::limits! {
    /// Bytes of the id of a node or edge: longer than any CURIE, short enough for a URL when each byte is percent-encoded.
    pub const MAX_ID_BYTES: usize = 512;

    /// Bytes of a label.
    pub const MAX_LABEL_BYTES: usize = 4_096;

    /// Bytes of a type: it is a word for legends and filters.
    pub const MAX_TYPE_BYTES: usize = 128;

    /// Bytes of the JSON text of `data`: a row of SQLite in a Durable Object holds 2 MB.
    pub const MAX_DATA_BYTES: usize = 1_048_576;

    /// Levels of `data`: readers of JSON in other languages stop at some hundred.
    pub const MAX_DATA_DEPTH: usize = 100;

    /// How far from the origin a node may be, in units of a layout: positions stay exact to a millionth there.
    pub const MAX_COORDINATE: u64 = 1_000_000_000;

    /// Nodes and edges that one request names: 25 MB of the shortest ones.
    pub const MAX_ITEMS: usize = 500_000;

    /// Faulty items that one error lists.
    pub const MAX_LISTED_ISSUES: usize = 100;
}
