//! Computes the positions of a group's nodes before the first step.
//!
//! Computed positions come from PivotMDS (Brandes and Pich, Eigensolver methods for progressive
//! multidimensional scaling of large data, GD 2006): the distances in the graph from a few pivots,
//! projected onto the two directions in which they differ most. A drawing that begins with these is
//! already untangled.

use std::collections::HashMap;

use super::{ForceOptions, Group, Start};
use crate::problem::{Position, mean};
use crate::random::Random;

/// Pivots from which distances are measured: more of them hardly change the drawing, and time grows
/// with their square.
const PIVOTS: usize = 20;

/// Multiplications to find each direction: enough for a start.
const POWER_ITERATIONS: usize = 40;

/// The distances of one node from all pivots.
type Row = [f64; PIVOTS];

/// Moves the nodes that are not fixed to their initial positions.
pub(super) fn begin(group: &mut Group, options: &ForceOptions, random: &mut Random) {
    let mut known = match options.start {
        Start::Given => distinct(&group.positions),
        Start::Computed => vec![false; group.positions.len()],
    };
    let is_anchored = group.fixed.iter().any(|fixed| *fixed);
    if is_anchored {
        for (known, fixed) in known.iter_mut().zip(&group.fixed) {
            *known |= *fixed;
        }
        beside_neighbours(group, known, options.edge_length, random);
        return;
    }
    let distinct = known.iter().filter(|known| **known).count();
    if distinct * 2 > known.len() {
        beside_neighbours(group, known, options.edge_length, random);
        scale(group, options.edge_length);
        return;
    }
    group.positions = pivot_mds(group);
    scale(group, options.edge_length);
    for position in &mut group.positions {
        // The leaves of a node have the same distances, so this moves them to different positions.
        let (x, y) = random.vector(options.edge_length / 2.0);
        *position = position.plus(x, y);
    }
}

/// Returns a flag for each node: true if no other node has the same position.
fn distinct(positions: &[Position]) -> Vec<bool> {
    let key = |position: &Position| (position.x.to_bits(), position.y.to_bits());
    let mut counts: HashMap<(u64, u64), u32> = HashMap::with_capacity(positions.len());
    for position in positions {
        *counts.entry(key(position)).or_default() += 1;
    }
    positions
        .iter()
        .map(|position| counts.get(&key(position)) == Some(&1))
        .collect()
}

/// Moves nodes without a position of their own beside a neighbour that has one, in the order of a
/// breadth-first search.
fn beside_neighbours(
    group: &mut Group,
    mut known: Vec<bool>,
    edge_length: f64,
    random: &mut Random,
) {
    let mut queue: Vec<usize> = (0..known.len())
        .filter(|node| known.get(*node) == Some(&true))
        .collect();
    let mut next = 0;
    while let Some(node) = queue.get(next).copied() {
        next += 1;
        let Some(from) = group.positions.get(node).copied() else {
            continue;
        };
        for neighbour in group.neighbours.of(node) {
            let neighbour = *neighbour as usize;
            let Some(known) = known.get_mut(neighbour).filter(|known| !**known) else {
                continue;
            };
            *known = true;
            let (x, y) = random.vector(edge_length);
            if let Some(position) = group.positions.get_mut(neighbour) {
                *position = from.plus(x, y);
            }
            queue.push(neighbour);
        }
    }
}

/// Moves the group to the origin and scales it to the desired mean length of edges.
fn scale(group: &mut Group, edge_length: f64) {
    let centre = mean(group.positions.iter().copied()).unwrap_or_default();
    let lengths = group.positions.iter().enumerate().flat_map(|(node, from)| {
        let ends = group.neighbours.of(node).iter();
        ends.filter_map(|end| group.positions.get(*end as usize))
            .map(|to| from.distance(*to))
    });
    let (count, sum) = lengths.fold((0.0, 0.0), |(count, sum), length| {
        (count + 1.0, sum + length)
    });
    let factor = edge_length * count / sum;
    let factor = if factor.is_finite() { factor } else { 1.0 };
    for position in &mut group.positions {
        *position = Position::new(
            (position.x - centre.x) * factor,
            (position.y - centre.y) * factor,
        )
        .framed();
    }
}

