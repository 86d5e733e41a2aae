//! Positions as integers, so that the test whether two segments meet is exact.
//!
//! Coordinates are rounded to a lattice with [`STEPS_A_PIXEL`] steps in a pixel, and kept within
//! the frame. An orientation is then a difference of two products of integers, which is exact; in
//! f64 it could be wrong if segments nearly touch.

use crate::limits::LARGEST_COORDINATE;
use crate::problem::Position;

/// The steps of the lattice in a pixel.
pub(crate) const STEPS_A_PIXEL: f64 = 1024.0;

/// If differences of coordinates are below this, twice a product of two of them fits into i64.
const SMALL_DIFFERENCE: i64 = 1 << 30;

/// A position on the lattice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Point {
    pub(crate) x: i64,
    pub(crate) y: i64,
}

impl Point {
    /// Returns the lattice point nearest to a position.
    pub(crate) fn of(position: Position) -> Self {
        let round = |value: f64| {
            (value.clamp(-LARGEST_COORDINATE, LARGEST_COORDINATE) * STEPS_A_PIXEL).round() as i64
        };
        Self {
            x: round(position.x),
            y: round(position.y),
        }
    }
}

/// The segment of an edge, with its bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) from: Point,
    pub(crate) to: Point,
    pub(crate) low: Point,
    pub(crate) high: Point,
    pub(crate) source: u32,
    pub(crate) target: u32,
}

impl Segment {
    pub(crate) fn new(source: u32, target: u32, from: Point, to: Point) -> Self {
        Self {
            from,
            to,
            low: Point {
                x: from.x.min(to.x),
                y: from.y.min(to.y),
            },
            high: Point {
                x: from.x.max(to.x),
                y: from.y.max(to.y),
            },
            source,
            target,
        }
    }

    /// Returns true if the two segments share no node and have a point in common: a crossing, a
    /// touch or an overlap.
    pub(crate) fn crosses(&self, other: &Self) -> bool {
        self.is_near(other) && !self.shares_node(other) && self.meets(other)
    }

    fn is_near(&self, other: &Self) -> bool {
        self.low.x <= other.high.x
            && other.low.x <= self.high.x
            && self.low.y <= other.high.y
            && other.low.y <= self.high.y
    }

    fn shares_node(&self, other: &Self) -> bool {
        self.source == other.source
            || self.source == other.target
            || self.target == other.source
            || self.target == other.target
    }

    /// Tests the orientations of the end points. If all four points are on one line, overlapping
    /// bounds, which the caller has tested, mean a common point.
    fn meets(&self, other: &Self) -> bool {
        let width = self.high.x.max(other.high.x) - self.low.x.min(other.low.x);
        let height = self.high.y.max(other.high.y) - self.low.y.min(other.low.y);
        if width.max(height) < SMALL_DIFFERENCE {
            self.meets_by(other, small_turn)
        } else {
            self.meets_by(other, turn)
        }
    }

    fn meets_by(&self, other: &Self, turn: impl Fn(Point, Point, Point) -> i64) -> bool {
        let first = turn(self.from, self.to, other.from);
        let second = turn(self.from, self.to, other.to);
        if first * second > 0 {
            return false;
        }
        let third = turn(other.from, other.to, self.from);
        let fourth = turn(other.from, other.to, self.to);
        third * fourth <= 0
    }
}

/// Returns the side of the line from `a` to `b` on which `c` is: the sign of the cross product,
/// computed exactly.
fn turn(a: Point, b: Point, c: Point) -> i64 {
    let [ux, uy, vx, vy] = [b.x - a.x, b.y - a.y, c.x - a.x, c.y - a.y].map(i128::from);
    (ux * vy - uy * vx).signum() as i64
}

/// Returns the same as [`turn`], for differences below [`SMALL_DIFFERENCE`].
fn small_turn(a: Point, b: Point, c: Point) -> i64 {
    ((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)).signum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(first: [i64; 4], second: [i64; 4], expected: bool) {
        let segment = |source, [ax, ay, bx, by]: [i64; 4]| {
            Segment::new(
                source,
                source + 1,
                Point { x: ax, y: ay },
                Point { x: bx, y: by },
            )
        };
        for factor in [1, 1 << 28] {
            let scaled = |points: [i64; 4]| points.map(|value| value * factor);
            let (first, second) = (segment(0, scaled(first)), segment(2, scaled(second)));
            assert_eq!(first.crosses(&second), expected, "{first:?} {second:?}");
            assert_eq!(second.crosses(&first), expected, "{second:?} {first:?}");
        }
    }

    #[test]
    fn segments_that_cross_cross() {
        check([0, 0, 10, 10], [0, 10, 10, 0], true);
        check([0, 0, 10, 0], [5, -1, 5, 1], true);
    }

    #[test]
    fn segments_apart_do_not_cross() {
        check([0, 0, 10, 10], [6, 5, 10, 0], false);
        check([0, 0, 10, 0], [0, 1, 10, 1], false);
        check([0, 0, 1, 0], [2, 0, 3, 0], false);
        // Three points are on a line, and the bounds overlap.
        check([0, 0, 10, 10], [12, 12, 5, 0], false);
    }

    #[test]
    fn a_touch_and_an_overlap_count() {
        check([0, 0, 10, 0], [5, 0, 5, 7], true);
        check([0, 0, 10, 0], [10, 0, 20, 0], true);
        check([0, 0, 10, 0], [5, 0, 20, 0], true);
        check([3, 3, 3, 3], [0, 0, 9, 9], true);
        check([3, 4, 3, 4], [0, 0, 9, 9], false);
        check([3, 3, 3, 3], [3, 3, 3, 3], true);
    }

    #[test]
    fn edges_with_a_common_node_do_not_cross() {
        let at = |x, y| Point { x, y };
        let one = Segment::new(0, 1, at(0, 0), at(9, 9));
        assert!(!one.crosses(&Segment::new(1, 2, at(9, 9), at(0, 0))));
        assert!(one.crosses(&Segment::new(3, 2, at(9, 9), at(0, 0))));
    }
}
