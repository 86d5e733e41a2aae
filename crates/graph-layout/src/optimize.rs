//! Reduces crossings by moving single nodes and swapping pairs.
//!
//! A local search: nodes whose edges cross others are moved to better positions, the worst first. A
//! move is accepted if it lowers the crossings, or if it keeps them and brings the lengths of the
//! edges nearer to their median. The result never has more crossings than the input: both are
//! counted and compared.

use crate::crossings::{count, segments};
use crate::error::{Result, at_most};
use crate::graph::Neighbours;
use crate::lattice::{Point, Segment};
use crate::limits::{
    MAX_CROSSING_EDGES, MAX_LAYOUT_NODES, MAX_OPTIMIZE_COMPARISONS, MAX_SWAP_COMPARISONS,
};
use crate::problem::{Position, Problem, mean};
use crate::random::Random;
use crate::spacing::{Taken, finish};

/// The options of an optimisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OptimizeOptions {
    /// The seed. The same seed gives the same positions.
    pub seed: u64,
}

impl Default for OptimizeOptions {
    fn default() -> Self {
        Self { seed: 1 }
    }
}

/// Optimised positions.
#[derive(Debug, Clone, PartialEq)]
pub struct Optimized {
    /// The position of each node.
    pub positions: Vec<Position>,
    /// The crossings of the input, as `crate::crossings` counts them.
    pub before: u64,
    /// The crossings of `positions`, never more than `before`.
    pub after: u64,
}

/// The search ends after this number of consecutive rounds over all nodes that did not improve the
/// drawing.
const IDLE_ROUNDS: u32 = 3;

/// The most rounds, which only small graphs reach before the bound on comparisons.
const MAX_ROUNDS: u32 = 200;

/// The random positions that are tried for a node in a round, alternately near its neighbours and
/// near itself.
const RANDOM_MOVES: usize = 8;

/// The swaps that are tried for a node in a round.
const SWAPS: usize = 4;

/// The greatest distance of swapped nodes on their rank: swaps over a greater distance are hardly
/// ever accepted.
const SWAPPED_APART: usize = 6;

/// The greatest factor by which a drawing is enlarged to separate nodes that are too close: the
/// factor is doubled, beginning with 2.
const MAX_SCALE: f64 = 1024.0;

/// Moves nodes so that fewer edges cross.
///
/// Nodes whose edges cross nothing keep their positions. Nodes closer than
/// [`crate::limits::MINIMUM_DISTANCE`] are moved apart first, unless that adds crossings; a move
/// never brings two nodes closer than that.
///
/// # Errors
/// [`crate::LayoutError::TooLarge`] beyond [`MAX_LAYOUT_NODES`] and [`MAX_CROSSING_EDGES`].
pub fn optimize_positions(problem: &Problem, options: &OptimizeOptions) -> Result<Optimized> {
    at_most("nodes", problem.node_count(), MAX_LAYOUT_NODES)?;
    at_most("edges", problem.edges().len(), MAX_CROSSING_EDGES)?;
    let crossings = |positions: &[Position]| count(segments(positions, problem.edges()));
    let before = crossings(problem.positions());
    let (started, start) = spaced(problem, before, crossings);
    let mut search = Search::new(
        problem,
        start.clone(),
        options.seed,
        MAX_OPTIMIZE_COMPARISONS,
    );
    if started > 0 {
        search.run();
    }
    let positions = search.positions;
    let after = if positions == start {
        started
    } else {
        crossings(&positions)
    };
    if after > started {
        // This should not occur, because each move is compared by the same exact count. The
        // comparison guarantees it.
        return Ok(Optimized {
            positions: start,
            before,
            after: started,
        });
    }
    Ok(Optimized {
        positions,
        before,
        after,
    })
}

/// Returns positions with the least distance between nodes, if that adds no crossing: the same
/// ones, or an enlarged drawing if nothing is pinned. Otherwise returns the positions of the
/// problem.
fn spaced(
    problem: &Problem,
    before: u64,
    crossings: impl Fn(&[Position]) -> u64,
) -> (u64, Vec<Position>) {
    let centre = mean(problem.positions().iter().map(|one| one.framed())).unwrap_or_default();
    let is_free = !problem.pinned().contains(&true);
    let mut scale = 1.0;
    while scale <= MAX_SCALE {
        let scaled: Vec<Position> = problem
            .positions()
            .iter()
            .map(|one| {
                let one = one.framed();
                let away = (one.x - centre.x, one.y - centre.y);
                one.plus(away.0 * (scale - 1.0), away.1 * (scale - 1.0))
            })
            .collect();
        let candidate = finish(problem, &scaled);
        let counted = if candidate == problem.positions() {
            before
        } else {
            crossings(&candidate)
        };
        if counted <= before {
            return (counted, candidate);
        }
        if !is_free {
            break;
        }
        scale *= 2.0;
    }
    (before, problem.positions().to_vec())
}

