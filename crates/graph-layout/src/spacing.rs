//! Ensures the least distance between nodes.
//!
//! Pinned nodes keep their positions. Every other node is handled in order: it keeps its position
//! if no node is closer than [`MINIMUM_DISTANCE`], and otherwise moves to the first free position
//! of a sunflower spiral around it (Vogel, A better way to construct the sunflower head, 1979). The
//! work is bounded: after a number of attempts that is linear in the nodes, the remaining nodes are
//! placed in rows below the drawing.

use std::collections::HashMap;

use crate::limits::{LARGEST_COORDINATE, MINIMUM_DISTANCE};
use crate::packing::Rectangle;
use crate::problem::{Position, Problem};

/// The positions that one cell stores. A cell is as wide as the least distance, so only pinned
/// nodes can exceed this number: such a cell counts as full, and no node is placed beside it.
const STORED_IN_A_CELL: usize = 16;

/// The attempts on spirals for each node; a spiral in an empty region needs about four.
const ATTEMPTS_FOR_EACH_NODE: usize = 64;

/// The pixels between the arms of the spiral.
const SPIRAL_STEP: f64 = MINIMUM_DISTANCE / 2.0;

/// The golden angle in radians, by which each point of the spiral is turned from the previous one.
const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;

/// A cell of the grid, as wide as the least distance.
type Cell = (i64, i64);

/// The taken positions.
pub(crate) struct Taken {
    cells: HashMap<Cell, Vec<Position>>,
    width: f64,
}

impl Taken {
    /// Returns an empty set, for distances of [`MINIMUM_DISTANCE`].
    pub(crate) fn new(nodes: usize) -> Self {
        Self {
            cells: HashMap::with_capacity(nodes),
            width: MINIMUM_DISTANCE,
        }
    }

    /// Returns the cell of a position. Positions beyond the range of i64 share the outermost cells.
    fn cell(&self, position: Position) -> Cell {
        let index = |value: f64| (value / self.width).floor() as i64;
        (index(position.x), index(position.y))
    }

    /// Takes a position.
    pub(crate) fn insert(&mut self, position: Position) {
        let stored = self.cells.entry(self.cell(position)).or_default();
        if stored.len() < STORED_IN_A_CELL {
            stored.push(position);
        }
    }

    /// Releases a taken position.
    pub(crate) fn remove(&mut self, position: Position) {
        if let Some(stored) = self.cells.get_mut(&self.cell(position))
            && let Some(index) = stored.iter().position(|other| *other == position)
        {
            stored.swap_remove(index);
        }
    }

    /// Returns true if a node may be placed there.
    pub(crate) fn is_free(&self, position: Position) -> bool {
        let (column, row) = self.cell(position);
        (-1..=1).all(|right| {
            (-1..=1).all(|down| {
                let cell = (column.saturating_add(right), row.saturating_add(down));
                self.cells.get(&cell).is_none_or(|stored| {
                    stored.len() < STORED_IN_A_CELL
                        && stored
                            .iter()
                            .all(|other| other.distance(position) >= MINIMUM_DISTANCE)
                })
            })
        })
    }
}

/// Returns the pinned nodes at their positions and the others at those of a layout, with at least
/// the least distance between all.
pub(crate) fn finish(problem: &Problem, placed: &[Position]) -> Vec<Position> {
    let mut positions: Vec<Position> = problem
        .positions()
        .iter()
        .zip(placed)
        .zip(problem.pinned())
        .map(|((given, placed), pinned)| if *pinned { *given } else { *placed })
        .collect();
    space_out(&mut positions, problem.pinned());
    positions
}

/// Moves the nodes that are not pinned apart, each to a free position near its own.
fn space_out(positions: &mut [Position], pinned: &[bool]) {
    let mut taken = Taken::new(positions.len());
    for (position, _) in positions.iter().zip(pinned).filter(|(_, pinned)| **pinned) {
        taken.insert(*position);
    }
    let mut attempts = positions.len().saturating_mul(ATTEMPTS_FOR_EACH_NODE);
    // The index at which the next spiral from a cell continues, because taken positions stay taken.
    let mut reached: HashMap<Cell, u32> = HashMap::new();
    let mut left = Vec::new();
    for (node, (position, _)) in positions
        .iter_mut()
        .zip(pinned)
        .enumerate()
        .filter(|(_, (_, pinned))| !**pinned)
    {
        let wanted = position.framed();
        let next = reached.entry(taken.cell(wanted)).or_insert(0);
        match free_on_spiral(&taken, wanted, next, &mut attempts) {
            Some(free) => {
                taken.insert(free);
                *position = free;
            }
            None => left.push(node),
        }
    }
    place_in_rows(positions, &mut taken, &left);
}

