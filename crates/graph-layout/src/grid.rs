//! The grid layout: nodes in rows and columns, in their order.

use crate::error::{Result, at_most, within};
use crate::limits::{LARGEST_LENGTH, MAX_LAYOUT_NODES, MINIMUM_DISTANCE};
use crate::problem::{Position, Problem};
use crate::spacing::Taken;

/// The options of a grid layout.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GridOptions {
    /// The pixels between two rows and between two columns.
    pub spacing: f64,
    /// The number of nodes in a row; by default the square root of the number of nodes, rounded up.
    pub columns: Option<u32>,
}

impl Default for GridOptions {
    fn default() -> Self {
        Self {
            spacing: 100.0,
            columns: None,
        }
    }
}

/// Places the nodes that are not pinned in rows, from the origin to the right and down, in the
/// order of the problem. Positions closer than [`MINIMUM_DISTANCE`] to a pinned node stay empty.
///
/// # Errors
/// [`crate::LayoutError::TooLarge`] beyond [`MAX_LAYOUT_NODES`];
/// [`crate::LayoutError::OptionOutOfRange`].
pub fn grid(problem: &Problem, options: &GridOptions) -> Result<Vec<Position>> {
    at_most("nodes", problem.node_count(), MAX_LAYOUT_NODES)?;
    // Slightly more than the least distance, so that rounding cannot make it less.
    within(
        "spacing",
        options.spacing,
        MINIMUM_DISTANCE * 1.01,
        LARGEST_LENGTH,
    )?;
    if let Some(columns) = options.columns {
        within("columns", f64::from(columns), 1.0, MAX_LAYOUT_NODES as f64)?;
    }
    let free = problem.pinned().iter().filter(|pinned| !**pinned).count();
    let square = (free as f64).sqrt().ceil().max(1.0) as usize;
    let columns = options.columns.map_or(square, |columns| columns as usize);
    let mut taken = Taken::new(problem.node_count());
    for (position, _) in problem
        .positions()
        .iter()
        .zip(problem.pinned())
        .filter(|(_, pinned)| **pinned)
    {
        taken.insert(*position);
    }
    // A pinned node blocks at most nine positions, and a full cell at most that many for each of
    // its nodes, so the search ends.
    let mut slots = (0..).map(|slot: usize| {
        let (row, column) = (slot / columns, slot % columns);
        Position::new(
            column as f64 * options.spacing,
            row as f64 * options.spacing,
        )
    });
    let placed: Vec<Position> = problem
        .positions()
        .iter()
        .zip(problem.pinned())
        .map(|(given, pinned)| {
            if *pinned {
                return *given;
            }
            slots.find(|slot| taken.is_free(*slot)).unwrap_or_default()
        })
        .collect();
    Ok(placed)
}
