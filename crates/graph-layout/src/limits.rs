//! The limits of this crate: each with its unit (in the name or the comment) and its reason.

base::limits! {
    /// Nodes of a force-directed, circular or grid layout: the largest graph whose force layout
    /// takes at most some 5 s of CPU in WebAssembly.
    pub const MAX_LAYOUT_NODES: usize = 50_000;

    /// Edges of a force-directed or circular layout, for the same reason.
    pub const MAX_LAYOUT_EDGES: usize = 200_000;

    /// Edges whose crossings are counted: in the worst case every pair of them is compared, 50
    /// million comparisons.
    pub const MAX_CROSSING_EDGES: usize = 10_000;

    /// The most iterations of a force-directed layout that a caller may ask for.
    pub const MAX_ITERATIONS: u32 = 2_000;

    /// The product of iterations and nodes of a force-directed layout: 300 iterations of 5,000
    /// nodes, 30 of 50,000.
    pub const MAX_NODE_ITERATIONS: usize = 1_500_000;

    /// Nodes that dagre lays out: it recurses once for each node of a path, and V8's stack
    /// overflows between 2,000 and 4,000 levels.
    pub const MAX_DAGRE_NODES: usize = 500;

    /// Nodes of dagre's inner graph: the nodes themselves and one for each half rank that an edge
    /// passes. At this bound it takes some 2 s of CPU in WebAssembly.
    pub const MAX_DAGRE_INNER_NODES: usize = 2_500;

    /// Pairs of dagre's inner nodes on the same rank, all of which it compares: twice the number in
    /// a star of [`MAX_DAGRE_NODES`] nodes.
    pub const MAX_DAGRE_PAIRS: usize = 1_000_000;

    /// Comparisons of pairs of edges while positions are optimised: about 2 s of CPU in
    /// WebAssembly.
    pub const MAX_OPTIMIZE_COMPARISONS: u64 = 100_000_000;

    /// Comparisons of pairs of edges while nodes of a layered drawing are swapped, for each of
    /// three drawings.
    pub const MAX_SWAP_COMPARISONS: u64 = 20_000_000;
}

/// The least distance in pixels of a node placed by a layout from every other node: two circles of
/// 20 pixels touch.
pub const MINIMUM_DISTANCE: f64 = 20.0;

/// The greatest coordinate in pixels; larger ones are clamped. Squares stay far below overflow, and
/// an f64 still distinguishes a millionth of a pixel.
pub const LARGEST_COORDINATE: f64 = 1e9;

/// The greatest length in pixels that options accept: a drawing of that scale fits into
/// [`LARGEST_COORDINATE`].
pub const LARGEST_LENGTH: f64 = 10_000.0;