/// Returns the position itself, or the first free one of the spiral around it; `None` if the
/// attempts are used up.
fn free_on_spiral(
    taken: &Taken,
    wanted: Position,
    next: &mut u32,
    attempts: &mut usize,
) -> Option<Position> {
    if taken.is_free(wanted) {
        return Some(wanted);
    }
    while *attempts > 0 {
        *attempts -= 1;
        *next = next.saturating_add(1);
        let index = f64::from(*next);
        let (sine, cosine) = (index * GOLDEN_ANGLE).sin_cos();
        let radius = SPIRAL_STEP * index.sqrt();
        let candidate = wanted.plus(radius * cosine, radius * sine);
        if taken.is_free(candidate) {
            return Some(candidate);
        }
    }
    None
}

/// Places nodes in rows below everything within the frame. Each position that is not free is beside
/// a pinned node, so the search ends.
fn place_in_rows(positions: &mut [Position], taken: &mut Taken, left: &[usize]) {
    if left.is_empty() {
        return;
    }
    let framed = positions.iter().filter(|position| position.is_framed());
    let corner = Rectangle::around(framed.copied()).map_or(Position::default(), |around| {
        Position::new(around.low.x, around.high.y.min(LARGEST_COORDINATE))
    });
    let columns = (left.len() as f64).sqrt().ceil().max(1.0) as usize;
    // Slightly more than the least distance, so that rounding cannot make it less.
    let pitch = MINIMUM_DISTANCE * 1.5;
    let mut slot = columns;
    for node in left {
        loop {
            let (row, column) = (slot / columns, slot % columns);
            let candidate = corner.plus(column as f64 * pitch, row as f64 * pitch);
            slot += 1;
            if taken.is_free(candidate) {
                taken.insert(candidate);
                if let Some(position) = positions.get_mut(*node) {
                    *position = candidate;
                }
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nearest(positions: &[Position]) -> f64 {
        let mut least = f64::INFINITY;
        for (index, one) in positions.iter().enumerate() {
            for other in &positions[index + 1..] {
                least = least.min(one.distance(*other));
            }
        }
        least
    }

    #[test]
    fn nodes_at_one_position_are_moved_apart() {
        let mut positions = vec![Position::new(7.0, -3.0); 500];
        space_out(&mut positions, &[false; 500]);
        assert!(nearest(&positions) >= MINIMUM_DISTANCE);
        assert_eq!(positions[0], Position::new(7.0, -3.0));
    }

    #[test]
    fn rows_take_what_the_spirals_leave() {
        let mut positions = vec![Position::new(1e9, 1e9); 40];
        let mut taken = Taken::new(40);
        let left: Vec<usize> = (0..40).collect();
        place_in_rows(&mut positions, &mut taken, &left);
        assert!(nearest(&positions) >= MINIMUM_DISTANCE);
    }

    #[test]
    fn many_pins_in_one_cell_keep_others_away() {
        let mut positions: Vec<Position> = (0..100)
            .map(|index| Position::new(f64::from(index) / 100.0, 0.0))
            .collect();
        let mut pinned = vec![true; 100];
        positions.push(Position::new(0.9, 0.0));
        pinned.push(false);
        space_out(&mut positions, &pinned);
        let last = positions[100];
        for pin in &positions[..100] {
            assert!(pin.distance(last) >= MINIMUM_DISTANCE);
        }
    }

    #[test]
    fn what_is_removed_is_free_again() {
        let mut taken = Taken::new(1);
        taken.insert(Position::new(5.0, 5.0));
        assert!(!taken.is_free(Position::new(5.0, 6.0)));
        taken.remove(Position::new(5.0, 5.0));
        assert!(taken.is_free(Position::new(5.0, 6.0)));
    }
}
