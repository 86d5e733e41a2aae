//! The shortest path, and the arcs that shortest paths consist of.

use crate::error::Result;
use crate::network::{Network, Rows, Weights};
use crate::per_node::PerNode;
use crate::search::Search;

/// A path between two nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    /// The nodes from source to target, both included.
    pub nodes: Vec<u32>,
    /// The sum of its distances, or the number of its edges.
    pub length: f64,
}

/// Several paths, in order.
#[derive(Debug, Clone, PartialEq)]
pub struct PathList {
    /// The paths, in order.
    pub paths: Vec<Path>,
    /// True if a limit ended the list and there may be more paths. The listed ones are the first
    /// ones in any case.
    pub is_cut: bool,
}

/// Returns the shortest path from one node to another; `None` if there is none. The path from a
/// node to itself is that node. Time O(n + m), with weights O((n + m) log n). Sources: Dijkstra
/// (1959); `networkx.shortest_path`, `dijkstra_path`.
///
/// # Errors
/// [`crate::AnalysisError::NoSuchNode`].
pub fn shortest(
    network: &Network,
    source: u32,
    target: u32,
    weights: Weights,
) -> Result<Option<Path>> {
    network.check_node(source)?;
    network.check_node(target)?;
    let mut search = Search::new(network.node_count());
    search.run(network.outgoing(), weights, source, Some(target), |_, _| {
        true
    });
    Ok(first_path(
        network,
        &search,
        weights,
        source,
        target,
        |_, _| true,
    ))
}

/// Returns the first of the paths that a search to `target` found, through allowed arcs only.
pub(super) fn first_path(
    network: &Network,
    search: &Search,
    weights: Weights,
    source: u32,
    target: u32,
    allowed: impl Fn(u32, u32) -> bool,
) -> Option<Path> {
    if !search.state(target).is_settled() {
        return None;
    }
    // The nodes from which the target is reached with the fewest edges.
    let is_step = |from: u32, to: u32, length: f64| {
        is_tight(search, from, to, length)
            && search.state(from).hops + 1 == search.state(to).hops
            && allowed(from, to)
    };
    let leads = leading(network, search, weights, target, is_step);
    let mut nodes = vec![source];
    let mut last = source;
    while last != target {
        last = lengths(network.outgoing(), weights, last)
            .find(|(next, length)| leads.contains(*next) && is_step(last, *next, *length))?
            .0;
        nodes.push(last);
    }
    let length = search.state(target).distance;
    Some(Path { nodes, length })
}

/// Returns true if a shortest path may use the arc from one node to another.
pub(super) fn is_tight(search: &Search, from: u32, to: u32, length: f64) -> bool {
    let (from, to) = (search.state(from), search.state(to));
    from.is_settled() && to.is_settled() && from.distance + length == to.distance
}

/// Returns the arcs of a node with their lengths.
pub(super) fn lengths(
    rows: &Rows,
    weights: Weights,
    node: u32,
) -> impl Iterator<Item = (u32, f64)> {
    rows.distances(node)
        .map(move |(next, length)| match weights {
            Weights::Used => (next, length),
            Weights::Ignored => (next, 1.0),
        })
}

/// The nodes from which a target is reached by steps.
pub(super) struct Leading(PerNode<bool>);

impl Leading {
    pub fn contains(&self, node: u32) -> bool {
        self.0.get(node)
    }
}

/// Returns the nodes from which a target is reached by steps (from, to, length). Each step leads to
/// a node that the search settled later. Nodes are visited in reverse order of settling, so only
/// arcs that the search has read are read, and none of the others around the target.
pub(super) fn leading(
    network: &Network,
    search: &Search,
    weights: Weights,
    target: u32,
    is_step: impl Fn(u32, u32, f64) -> bool,
) -> Leading {
    let mut leads = PerNode::new(network.node_count(), false);
    leads.set(target, true);
    let before = search.order().iter().rev();
    for from in before.filter(|node| **node != target) {
        let leads_on = lengths(network.outgoing(), weights, *from)
            .any(|(to, length)| leads.get(to) && is_step(*from, to, length));
        leads.set(*from, leads_on);
    }
    Leading(leads)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::network::Direction;

    #[test]
    fn what_lies_around_the_target_is_not_read() {
        // 0 - 1 - 2, and 2 is joined to very many other nodes.
        let leaves = (3..5_000).map(|leaf| (2, leaf, 1.0));
        let edges = [(0, 1, 1.0), (1, 2, 1.0)].into_iter().chain(leaves);
        let network = Network::new(5_000, edges, Direction::Undirected).unwrap();
        for weights in [Weights::Ignored, Weights::Used] {
            let mut search = Search::new(network.node_count());
            search.run(network.outgoing(), weights, 0, Some(2), |_, _| true);
            let looked_at = Cell::new(0);
            let is_step = |from, to, length| {
                looked_at.set(looked_at.get() + 1);
                is_tight(&search, from, to, length)
            };
            let leads = leading(&network, &search, weights, 2, is_step);
            assert!([0, 1, 2].into_iter().all(|node| leads.contains(node)));
            assert!(looked_at.get() <= 4, "{}", looked_at.get());
            assert_eq!(network.outgoing().distance_to(2, 1), Some(1.0));
            assert_eq!(network.outgoing().distance_to(2, 0), None);
        }
    }
}
