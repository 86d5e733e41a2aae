//! The limits of this crate: each with its unit (in the name or the comment) and its reason.

base::limits! {
    /// Nodes of a force-directed, circular or grid layout: the largest graph whose force layout
    /// stays within some 5 s of CPU in wasm.
    pub const MAX_LAYOUT_NODES: usize = 50_000;

    /// Edges of a force-directed or circular layout, for the same reason.
    pub const MAX_LAYOUT_EDGES: usize = 200_000;

    /// Edges whose crossings are counted: every pair of them is compared in the worst case, 50
    /// million comparisons.
    pub const MAX_CROSSING_EDGES: usize = 10_000;

    /// Iterations of a force-directed layout, whatever is asked for.
    pub const MAX_ITERATIONS: u32 = 2_000;

    /// Iterations times nodes of a force-directed layout: 300 iterations of 5,000 nodes, 30 of
    /// 50,000.
    pub const MAX_NODE_ITERATIONS: usize = 1_500_000;

    /// Nodes that dagre lays out: it recurses once for each node of a path, and V8's stack
    /// overflows between 2,000 and 4,000 levels.
    pub const MAX_DAGRE_NODES: usize = 500;

    /// Nodes of dagre's inner graph: the nodes themselves and one for each half rank that an edge
    /// passes. At this bound it takes some 2 s of CPU in wasm.
    pub const MAX_DAGRE_INNER_NODES: usize = 2_500;

    /// Pairs of dagre's inner nodes on the same rank, all of which it looks at: twice the number in
    /// a star of [`MAX_DAGRE_NODES`] nodes.
    pub const MAX_DAGRE_PAIRS: usize = 1_000_000;

    /// Comparisons of pairs of edges by which positions are optimised: about 2 s of CPU in wasm.
    pub const MAX_OPTIMIZE_COMPARISONS: u64 = 100_000_000;

    /// Comparisons of pairs of edges by which nodes of a layered drawing are swapped, which is done
    /// for three drawings.
    pub const MAX_SWAP_COMPARISONS: u64 = 20_000_000;
}

/// Pixels that a node placed by a layout keeps from every other node: two circles of 20 pixels
/// touch.
pub const MINIMUM_DISTANCE: f64 = 20.0;

/// Pixels from the origin beyond which a coordinate counts as this far away: squares stay far below
/// overflow, and an f64 still tells a millionth of a pixel apart.
pub const LARGEST_COORDINATE: f64 = 1e9;

/// Pixels that options for lengths may ask for: a drawing of that scale fits into
/// [`LARGEST_COORDINATE`].
pub const LARGEST_LENGTH: f64 = 10_000.0;
