//! The layered layout: edges point one way, and nodes are on ranks.
//!
//! `orient` reverses the edges that would close a cycle, in the order of dagre. `ranks` assigns the
//! ranks. `small` draws small graphs with the crate dagre, the port of the JavaScript library. Its
//! time grows with the ranks that edges pass, so `large` draws graphs for which it would take too
//! long.

mod large;
mod orient;
mod ranks;
mod small;

use crate::crossings::{count, segments};
use crate::error::{Result, at_most, within};
use crate::limits::{
    LARGEST_LENGTH, MAX_DAGRE_INNER_NODES, MAX_DAGRE_NODES, MAX_DAGRE_PAIRS, MAX_LAYOUT_EDGES,
    MAX_LAYOUT_NODES, MINIMUM_DISTANCE,
};
use crate::optimize::swap_on_ranks;
use crate::problem::{Position, Problem, mean};
use crate::spacing::finish;

/// The direction of the edges of a layered drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Direction {
    /// Downwards, `TB`.
    #[default]
    TopToBottom,
    /// Upwards, `BT`.
    BottomToTop,
    /// To the right, `LR`.
    LeftToRight,
    /// To the left, `RL`.
    RightToLeft,
}

/// The options of a layered drawing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HierarchyOptions {
    /// The direction of edges.
    pub direction: Direction,
    /// The pixels between the borders of two nodes on a rank.
    pub node_separation: f64,
    /// The pixels between the borders of two ranks.
    pub rank_separation: f64,
    /// The pixels of a node's width and height.
    pub node_size: f64,
}

impl Default for HierarchyOptions {
    fn default() -> Self {
        Self {
            direction: Direction::TopToBottom,
            node_separation: 50.0,
            rank_separation: 50.0,
            node_size: 40.0,
        }
    }
}

/// The method that made a layered drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// The crate dagre; barycentres replace its order on the ranks if edges then cross less.
    Dagre,
    /// Barycentres of the neighbours only, for graphs that are too large for dagre.
    Barycentres,
}

/// A layered drawing.
#[derive(Debug, Clone, PartialEq)]
pub struct Hierarchy {
    /// The position of each node.
    pub positions: Vec<Position>,
    /// The rank of each node, from 0. A pinned node may be elsewhere.
    pub ranks: Vec<u32>,
    /// The method that made it.
    pub method: Method,
}

/// Places nodes on ranks so that edges point one way, except those that close a cycle.
///
/// The drawing is moved so that its pinned nodes are, in the mean, at their positions. Self-loops
/// have no influence, and parallel edges count as one.
///
/// # Errors
/// [`crate::LayoutError::TooLarge`] beyond [`MAX_LAYOUT_NODES`] and [`MAX_LAYOUT_EDGES`];
/// [`crate::LayoutError::OptionOutOfRange`].
pub fn hierarchy(problem: &Problem, options: &HierarchyOptions) -> Result<Hierarchy> {
    let nodes = problem.node_count();
    at_most("nodes", nodes, MAX_LAYOUT_NODES)?;
    at_most("edges", problem.edges().len(), MAX_LAYOUT_EDGES)?;
    within(
        "nodeSeparation",
        options.node_separation,
        0.0,
        LARGEST_LENGTH,
    )?;
    within(
        "rankSeparation",
        options.rank_separation,
        0.0,
        LARGEST_LENGTH,
    )?;
    within(
        "nodeSize",
        options.node_size,
        MINIMUM_DISTANCE,
        LARGEST_LENGTH,
    )?;
    let edges = orient::acyclic(nodes, problem.edges());
    let (method, ranks, drawn) = match small_enough(nodes, &edges) {
        Some(ranks) => {
            let drawn = fewest_crossings(problem, &edges, &ranks, options);
            (Method::Dagre, ranks, drawn)
        }
        None => {
            let ranks = ranks::from_sources(nodes, &edges);
            let order = large::depth_first_order(nodes, &edges);
            let drawn = large::draw(&ranks, &edges, options, &order);
            (Method::Barycentres, ranks, drawn)
        }
    };
    let turned: Vec<Position> = drawn
        .iter()
        .map(|position| turn(*position, options.direction))
        .collect();
    let (x, y) = towards_pins(problem, &turned);
    let moved: Vec<Position> = turned.iter().map(|position| position.plus(x, y)).collect();
    Ok(Hierarchy {
        positions: finish(problem, &moved),
        ranks,
        method,
    })
}

/// Returns the best of three drawings on the same ranks: that of dagre, and those for larger graphs
/// from two orders. Dagre counts the crossings of edges that bend around nodes, whereas here edges
/// are straight. In each drawing, nodes are swapped as long as that helps.
fn fewest_crossings(
    problem: &Problem,
    edges: &[(u32, u32)],
    ranks: &[u32],
    options: &HierarchyOptions,
) -> Vec<Position> {
    let nodes = problem.node_count();
    let given: Vec<u32> = (0..nodes as u32).collect();
    let drawings = [
        small::draw(nodes, edges, options),
        large::draw(ranks, edges, options, &given),
        large::draw(
            ranks,
            edges,
            options,
            &large::depth_first_order(nodes, edges),
        ),
    ];
    let drawings = drawings.map(|drawn| {
        let drawn = swap_on_ranks(problem, drawn, ranks);
        (count(segments(&drawn, edges)), drawn)
    });
    // The first of equally good ones.
    let best = drawings.into_iter().min_by_key(|(crossings, _)| *crossings);
    best.map(|(_, drawn)| drawn).unwrap_or_default()
}

/// Returns the ranks that dagre will assign, if its work is bounded.
fn small_enough(nodes: usize, edges: &[(u32, u32)]) -> Option<Vec<u32>> {
    if nodes > MAX_DAGRE_NODES || edges.len() > MAX_DAGRE_INNER_NODES {
        return None;
    }
    let ranks = ranks::tight_tree(nodes, edges, &ranks::longest_path(nodes, edges));
    let widths = ranks::inner_widths(edges, &ranks);
    let inner: usize = widths.iter().sum();
    let pairs: usize = widths.iter().map(|width| width * width).sum();
    (inner <= MAX_DAGRE_INNER_NODES && pairs <= MAX_DAGRE_PAIRS).then_some(ranks)
}

/// Turns a position of a drawing whose edges point downwards.
fn turn(position: Position, direction: Direction) -> Position {
    match direction {
        Direction::TopToBottom => position,
        Direction::BottomToTop => Position::new(position.x, -position.y),
        Direction::LeftToRight => Position::new(position.y, position.x),
        Direction::RightToLeft => Position::new(-position.y, position.x),
    }
}

/// Returns the mean vector from the drawn positions of the pinned nodes to their real ones.
fn towards_pins(problem: &Problem, drawn: &[Position]) -> (f64, f64) {
    let pinned = drawn
        .iter()
        .zip(problem.pinned())
        .filter(|(_, pinned)| **pinned);
    match (
        problem.centre_of_pinned(),
        mean(pinned.map(|(one, _)| *one)),
    ) {
        (Some(given), Some(drawn)) => (given.x - drawn.x, given.y - drawn.y),
        _ => (0.0, 0.0),
    }
}
