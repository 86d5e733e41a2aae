//! Packs drawings side by side: the components of a graph, each in its rectangle, in rows.

use crate::problem::Position;

/// A rectangle, in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rectangle {
    pub(crate) low: Position,
    pub(crate) high: Position,
}

impl Rectangle {
    /// Returns the smallest rectangle around positions; `None` if there are no positions.
    pub(crate) fn around(positions: impl Iterator<Item = Position>) -> Option<Self> {
        positions.fold(None, |found: Option<Self>, position| {
            let Some(found) = found else {
                return Some(Self {
                    low: position,
                    high: position,
                });
            };
            Some(Self {
                low: Position::new(found.low.x.min(position.x), found.low.y.min(position.y)),
                high: Position::new(found.high.x.max(position.x), found.high.y.max(position.y)),
            })
        })
    }

    pub(crate) fn width(self) -> f64 {
        self.high.x - self.low.x
    }

    pub(crate) fn height(self) -> f64 {
        self.high.y - self.low.y
    }
}

/// The approximate ratio of width to height of the packed drawing.
const ASPECT: f64 = 1.3;

/// Returns the vectors by which to move the rectangles, so that they are in rows from `corner` on,
/// the highest first, at least `gap` apart.
pub(crate) fn pack(rectangles: &[Rectangle], gap: f64, corner: Position) -> Vec<(f64, f64)> {
    let mut order: Vec<usize> = (0..rectangles.len()).collect();
    let height = |index: &usize| rectangles.get(*index).map_or(0.0, |one| one.height());
    order.sort_by(|first, second| height(second).total_cmp(&height(first)));
    let area: f64 = rectangles
        .iter()
        .map(|one| (one.width() + gap) * (one.height() + gap))
        .sum();
    let row_width = rectangles
        .iter()
        .map(|one| one.width())
        .fold((area * ASPECT).sqrt(), f64::max);
    let mut moves = vec![(0.0, 0.0); rectangles.len()];
    let (mut x, mut y, mut row_height) = (0.0, 0.0, 0.0_f64);
    for index in order {
        let Some((one, by)) = rectangles.get(index).zip(moves.get_mut(index)) else {
            continue;
        };
        if x > 0.0 && x + one.width() > row_width {
            (x, y) = (0.0, y + row_height + gap);
            row_height = 0.0;
        }
        *by = (corner.x + x - one.low.x, corner.y + y - one.low.y);
        x += one.width() + gap;
        row_height = row_height.max(one.height());
    }
    moves
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_rectangles_do_not_overlap() {
        let sizes = [
            (30.0, 10.0),
            (5.0, 80.0),
            (40.0, 40.0),
            (0.0, 0.0),
            (7.0, 3.0),
        ];
        let rectangles = sizes.map(|(width, height)| Rectangle {
            low: Position::new(-width, 3.0),
            high: Position::new(0.0, 3.0 + height),
        });
        let moves = pack(&rectangles, 4.0, Position::new(100.0, 200.0));
        let placed: Vec<Rectangle> = rectangles
            .iter()
            .zip(moves)
            .map(|(one, (x, y))| Rectangle {
                low: one.low.plus(x, y),
                high: one.high.plus(x, y),
            })
            .collect();
        for (index, one) in placed.iter().enumerate() {
            assert!(one.low.x >= 100.0 && one.low.y >= 200.0);
            for other in &placed[index + 1..] {
                let apart_x = one.low.x - other.high.x >= 3.9 || other.low.x - one.high.x >= 3.9;
                let apart_y = one.low.y - other.high.y >= 3.9 || other.low.y - one.high.y >= 3.9;
                assert!(apart_x || apart_y, "{one:?} {other:?}");
            }
        }
    }
}
