//! The quality of layouts, measured on graphs whose best drawing is known.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test stops at its first surprise; clippy.toml allows this in test functions, and here the helpers may, too"
)]

#[expect(dead_code, reason = "other tests use the rest")]
mod support;

use graph_layout::limits::MINIMUM_DISTANCE;
use graph_layout::{
    CircularOptions, ForceOptions, GridOptions, HierarchyOptions, OptimizeOptions, Position,
    Problem, Start, circular, crossings, force, grid, hierarchy, optimize_positions,
};
use support::{Random, clique, lattice, mean_length, path, scattered, tree, unplaced};

/// Returns the mean distance of all pairs.
fn mean_distance(positions: &[Position]) -> f64 {
    mean_length(positions, &clique(positions.len() as u32))
}

fn placed(nodes: u32, edges: &[(u32, u32)]) -> Vec<Position> {
    force(&unplaced(nodes, edges.to_vec()), &ForceOptions::default()).unwrap()
}

#[test]
fn neighbours_in_a_lattice_are_near_each_other() {
    let edges = lattice(10);
    let positions = placed(100, &edges);
    let (near, all) = (mean_length(&positions, &edges), mean_distance(&positions));
    assert!(near * 3.0 < all, "{near} {all}");
}

#[test]
fn a_lattice_and_a_cycle_are_drawn_without_a_crossing() {
    let cycle: Vec<(u32, u32)> = (0..40).map(|node| (node, (node + 1) % 40)).collect();
    for (nodes, edges) in [(100, lattice(10)), (40, cycle)] {
        let positions = placed(nodes, &edges);
        assert_eq!(crossings(&positions, &edges), Ok(0));
    }
}

#[test]
fn clusters_are_separated() {
    // Four cliques in a ring, with one edge from each to the next.
    let mut edges: Vec<(u32, u32)> = (0..4)
        .flat_map(|cluster| {
            clique(10)
                .into_iter()
                .map(move |(v, w)| (v + 10 * cluster, w + 10 * cluster))
        })
        .collect();
    edges.extend((0..4).map(|cluster| (10 * cluster, (10 * cluster + 19) % 40)));
    let positions = placed(40, &edges);
    for (node, position) in positions.iter().enumerate() {
        let mut others: Vec<usize> = (0..40).filter(|other| *other != node).collect();
        let distance = |other: &usize| positions[*other].distance(*position);
        others.sort_by(|one, other| distance(one).total_cmp(&distance(other)));
        // The nine nearest nodes are those of its own clique, with at most one exception.
        let strangers = others[..9].iter().filter(|other| **other / 10 != node / 10);
        assert!(strangers.count() <= 1, "node {node}");
    }
}

#[test]
fn components_do_not_overlap() {
    let mut edges = lattice(6);
    edges.extend(tree(40).iter().map(|(v, w)| (v + 36, w + 36)));
    let positions = placed(76, &edges);
    let bounds = |positions: &[Position]| {
        positions.iter().fold(
            (
                f64::INFINITY,
                f64::NEG_INFINITY,
                f64::INFINITY,
                f64::NEG_INFINITY,
            ),
            |(left, right, top, bottom), position| {
                (
                    left.min(position.x),
                    right.max(position.x),
                    top.min(position.y),
                    bottom.max(position.y),
                )
            },
        )
    };
    let (first, second) = (bounds(&positions[..36]), bounds(&positions[36..]));
    let apart =
        first.1 < second.0 || second.1 < first.0 || first.3 < second.2 || second.3 < first.2;
    assert!(apart, "{first:?} {second:?}");
}

#[test]
fn an_edge_has_about_the_length_that_is_asked_for() {
    for edge_length in [40.0, 80.0, 400.0] {
        let options = ForceOptions {
            edge_length,
            ..ForceOptions::default()
        };
        let edges = lattice(5);
        let positions = force(&unplaced(25, edges.clone()), &options).unwrap();
        let length = mean_length(&positions, &edges);
        assert!(
            (0.5..2.0).contains(&(length / edge_length)),
            "{length} {edge_length}"
        );
    }
}

#[test]
fn a_drawing_that_is_at_rest_keeps_its_shape() {
    let edges = lattice(6);
    let first = placed(36, &edges);
    let again = Problem::new(first.clone(), vec![false; 36], edges.clone()).unwrap();
    let second = force(&again, &ForceOptions::default()).unwrap();
    let moved: f64 = first
        .iter()
        .zip(&second)
        .map(|(one, other)| one.distance(*other))
        .sum();
    let mean_move = moved / 36.0;
    assert!(mean_move < mean_length(&first, &edges) / 4.0, "{mean_move}");
}

