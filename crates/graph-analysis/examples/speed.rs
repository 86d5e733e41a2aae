//! Measures how long each analysis of random graphs takes, and the nanoseconds of each step. The
//! limits on steps are based on these times.
//!
//! `cargo run --release -p graph-analysis --example speed` prints a table for several sizes; with
//! `NODES EDGES`, for that size only; with a file name after them, it also writes the edges to that
//! file, one a line, so that other libraries can measure the same graph.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use graph_analysis::centrality::{betweenness, closeness, eigenvector, harmonic, pagerank};
use graph_analysis::communities::{Leiden, leiden};
use graph_analysis::connectivity::cuts;
use graph_analysis::paths::{all_shortest, k_shortest, shortest};
use graph_analysis::structure::{clustering, counts, distances, strong_components};
use graph_analysis::{Direction, Network, Sources, Weights};

/// The sizes in the table: nodes and edges.
const SIZES: [(u32, u32); 4] = [
    (1_000, 5_000),
    (5_000, 20_000),
    (50_000, 200_000),
    (250_000, 1_000_000),
];
/// The seed of the samples.
const SEED: u64 = 1;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize| arguments.get(index)?.parse().ok();
    match (number(0), number(1)) {
        (Some(nodes), Some(edges)) => measure(nodes, edges, arguments.get(2)),
        _ => {
            SIZES
                .iter()
                .for_each(|(nodes, edges)| measure(*nodes, *edges, None));
            measure_worst();
        }
    }
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

/// Measures the worst graph for each analysis: a line, on which no two sources share a step and
/// whose eigenvalues are close; a complete graph, with the most triangles; a ladder, with the most
/// variants of long paths.
fn measure_worst() {
    let line = |nodes: u32| (1..nodes).map(|node| (node - 1, node, 1.0));
    let undirected = Direction::Undirected;
    println!("\nworst graphs");
    if let Ok(line) = Network::new(16_000, line(16_000), undirected) {
        timed_sources("distances of a line", 16_000, 48_000.0, || {
            distances(&line, Sources::AllThatFit { seed: SEED })
                .ok()?
                .sampled_sources
        });
    }
    if let Ok(line) = Network::new(5_000, line(5_000), undirected) {
        timed_sources("betweenness of a line", 5_000, 15_000.0, || {
            betweenness(&line, Weights::Ignored, Sources::AllThatFit { seed: SEED })
                .ok()?
                .sampled_sources
        });
        timed("eigenvector of a line", 15_000.0, || {
            eigenvector(&line, Weights::Ignored).ok()
        });
    }
    let complete = (0..1_200).flat_map(|one| (0..one).map(move |other| (other, one, 1.0)));
    if let Ok(complete) = Network::new(1_200, complete, undirected) {
        timed("clustering of a complete graph", 1_440_000.0, || {
            clustering(&complete).ok()
        });
        timed("leiden of a complete graph", 1_440_000.0, || {
            leiden(&complete, Leiden::default()).ok()
        });
    }
    let rungs =
        (0..20_000).flat_map(|node| [(node, node + 2, 1.0), (node, (node / 2) * 2 + 1, 1.5)]);
    if let Ok(ladder) = Network::new(20_002, rungs, undirected) {
        timed("1000 shortest paths of a ladder", 60_000.0, || {
            k_shortest(&ladder, 0, 20_001, 1_000, Weights::Used).ok()
        });
    }
}

fn measure(nodes: u32, edge_count: u32, file: Option<&String>) {
    let edges = random_edges(nodes, edge_count);
    if let Some(file) = file {
        let mut text = String::new();
        for (source, target, weight) in &edges {
            let _ = writeln!(text, "{source} {target} {weight}");
        }
        if let Err(error) = std::fs::write(file, text) {
            println!("{file}: {error}");
        }
    }
    println!("\n{nodes} nodes, {edge_count} edges");
    let build = || Network::new(nodes, edges.iter().copied(), Direction::Undirected);
    let Some(network) = timed("build", 0.0, || build().ok()) else {
        return;
    };
    let arcs = 2.0 * counts(&network).edges as f64 + f64::from(nodes);
    let fitting = Sources::AllThatFit { seed: SEED };
    for (weights, label) in [(Weights::Ignored, ""), (Weights::Used, ", weights")] {
        timed_sources(&format!("betweenness{label}"), nodes, arcs, || {
            betweenness(&network, weights, fitting)
                .ok()?
                .sampled_sources
        });
        timed_sources(&format!("closeness{label}"), nodes, arcs, || {
            closeness(&network, weights, fitting).ok()?.sampled_sources
        });
    }
    timed_sources("harmonic", nodes, arcs, || {
        harmonic(&network, Weights::Ignored, fitting)
            .ok()?
            .sampled_sources
    });
    timed_sources("distances", nodes, arcs, || {
        distances(&network, fitting).ok()?.sampled_sources
    });
    timed("clustering", arcs, || clustering(&network).ok());
    timed("strong components", arcs, || strong_components(&network));
    timed("bridges, articulation points", arcs, || cuts(&network).ok());
    timed("eigenvector", arcs, || {
        eigenvector(&network, Weights::Ignored).ok()
    });
    timed("pagerank", arcs, || pagerank(&network, Weights::Ignored));
    timed("pagerank, weights", arcs, || {
        pagerank(&network, Weights::Used)
    });
    let found = timed("leiden", arcs, || leiden(&network, Leiden::default()).ok());
    if let Some(found) = found {
        println!(
            "    {} runs, modularity {:?}, {} communities",
            found.runs,
            found.modularity,
            found.sizes.len()
        );
    }
    for (weights, label) in [(Weights::Ignored, ""), (Weights::Used, ", weights")] {
        let target = nodes - 1;
        timed(&format!("shortest path{label}"), arcs, || {
            shortest(&network, 0, target, weights).ok()
        });
        timed(&format!("all shortest paths{label}"), arcs, || {
            all_shortest(&network, 0, target, weights, 1_000).ok()
        });
        timed(&format!("100 shortest paths{label}"), arcs, || {
            k_shortest(&network, 0, target, 100, weights).ok()
        });
    }
}

/// Returns the processor time of this process on Linux, else the time since the start. Other
/// processes do not affect the former.
fn clock(start: Instant) -> Duration {
    let text = std::fs::read_to_string("/proc/self/schedstat").ok();
    let on_processor = text.and_then(|text| text.split(' ').next()?.parse().ok());
    on_processor.map_or_else(|| start.elapsed(), Duration::from_nanos)
}

/// Runs an analysis. Prints its time, and the time divided by the arcs and nodes of the graph.
fn timed<T>(what: &str, steps: f64, run: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let before = clock(start);
    let result = run();
    let seconds = (clock(start) - before).as_secs_f64();
    let each = if steps > 0.0 {
        seconds * 1e9 / steps
    } else {
        0.0
    };
    println!(
        "{what:32} {:10.2} ms {each:9.2} ns for each arc and node",
        seconds * 1e3
    );
    result
}

/// Runs an analysis from all sources, or from the sample whose size it returns. Prints the same
/// times.
fn timed_sources(what: &str, nodes: u32, arcs: f64, run: impl FnOnce() -> Option<u32>) {
    let start = Instant::now();
    let before = clock(start);
    let sampled = run();
    let seconds = (clock(start) - before).as_secs_f64();
    let sources = sampled.unwrap_or(nodes);
    println!(
        "{what:32} {:10.2} ms {:9.2} ns for each step, {sources} sources",
        seconds * 1e3,
        seconds * 1e9 / arcs / f64::from(sources)
    );
}
