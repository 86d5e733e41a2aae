//! The limits of this crate: each with its unit (in the name) and its reason.

base::limits! {
    /// Bytes of the id of a node or edge: longer than any CURIE, short enough for a URL when each
    /// byte is percent-encoded.
    pub const MAX_ID_BYTES: usize = 512;

    /// Bytes of a label.
    pub const MAX_LABEL_BYTES: usize = 4_096;

    /// Bytes of a type: it is a word for legends and filters.
    pub const MAX_TYPE_BYTES: usize = 128;

    /// Bytes of the JSON text of `data`: a row of SQLite in a Durable Object holds 2 MB.
    pub const MAX_DATA_BYTES: usize = 1_048_576;

    /// Levels of `data`: readers of JSON in other languages stop at some hundred.
    pub const MAX_DATA_DEPTH: usize = 100;

    /// The greatest coordinate of a node, in either direction: up to it, positions are exact to a
    /// millionth.
    pub const MAX_COORDINATE: u64 = 1_000_000_000;

    /// Nodes and edges that one request may contain: the rows and indexes for the shortest ones
    /// take some 80 MB, and objects share 128 MB.
    pub const MAX_ITEMS: usize = 200_000;

    /// Faulty items that one error lists.
    pub const MAX_LISTED_ISSUES: usize = 100;

    /// Kinds of file content that an import leaves out, each with a notice of its own. Further
    /// kinds are counted in one notice.
    pub const MAX_IMPORT_NOTICES: usize = 50;

    /// Bytes of a file to import: it is in memory beside the nodes and edges made from it, and
    /// objects share 128 MB.
    pub const MAX_IMPORT_BYTES: usize = 32 * 1024 * 1024;

    /// Bytes of `data` that an import may make from less text: a default of a GraphML key, or a
    /// constant of a mapping, is copied to each item.
    pub const MAX_REPEATED_BYTES: usize = 32 * 1024 * 1024;

    /// Attributes of one node or edge of a file, keys of a GraphML file, columns of a CSV file:
    /// tables in practice are not wider.
    pub const MAX_ATTRIBUTES: usize = 1_000;

    /// Fields of `data` that an export writes as attributes of their own; the others stay in one
    /// attribute `data`. With the fields of the item itself they are fewer than an import accepts.
    pub const MAX_FLAT_ATTRIBUTES: usize = 900;

    /// Attributes of one XML element: quick-xml compares each with all before it. GraphML needs
    /// ten.
    pub const MAX_XML_ATTRIBUTES: usize = 64;

    /// The depth of open elements in an XML text: GraphML needs five, and the drawings of editors
    /// in it some more.
    pub const MAX_XML_DEPTH: usize = 64;

    /// Characters of a file's text that an error quotes.
    pub const MAX_SHOWN_CHARACTERS: usize = 80;

    /// Mappings of nodes, or of edges, in one import of a query's rows: each reads every row.
    pub const MAX_MAPPINGS: usize = 20;
    /// Nodes of a graph: with their history they fill a part of the 10 GB of an object.
    pub const MAX_NODES: u64 = 1_000_000;
    /// Edges of a graph: five for each node.
    pub const MAX_EDGES: u64 = 5_000_000;
    /// Types of the nodes of a graph: each page of it lists them, in 1.4 MB of the longest ones.
    pub const MAX_NODE_TYPES: u64 = 10_000;
    /// Bytes of the name of a graph.
    pub const MAX_NAME_BYTES: usize = 4_096;
    /// Bytes of the description of a graph: some pages of text.
    pub const MAX_DESCRIPTION_BYTES: usize = 65_536;
    /// Event streams that one graph has open: each takes some kilobytes and a connection.
    pub const MAX_GRAPH_READERS: usize = 10_000;
    /// Steps that the history keeps, unless the deployment says otherwise.
    pub const DEFAULT_GRAPH_HISTORY_STEPS: u64 = 1_000;
    /// Rows of past versions that the history keeps: some 1 GB of nodes and edges of usual size.
    pub const MAX_PAST_ROWS: u64 = 2_000_000;
    /// Characters of the description of a step: labels in it are cut, so that a list of steps stays
    /// short.
    pub const MAX_DESCRIPTION_CHARACTERS: usize = 300;
    /// Characters of a label in the description of a step.
    pub const MAX_LABEL_CHARACTERS: usize = 100;
    /// Types that the description of a step names.
    pub const MAX_NAMED_TYPES: usize = 10;
    /// Bytes of a piece of a bulk write: half of the largest value of SQLite, because a single item
    /// may have `MAX_DATA_BYTES`.
    pub const PIECE_BYTES: usize = 1_000_000;
    /// Bytes of `data` that a bulk update reads and merges at a time.
    pub const MERGED_BYTES: usize = 8_000_000;
    /// Rows that a bulk update reads and merges at a time.
    pub const MERGED_ROWS: usize = 10_000;
    /// Nodes and edges of a page, unless the request says otherwise.
    pub const DEFAULT_PAGE_ITEMS: usize = 1_000;
    /// Nodes and edges of a page at most: some 3 MB of usual ones.
    pub const MAX_PAGE_ITEMS: usize = 10_000;
    /// Bytes at which a page, the results of a search, and the lists of neighbours end: a response
    /// that a host can show.
    pub const MAX_PAGE_BYTES: usize = 4_000_000;
    /// Steps of a page of the history, unless the request says otherwise.
    pub const DEFAULT_PAGE_STEPS: usize = 50;
    /// Steps of a page of the history at most: some 400 KB.
    pub const MAX_PAGE_STEPS: usize = 1_000;
    /// Nodes that a search returns, unless the request says otherwise.
    pub const DEFAULT_FOUND_NODES: usize = 50;
    /// Nodes that a search returns at most.
    pub const MAX_FOUND_NODES: usize = 1_000;
    /// Words of a query that are searched for: more words do not improve the results.
    pub const MAX_SEARCHED_WORDS: usize = 50;
    /// Characters of a searched word; a longer one is searched for by its beginning.
    pub const MAX_WORD_CHARACTERS: usize = 1_000;
    /// Bytes of the words that are searched for in texts, for scripts without blanks between words.
    /// The rest of a longer query is ignored.
    pub const MAX_SEARCHED_WORD_BYTES: usize = 2_000;
    /// Bytes of nodes that one scan compares with one short word: some 0.3 s in WebAssembly. A
    /// cursor continues from there.
    pub const MAX_SEARCHED_NODE_BYTES: usize = 67_108_864;
    /// Bytes of a word that SQLite compares in about the time of one byte of text.
    pub const BYTES_COMPARED_AT_ONCE: usize = 32;
    /// Nodes that a scan reads in one statement.
    pub const SEARCHED_NODES_AT_A_TIME: u64 = 5_000;
    /// The greatest distance of neighbours from a node, in edges.
    pub const MAX_DEPTH: usize = 10;
    /// Neighbours that are returned, unless the request says otherwise.
    pub const DEFAULT_NEIGHBORS: usize = 100;
    /// Nodes that a search for neighbours visits, and therefore the most that it returns.
    pub const MAX_VISITED_NODES: usize = 10_000;
    /// Edges that a search for neighbours follows, and the most that it returns: some tenths of a
    /// second.
    pub const MAX_FOLLOWED_EDGES: usize = 50_000;
    /// The most nodes for which edges are looked up pair by pair: 90,000 look-ups, however many
    /// edges a node has.
    pub const MAX_PAIRED_NODES: usize = 300;
    /// Edges that are read to find those among a larger number of nodes: some tenths of a second.
    pub const MAX_COMPARED_EDGES: u64 = 200_000;
    /// Nodes that are compared to suggest one: as many as for "did you mean".
    pub const MAX_CANDIDATES: usize = base::limits::MAX_COMPARED_NAMES;
    /// Names of attributes that an error lists.
    pub const MAX_LISTED_ATTRIBUTES: usize = 20;
    /// Issues of one request for which the nearest ids are looked up.
    pub const MAX_SUGGESTED_ISSUES: usize = 10;
    /// Nodes with the same label that an error lists.
    pub const MAX_LISTED_NODES: usize = 20;
    /// Bytes of the patch of one change: a reader reloads the graph after a larger one.
    pub const MAX_PATCH_BYTES: usize = 1_000_000;
    /// Rows that are read from a cursor at a time.
    pub const TAKEN_ROWS: usize = 10_000;
    /// Bytes that are read from a cursor at a time: WebAssembly memory never shrinks.
    pub const TAKEN_BYTES: usize = 1_000_000;

    /// Bytes of a row of a session's query as JSON. The row has at most 2 MB before that.
    pub const MAX_ROW_BYTES: usize = 16 * 1024 * 1024;

    /// Bytes of an export, and of its tables: the response is one text, and objects share 128 MB.
    pub const MAX_EXPORT_BYTES: usize = 32 * 1024 * 1024;

    /// Nodes that a measure of centrality lists, unless the request says otherwise.
    pub const DEFAULT_CENTRAL_NODES: usize = 20;

    /// Nodes that a measure of centrality lists at most: some 1 MB.
    pub const MAX_CENTRAL_NODES: usize = 10_000;

    /// Members of communities that are listed, unless the request says otherwise.
    pub const DEFAULT_LISTED_MEMBERS: usize = 1_000;

    /// Bytes of the nodes and edges that one analysis lists: twice the longest list with usual
    /// names. A single path that exceeds it is refused.
    pub const MAX_LISTED_BYTES: usize = 10_000_000;

    /// Members of communities that are listed at most: some 10 MB.
    pub const MAX_LISTED_MEMBERS: usize = 100_000;

    /// Components that an analysis lists, the largest first.
    pub const MAX_LISTED_COMPONENTS: usize = 100;

    /// Degrees that an analysis lists.
    pub const MAX_LISTED_DEGREES: usize = 1_000;

    /// Bridges, and articulation points, that are listed.
    pub const MAX_LISTED_CUTS: usize = 1_000;

    /// Paths that one request finds.
    pub const MAX_PATHS: u32 = 100;

    /// Edges of paths that are listed with their data.
    pub const MAX_LISTED_PATH_EDGES: usize = 2_000;

    /// Rounds of a force-directed layout.
    pub const MAX_LAYOUT_ITERATIONS: u32 = graph_layout::limits::MAX_ITERATIONS;

    /// Positions that the preview of a layout lists: all that a layout places.
    pub const MAX_LISTED_POSITIONS: usize = graph_layout::limits::MAX_LAYOUT_NODES;

    /// The greatest seed of random numbers: the largest integer that JavaScript represents exactly.
    pub const MAX_SEED: u64 = 9_007_199_254_740_991;

    /// The most steps of history that a deployment may configure.
    pub const MAX_HISTORY_STEPS: u64 = 1_000_000;
}
