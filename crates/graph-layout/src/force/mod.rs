//! The force-directed layout: edges pull nodes together, and nodes repel each other.
//!
//! The model is the spring-electrical one of Hu (Efficient, high-quality force-directed graph
//! drawing, The Mathematica Journal 10, 2005): two nodes at distance d repel each other with K²/d,
//! an edge pulls with d²/K, where K is the desired length of an edge. `start` computes the initial
//! positions, `tree` the repulsion (Barnes and Hut, A hierarchical O(N log N) force-calculation
//! algorithm, Nature 324, 1986), and `simulation` the steps. Each component without a pinned node
//! is laid out separately, and these are packed side by side.

mod simulation;
mod start;
mod tree;

use crate::components::components;
use crate::error::{Result, at_most, within};
use crate::graph::{Neighbours, simple_edges};
use crate::limits::{
    LARGEST_LENGTH, MAX_ITERATIONS, MAX_LAYOUT_EDGES, MAX_LAYOUT_NODES, MAX_NODE_ITERATIONS,
    MINIMUM_DISTANCE,
};
use crate::packing::{Rectangle, pack};
use crate::problem::{Position, Problem};
use crate::random::Random;
use crate::spacing::finish;
use simulation::Simulation;

/// The positions of the nodes before the first step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Start {
    /// The positions of the problem. A node that shares its position with another one begins near
    /// its neighbours. A component most of whose nodes share positions begins as with
    /// [`Start::Computed`].
    #[default]
    Given,
    /// Positions computed from distances in the graph, ignoring those of the problem.
    Computed,
}

/// The options of the force-directed layout.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ForceOptions {
    /// The seed. The same seed gives the same positions.
    pub seed: u64,
    /// The desired length of an edge in pixels.
    pub edge_length: f64,
    /// The most steps; `None` for 300 for up to 5,000 nodes and fewer for more. The layout ends
    /// earlier if it comes to rest.
    pub iterations: Option<u32>,
    /// The positions before the first step.
    pub start: Start,
}

impl Default for ForceOptions {
    fn default() -> Self {
        Self {
            seed: 1,
            edge_length: 80.0,
            iterations: None,
            start: Start::Given,
        }
    }
}

/// Steps by default, for graphs of up to 5,000 nodes: more do not visibly change a drawing.
const DEFAULT_ITERATIONS: u32 = 300;

/// Places connected nodes near each other and others apart.
///
/// # Errors
/// [`crate::LayoutError::TooLarge`] beyond [`MAX_LAYOUT_NODES`] and [`MAX_LAYOUT_EDGES`];
/// [`crate::LayoutError::OptionOutOfRange`].
pub fn force(problem: &Problem, options: &ForceOptions) -> Result<Vec<Position>> {
    let nodes = problem.node_count();
    at_most("nodes", nodes, MAX_LAYOUT_NODES)?;
    at_most("edges", problem.edges().len(), MAX_LAYOUT_EDGES)?;
    within(
        "edgeLength",
        options.edge_length,
        MINIMUM_DISTANCE,
        LARGEST_LENGTH,
    )?;
    if let Some(iterations) = options.iterations {
        within(
            "iterations",
            f64::from(iterations),
            1.0,
            f64::from(MAX_ITERATIONS),
        )?;
    }
    let edges = simple_edges(problem.edges());
    let neighbours = Neighbours::of_edges(nodes, &edges);
    let (mut groups, anchored) = groups(problem, &neighbours);
    let bounded = u32::try_from(MAX_NODE_ITERATIONS / nodes.max(1)).unwrap_or(u32::MAX);
    let iterations = options
        .iterations
        .unwrap_or(DEFAULT_ITERATIONS)
        .min(bounded);
    let mut random = Random::new(options.seed);
    let mut placed: Vec<Position> = problem.positions().iter().map(|one| one.framed()).collect();
    groups.extend(anchored.clone());
    let mut numbers = vec![0; nodes];
    for group in &groups {
        let mut local = Group::of(problem, group, &neighbours, &mut numbers);
        start::begin(&mut local, options, &mut random);
        let positions = Simulation::new(&local, options.edge_length).run(iterations);
        for (node, position) in group.iter().zip(positions) {
            if let Some(one) = placed.get_mut(*node as usize) {
                *one = position;
            }
        }
    }
    if anchored.is_some() {
        groups.pop();
    }
    side_by_side(
        &mut placed,
        &groups,
        anchored.as_deref(),
        options.edge_length,
    );
    Ok(finish(problem, &placed))
}

