//! The ranks of nodes.
//!
//! Nodes are first ranked by the longest path. The tight tree of Gansner, Koutsofios, North and Vo
//! (A technique for drawing directed graphs, 1993) then improves these ranks. Nodes and edges are
//! taken in the order of dagre with its option `ranker: "tight-tree"`, so that both assign the same
//! ranks. The network simplex, which would follow, is left out: its pivots may cycle, and dagre
//! does not limit them.

use crate::graph::Neighbours;

/// Returns ranks from 0 downwards, each as low as its successors allow: a node without successors
/// is on the last rank. The edges must have no cycle.
pub(super) fn longest_path(nodes: usize, edges: &[(u32, u32)]) -> Vec<u32> {
    let predecessors = Neighbours::of_pairs(
        nodes,
        edges.iter().map(|(source, target)| (*target, *source)),
    );
    let mut successors_left = vec![0_u32; nodes];
    for (source, _) in edges {
        if let Some(left) = successors_left.get_mut(*source as usize) {
            *left += 1;
        }
    }
    // The number of ranks above the last one.
    let mut heights = vec![0_u32; nodes];
    let mut queue: Vec<u32> = (0..nodes as u32)
        .filter(|node| successors_left.get(*node as usize) == Some(&0))
        .collect();
    let mut next = 0;
    while let Some(node) = queue.get(next).copied() {
        next += 1;
        let height = heights.get(node as usize).copied().unwrap_or(0);
        for predecessor in predecessors.of(node as usize) {
            let index = *predecessor as usize;
            if let Some(above) = heights.get_mut(index) {
                *above = (*above).max(height + 1);
            }
            if let Some(left) = successors_left.get_mut(index) {
                *left -= 1;
                if *left == 0 {
                    queue.push(*predecessor);
                }
            }
        }
    }
    let last = heights.iter().copied().max().unwrap_or(0);
    heights.iter().map(|height| last - height).collect()
}

/// Returns ranks from 0 downwards, each as near to the sources as its edges allow, with the sources
/// as near to their successors as possible.
pub(super) fn from_sources(nodes: usize, edges: &[(u32, u32)]) -> Vec<u32> {
    let reversed: Vec<(u32, u32)> = edges.iter().map(|(v, w)| (*w, *v)).collect();
    let below = longest_path(nodes, &reversed);
    let last = below.iter().copied().max().unwrap_or(0);
    let mut ranks: Vec<u32> = below.iter().map(|rank| last - rank).collect();
    let above = Neighbours::of_pairs(nodes, reversed.into_iter());
    let successors = Neighbours::of_pairs(nodes, edges.iter().copied());
    let sources: Vec<usize> = (0..nodes)
        .filter(|node| above.of(*node).is_empty())
        .collect();
    for source in sources {
        let ranks_below = successors.of(source).iter();
        let nearest = ranks_below
            .filter_map(|node| ranks.get(*node as usize))
            .min();
        let rank = nearest.map_or(0, |rank| rank - 1);
        if let Some(of_source) = ranks.get_mut(source) {
            *of_source = rank;
        }
    }
    ranks
}

/// Makes a spanning tree of edges that are as short as possible. Like dagre, it doubles the ranks
/// and adds a root with an edge to every node. There are at most `nodes` rounds, each of which
/// looks once at each edge.
pub(super) fn tight_tree(nodes: usize, edges: &[(u32, u32)], longest: &[u32]) -> Vec<u32> {
    let root = nodes as u32;
    let mut ranks: Vec<i64> = longest.iter().map(|rank| 2 * i64::from(*rank)).collect();
    ranks.push(-1);
    let all: Vec<(u32, u32, i64)> = edges
        .iter()
        .map(|(source, target)| (*source, *target, 2))
        .chain((0..root).map(|node| (root, node, 1)))
        .collect();
    let around = Neighbours::of_edges(
        nodes + 1,
        &all.iter().map(|(v, w, _)| (*v, *w)).collect::<Vec<_>>(),
    );
    let mut in_tree = vec![false; nodes + 1];
    let mut tree = Vec::new();
    take(0, &mut in_tree, &mut tree);
    for _ in 0..=nodes {
        grow(&mut tree, &mut in_tree, &around, &ranks, root);
        let is_in = |node: u32| in_tree.get(node as usize) == Some(&true);
        let leaving = all.iter().filter(|(v, w, _)| is_in(*v) != is_in(*w));
        let slack = |(v, w, length): &(u32, u32, i64)| rank(&ranks, *w) - rank(&ranks, *v) - length;
        // The first of the shortest ones, as in dagre.
        let Some(edge) = leaving.min_by_key(|edge| slack(edge)) else {
            break;
        };
        let by = if is_in(edge.0) {
            slack(edge)
        } else {
            -slack(edge)
        };
        for node in &tree {
            if let Some(rank) = ranks.get_mut(*node as usize) {
                *rank += by;
            }
        }
    }
    ranks.truncate(nodes);
    let first = ranks.iter().copied().min().unwrap_or(0);
    ranks
        .iter()
        .map(|rank| u32::try_from((rank - first) / 2).unwrap_or(0))
        .collect()
}