/// Returns positions from the distances to the pivots.
fn pivot_mds(group: &Group) -> Vec<Position> {
    let mut rows = distances(group);
    centre(&mut rows);
    let mut product = [[0.0; PIVOTS]; PIVOTS];
    for row in &rows {
        for (line, first) in product.iter_mut().zip(row) {
            for (entry, second) in line.iter_mut().zip(row) {
                *entry += first * second;
            }
        }
    }
    let (across, strength) = direction(&product);
    for (line, first) in product.iter_mut().zip(across) {
        for (entry, second) in line.iter_mut().zip(across) {
            *entry -= strength * first * second;
        }
    }
    let (down, _) = direction(&product);
    rows.iter()
        .map(|row| Position::new(dot(row, &across), dot(row, &down)))
        .collect()
}

fn dot(first: &Row, second: &Row) -> f64 {
    first.iter().zip(second).map(|(a, b)| a * b).sum()
}

/// Returns the distances of each node from the pivots. Each pivot is the node farthest from the
/// previous ones.
fn distances(group: &Group) -> Vec<Row> {
    let nodes = group.positions.len();
    let mut rows = vec![[0.0; PIVOTS]; nodes];
    let mut nearest = vec![u32::MAX; nodes];
    let mut pivot = 0;
    for column in 0..PIVOTS {
        let from_pivot = search(group, pivot);
        let mut farthest = (0, pivot);
        for (node, ((row, nearest), distance)) in rows
            .iter_mut()
            .zip(&mut nearest)
            .zip(from_pivot)
            .enumerate()
        {
            if let Some(entry) = row.get_mut(column) {
                *entry = f64::from(distance).powi(2);
            }
            *nearest = (*nearest).min(distance);
            if *nearest > farthest.0 {
                farthest = (*nearest, node);
            }
        }
        pivot = farthest.1;
    }
    rows
}

/// Returns the number of edges from a node to each other node. The group is connected.
fn search(group: &Group, from: usize) -> Vec<u32> {
    let mut distances = vec![u32::MAX; group.positions.len()];
    if let Some(distance) = distances.get_mut(from) {
        *distance = 0;
    }
    let mut queue = vec![from];
    let mut next = 0;
    while let Some(node) = queue.get(next).copied() {
        next += 1;
        let distance = distances.get(node).copied().unwrap_or(0);
        for neighbour in group.neighbours.of(node) {
            let neighbour = *neighbour as usize;
            if let Some(unknown) = distances.get_mut(neighbour).filter(|one| **one == u32::MAX) {
                *unknown = distance + 1;
                queue.push(neighbour);
            }
        }
    }
    distances
}

/// Applies double centring, which turns squared distances into inner products.
fn centre(rows: &mut [Row]) {
    let nodes = rows.len() as f64;
    let mut of_columns = [0.0; PIVOTS];
    for row in rows.iter() {
        for (sum, entry) in of_columns.iter_mut().zip(row) {
            *sum += entry / nodes;
        }
    }
    let of_all = of_columns.iter().sum::<f64>() / PIVOTS as f64;
    for row in rows {
        let of_row = row.iter().sum::<f64>() / PIVOTS as f64;
        for (entry, of_column) in row.iter_mut().zip(of_columns) {
            *entry = -(*entry - of_row - of_column + of_all) / 2.0;
        }
    }
}

/// Returns the direction in which a symmetric matrix stretches most, and the factor, by power
/// iteration.
fn direction(matrix: &[Row; PIVOTS]) -> (Row, f64) {
    // All entries differ, so that no symmetry of the graph makes this start orthogonal to the
    // result.
    let mut vector: Row = std::array::from_fn(|index| 1.0 / (index as f64 + 1.5));
    let mut strength = 0.0;
    for _ in 0..POWER_ITERATIONS {
        let product: Row =
            std::array::from_fn(|index| matrix.get(index).map_or(0.0, |line| dot(line, &vector)));
        strength = dot(&product, &product).sqrt();
        if !(strength > f64::MIN_POSITIVE && strength.is_finite()) {
            return ([0.0; PIVOTS], 0.0);
        }
        vector = product.map(|entry| entry / strength);
    }
    (vector, strength)
}