#[test]
fn an_added_node_begins_beside_its_neighbour() {
    let mut edges = lattice(5);
    let mut positions = placed(25, &edges);
    positions.push(Position::default());
    positions.push(Position::default());
    edges.extend([(24, 25), (24, 26)]);
    let mut pinned = vec![true; 25];
    pinned.extend([false, false]);
    let problem = Problem::new(positions.clone(), pinned, edges).unwrap();
    let placed = force(&problem, &ForceOptions::default()).unwrap();
    for added in &placed[25..] {
        assert!(added.distance(positions[24]) < 250.0);
    }
}

#[test]
fn seeds_differ() {
    let problem = unplaced(30, tree(30));
    let options = |seed| ForceOptions {
        seed,
        start: Start::Computed,
        ..ForceOptions::default()
    };
    assert_ne!(force(&problem, &options(1)), force(&problem, &options(2)));
}

#[test]
fn a_tree_is_layered_without_a_crossing() {
    for nodes in [5, 13, 40, 121, 480] {
        let edges = tree(nodes);
        let drawn = hierarchy(
            &unplaced(nodes, edges.clone()),
            &HierarchyOptions::default(),
        )
        .unwrap();
        assert_eq!(crossings(&drawn.positions, &edges), Ok(0), "{nodes}");
    }
}

#[test]
fn a_large_tree_is_layered_without_a_crossing() {
    let edges = tree(3_000);
    let drawn = hierarchy(
        &unplaced(3_000, edges.clone()),
        &HierarchyOptions::default(),
    )
    .unwrap();
    assert_eq!(crossings(&drawn.positions, &edges), Ok(0));
}

#[test]
fn a_tree_on_a_circle_has_no_crossing() {
    // The numbers do not follow the tree.
    let edges: Vec<(u32, u32)> = tree(40)
        .iter()
        .map(|(v, w)| (v * 17 % 40, w * 17 % 40))
        .collect();
    let positions = circular(&unplaced(40, edges.clone()), &CircularOptions::default()).unwrap();
    assert_eq!(crossings(&positions, &edges), Ok(0));
    let radius = positions[0].distance(Position::default());
    for position in &positions {
        assert!((position.distance(Position::default()) - radius).abs() < 1e-6);
    }
}

#[test]
fn a_grid_is_filled_in_the_given_order() {
    let options = GridOptions {
        spacing: 50.0,
        columns: Some(3),
    };
    let positions = grid(&unplaced(5, vec![]), &options).unwrap();
    let expected = [
        (0.0, 0.0),
        (50.0, 0.0),
        (100.0, 0.0),
        (0.0, 50.0),
        (50.0, 50.0),
    ];
    assert_eq!(positions, expected.map(|(x, y)| Position::new(x, y)));
}

#[test]
fn scattered_planar_graphs_lose_most_of_their_crossings() {
    let mut random = Random::new(6);
    for (nodes, edges) in [(16, lattice(4)), (30, tree(30)), (30, path(30))] {
        let positions = scattered(&mut random, nodes, 500.0);
        let pinned = vec![false; nodes as usize];
        let problem = Problem::new(positions, pinned, edges).unwrap();
        let optimized = optimize_positions(&problem, &OptimizeOptions::default()).unwrap();
        assert!(
            optimized.after * 4 < optimized.before,
            "{} {}",
            optimized.before,
            optimized.after
        );
    }
}

#[test]
fn nodes_whose_edges_cross_nothing_stay() {
    let edges = lattice(5);
    let mut positions = placed(25, &edges);
    positions.extend(
        [
            (-600.0, -600.0),
            (-500.0, -500.0),
            (-600.0, -500.0),
            (-500.0, -600.0),
        ]
        .map(|(x, y)| Position::new(x, y)),
    );
    let mut all = edges;
    all.extend([(25, 26), (27, 28)]);
    let problem = Problem::new(positions.clone(), vec![false; 29], all).unwrap();
    let optimized = optimize_positions(&problem, &OptimizeOptions::default()).unwrap();
    assert_eq!((optimized.before, optimized.after), (1, 0));
    assert_eq!(optimized.positions[..25], positions[..25]);
}

#[test]
fn the_least_distance_is_that_of_two_touching_nodes() {
    let problem = unplaced(2, vec![]);
    let placed = force(&problem, &ForceOptions::default()).unwrap();
    assert!(placed[0].distance(placed[1]) >= MINIMUM_DISTANCE);
}
