//! The circular layout.
//!
//! The order of the nodes decides how many edges cross. Several cheap orders are tried: that of the
//! problem, depth-first, breadth-first, and those that result from moving each node to the mean
//! direction of its neighbours several times. The order with the fewest crossings is taken. The
//! moves are the barycentre heuristic of layered drawings (Sugiyama, Tagawa, Toda, 1981) on a circle.
//! The nodes of a component stay together.

use std::f64::consts::TAU;

use crate::components::{components, depth_first};
use crate::error::{Result, at_most, within};
use crate::graph::{Neighbours, simple_edges};
use crate::limits::{LARGEST_LENGTH, MAX_LAYOUT_EDGES, MAX_LAYOUT_NODES, MINIMUM_DISTANCE};
use crate::problem::{Position, Problem};
use crate::spacing::finish;

/// The options of a circular layout.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CircularOptions {
    /// The pixels along the circle between two nodes.
    pub spacing: f64,
}

impl Default for CircularOptions {
    fn default() -> Self {
        Self { spacing: 60.0 }
    }
}

/// The number of times that all nodes move to the mean of their neighbours: more passes hardly
/// reduce crossings.
const PASSES: usize = 8;

/// Places the nodes that are not pinned on a circle around the mean of the pinned ones, or around
/// the origin if there are none.
///
/// # Errors
/// [`crate::LayoutError::TooLarge`] beyond [`MAX_LAYOUT_NODES`] and [`MAX_LAYOUT_EDGES`];
/// [`crate::LayoutError::OptionOutOfRange`].
pub fn circular(problem: &Problem, options: &CircularOptions) -> Result<Vec<Position>> {
    let nodes = problem.node_count();
    at_most("nodes", nodes, MAX_LAYOUT_NODES)?;
    at_most("edges", problem.edges().len(), MAX_LAYOUT_EDGES)?;
    // The chord between two neighbours on a circle of three or more nodes is at least four fifths
    // of their arc.
    within(
        "spacing",
        options.spacing,
        MINIMUM_DISTANCE * 1.25,
        LARGEST_LENGTH,
    )?;
    let order: Vec<u32> = best_order(nodes, &simple_edges(problem.edges()))
        .into_iter()
        .filter(|node| !problem.is_pinned(*node as usize))
        .collect();
    let centre = problem.centre_of_pinned().unwrap_or_default();
    // Two nodes are a diameter apart, which is shorter than their arc.
    let radius = (order.len() as f64 * options.spacing / TAU).max(options.spacing / 2.0);
    let radius = if order.len() > 1 { radius } else { 0.0 };
    let mut placed = problem.positions().to_vec();
    for (index, node) in order.iter().enumerate() {
        let (sine, cosine) = (TAU * index as f64 / order.len() as f64).sin_cos();
        if let Some(position) = placed.get_mut(*node as usize) {
            *position = centre.plus(radius * cosine, radius * sine);
        }
    }
    Ok(finish(problem, &placed))
}

/// Returns the tried order with the fewest crossings.
fn best_order(nodes: usize, edges: &[(u32, u32)]) -> Vec<u32> {
    let neighbours = Neighbours::of_edges(nodes, edges);
    let components = components(nodes, &neighbours);
    let given: Vec<u32> = (0..nodes as u32).collect();
    let depth_first = depth_first(&components, &neighbours, nodes);
    let mut best = (crossings(&given, edges), given);
    let mut consider = |order: &Vec<u32>| {
        let crossings = crossings(order, edges);
        if crossings < best.0 {
            best = (crossings, order.clone());
        }
    };
    for mut order in [depth_first, components.concat()] {
        consider(&order);
        for _ in 0..PASSES {
            order = towards_neighbours(&order, &components, &neighbours);
            consider(&order);
        }
    }
    best.1
}

/// Sorts the nodes of each component by the mean direction of their neighbours, seen from the
/// centre. A node without neighbours keeps its own direction.
fn towards_neighbours(order: &[u32], components: &[Vec<u32>], neighbours: &Neighbours) -> Vec<u32> {
    let count = order.len() as f64;
    let mut directions = vec![(0.0, 0.0); order.len()];
    let mut component_of = vec![0_usize; order.len()];
    for (index, node) in order.iter().enumerate() {
        if let Some(direction) = directions.get_mut(*node as usize) {
            *direction = (TAU * index as f64 / count).sin_cos();
        }
    }
    for (index, component) in components.iter().enumerate() {
        for node in component {
            if let Some(of_node) = component_of.get_mut(*node as usize) {
                *of_node = index;
            }
        }
    }
    let angle = |node: u32| {
        let own = directions.get(node as usize).copied().unwrap_or_default();
        let (sine, cosine) = neighbours
            .of(node as usize)
            .iter()
            .filter_map(|neighbour| directions.get(*neighbour as usize))
            .fold(own, |(sine, cosine), (other_sine, other_cosine)| {
                (sine + other_sine, cosine + other_cosine)
            });
        let angle = sine.atan2(cosine);
        if angle < 0.0 { angle + TAU } else { angle }
    };
    let mut keyed: Vec<(usize, f64, u32)> = order
        .iter()
        .map(|node| {
            let component = component_of.get(*node as usize).copied().unwrap_or(0);
            (component, angle(*node), *node)
        })
        .collect();
    // The sort is stable: nodes in the same direction keep their order.
    keyed.sort_by(|first, second| first.0.cmp(&second.0).then(first.1.total_cmp(&second.1)));
    keyed.into_iter().map(|(_, _, node)| node).collect()
}

