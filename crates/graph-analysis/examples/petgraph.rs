//! Shows why production code has its own shortest paths and components: memory and times of
//! petgraph and of this crate for the same graph.
//!
//! `cargo run --release -p graph-analysis --example petgraph` prints them for the largest graph
//! that is analysed and for one of usual size. The times of petgraph do not include making its
//! graph, which is a row of its own.

use std::time::Instant;

use graph_analysis::paths::shortest;
use graph_analysis::structure::{strong_components, weak_components};
use graph_analysis::{Direction, Network, Weights};
use petgraph::algo::{astar, dijkstra, kosaraju_scc};
use petgraph::graph::{DiGraph, NodeIndex};

/// Numbers of nodes and edges: those of a usual request, and the most edges that are analysed.
const SIZES: [(u32, u32); 2] = [(5_000, 20_000), (250_000, 1_000_000)];
/// The number of runs. The fastest one counts.
const RUNS: usize = 5;

fn main() {
    for (nodes, count) in SIZES {
        println!("\n{nodes} nodes, {count} edges, directed, with weights");
        let edges = random_edges(nodes, count);
        let ours = timed("ours: build", || {
            Network::new(nodes, edges.iter().copied(), Direction::Directed).ok()
        });
        let theirs = timed("petgraph: build", || {
            let mut graph = DiGraph::<(), f64>::with_capacity(nodes as usize, edges.len());
            for _ in 0..nodes {
                graph.add_node(());
            }
            for (source, target, weight) in &edges {
                graph.add_edge(NodeIndex::from(*source), NodeIndex::from(*target), *weight);
            }
            graph
        });
        let Some(ours) = ours else { return };
        let target = nodes - 1;
        timed("ours: shortest path", || {
            shortest(&ours, 0, target, Weights::Used).ok()
        });
        timed("petgraph: dijkstra, distance alone", || {
            dijkstra(&theirs, 0.into(), Some(target.into()), |edge| {
                *edge.weight()
            })
        });
        timed("petgraph: astar without estimate, path", || {
            let end = NodeIndex::from(target);
            astar(
                &theirs,
                0.into(),
                |node| node == end,
                |edge| *edge.weight(),
                |_| 0.0,
            )
        });
        timed("ours: strong components", || strong_components(&ours));
        timed("petgraph: kosaraju_scc", || kosaraju_scc(&theirs));
        timed("ours: weak components", || weak_components(&ours));
    }
    deep();
}

/// Analyses a path in which each node is a level of its own. petgraph's `tarjan_scc` recurses once
/// for each level and overflows the stack, here and in the larger random graph, so only
/// `kosaraju_scc` is run, which has an explicit stack.
fn deep() {
    const LENGTH: u32 = 1_000_000;
    println!("\na line of {LENGTH} nodes");
    let line = || (1..LENGTH).map(|node| (node - 1, node, 1.0));
    if let Ok(network) = Network::new(LENGTH, line(), Direction::Directed) {
        timed("ours: strong components", || strong_components(&network));
    }
    let graph = DiGraph::<(), f64>::from_edges(line());
    timed("petgraph: kosaraju_scc", || kosaraju_scc(&graph));
}

/// Returns random edges with weights in eighths, from a linear congruential generator with the
/// constants of Knuth's MMIX.
fn random_edges(nodes: u32, count: u32) -> Vec<(u32, u32, f64)> {
    let mut state = u64::from(nodes);
    let mut below = |bound: u32| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % u64::from(bound)) as u32
    };
    (0..count)
        .map(|_| (below(nodes), below(nodes), f64::from(below(80) + 1) / 8.0))
        .collect()
}

/// Prints the time of the fastest run, and returns the result of the last one.
fn timed<T>(what: &str, mut run: impl FnMut() -> T) -> T {
    let mut once = || {
        let start = Instant::now();
        let result = run();
        (start.elapsed().as_secs_f64(), result)
    };
    let (mut fastest, mut result) = once();
    for _ in 1..RUNS {
        let (seconds, again) = once();
        fastest = fastest.min(seconds);
        result = again;
    }
    println!("{what:42} {:10.3} ms", fastest * 1e3);
    result
}
