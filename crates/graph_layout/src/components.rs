//! Connected components, without regard to direction.

use crate::graph::Neighbours;

/// The nodes of each component, in the order in which a breadth-first search from its first node meets them.
pub(crate) fn components(nodes: usize, neighbours: &Neighbours) -> Vec<Vec<u32>> {
    let mut seen = vec![false; nodes];
    let mut found = Vec::new();
    for first in 0..nodes {
        if std::mem::replace(seen.get_mut(first).unwrap_or(&mut true), true) {
            continue;
        }
        let mut component = vec![first as u32];
        let mut next = 0;
        while let Some(node) = component.get(next).copied() {
            next += 1;
            for neighbour in neighbours.of(node as usize) {
                let is_seen = seen.get_mut(*neighbour as usize);
                if is_seen.is_some_and(|seen| !std::mem::replace(seen, true)) {
                    component.push(*neighbour);
                }
            }
        }
        found.push(component);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_come_in_breadth_first_order() {
        let edges = [(0, 3), (3, 2), (1, 4)];
        let neighbours = Neighbours::of_edges(6, &edges);
        let expected: [&[u32]; 3] = [&[0, 3, 2], &[1, 4], &[5]];
        assert_eq!(components(6, &neighbours), expected);
    }
}
