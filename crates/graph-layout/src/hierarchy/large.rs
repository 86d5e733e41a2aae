//! Layered drawings of graphs too large for dagre: barycentres, without the inner nodes that dagre
//! adds where an edge passes a rank.
//!
//! The nodes of a rank, initially in a given order, are sorted by the mean of their neighbours on
//! the rank above, then below, several times (Sugiyama, Tagawa, Toda, Methods for visual
//! understanding of hierarchical system structures, 1981). Then each node moves as near to the mean
//! of its neighbours as the order and the distance between nodes allow: isotonic regression by
//! pooling adjacent violators, which is the least-squares solution.

use super::HierarchyOptions;
use crate::components::{components, depth_first};
use crate::graph::Neighbours;
use crate::problem::Position;

/// Sweeps down and up that sort the ranks: more hardly reduce crossings. The last one goes down,
/// after which a tree has no crossing.
const SORTING_SWEEPS: usize = 9;

/// Sweeps down and up that move nodes beside their neighbours.
const PLACING_SWEEPS: usize = 4;

/// Returns all nodes in depth-first order, with which a tree gets no crossing.
pub(super) fn depth_first_order(nodes: usize, edges: &[(u32, u32)]) -> Vec<u32> {
    let neighbours = Neighbours::of_edges(nodes, edges);
    depth_first(&components(nodes, &neighbours), &neighbours, nodes)
}

/// Returns positions with edges that point downwards, from nodes in a given order. The time is
/// linear in nodes and edges, except for sorting.
pub(super) fn draw(
    ranks: &[u32],
    edges: &[(u32, u32)],
    options: &HierarchyOptions,
    order: &[u32],
) -> Vec<Position> {
    let above = Neighbours::of_pairs(ranks.len(), edges.iter().map(|(v, w)| (*w, *v)));
    let below = Neighbours::of_pairs(ranks.len(), edges.iter().copied());
    let pitch = options.node_size + options.node_separation;
    let mut layers = vec![Vec::new(); ranks.iter().max().map_or(0, |last| *last as usize + 1)];
    for node in order.iter().copied() {
        let rank = ranks.get(node as usize).copied().unwrap_or(0);
        if let Some(layer) = layers.get_mut(rank as usize) {
            layer.push(node);
        }
    }
    let mut xs = vec![0.0; ranks.len()];
    for layer in &layers {
        spread(layer, pitch, &mut xs);
    }
    for sweep in 0..SORTING_SWEEPS {
        sweep_ranks(&mut layers, sweep, |layer, is_down| {
            let neighbours = if is_down { &above } else { &below };
            let wanted = wanted(layer, neighbours, &xs);
            let mut keyed: Vec<(f64, u32)> =
                wanted.into_iter().zip(layer.iter().copied()).collect();
            keyed.sort_by(|first, second| first.0.total_cmp(&second.0));
            *layer = keyed.into_iter().map(|(_, node)| node).collect();
            spread(layer, pitch, &mut xs);
        });
    }
    for sweep in 0..PLACING_SWEEPS {
        sweep_ranks(&mut layers, sweep, |layer, is_down| {
            let neighbours = if is_down { &above } else { &below };
            let wanted = wanted(layer, neighbours, &xs);
            for (node, x) in layer.iter().zip(apart(&wanted, pitch)) {
                set(&mut xs, *node, x);
            }
        });
    }
    let height = options.node_size + options.rank_separation;
    xs.iter()
        .zip(ranks)
        .map(|(x, rank)| Position::new(*x, f64::from(*rank) * height))
        .collect()
}

/// Visits the ranks downwards on even sweeps, upwards on odd ones.
fn sweep_ranks(layers: &mut [Vec<u32>], sweep: usize, mut visit: impl FnMut(&mut Vec<u32>, bool)) {
    if sweep.is_multiple_of(2) {
        layers.iter_mut().for_each(|layer| visit(layer, true));
    } else {
        layers
            .iter_mut()
            .rev()
            .for_each(|layer| visit(layer, false));
    }
}

fn set(xs: &mut [f64], node: u32, x: f64) {
    if let Some(of_node) = xs.get_mut(node as usize) {
        *of_node = x;
    }
}

/// Places the nodes of a rank side by side around 0.
fn spread(layer: &[u32], pitch: f64, xs: &mut [f64]) {
    let middle = (layer.len() as f64 - 1.0) / 2.0;
    for (index, node) in layer.iter().enumerate() {
        set(xs, *node, (index as f64 - middle) * pitch);
    }
}

/// Returns the mean position of each node's neighbours; its own position if it has none.
fn wanted(layer: &[u32], neighbours: &Neighbours, xs: &[f64]) -> Vec<f64> {
    let at = |node: u32| xs.get(node as usize).copied().unwrap_or(0.0);
    layer
        .iter()
        .map(|node| {
            let around = neighbours.of(*node as usize);
            let sum: f64 = around.iter().map(|other| at(*other)).sum();
            if around.is_empty() {
                at(*node)
            } else {
                sum / around.len() as f64
            }
        })
        .collect()
}

/// Returns the positions nearest to the wanted ones, by the sum of squares, that are in order and
/// at least `pitch` apart.
fn apart(wanted: &[f64], pitch: f64) -> Vec<f64> {
    // Blocks of touching nodes: their number, and the mean of their wanted positions, less their
    // offsets.
    let mut blocks: Vec<(f64, f64)> = Vec::new();
    for (index, wanted) in wanted.iter().enumerate() {
        let mut block = (1.0, wanted - index as f64 * pitch);
        while let Some((count, mean)) = blocks.pop_if(|before| before.1 > block.1) {
            let sum = count + block.0;
            block = (sum, (count * mean + block.0 * block.1) / sum);
        }
        blocks.push(block);
    }
    let means = blocks
        .iter()
        .flat_map(|(count, mean)| std::iter::repeat_n(*mean, *count as usize));
    means
        .enumerate()
        .map(|(index, mean)| mean + index as f64 * pitch)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_that_want_one_position_stand_around_it() {
        assert_eq!(apart(&[5.0, 5.0, 5.0], 2.0), [3.0, 5.0, 7.0]);
    }

    #[test]
    fn nodes_far_apart_stay() {
        assert_eq!(apart(&[-10.0, 0.0, 0.5], 1.0), [-10.0, -0.25, 0.75]);
    }
}
