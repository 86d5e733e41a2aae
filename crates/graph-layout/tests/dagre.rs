//! Compares layered drawings with those of the JavaScript original (`dagre/generate.mjs` makes the
//! reference).

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test stops at its first surprise; clippy.toml allows this in test functions, and here the helpers may, too"
)]

#[expect(dead_code, reason = "other tests use the rest")]
mod support;

use graph_layout::{
    Direction, Hierarchy, HierarchyOptions, Method, Position, Problem, crossings, hierarchy,
};
use serde_json::Value;

/// The factor by which our drawings may have more crossings than the original's. Both sort ranks by
/// the same heuristic, whose ties may be broken differently.
const CROSSINGS_FACTOR: f64 = 1.1;

struct Reference {
    name: String,
    edges: Vec<(u32, u32)>,
    positions: Vec<Position>,
}

fn references() -> Vec<Reference> {
    let text = include_str!("dagre/reference.json");
    let graphs: Vec<Value> = serde_json::from_str(text).unwrap();
    graphs
        .iter()
        .map(|graph| {
            let pairs = |name: &str| -> Vec<(f64, f64)> {
                let pairs = graph[name].as_array().unwrap();
                let number = |pair: &Value, index: usize| pair[index].as_f64().unwrap();
                pairs
                    .iter()
                    .map(|pair| (number(pair, 0), number(pair, 1)))
                    .collect()
            };
            let ends = pairs("edges").into_iter();
            let positions = pairs("positions").into_iter();
            Reference {
                name: graph["name"].as_str().unwrap().to_owned(),
                edges: ends.map(|(v, w)| (v as u32, w as u32)).collect(),
                positions: positions.map(|(x, y)| Position::new(x, y)).collect(),
            }
        })
        .collect()
}

fn draw(reference: &Reference, direction: Direction) -> Hierarchy {
    let problem = support::unplaced(reference.positions.len() as u32, reference.edges.clone());
    let options = HierarchyOptions {
        direction,
        ..HierarchyOptions::default()
    };
    hierarchy(&problem, &options).unwrap()
}

/// Returns the rank of each node, from its vertical position in the drawing.
fn ranks(positions: &[Position]) -> Vec<u32> {
    let mut heights: Vec<f64> = positions.iter().map(|position| position.y).collect();
    heights.sort_by(f64::total_cmp);
    heights.dedup_by(|one, other| (*one - *other).abs() < 1.0);
    let rank = |position: &Position| heights.iter().position(|y| (y - position.y).abs() < 1.0);
    positions
        .iter()
        .map(|position| rank(position).unwrap() as u32)
        .collect()
}

#[test]
fn ranks_are_those_of_the_original() {
    for reference in references() {
        let drawn = draw(&reference, Direction::TopToBottom);
        assert_eq!(drawn.method, Method::Dagre, "{}", reference.name);
        assert_eq!(
            ranks(&drawn.positions),
            ranks(&reference.positions),
            "{}",
            reference.name
        );
        // The predicted ranks, which bound the work, are the ranks of the drawing.
        assert_eq!(drawn.ranks, ranks(&drawn.positions), "{}", reference.name);
    }
}

#[test]
fn crossings_are_no_more_than_those_of_the_original() {
    for reference in references() {
        let drawn = draw(&reference, Direction::TopToBottom);
        let ours = crossings(&drawn.positions, &reference.edges).unwrap() as f64;
        let theirs = crossings(&reference.positions, &reference.edges).unwrap() as f64;
        println!(
            "{}: {ours} crossings, the original {theirs}",
            reference.name
        );
        assert!(
            ours <= theirs * CROSSINGS_FACTOR,
            "{}: {ours} > {theirs}",
            reference.name
        );
    }
}

#[test]
fn directions_turn_the_drawing() {
    for reference in references() {
        let down = draw(&reference, Direction::TopToBottom);
        for direction in [
            Direction::BottomToTop,
            Direction::LeftToRight,
            Direction::RightToLeft,
        ] {
            let turned = draw(&reference, direction);
            for (one, other) in down.positions.iter().zip(&turned.positions) {
                let expected = match direction {
                    Direction::BottomToTop => (one.x, -one.y),
                    Direction::LeftToRight => (one.y, one.x),
                    _ => (-one.y, one.x),
                };
                assert_eq!((other.x, other.y), expected);
            }
        }
    }
}

#[test]
fn graphs_too_large_for_dagre_are_drawn_with_edges_that_point_down() {
    let mut random = support::Random::new(4);
    let edges: Vec<(u32, u32)> = support::random_edges(&mut random, 2_000, 3_000)
        .into_iter()
        .filter(|(v, w)| v != w)
        .map(|(v, w)| (v.min(w), v.max(w)))
        .collect();
    let problem = support::unplaced(2_000, edges.clone());
    let drawn = hierarchy(&problem, &HierarchyOptions::default()).unwrap();
    assert_eq!(drawn.method, Method::Barycentres);
    for (source, target) in &edges {
        let (source, target) = (*source as usize, *target as usize);
        assert!(drawn.positions[source].y < drawn.positions[target].y);
    }
    let scattered = support::scattered(&mut random, 2_000, 1_000.0);
    let (ours, random) = (
        crossings(&drawn.positions, &edges),
        crossings(&scattered, &edges),
    );
    assert!(
        ours.clone().unwrap() * 2 < random.clone().unwrap(),
        "{ours:?} {random:?}"
    );
}

#[test]
fn a_drawing_goes_where_the_pinned_nodes_are() {
    let mut positions = vec![Position::default(); 3];
    positions[1] = Position::new(1_000.0, -500.0);
    let problem = Problem::new(positions, vec![false, true, false], support::path(3)).unwrap();
    let drawn = hierarchy(&problem, &HierarchyOptions::default()).unwrap();
    let expected = [(1_000.0, -590.0), (1_000.0, -500.0), (1_000.0, -410.0)];
    for (position, (x, y)) in drawn.positions.iter().zip(expected) {
        assert_eq!((position.x, position.y), (x, y));
    }
}