/// Returns the crossings of chords between nodes in this order around a circle, in O(m log n): when
/// a chord ends, the chords that began after it and have not ended cross it. A Fenwick tree counts
/// them.
fn crossings(order: &[u32], edges: &[(u32, u32)]) -> u64 {
    let nodes = order.len();
    let mut at = vec![0_u32; nodes];
    for (index, node) in order.iter().enumerate() {
        if let Some(at) = at.get_mut(*node as usize) {
            *at = index as u32;
        }
    }
    let at = |node: u32| at.get(node as usize).copied().unwrap_or(0);
    let mut chords: Vec<(u32, u32)> = edges
        .iter()
        .map(|(source, target)| (at(*source), at(*target)))
        .map(|(from, to)| (from.max(to), from.min(to)))
        .collect();
    chords.sort_unstable();
    let mut begins: Vec<u32> = chords.iter().map(|(_, begin)| *begin).collect();
    begins.sort_unstable();
    let mut begins = begins.into_iter().peekable();
    let mut open = Fenwick::new(nodes);
    let mut crossings = 0;
    for ending in chords.chunk_by(|first, second| first.0 == second.0) {
        let end = ending.first().map_or(0, |(end, _)| *end);
        while let Some(begin) = begins.next_if(|begin| *begin < end) {
            open.add(begin as usize, 1);
        }
        for (_, begin) in ending {
            open.add(*begin as usize, -1);
        }
        for (_, begin) in ending {
            crossings += open.after(*begin as usize);
        }
    }
    crossings
}

/// Counts by index, with sums over a range in logarithmic time (Fenwick, 1994).
struct Fenwick {
    sums: Vec<i64>,
    total: i64,
}

impl Fenwick {
    fn new(size: usize) -> Self {
        Self {
            sums: vec![0; size + 1],
            total: 0,
        }
    }

    fn add(&mut self, index: usize, count: i64) {
        self.total += count;
        let mut node = index + 1;
        while let Some(sum) = self.sums.get_mut(node) {
            *sum += count;
            node += node & node.wrapping_neg();
        }
    }

    /// Returns the sum over all greater indexes.
    fn after(&self, index: usize) -> u64 {
        let mut before = 0;
        let mut node = index + 1;
        while node > 0 {
            before += self.sums.get(node).copied().unwrap_or(0);
            node &= node - 1;
        }
        u64::try_from(self.total - before).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn chords_cross_where_their_ends_alternate() {
        let mut random = Random::new(11);
        for nodes in [4_usize, 7, 15] {
            let pairs: Vec<(u32, u32)> = (0..3 * nodes)
                .map(|_| (random.below(nodes) as u32, random.below(nodes) as u32))
                .collect();
            let edges = simple_edges(&pairs);
            let mut order: Vec<u32> = (0..nodes as u32).collect();
            order.sort_by_key(|node| (node * 7 + 3) % nodes as u32);
            let at = |node: u32| order.iter().position(|one| *one == node).unwrap();
            let mut expected = 0;
            for (index, (a, b)) in edges.iter().enumerate() {
                for (c, d) in &edges[index + 1..] {
                    let (low, high) = (at(*a).min(at(*b)), at(*a).max(at(*b)));
                    let inside = |node: u32| low < at(node) && at(node) < high;
                    let apart = [c, d].iter().all(|node| *node != a && *node != b);
                    expected += u64::from(apart && inside(*c) != inside(*d));
                }
            }
            assert_eq!(crossings(&order, &edges), expected);
        }
    }

    #[test]
    fn a_cycle_in_any_order_gets_no_crossing() {
        let nodes = 30_u32;
        // 7 and 30 have no common divisor: the edges are one cycle whose nodes jump around the
        // circle in the given order.
        let edges: Vec<(u32, u32)> = (0..nodes)
            .map(|index| (index * 7 % nodes, (index + 1) * 7 % nodes))
            .collect();
        let simple = simple_edges(&edges);
        let given: Vec<u32> = (0..nodes).collect();
        assert!(crossings(&given, &simple) > 100);
        assert_eq!(crossings(&best_order(30, &simple), &simple), 0);
    }
}
