//! The repulsion between all nodes: near nodes one by one, far nodes as groups (Barnes and Hut).
//!
//! Nodes are sorted along a Z-order curve, so that the cells of a quadtree are ranges of that
//! order. Cells with a single child are skipped, which bounds their number; a cell has at most 32
//! levels above it. All nodes of a leaf share one list of the nodes and cells that repel them.
//! Nodes closer than the resolution of the curve (the extent of the drawing / 2³²) form one lump,
//! however many they are.

/// The most nodes of a leaf: larger leaves give fewer but longer lists.
const LEAF_NODES: usize = 12;

/// A cell counts as a group if its extent is less than this fraction of its distance.
const OPENING: f64 = 0.9;

/// The levels of the Z-order curve: the bits of each coordinate.
const LEVELS: u32 = 32;

/// A range of the order with its sums.
#[derive(Debug, Clone, Copy, Default)]
struct Cell {
    /// The centre of its nodes.
    x: f64,
    y: f64,
    /// The number of its nodes.
    mass: f64,
    /// The corners of the smallest rectangle around them.
    low: (f64, f64),
    high: (f64, f64),
    /// The first cell after its descendants.
    skip: usize,
    /// The range of its nodes in the order.
    start: usize,
    end: usize,
    is_leaf: bool,
    /// True if it has more nodes than a leaf should have, all at one point of the curve.
    is_lump: bool,
}

/// The quadtree, whose lists are reused from step to step.
#[derive(Default)]
pub(super) struct Tree {
    /// The Z-order and the number of each node, sorted.
    order: Vec<(u64, u32)>,
    /// The positions in that order.
    xs: Vec<f64>,
    ys: Vec<f64>,
    cells: Vec<Cell>,
    /// The position and the mass of everything that repels the nodes of one leaf.
    pushers: Vec<(f64, f64, f64)>,
}

impl Tree {
    /// Sets each entry of `pushes` to the sum, over all other nodes, of the vector from there
    /// divided by its squared length. Entries of fixed nodes may stay 0. Nodes at the same position
    /// do not repel each other.
    pub(super) fn push(&mut self, xs: &[f64], ys: &[f64], pushes: &mut [(f64, f64)]) {
        self.sort(xs, ys);
        self.cells.clear();
        self.build(0, self.order.len(), 0);
        for index in 0..self.cells.len() {
            let Some(leaf) = self.cells.get(index).copied().filter(|cell| cell.is_leaf) else {
                continue;
            };
            self.collect(&leaf, index);
            self.apply(&leaf, pushes);
        }
    }

    fn sort(&mut self, xs: &[f64], ys: &[f64]) {
        let bounds = |values: &[f64]| {
            let low = values.iter().copied().fold(f64::INFINITY, f64::min);
            let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            (low, high - low)
        };
        let ((left, width), (top, height)) = (bounds(xs), bounds(ys));
        let scale = f64::from(u32::MAX) / width.max(height).max(f64::MIN_POSITIVE);
        let key = |node: u32| {
            let index = node as usize;
            let x = (xs.get(index).copied().unwrap_or(left) - left) * scale;
            let y = (ys.get(index).copied().unwrap_or(top) - top) * scale;
            // The conversion of a float saturates at the range of u32.
            spread(x as u32) | spread(y as u32) << 1
        };
        if self.order.len() == xs.len() {
            // The order of the previous step is nearly right.
            for entry in &mut self.order {
                entry.0 = key(entry.1);
            }
        } else {
            self.order = (0..xs.len() as u32).map(|node| (key(node), node)).collect();
        }
        self.order.sort_unstable();
        self.xs.clear();
        self.ys.clear();
        for (_, node) in &self.order {
            let index = *node as usize;
            self.xs.push(xs.get(index).copied().unwrap_or(0.0));
            self.ys.push(ys.get(index).copied().unwrap_or(0.0));
        }
    }

    /// Adds the cell of a range and those below it. Each call is at least one level deeper than its
    /// caller, so that calls nest at most [`LEVELS`] deep.
    fn build(&mut self, start: usize, end: usize, level: u32) {
        let Some(range) = self.order.get(start..end) else {
            return;
        };
        let (Some((first, _)), Some((last, _))) = (range.first(), range.last()) else {
            return;
        };
        // The first level at which the range divides. Cells with a single child are left out.
        let divides = ((first ^ last).leading_zeros() / 2).max(level);
        let is_lump = divides >= LEVELS && end - start > LEAF_NODES;
        let is_leaf = is_lump || end - start <= LEAF_NODES || divides >= LEVELS;
        let cell = self.summed(start, end, is_leaf, is_lump);
        let index = self.cells.len();
        self.cells.push(cell);
        if !is_leaf {
            let shift = 2 * (LEVELS - 1 - divides);
            let mut from = start;
            for quadrant in 0..4 {
                let rest = self.order.get(from..end).unwrap_or_default();
                let count = rest.partition_point(|(key, _)| key >> shift & 3 <= quadrant);
                self.build(from, from + count, divides + 1);
                from += count;
            }
        }
        let skip = self.cells.len();
        if let Some(cell) = self.cells.get_mut(index) {
            cell.skip = skip;
        }
    }

    fn summed(&self, start: usize, end: usize, is_leaf: bool, is_lump: bool) -> Cell {
        let sum = |values: &[f64]| {
            let values = values.get(start..end).unwrap_or_default();
            values.iter().fold(
                (0.0, f64::INFINITY, f64::NEG_INFINITY),
                |(sum, low, high), value| (sum + value, low.min(*value), high.max(*value)),
            )
        };
        let ((x, left, right), (y, top, bottom)) = (sum(&self.xs), sum(&self.ys));
        let mass = (end - start) as f64;
        Cell {
            x: x / mass,
            y: y / mass,
            mass,
            low: (left, top),
            high: (right, bottom),
            skip: 0,
            start,
            end,
            is_leaf,
            is_lump,
        }
    }

