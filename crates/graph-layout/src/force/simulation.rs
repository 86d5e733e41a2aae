//! The steps of the force-directed layout.
//!
//! In each step every node moves by the same length in the direction of its force. The length
//! follows Hu's adaptive cooling: it grows after five steps that lowered the sum of squared forces,
//! and shrinks after one that did not, below a ceiling that falls until the last step.

use super::Group;
use super::tree::Tree;
use crate::problem::Position;

/// The factor by which a step gets shorter or longer: Hu's value.
const COOLING: f64 = 0.9;

/// The number of steps with falling energy after which a step gets longer: Hu's value.
const PATIENCE: u32 = 5;

/// The layout is at rest if a step is shorter than this fraction of an edge's length: less than a
/// pixel at the default length.
const AT_REST: f64 = 0.005;

/// The strength of repulsion relative to that of edges: Hu's value.
const PUSH: f64 = 0.2;

/// The positions and forces of one group.
pub(super) struct Simulation<'a> {
    group: &'a Group,
    edge_length: f64,
    xs: Vec<f64>,
    ys: Vec<f64>,
    forces: Vec<(f64, f64)>,
    tree: Tree,
}

impl<'a> Simulation<'a> {
    pub(super) fn new(group: &'a Group, edge_length: f64) -> Self {
        Self {
            group,
            edge_length,
            xs: group.positions.iter().map(|position| position.x).collect(),
            ys: group.positions.iter().map(|position| position.y).collect(),
            forces: vec![(0.0, 0.0); group.positions.len()],
            tree: Tree::default(),
        }
    }

    /// Runs at most `iterations` steps.
    pub(super) fn run(mut self, iterations: u32) -> Vec<Position> {
        let mut step = self.edge_length;
        let mut energy = f64::INFINITY;
        let mut falling = 0;
        // A single node does not move, and neither do nodes that are all fixed.
        let is_moving = self.xs.len() > 1 && self.group.fixed.iter().any(|fixed| !fixed);
        let iterations = if is_moving { iterations } else { 0 };
        for iteration in 0..iterations {
            self.tree.push(&self.xs, &self.ys, &mut self.forces);
            self.pull();
            let before = std::mem::replace(&mut energy, self.energy());
            if energy < before {
                falling += 1;
                if falling >= PATIENCE {
                    falling = 0;
                    step /= COOLING;
                }
            } else {
                falling = 0;
                step *= COOLING;
            }
            let left = f64::from(iterations - iteration) / f64::from(iterations);
            step = step.min(self.edge_length * left);
            self.step(step);
            if step < AT_REST * self.edge_length {
                break;
            }
        }
        let positions = self.xs.iter().zip(&self.ys);
        positions
            .map(|(x, y)| Position::new(*x, *y).framed())
            .collect()
    }

    /// Turns the sums of the tree into forces, and adds the forces of the edges.
    fn pull(&mut self) {
        let push = PUSH * self.edge_length * self.edge_length;
        let nodes = self.xs.iter().zip(&self.ys).zip(&mut self.forces);
        for (node, ((x, y), force)) in nodes.enumerate() {
            let (mut right, mut down) = (force.0 * push, force.1 * push);
            for neighbour in self.group.neighbours.of(node) {
                let neighbour = *neighbour as usize;
                let (Some(to_x), Some(to_y)) = (self.xs.get(neighbour), self.ys.get(neighbour))
                else {
                    continue;
                };
                let (dx, dy) = (to_x - x, to_y - y);
                let factor = (dx * dx + dy * dy).sqrt() / self.edge_length;
                right += dx * factor;
                down += dy * factor;
            }
            *force = (right, down);
        }
    }

    fn energy(&self) -> f64 {
        let squares = self.forces.iter().map(|(x, y)| x * x + y * y);
        let free = squares.zip(&self.group.fixed).filter(|(_, fixed)| !**fixed);
        free.map(|(square, _)| square).sum()
    }

    fn step(&mut self, step: f64) {
        let nodes = self.xs.iter_mut().zip(&mut self.ys);
        for (((x, y), force), fixed) in nodes.zip(&self.forces).zip(&self.group.fixed) {
            let length = force.0.hypot(force.1);
            if !*fixed && length > 0.0 && length.is_finite() {
                *x += force.0 / length * step;
                *y += force.1 / length * step;
            }
        }
    }
}
