//! Breaks cycles by reversing edges.

use std::collections::HashSet;

use crate::graph::Neighbours;

/// Returns the edges without self-loops and parallel edges, with those reversed that lead back in a
/// depth-first search. The search begins at nodes without incoming edges, and otherwise takes nodes
/// and edges in their order, like the JavaScript original, but without recursion. (The crate dagre
/// begins at the first node, and therefore reverses more edges.) Reversed edges come last, as in
/// the original.
pub(super) fn acyclic(nodes: usize, edges: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let mut seen = HashSet::with_capacity(edges.len());
    let edges: Vec<(u32, u32)> = edges
        .iter()
        .copied()
        .filter(|edge| edge.0 != edge.1 && seen.insert(*edge))
        .collect();
    let back = back_edges(nodes, &edges);
    let reversed = back.iter().map(|(source, target)| (*target, *source));
    let is_back: HashSet<(u32, u32)> = back.iter().copied().collect();
    let mut acyclic: Vec<(u32, u32)> = edges
        .iter()
        .copied()
        .filter(|edge| !is_back.contains(edge))
        .collect();
    // The reverse of an edge may exist already.
    acyclic.extend(reversed.filter(|edge| !seen.contains(edge)));
    acyclic
}

/// The state of a node in the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    Unseen,
    OnPath,
    Done,
}

fn back_edges(nodes: usize, edges: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let successors = Neighbours::of_pairs(nodes, edges.iter().copied());
    let mut progress = vec![Progress::Unseen; nodes];
    let mut back = Vec::new();
    let mut is_target = vec![false; nodes];
    for (_, target) in edges {
        if let Some(is_target) = is_target.get_mut(*target as usize) {
            *is_target = true;
        }
    }
    let sources = (0..nodes as u32).filter(|node| is_target.get(*node as usize) == Some(&false));
    for first in sources.chain(0..nodes as u32) {
        // The nodes on the path, each with the number of its successors that are done.
        let mut path: Vec<(u32, usize)> = Vec::new();
        enter(first, &mut progress, &mut path);
        while let Some((node, done)) = path.last_mut() {
            let node = *node;
            let Some(next) = successors.of(node as usize).get(*done).copied() else {
                set(&mut progress, node, Progress::Done);
                path.pop();
                continue;
            };
            *done += 1;
            if progress.get(next as usize) == Some(&Progress::OnPath) {
                back.push((node, next));
            } else {
                enter(next, &mut progress, &mut path);
            }
        }
    }
    back
}

fn enter(node: u32, progress: &mut [Progress], path: &mut Vec<(u32, usize)>) {
    if progress.get(node as usize) == Some(&Progress::Unseen) {
        set(progress, node, Progress::OnPath);
        path.push((node, 0));
    }
}

fn set(progress: &mut [Progress], node: u32, value: Progress) {
    if let Some(of_node) = progress.get_mut(node as usize) {
        *of_node = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_edge_that_closes_a_cycle_is_reversed() {
        assert_eq!(
            acyclic(3, &[(0, 1), (1, 2), (2, 0)]),
            [(0, 1), (1, 2), (0, 2)]
        );
    }

    #[test]
    fn two_opposite_edges_become_one() {
        assert_eq!(acyclic(2, &[(1, 0), (0, 1)]), [(0, 1)]);
    }

    #[test]
    fn loops_and_parallels_are_left_out() {
        assert_eq!(acyclic(2, &[(0, 0), (0, 1), (0, 1)]), [(0, 1)]);
    }
}