    /// Collects everything that repels the nodes of a leaf.
    fn collect(&mut self, leaf: &Cell, leaf_index: usize) {
        self.pushers.clear();
        let mut index = 0;
        while let Some(cell) = self.cells.get(index) {
            let is_itself = index == leaf_index;
            if cell.is_lump || !is_itself && is_far(cell, leaf) {
                self.pushers.push((cell.x, cell.y, cell.mass));
                index = cell.skip;
            } else if cell.is_leaf {
                let xs = self.xs.get(cell.start..cell.end).unwrap_or_default();
                let ys = self.ys.get(cell.start..cell.end).unwrap_or_default();
                let nodes = xs.iter().zip(ys);
                self.pushers.extend(nodes.map(|(x, y)| (*x, *y, 1.0)));
                index = cell.skip;
            } else {
                index += 1;
            }
        }
    }

    fn apply(&self, leaf: &Cell, pushes: &mut [(f64, f64)]) {
        let range = leaf.start..leaf.end;
        let order = self.order.get(range.clone()).unwrap_or_default();
        let xs = self.xs.get(range.clone()).unwrap_or_default();
        let ys = self.ys.get(range).unwrap_or_default();
        for (((_, node), x), y) in order.iter().zip(xs).zip(ys) {
            let (mut right, mut down) = (0.0, 0.0);
            for (pusher_x, pusher_y, mass) in &self.pushers {
                let (dx, dy) = (x - pusher_x, y - pusher_y);
                // The list includes the node itself: the small constant prevents 0 / 0.
                let factor = mass / (dx * dx + dy * dy + NEARLY_NOTHING);
                right += dx * factor;
                down += dy * factor;
            }
            if let Some(push) = pushes.get_mut(*node as usize) {
                *push = (right, down);
            }
        }
    }
}

/// Square pixels that are added to squared distances, so that nothing is divided by zero.
const NEARLY_NOTHING: f64 = 1e-6;

/// Returns true if a cell is so far from a whole leaf that it counts as a group.
fn is_far(cell: &Cell, leaf: &Cell) -> bool {
    let extent = (cell.high.0 - cell.low.0).max(cell.high.1 - cell.low.1);
    let dx = (leaf.low.0 - cell.x).max(cell.x - leaf.high.0).max(0.0);
    let dy = (leaf.low.1 - cell.y).max(cell.y - leaf.high.1).max(0.0);
    extent * extent < OPENING * OPENING * (dx * dx + dy * dy)
}

/// Returns a number with its bits at every other position.
fn spread(value: u32) -> u64 {
    let mut bits = u64::from(value);
    bits = (bits | bits << 16) & 0x0000_FFFF_0000_FFFF;
    bits = (bits | bits << 8) & 0x00FF_00FF_00FF_00FF;
    bits = (bits | bits << 4) & 0x0F0F_0F0F_0F0F_0F0F;
    bits = (bits | bits << 2) & 0x3333_3333_3333_3333;
    (bits | bits << 1) & 0x5555_5555_5555_5555
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn pushes(xs: &[f64], ys: &[f64]) -> Vec<(f64, f64)> {
        let mut pushes = vec![(0.0, 0.0); xs.len()];
        Tree::default().push(xs, ys, &mut pushes);
        pushes
    }

    fn exact(xs: &[f64], ys: &[f64]) -> Vec<(f64, f64)> {
        let all = || xs.iter().zip(ys);
        all()
            .map(|(x, y)| {
                all().fold((0.0, 0.0), |(right, down), (other_x, other_y)| {
                    let (dx, dy) = (x - other_x, y - other_y);
                    let squared = dx * dx + dy * dy + NEARLY_NOTHING;
                    (right + dx / squared, down + dy / squared)
                })
            })
            .collect()
    }

    #[test]
    fn pushes_are_near_the_exact_sums() {
        let mut random = Random::new(5);
        let values = |random: &mut Random| -> Vec<f64> {
            (0..800).map(|_| random.unit() * 1000.0).collect()
        };
        let (xs, ys) = (values(&mut random), values(&mut random));
        let (mut error, mut size) = (0.0, 0.0);
        for ((x, y), (right, down)) in pushes(&xs, &ys).iter().zip(exact(&xs, &ys)) {
            error += (x - right).hypot(y - down);
            size += right.hypot(down);
        }
        assert!(error < 0.03 * size, "{}", error / size);
    }

    #[test]
    fn a_leaf_is_summed_exactly() {
        let (xs, ys) = ([0.0, 1.0, 5.0], [0.0, 2.0, -1.0]);
        for ((x, y), (right, down)) in pushes(&xs, &ys).iter().zip(exact(&xs, &ys)) {
            assert!((x - right).abs() < 1e-12 && (y - down).abs() < 1e-12);
        }
    }

    #[test]
    fn a_lump_of_nodes_pushes_others_and_is_no_work() {
        let mut xs = vec![3.0; 30_000];
        let mut ys = vec![4.0; 30_000];
        xs.push(1e9);
        ys.push(-1e9);
        let pushes = pushes(&xs, &ys);
        assert!(pushes.iter().all(|(x, y)| x.is_finite() && y.is_finite()));
        assert!(pushes[30_000].0 > 0.0 && pushes[30_000].1 < 0.0);
    }

    #[test]
    fn no_nodes_have_no_pushes() {
        assert!(pushes(&[], &[]).is_empty());
    }
}
