//! The limits of this crate: each with its unit (in the name) and its reason.
//!
//! A step is one arc or one node that a walk reads. `examples/speed.rs` measures the limits on
//! steps: they take at most 2.5 s on the host in the worst of its graphs, which is at most 5 s in
//! WebAssembly.

base::limits! {
    /// Nodes of a graph that is analysed: a line of this many takes some 60 MB with the arrays of a
    /// measure, of the 128 MB of an isolate.
    pub const MAX_ANALYSED_NODES: u64 = 1_000_000;

    /// Edges of a graph that is analysed, each parallel edge counted: while the rows are built, an
    /// undirected edge takes 60 bytes.
    pub const MAX_ANALYSED_EDGES: u64 = 1_000_000;

    /// Steps of searches from 64 sources at a time, for distances, closeness and harmonic
    /// centrality without weights: 2 ns each on a line, where sources share nothing.
    pub const MAX_SWEEP_STEPS: u64 = 1_000_000_000;

    /// Steps of betweenness without weights: 7 ns each.
    pub const MAX_BETWEENNESS_STEPS: u64 = 350_000_000;

    /// Nodes of a graph whose betweenness without weights is computed from eight sources at a time:
    /// 256 bytes each, 16 MB, and up to 19 MB for the results of a sweep.
    pub const MAX_LANE_NODES: u64 = 65_536;

    /// Steps of searches with weights from many sources: 40 ns each.
    pub const MAX_DIJKSTRA_STEPS: u64 = 60_000_000;

    /// Steps of the search for triangles: 2.5 ns each in a complete graph.
    pub const MAX_TRIANGLE_STEPS: u64 = 1_000_000_000;

    /// Steps of the iterations for eigenvectors: 1.2 ns each.
    pub const MAX_POWER_STEPS: u64 = 1_000_000_000;

    /// Nodes of an undirected graph whose eigenvector is computed by conjugate gradients: its six
    /// vectors take 24 MB. Power iteration, for larger graphs, has two vectors.
    pub const MAX_GRADIENT_NODES: u32 = 500_000;

    /// Iterations for an eigenvector: enough for directed graphs whose two greatest eigenvalues
    /// differ by a thousandth.
    pub const MAX_POWER_ITERATIONS: u64 = 100_000;

    /// Steps of Leiden for all runs, in graphs of 200 nodes and more: about 1 ms. A graph of a
    /// thousand nodes gets one run.
    pub const USUAL_LEIDEN_STEPS: u64 = 20_000;

    /// Steps of Leiden for all runs, in smaller graphs: more, because chance decides more there.
    pub const SMALL_LEIDEN_STEPS: u64 = 1_000_000;

    /// Steps of all runs of Leiden: 50 ns each in graphs of a million edges.
    pub const MAX_LEIDEN_STEPS: u64 = 50_000_000;

    /// Runs of Leiden, of which the best counts: the smallest graphs get this many, which is enough
    /// to find the optimum.
    pub const MAX_LEIDEN_RUNS: u64 = 200;

    /// The greatest resolution of communities. In a graph with a million edges without weights, all
    /// communities have a single node at a far smaller resolution.
    pub const MAX_RESOLUTION: u64 = 1_000_000_000;

    /// Steps of the k shortest paths: up to 120 ns each in the largest graphs. The list is cut at
    /// this limit.
    pub const MAX_PATH_STEPS: u64 = 20_000_000;

    /// Paths of a list.
    pub const MAX_LISTED_PATHS: u64 = 1_000;

    /// Nodes of all paths of a list: 4 MB.
    pub const MAX_LISTED_PATH_NODES: u64 = 1_000_000;
}