/// Swaps nodes near each other on the same rank as long as that improves the drawing. The ranks and
/// the distances on them stay the same.
pub(crate) fn swap_on_ranks(
    problem: &Problem,
    positions: Vec<Position>,
    ranks: &[u32],
) -> Vec<Position> {
    let mut search = Search::new(problem, positions, 0, MAX_SWAP_COMPARISONS);
    let mut order: Vec<u32> = (0..ranks.len() as u32).collect();
    let rank = |node: u32| ranks.get(node as usize).copied().unwrap_or(0);
    for _ in 0..MAX_ROUNDS {
        let x = |node: u32| search.positions.get(node as usize).map_or(0.0, |one| one.x);
        order.sort_by(|one, other| {
            let ranks = rank(*one).cmp(&rank(*other));
            ranks.then(x(*one).total_cmp(&x(*other)))
        });
        let mut is_better = false;
        for apart in 1..=SWAPPED_APART {
            for (one, other) in order.iter().zip(order.iter().skip(apart)) {
                if rank(*one) == rank(*other) && !search.is_spent() {
                    is_better |= search.swap(*one, *other);
                }
            }
        }
        if !is_better {
            break;
        }
    }
    search.positions
}

/// The cost of a drawing: its crossings first, then the deviation of the lengths of edges.
type Cost = (u64, f64);

/// The state of the search, with the positions in all the forms that it needs.
struct Search<'a> {
    problem: &'a Problem,
    positions: Vec<Position>,
    /// The segment of each edge that is not a self-loop.
    segments: Vec<Segment>,
    /// The segments at each node.
    incident: Neighbours,
    /// True for each segment that the present move changes.
    moved: Vec<bool>,
    taken: Taken,
    edge_length: f64,
    random: Random,
    comparisons: u64,
    most_comparisons: u64,
}

impl<'a> Search<'a> {
    fn new(
        problem: &'a Problem,
        positions: Vec<Position>,
        seed: u64,
        most_comparisons: u64,
    ) -> Self {
        let segments = segments(&positions, problem.edges());
        let ends = segments.iter().enumerate().flat_map(|(index, segment)| {
            [
                (segment.source, index as u32),
                (segment.target, index as u32),
            ]
        });
        let incident = Neighbours::of_pairs(positions.len(), ends);
        let mut taken = Taken::new(positions.len());
        for position in &positions {
            taken.insert(*position);
        }
        let mut search = Self {
            problem,
            moved: vec![false; segments.len()],
            incident,
            taken,
            edge_length: 0.0,
            random: Random::new(seed),
            comparisons: 0,
            most_comparisons,
            positions,
            segments,
        };
        search.edge_length = search.median_length();
        search
    }

    fn median_length(&self) -> f64 {
        let mut lengths: Vec<f64> = self.segments.iter().map(|one| self.length(one)).collect();
        lengths.sort_unstable_by(f64::total_cmp);
        lengths.get(lengths.len() / 2).copied().unwrap_or(0.0)
    }

    /// Returns the length of a segment in pixels, within the frame.
    fn length(&self, segment: &Segment) -> f64 {
        let at = |node: u32| {
            let position = self.positions.get(node as usize);
            position.copied().unwrap_or_default().framed()
        };
        at(segment.source).distance(at(segment.target))
    }

    fn run(&mut self) {
        let mut idle = 0;
        for _ in 0..MAX_ROUNDS {
            let is_better = self.round();
            idle = if is_better { 0 } else { idle + 1 };
            if idle >= IDLE_ROUNDS || self.is_spent() {
                break;
            }
        }
    }

    fn is_spent(&self) -> bool {
        self.comparisons >= self.most_comparisons
    }

    /// Tries to move each node whose edges cross others. Returns true if one was moved.
    fn round(&mut self) -> bool {
        let mut worst: Vec<(u64, u32)> = Vec::new();
        for node in 0..self.positions.len() as u32 {
            if self.problem.is_pinned(node as usize) || self.is_spent() {
                continue;
            }
            let crossings = self.cost(&[node]).0;
            if crossings > 0 {
                worst.push((crossings, node));
            }
        }
        worst.sort_by_key(|(crossings, node)| (std::cmp::Reverse(*crossings), *node));
        let mut is_better = false;
        for index in 0..worst.len() {
            let Some((_, node)) = worst.get(index).copied() else {
                continue;
            };
            if self.is_spent() {
                break;
            }
            is_better |= self.improve(node);
            for _ in 0..SWAPS {
                let other = worst.get(self.random.below(worst.len()));
                if let Some((_, other)) = other.copied().filter(|(_, other)| *other != node) {
                    is_better |= self.swap(node, other);
                }
            }
        }
        is_better
    }