/// Returns the components without a pinned node, and all other nodes as one group, because these
/// repel each other from their positions.
fn groups(problem: &Problem, neighbours: &Neighbours) -> (Vec<Vec<u32>>, Option<Vec<u32>>) {
    let has_pin = |group: &Vec<u32>| group.iter().any(|node| problem.is_pinned(*node as usize));
    let (anchored, free): (Vec<_>, Vec<_>) = components(problem.node_count(), neighbours)
        .into_iter()
        .partition(has_pin);
    let anchored = anchored.concat();
    (free, (!anchored.is_empty()).then_some(anchored))
}

/// Packs the groups below the anchored nodes, or around the origin if there are none.
fn side_by_side(
    placed: &mut [Position],
    groups: &[Vec<u32>],
    anchored: Option<&[u32]>,
    edge_length: f64,
) {
    let around = |nodes: &[u32], placed: &[Position]| {
        let positions = nodes
            .iter()
            .filter_map(|node| placed.get(*node as usize).copied());
        Rectangle::around(positions)
    };
    let rectangles: Vec<Rectangle> = groups
        .iter()
        .filter_map(|group| around(group, placed))
        .collect();
    let corner = anchored
        .and_then(|nodes| around(nodes, placed))
        .map_or(Position::default(), |one| {
            Position::new(one.low.x, one.high.y + edge_length)
        });
    for (group, (x, y)) in groups.iter().zip(pack(&rectangles, edge_length, corner)) {
        shift(placed, group, x, y);
    }
    if anchored.is_none()
        && let Some(all) = Rectangle::around(placed.iter().copied())
    {
        let (x, y) = (
            -(all.low.x + all.high.x) / 2.0,
            -(all.low.y + all.high.y) / 2.0,
        );
        for group in groups {
            shift(placed, group, x, y);
        }
    }
}

fn shift(placed: &mut [Position], nodes: &[u32], x: f64, y: f64) {
    for node in nodes {
        if let Some(position) = placed.get_mut(*node as usize) {
            *position = position.plus(x, y);
        }
    }
}

/// Nodes that are laid out together, numbered from 0.
pub(crate) struct Group {
    /// Their positions, within the frame.
    pub(crate) positions: Vec<Position>,
    /// True for each node that does not move.
    pub(crate) fixed: Vec<bool>,
    /// Pairs of nodes that pull each other.
    pub(crate) neighbours: Neighbours,
}

impl Group {
    /// Returns the group of these nodes, whose neighbours are all in it. The numbers of its nodes
    /// are written to `numbers`.
    fn of(problem: &Problem, group: &[u32], neighbours: &Neighbours, numbers: &mut [u32]) -> Self {
        for (number, node) in group.iter().enumerate() {
            if let Some(one) = numbers.get_mut(*node as usize) {
                *one = number as u32;
            }
        }
        let number = |node: u32| numbers.get(node as usize).copied().unwrap_or(0);
        let pairs = group.iter().flat_map(|node| {
            let from = number(*node);
            neighbours
                .of(*node as usize)
                .iter()
                .map(move |other| (from, *other))
        });
        let pairs = pairs.map(|(from, other)| (from, number(other)));
        Self {
            positions: group
                .iter()
                .map(|node| problem.position(*node as usize).framed())
                .collect(),
            fixed: group
                .iter()
                .map(|node| problem.is_pinned(*node as usize))
                .collect(),
            neighbours: Neighbours::of_pairs(group.len(), pairs),
        }
    }
}
