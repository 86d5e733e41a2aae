//! The neighbours of nodes, in compressed rows.

/// The neighbours of each node in one list, and the start of each node's part.
pub(crate) struct Neighbours {
    starts: Vec<usize>,
    ends: Vec<u32>,
}

impl Neighbours {
    /// Returns neighbours in both directions of each edge. Parallel edges give duplicate
    /// neighbours.
    pub(crate) fn of_edges(nodes: usize, edges: &[(u32, u32)]) -> Self {
        let both = edges
            .iter()
            .flat_map(|(source, target)| [(*source, *target), (*target, *source)]);
        Self::of_pairs(nodes, both)
    }

    /// Returns neighbours in one direction: the second of each pair is a neighbour of the first, in
    /// the order of the pairs.
    pub(crate) fn of_pairs(nodes: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut starts = vec![0; nodes + 1];
        for (node, _) in pairs.clone() {
            if let Some(count) = starts.get_mut(node as usize + 1) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut next = starts.clone();
        let mut ends = vec![0; sum];
        for (node, neighbour) in pairs {
            if let Some(place) = next.get_mut(node as usize) {
                if let Some(end) = ends.get_mut(*place) {
                    *end = neighbour;
                }
                *place += 1;
            }
        }
        Self { starts, ends }
    }

    /// Returns the neighbours of a node.
    pub(crate) fn of(&self, node: usize) -> &[u32] {
        let start = self.starts.get(node).copied().unwrap_or(0);
        let end = self.starts.get(node + 1).copied().unwrap_or(start);
        self.ends.get(start..end).unwrap_or_default()
    }
}

/// Returns the edges without self-loops and without direction, each pair once, in ascending order.
pub(crate) fn simple_edges(edges: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let mut simple: Vec<(u32, u32)> = edges
        .iter()
        .filter(|(source, target)| source != target)
        .map(|(source, target)| (*source.min(target), *source.max(target)))
        .collect();
    simple.sort_unstable();
    simple.dedup();
    simple
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_those_of_both_directions() {
        let neighbours = Neighbours::of_edges(4, &[(0, 1), (2, 1), (1, 1)]);
        assert_eq!(neighbours.of(0), [1]);
        assert_eq!(neighbours.of(1), [0, 2, 1, 1]);
        assert_eq!(neighbours.of(3), [0_u32; 0]);
        assert_eq!(neighbours.of(9), [0_u32; 0]);
    }

    #[test]
    fn simple_edges_have_no_loops_and_no_parallels() {
        assert_eq!(
            simple_edges(&[(2, 1), (1, 2), (0, 0), (1, 2), (0, 2)]),
            [(0, 2), (1, 2)]
        );
    }
}