    /// Moves a node to the best of some positions, if that is better than its own. Returns true if
    /// it was moved.
    fn improve(&mut self, node: u32) -> bool {
        let Some(own) = self.positions.get(node as usize).copied() else {
            return false;
        };
        self.taken.remove(own);
        let candidates = self.candidates(node, own);
        let mut best = (self.cost(&[node]), own);
        for candidate in candidates {
            if self.taken.is_free(candidate) {
                self.place(node, candidate);
                let cost = self.cost(&[node]);
                if is_less(cost, best.0) {
                    best = (cost, candidate);
                }
            }
        }
        self.place(node, best.1);
        self.taken.insert(best.1);
        best.1 != own
    }

    fn candidates(&mut self, node: u32, own: Position) -> Vec<Position> {
        let around: Vec<Position> = self
            .incident
            .of(node as usize)
            .iter()
            .filter_map(|edge| self.segments.get(*edge as usize))
            .map(|segment| {
                if segment.source == node {
                    segment.target
                } else {
                    segment.source
                }
            })
            .filter_map(|other| self.positions.get(other as usize))
            .map(|position| position.framed())
            .collect();
        let centre = mean(around.iter().copied()).unwrap_or(own);
        let mut candidates = vec![centre];
        for index in 0..RANDOM_MOVES {
            let near = match index % 3 {
                0 => centre,
                1 => own,
                _ => around
                    .get(self.random.below(around.len()))
                    .copied()
                    .unwrap_or(own),
            };
            let (x, y) = self.random.vector(self.edge_length * 1.5);
            candidates.push(near.plus(x, y).framed());
        }
        candidates
    }

    /// Swaps two nodes, if that is better. The set of taken positions stays the same.
    fn swap(&mut self, first: u32, second: u32) -> bool {
        let at = |node: u32| self.positions.get(node as usize).copied();
        let (Some(of_first), Some(of_second)) = (at(first), at(second)) else {
            return false;
        };
        let before = self.cost(&[first, second]);
        self.place(first, of_second);
        self.place(second, of_first);
        if is_less(self.cost(&[first, second]), before) {
            return true;
        }
        self.place(first, of_first);
        self.place(second, of_second);
        false
    }

    fn place(&mut self, node: u32, position: Position) {
        if let Some(own) = self.positions.get_mut(node as usize) {
            *own = position;
        }
        let point = Point::of(position);
        for edge in self.incident.of(node as usize) {
            if let Some(segment) = self.segments.get_mut(*edge as usize) {
                let (from, to) = if segment.source == node {
                    (point, segment.to)
                } else {
                    (segment.from, point)
                };
                *segment = Segment::new(segment.source, segment.target, from, to);
            }
        }
    }

    /// Returns the part of the drawing's cost that belongs to the edges of these nodes. A pair of
    /// such edges counts once.
    fn cost(&mut self, nodes: &[u32]) -> Cost {
        let mut edges: Vec<u32> = nodes
            .iter()
            .flat_map(|node| self.incident.of(*node as usize))
            .copied()
            .collect();
        edges.sort_unstable();
        edges.dedup();
        self.mark(&edges, true);
        let (mut crossings, mut stretch) = (0, 0.0);
        for edge in &edges {
            let Some(segment) = self.segments.get(*edge as usize) else {
                continue;
            };
            let others = self.segments.iter().zip(&self.moved).enumerate();
            crossings += others
                .filter(|(_, (other, _))| segment.crosses(other))
                .filter(|(index, (_, moved))| !**moved || *index > *edge as usize)
                .count() as u64;
            stretch += (self.length(segment) - self.edge_length).abs();
        }
        self.mark(&edges, false);
        self.comparisons += (edges.len() * self.segments.len()) as u64;
        (crossings, stretch)
    }

    fn mark(&mut self, edges: &[u32], value: bool) {
        for edge in edges {
            if let Some(moved) = self.moved.get_mut(*edge as usize) {
                *moved = value;
            }
        }
    }
}

/// Returns true if a cost is less than another by more than rounding.
fn is_less(one: Cost, other: Cost) -> bool {
    one.0 < other.0 || one.0 == other.0 && one.1 < other.1 * (1.0 - 1e-6)
}