fn rank(ranks: &[i64], node: u32) -> i64 {
    ranks.get(node as usize).copied().unwrap_or(0)
}

fn take(node: u32, in_tree: &mut [bool], tree: &mut Vec<u32>) {
    if let Some(is_in) = in_tree.get_mut(node as usize).filter(|is_in| !**is_in) {
        *is_in = true;
        tree.push(node);
    }
}

/// Adds the nodes to which tight edges lead.
fn grow(tree: &mut Vec<u32>, in_tree: &mut [bool], around: &Neighbours, ranks: &[i64], root: u32) {
    let mut next = 0;
    while let Some(node) = tree.get(next).copied() {
        next += 1;
        for other in around.of(node as usize) {
            let length = if node == root || *other == root { 1 } else { 2 };
            if (rank(ranks, node) - rank(ranks, *other)).abs() == length {
                take(*other, in_tree, tree);
            }
        }
    }
}

/// Returns the number of inner nodes that dagre will have on each of its ranks, which are two for
/// each of ours: the nodes themselves, and one for each of its ranks that an edge passes.
pub(super) fn inner_widths(edges: &[(u32, u32)], ranks: &[u32]) -> Vec<usize> {
    let rank = |node: u32| 2 * ranks.get(node as usize).copied().unwrap_or(0) as usize;
    let last = ranks.iter().max().map_or(0, |last| 2 * *last as usize);
    // The ranks at which edges begin and end to pass ranks.
    let (mut begins, mut ends) = (vec![0; last + 2], vec![0; last + 2]);
    let add = |counts: &mut Vec<usize>, at: usize| {
        if let Some(count) = counts.get_mut(at) {
            *count += 1;
        }
    };
    for (source, target) in edges {
        add(&mut begins, rank(*source) + 1);
        add(&mut ends, rank(*target));
    }
    for own in ranks {
        add(&mut begins, 2 * *own as usize);
        add(&mut ends, 2 * *own as usize + 1);
    }
    let mut width = 0;
    let changes = begins.iter().zip(&ends).take(last + 1);
    changes
        .map(|(begin, end)| {
            width = width + begin - end;
            width
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_of_a_short_path_is_as_far_down_as_it_can_be() {
        let edges = [(0, 1), (1, 2), (3, 2)];
        assert_eq!(longest_path(4, &edges), [0, 1, 2, 1]);
        assert_eq!(tight_tree(4, &edges, &[0, 1, 2, 1]), [0, 1, 2, 1]);
    }

    #[test]
    fn leaves_stand_below_their_parents_and_sources_above_their_successors() {
        let edges = [(0, 1), (1, 2), (0, 3), (4, 2)];
        assert_eq!(from_sources(6, &edges), [0, 1, 2, 1, 1, 0]);
    }

    #[test]
    fn edges_pass_ranks_of_the_inner_graph() {
        // A path of three nodes with a shortcut.
        let widths = inner_widths(&[(0, 1), (1, 2), (0, 2)], &[0, 1, 2]);
        assert_eq!(widths, [1, 2, 2, 2, 1]);
        assert_eq!(inner_widths(&[], &[]), [0]);
    }
}
