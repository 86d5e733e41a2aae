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

    /// Bytes of a file that is imported: it is in memory beside what is made of it, and objects share 128 MB.
    pub const MAX_IMPORT_BYTES: usize = 32 * 1024 * 1024;

    /// Bytes of `data` that an import makes of less text: a default of a GraphML key, or a constant of a mapping, goes to each item.
    pub const MAX_REPEATED_BYTES: usize = 32 * 1024 * 1024;

    /// Attributes of one node or edge of a file, keys of a GraphML file, columns of a CSV: tables that people keep are not wider.
    pub const MAX_ATTRIBUTES: usize = 1_000;

    /// Attributes of `data` that an export writes as attributes of their own; what else there is stands together in `data`. With the fields
    /// of the item itself they are fewer than an import reads.
    pub const MAX_FLAT_ATTRIBUTES: usize = 900;

    /// Attributes of one XML element: quick-xml compares each with all before it. GraphML has ten.
    pub const MAX_XML_ATTRIBUTES: usize = 64;

    /// Open elements of an XML text: GraphML nests five deep, the graphics of editors in it some more.
    pub const MAX_XML_DEPTH: usize = 64;

    /// Characters of a text of a file that an error shows.
    pub const MAX_SHOWN_CHARACTERS: usize = 80;

    /// Mappings of nodes, or of edges, in one import of a query's rows: each reads every row.
    pub const MAX_MAPPINGS: usize = 20;
}
