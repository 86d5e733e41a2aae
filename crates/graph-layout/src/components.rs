//! Connected components, regardless of direction.

use crate::graph::Neighbours;

/// Returns the nodes of each component, in the order in which a breadth-first search from its first
/// node reaches them.
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

/// Returns all components, each in the order of a depth-first search from its first node, without
/// recursion.
pub(crate) fn depth_first(
    components: &[Vec<u32>],
    neighbours: &Neighbours,
    nodes: usize,
) -> Vec<u32> {
    let mut order = Vec::with_capacity(nodes);
    let mut seen = vec![false; nodes];
    for component in components {
        let mut stack: Vec<u32> = component.first().copied().into_iter().collect();
        while let Some(node) = stack.pop() {
            let Some(seen) = seen.get_mut(node as usize).filter(|seen| !**seen) else {
                continue;
            };
            *seen = true;
            order.push(node);
            stack.extend(neighbours.of(node as usize).iter().rev());
        }
    }
    order
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
