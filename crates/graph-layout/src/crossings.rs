//! Counts the crossings of a drawing's edges.

use crate::error::{LayoutError, Result, at_most};
use crate::lattice::{Point, Segment};
use crate::limits::MAX_CROSSING_EDGES;
use crate::problem::Position;

/// Returns the crossings of straight edges: pairs of edges that share no node and whose segments,
/// ends included, have a point in common.
///
/// Each pair counts once: if two segments cross, if an end of one touches the other, and if they
/// overlap on one line. Edges with a common node, and thus parallel edges, do not cross each other.
/// If another edge crosses parallel edges, it crosses each of them. A self-loop has no segment and
/// crosses nothing. Coordinates are rounded to 1/1024 of a pixel and clamped to 10^9 pixels; the
/// count is exact for the rounded ones.
///
/// # Errors
/// [`LayoutError::TooLarge`] beyond [`MAX_CROSSING_EDGES`]; [`LayoutError::NoSuchNode`].
pub fn crossings(positions: &[Position], edges: &[(u32, u32)]) -> Result<u64> {
    at_most("edges", edges.len(), MAX_CROSSING_EDGES)?;
    let nodes = positions.len();
    for (edge, (source, target)) in edges.iter().enumerate() {
        let node = *source.max(target);
        if node as usize >= nodes {
            return Err(LayoutError::NoSuchNode { edge, node, nodes });
        }
    }
    Ok(count(segments(positions, edges)))
}

/// Returns the segments of all edges that are not self-loops.
pub(crate) fn segments(positions: &[Position], edges: &[(u32, u32)]) -> Vec<Segment> {
    let at = |node: u32| {
        let position = positions.get(node as usize);
        Point::of(position.copied().unwrap_or_default())
    };
    edges
        .iter()
        .filter(|(source, target)| source != target)
        .map(|(source, target)| Segment::new(*source, *target, at(*source), at(*target)))
        .collect()
}

/// Counts crossings by a sweep from left to right: a segment is compared with those that begin
/// before it ends.
pub(crate) fn count(mut segments: Vec<Segment>) -> u64 {
    segments.sort_unstable_by_key(|segment| segment.low.x);
    let mut rest = segments.as_slice();
    let mut crossings = 0;
    while let Some((segment, later)) = rest.split_first() {
        crossings += later
            .iter()
            .take_while(|other| other.low.x <= segment.high.x)
            .filter(|other| segment.crosses(other))
            .count() as u64;
        rest = later;
    }
    crossings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn the_sweep_counts_what_comparing_all_pairs_counts() {
        let mut random = Random::new(3);
        for size in [2, 5, 20, 60] {
            let positions: Vec<Position> = (0..size)
                .map(|_| Position::new(random.below(12) as f64, random.below(12) as f64))
                .collect();
            let edges: Vec<(u32, u32)> = (0..3 * size)
                .map(|_| (random.below(size) as u32, random.below(size) as u32))
                .collect();
            let segments = segments(&positions, &edges);
            let mut expected = 0;
            for (index, one) in segments.iter().enumerate() {
                for other in &segments[index + 1..] {
                    expected += u64::from(one.crosses(other));
                }
            }
            assert_eq!(crossings(&positions, &edges), Ok(expected));
        }
    }

    #[test]
    fn a_complete_graph_on_a_circle_has_the_crossings_of_the_formula() {
        let size = 12_u32;
        let positions: Vec<Position> = (0..size)
            .map(|index| {
                let (sine, cosine) = (f64::from(index) / 12.0 * std::f64::consts::TAU).sin_cos();
                Position::new(1000.0 * cosine, 1000.0 * sine)
            })
            .collect();
        let edges: Vec<(u32, u32)> = (0..size)
            .flat_map(|one| (one + 1..size).map(move |other| (one, other)))
            .collect();
        // Every four nodes of a convex polygon have one crossing: 12 choose 4.
        assert_eq!(crossings(&positions, &edges), Ok(495));
    }

    #[test]
    fn too_many_edges_are_rejected_with_the_number_that_fits() {
        let edges = vec![(0, 0); MAX_CROSSING_EDGES + 1];
        let error = crossings(&[Position::default()], &edges).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the graph has 10001 edges, but this layout supports at most 10000"
        );
    }

    #[test]
    fn an_edge_to_nowhere_is_rejected() {
        assert!(matches!(
            crossings(&[Position::default()], &[(0, 1)]),
            Err(LayoutError::NoSuchNode {
                edge: 0,
                node: 1,
                nodes: 1
            })
        ));
    }
}
