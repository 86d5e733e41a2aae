//! Prints how long layouts of random graphs take: `cargo run --release -p graph-layout --example
//! time`.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "the graphs are those of the tests, whose helpers may stop at a surprise"
)]

#[path = "../tests/support/mod.rs"]
#[expect(dead_code, reason = "the tests use all of it")]
mod support;

use std::time::Instant;

use graph_layout::{
    CircularOptions, ForceOptions, GridOptions, HierarchyOptions, OptimizeOptions, Problem,
    circular, crossings, force, grid, hierarchy, optimize_positions,
};
use support::{Random, mean_length, random_edges, scattered, tree, unplaced};

fn main() {
    for (nodes, edges) in [
        (50, 75),
        (100, 150),
        (100, 200),
        (200, 300),
        (300, 600),
        (1_000, 4_000),
        (5_000, 20_000),
        (50_000, 100_000),
    ] {
        let edges = random_edges(&mut Random::new(1), nodes, edges);
        measure(
            &format!("random {nodes}/{}", edges.len()),
            &unplaced(nodes, edges),
        );
    }
    let bipartite = (0..49 * 49)
        .map(|edge| (edge / 49, 49 + edge % 49))
        .collect();
    measure("bipartite 49 + 49", &unplaced(98, bipartite));
    for nodes in [500, 5_000] {
        measure(&format!("tree {nodes}"), &unplaced(nodes, tree(nodes)));
    }
}

fn measure(name: &str, problem: &Problem) {
    println!("{name}");
    time("force, its own iterations", || {
        let placed = force(problem, &ForceOptions::default()).unwrap_or_default();
        format!("{:.0} px an edge", mean_length(&placed, problem.edges()))
    });
    time("force, 100 iterations", || {
        let options = ForceOptions {
            iterations: Some(100),
            ..ForceOptions::default()
        };
        force(problem, &options).unwrap_or_default();
        String::new()
    });
    time("hierarchy", || {
        hierarchy(problem, &HierarchyOptions::default())
            .map_or(String::new(), |drawn| format!("{:?}", drawn.method))
    });
    time("circular", || {
        circular(problem, &CircularOptions::default()).unwrap_or_default();
        String::new()
    });
    time("grid", || {
        grid(problem, &GridOptions::default()).unwrap_or_default();
        String::new()
    });
    let nodes = problem.node_count();
    let positions = scattered(
        &mut Random::new(2),
        nodes as u32,
        80.0 * (nodes as f64).sqrt(),
    );
    time("crossings of scattered nodes", || {
        format!("{:?}", crossings(&positions, problem.edges()))
    });
    let Ok(scattered) = Problem::new(
        positions.clone(),
        vec![false; nodes],
        problem.edges().to_vec(),
    ) else {
        return;
    };
    time("optimising them", || {
        optimize_positions(&scattered, &OptimizeOptions::default()).map_or_else(
            |error| error.to_string(),
            |one| format!("{} to {}", one.before, one.after),
        )
    });
}

fn time(name: &str, run: impl FnOnce() -> String) {
    let start = Instant::now();
    let said = run();
    println!(
        "  {:8.1} ms  {name}  {said}",
        start.elapsed().as_secs_f64() * 1000.0
    );
}
