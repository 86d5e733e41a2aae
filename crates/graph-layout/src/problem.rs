//! The validated input of every layout.

use crate::error::{LayoutError, Result};
use crate::limits::LARGEST_COORDINATE;

/// The position of a node, in pixels; y grows downwards, as on a screen.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Position {
    /// The horizontal coordinate, to the right.
    pub x: f64,
    /// The vertical coordinate, downwards.
    pub y: f64,
}

impl Position {
    /// Returns a position.
    pub const fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }

    /// Returns the Euclidean distance in pixels. It is infinite if the difference of two finite
    /// coordinates overflows.
    pub fn distance(self, other: Self) -> f64 {
        (self.x - other.x).hypot(self.y - other.y)
    }

    /// Returns the position moved by a vector.
    pub(crate) fn plus(self, x: f64, y: f64) -> Self {
        Self::new(self.x + x, self.y + y)
    }

    /// Returns the nearest position whose coordinates do not overflow in sums and squares.
    pub(crate) fn framed(self) -> Self {
        let frame = |value: f64| value.clamp(-LARGEST_COORDINATE, LARGEST_COORDINATE);
        Self::new(frame(self.x), frame(self.y))
    }

    /// Returns true if the coordinates do not overflow in sums and squares.
    pub(crate) fn is_framed(self) -> bool {
        self == self.framed()
    }
}

/// A graph to lay out: its nodes with their positions and pins, and its edges.
///
/// Node `i` is at `positions[i]`. An edge is a pair of such indices, source first; self-loops and
/// parallel edges are allowed.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    positions: Vec<Position>,
    pinned: Vec<bool>,
    edges: Vec<(u32, u32)>,
}

impl Problem {
    /// Validates the lists of positions, pins and edges.
    ///
    /// # Errors
    /// [`LayoutError::LengthsDiffer`], [`LayoutError::NotFinite`] for NaN and infinities,
    /// [`LayoutError::NoSuchNode`] for an edge with a missing end.
    pub fn new(
        positions: Vec<Position>,
        pinned: Vec<bool>,
        edges: Vec<(u32, u32)>,
    ) -> Result<Self> {
        let nodes = positions.len();
        if pinned.len() != nodes {
            return Err(LayoutError::LengthsDiffer {
                positions: nodes,
                pinned: pinned.len(),
            });
        }
        let is_finite = |position: &Position| position.x.is_finite() && position.y.is_finite();
        if let Some(node) = positions.iter().position(|position| !is_finite(position)) {
            return Err(LayoutError::NotFinite { node });
        }
        for (edge, (source, target)) in edges.iter().enumerate() {
            let node = *source.max(target);
            if node as usize >= nodes {
                return Err(LayoutError::NoSuchNode { edge, node, nodes });
            }
        }
        Ok(Self {
            positions,
            pinned,
            edges,
        })
    }

    /// Returns the positions of the nodes.
    pub fn positions(&self) -> &[Position] {
        &self.positions
    }

    /// Returns true for each node that keeps its position.
    pub fn pinned(&self) -> &[bool] {
        &self.pinned
    }

    /// Returns source and target of each edge.
    pub fn edges(&self) -> &[(u32, u32)] {
        &self.edges
    }

    /// Returns the number of nodes.
    pub fn node_count(&self) -> usize {
        self.positions.len()
    }

    /// Returns true if a node keeps its position.
    pub(crate) fn is_pinned(&self, node: usize) -> bool {
        self.pinned.get(node).copied().unwrap_or(false)
    }

    /// Returns the position of a node.
    pub(crate) fn position(&self, node: usize) -> Position {
        self.positions.get(node).copied().unwrap_or_default()
    }

    /// Returns the mean of the pinned positions, within the frame; `None` if no node is pinned.
    pub(crate) fn centre_of_pinned(&self) -> Option<Position> {
        let framed = self
            .positions
            .iter()
            .zip(&self.pinned)
            .filter(|(_, pinned)| **pinned)
            .map(|(position, _)| position.framed());
        mean(framed)
    }
}

/// Returns the mean of positions; `None` if there are no positions.
pub(crate) fn mean(positions: impl Iterator<Item = Position>) -> Option<Position> {
    let (count, sum) = positions.fold((0_u32, Position::default()), |(count, sum), position| {
        (count + 1, sum.plus(position.x, position.y))
    });
    let count_f64 = f64::from(count);
    (count > 0).then(|| Position::new(sum.x / count_f64, sum.y / count_f64))
}
