//! The guarantees of every layout, on graphs of every shape and positions of every kind.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test stops at its first surprise; clippy.toml allows this in test functions, and here the helpers may, too"
)]

#[expect(dead_code, reason = "other tests use the rest")]
mod support;

use graph_layout::limits::MINIMUM_DISTANCE;
use graph_layout::{
    CircularOptions, Direction, ForceOptions, GridOptions, HierarchyOptions, LayoutError, Method,
    OptimizeOptions, Position, Problem, Start, circular, crossings, force, grid, hierarchy,
    optimize_positions,
};
use support::{Random, clique, lattice, path, random_edges, scattered, star, tree};

/// The name of a layout, and the layout.
type Layout = (&'static str, fn(&Problem) -> Vec<Position>);

const LAYOUTS: [Layout; 6] = [
    ("force", |problem| {
        force(problem, &ForceOptions::default()).unwrap()
    }),
    ("force, computed", |problem| {
        let options = ForceOptions {
            start: Start::Computed,
            iterations: Some(20),
            ..ForceOptions::default()
        };
        force(problem, &options).unwrap()
    }),
    ("hierarchy", |problem| {
        hierarchy(problem, &HierarchyOptions::default())
            .unwrap()
            .positions
    }),
    ("hierarchy, RL", |problem| {
        let options = HierarchyOptions {
            direction: Direction::RightToLeft,
            node_separation: 0.0,
            rank_separation: 0.0,
            node_size: MINIMUM_DISTANCE,
        };
        hierarchy(problem, &options).unwrap().positions
    }),
    ("circular", |problem| {
        circular(problem, &CircularOptions::default()).unwrap()
    }),
    ("grid", |problem| {
        grid(problem, &GridOptions::default()).unwrap()
    }),
];

/// Returns graphs of every shape: the number of nodes, and the edges.
fn shapes(random: &mut Random) -> Vec<(u32, Vec<(u32, u32)>)> {
    let mut disconnected = path(7);
    disconnected.extend(clique(5).iter().map(|(v, w)| (v + 10, w + 10)));
    vec![
        (0, vec![]),
        (1, vec![]),
        (1, vec![(0, 0)]),
        (2, vec![]),
        (2, vec![(0, 1), (0, 1), (1, 0), (1, 1)]),
        (40, vec![]),
        (40, star(40)),
        (60, path(60)),
        (30, (0..30).map(|node| (node, (node + 1) % 30)).collect()),
        (12, clique(12)),
        (40, tree(40)),
        (25, lattice(5)),
        (20, disconnected),
        (30, random_edges(random, 30, 45)),
        (50, random_edges(random, 50, 40)),
        // Too large for dagre, by the inner nodes of a rank and by the number of nodes.
        (
            80,
            (0..1_600).map(|edge| (edge / 40, 40 + edge % 40)).collect(),
        ),
        (700, random_edges(random, 700, 900)),
    ]
}

/// Returns positions of every kind.
fn placements(random: &mut Random, nodes: u32) -> Vec<Vec<Position>> {
    let count = nodes as usize;
    let extreme = [1e308, -1e308, f64::MAX, f64::MIN, 1e9, -1e-308, 0.0];
    vec![
        vec![Position::default(); count],
        vec![Position::new(-1e308, 1e308); count],
        scattered(random, nodes, 500.0),
        scattered(random, nodes, 1e-9),
        scattered(random, nodes, f64::MAX),
        (0..count)
            .map(|_| {
                Position::new(
                    extreme[random.below(7) as usize],
                    extreme[random.below(7) as usize],
                )
            })
            .collect(),
    ]
}

/// Returns three choices of pinned nodes: none, all, some.
fn pins(random: &mut Random, nodes: u32) -> [Vec<bool>; 3] {
    let count = nodes as usize;
    [
        vec![false; count],
        vec![true; count],
        (0..count).map(|_| random.below(4) == 0).collect(),
    ]
}

fn problems(seed: u64) -> Vec<Problem> {
    let mut random = Random::new(seed);
    let mut problems = Vec::new();
    for (nodes, edges) in shapes(&mut random) {
        for positions in placements(&mut random, nodes) {
            for pinned in pins(&mut random, nodes) {
                problems.push(Problem::new(positions.clone(), pinned, edges.clone()).unwrap());
            }
        }
    }
    problems
}

/// Returns the least distance of a node that is not pinned to any other node.
fn least_distance(problem: &Problem, positions: &[Position]) -> f64 {
    let mut least = f64::INFINITY;
    for (index, one) in positions.iter().enumerate() {
        for (other_index, other) in positions.iter().enumerate().skip(index + 1) {
            if !(problem.pinned()[index] && problem.pinned()[other_index]) {
                least = least.min(one.distance(*other));
            }
        }
    }
    least
}

fn bits(positions: &[Position]) -> Vec<(u64, u64)> {
    positions
        .iter()
        .map(|position| (position.x.to_bits(), position.y.to_bits()))
        .collect()
}

fn check_finite_and_pinned(name: &str, problem: &Problem, placed: &[Position]) {
    assert_eq!(placed.len(), problem.node_count(), "{name}");
    for (node, position) in placed.iter().enumerate() {
        assert!(
            position.x.is_finite() && position.y.is_finite(),
            "{name}: {position:?}"
        );
        if problem.pinned()[node] {
            assert_eq!(
                bits(&[*position]),
                bits(&[problem.positions()[node]]),
                "{name}: node {node} is pinned"
            );
        }
    }
}

#[test]
fn positions_are_finite_apart_and_pinned_nodes_do_not_move() {
    for problem in problems(1) {
        for (name, layout) in LAYOUTS {
            let placed = layout(&problem);
            check_finite_and_pinned(name, &problem, &placed);
            let least = least_distance(&problem, &placed);
            assert!(
                least >= MINIMUM_DISTANCE,
                "{name}: {least} in {} nodes, {} edges, pins {:?}, at {:?}",
                problem.node_count(),
                problem.edges().len(),
                problem.pinned().iter().filter(|pinned| **pinned).count(),
                problem.positions().first()
            );
        }
    }
}

#[test]
fn the_same_input_gives_the_same_bits() {
    for problem in problems(2)
        .iter()
        .step_by(11)
        .filter(|one| one.node_count() <= 60)
    {
        for (name, layout) in LAYOUTS {
            assert_eq!(bits(&layout(problem)), bits(&layout(problem)), "{name}");
        }
        let options = OptimizeOptions { seed: 7 };
        let first = optimize_positions(problem, &options).unwrap();
        let second = optimize_positions(problem, &options).unwrap();
        assert_eq!(bits(&first.positions), bits(&second.positions));
    }
}

#[test]
fn optimising_never_adds_a_crossing() {
    let mut fewer = 0;
    // Without the largest shape, whose search ends at its bound and would take a minute.
    for problem in problems(3).iter().filter(|one| one.node_count() <= 60) {
        let before = crossings(problem.positions(), problem.edges()).unwrap();
        let optimized = optimize_positions(problem, &OptimizeOptions::default()).unwrap();
        check_finite_and_pinned("optimize", problem, &optimized.positions);
        let after = crossings(&optimized.positions, problem.edges()).unwrap();
        assert_eq!((optimized.before, optimized.after), (before, after));
        assert!(after <= before, "{after} > {before}");
        fewer += u32::from(after < before);
    }
    assert!(fewer > 15, "{fewer}");
}

#[test]
fn optimising_keeps_the_least_distance() {
    let mut random = Random::new(9);
    for nodes in [10, 30, 60] {
        let edges = random_edges(&mut random, nodes, 2 * nodes);
        let positions = scattered(&mut random, nodes, 600.0);
        let pinned = (0..nodes).map(|_| random.below(5) == 0).collect();
        let problem = Problem::new(positions, pinned, edges.clone()).unwrap();
        // The positions are those of a layout.
        let placed = force(&problem, &ForceOptions::default()).unwrap();
        let problem = Problem::new(placed, problem.pinned().to_vec(), edges).unwrap();
        let optimized = optimize_positions(&problem, &OptimizeOptions::default()).unwrap();
        assert!(least_distance(&problem, &optimized.positions) >= MINIMUM_DISTANCE);
    }
}

#[test]
fn nodes_at_one_position_are_moved_apart_before_they_are_optimised() {
    let problem = support::unplaced(30, tree(30));
    let optimized = optimize_positions(&problem, &OptimizeOptions::default()).unwrap();
    assert!(least_distance(&problem, &optimized.positions) >= MINIMUM_DISTANCE);
    assert!(optimized.after < optimized.before);
}

#[test]
fn a_long_path_takes_no_stack() {
    let nodes = 20_000;
    // As deep as any search can go, on the stack of a thread in WebAssembly.
    let run = move || {
        let longest_of_dagre = support::unplaced(500, path(500));
        let placed = hierarchy(&longest_of_dagre, &HierarchyOptions::default()).unwrap();
        assert_eq!(placed.method, Method::Dagre);
        let problem = support::unplaced(nodes, path(nodes));
        let placed = hierarchy(&problem, &HierarchyOptions::default()).unwrap();
        assert_eq!(placed.ranks, (0..nodes).collect::<Vec<u32>>());
        circular(&problem, &CircularOptions::default()).unwrap();
        let options = ForceOptions {
            iterations: Some(2),
            ..ForceOptions::default()
        };
        force(&problem, &options).unwrap();
    };
    let thread = std::thread::Builder::new().stack_size(512 * 1024);
    thread.spawn(run).unwrap().join().unwrap();
}

#[test]
fn wrong_input_is_rejected() {
    let at = |x, y| vec![Position::new(x, y)];
    for (x, y) in [
        (f64::NAN, 0.0),
        (0.0, f64::INFINITY),
        (f64::NEG_INFINITY, 0.0),
    ] {
        let error = Problem::new(at(x, y), vec![false], vec![]).unwrap_err();
        assert_eq!(error, LayoutError::NotFinite { node: 0 });
    }
    let error = Problem::new(at(0.0, 0.0), vec![], vec![]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "1 positions, but 0 marks of pinned nodes"
    );
    let error = Problem::new(at(0.0, 0.0), vec![true], vec![(0, 0), (3, 0)]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "edge 1 names node 3, but there are 1 nodes"
    );
}

#[test]
fn options_outside_their_range_are_rejected() {
    let problem = support::unplaced(3, vec![]);
    let is_out = |result: Result<Vec<Position>, LayoutError>, name: &str| {
        let error = result.unwrap_err();
        assert!(
            matches!(error, LayoutError::OptionOutOfRange { option, .. } if option == name),
            "{error}"
        );
    };
    for edge_length in [f64::NAN, 0.0, -5.0, f64::INFINITY, 1e6] {
        let options = ForceOptions {
            edge_length,
            ..ForceOptions::default()
        };
        is_out(force(&problem, &options), "edgeLength");
    }
    let options = ForceOptions {
        iterations: Some(0),
        ..ForceOptions::default()
    };
    is_out(force(&problem, &options), "iterations");
    is_out(
        circular(&problem, &CircularOptions { spacing: 1.0 }),
        "spacing",
    );
    let options = GridOptions {
        columns: Some(0),
        ..GridOptions::default()
    };
    is_out(grid(&problem, &options), "columns");
    let options = HierarchyOptions {
        rank_separation: f64::NAN,
        ..HierarchyOptions::default()
    };
    let placed = hierarchy(&problem, &options).map(|placed| placed.positions);
    is_out(placed, "rankSeparation");
}

#[test]
fn larger_graphs_are_rejected_with_the_size_that_fits() {
    let nodes = support::unplaced(50_001, vec![]);
    let expected = LayoutError::TooLarge {
        what: "nodes",
        size: 50_001,
        limit: 50_000,
    };
    for result in [
        force(&nodes, &ForceOptions::default()),
        circular(&nodes, &CircularOptions::default()),
        grid(&nodes, &GridOptions::default()),
        hierarchy(&nodes, &HierarchyOptions::default()).map(|placed| placed.positions),
        optimize_positions(&nodes, &OptimizeOptions::default()).map(|placed| placed.positions),
    ] {
        assert_eq!(result.unwrap_err(), expected);
    }
}
