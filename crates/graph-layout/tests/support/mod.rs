//! Graphs for the tests: named ones, and random ones from a seed.

use graph_layout::{Position, Problem};

/// A random number generator for tests (xorshift64).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn below(&mut self, count: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % u64::from(count)) as u32
    }

    pub fn unit(&mut self) -> f64 {
        f64::from(self.below(1 << 30)) / f64::from(1 << 30)
    }
}

pub fn path(nodes: u32) -> Vec<(u32, u32)> {
    (1..nodes).map(|node| (node - 1, node)).collect()
}

pub fn star(nodes: u32) -> Vec<(u32, u32)> {
    (1..nodes).map(|node| (0, node)).collect()
}

pub fn clique(nodes: u32) -> Vec<(u32, u32)> {
    (0..nodes)
        .flat_map(|one| (one + 1..nodes).map(move |other| (one, other)))
        .collect()
}

/// Returns a tree in which each node has three children.
pub fn tree(nodes: u32) -> Vec<(u32, u32)> {
    (1..nodes).map(|node| ((node - 1) / 3, node)).collect()
}

/// Returns a lattice of `side` times `side` nodes.
pub fn lattice(side: u32) -> Vec<(u32, u32)> {
    let right = (0..side * side)
        .filter(|node| node % side + 1 < side)
        .map(|node| (node, node + 1));
    let down = (0..side * (side - 1)).map(|node| (node, node + side));
    right.chain(down).collect()
}

pub fn random_edges(random: &mut Random, nodes: u32, edges: u32) -> Vec<(u32, u32)> {
    (0..edges)
        .map(|_| (random.below(nodes), random.below(nodes)))
        .collect()
}

/// Returns nodes at one position, none of them pinned.
pub fn unplaced(nodes: u32, edges: Vec<(u32, u32)>) -> Problem {
    let nodes = nodes as usize;
    Problem::new(vec![Position::default(); nodes], vec![false; nodes], edges).unwrap()
}

/// Returns random positions in a square of `size` pixels.
pub fn scattered(random: &mut Random, nodes: u32, size: f64) -> Vec<Position> {
    (0..nodes)
        .map(|_| Position::new(random.unit() * size, random.unit() * size))
        .collect()
}

/// Returns the mean length of edges.
pub fn mean_length(positions: &[Position], edges: &[(u32, u32)]) -> f64 {
    let sum: f64 = edges
        .iter()
        .map(|(source, target)| positions[*source as usize].distance(positions[*target as usize]))
        .sum();
    sum / edges.len() as f64
}
