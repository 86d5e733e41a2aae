//! All shortest paths between two nodes.

use super::shortest::{Leading, Path, PathList, is_tight, leading, lengths};
use crate::error::Result;
use crate::limits::{MAX_LISTED_PATH_NODES, MAX_LISTED_PATHS};
use crate::network::{Network, Weights};
use crate::search::Search;

/// Returns the shortest paths from one node to another, ordered by the numbers of their nodes, at
/// most `most` of them; empty if there is no path. With weights, distances are compared exactly.
/// Source: `networkx.all_shortest_paths`.
///
/// # Errors
/// [`crate::AnalysisError::NoSuchNode`], [`crate::AnalysisError::ZeroDistance`].
pub fn all_shortest(
    network: &Network,
    source: u32,
    target: u32,
    weights: Weights,
    most: u32,
) -> Result<PathList> {
    network.check_node(source)?;
    network.check_node(target)?;
    network.check_distances(weights)?;
    let mut search = Search::new(network.node_count());
    search.run(network.outgoing(), weights, source, Some(target), |_, _| {
        true
    });
    if !search.state(target).is_settled() {
        return Ok(PathList {
            paths: Vec::new(),
            is_cut: false,
        });
    }
    let is_step = |from: u32, to: u32, length: f64| {
        is_tight(&search, from, to, length) && search.state(from).rank < search.state(to).rank
    };
    let leads = leading(network, &search, weights, target, is_step);
    let most = (most as usize).min(MAX_LISTED_PATHS as usize);
    Ok(Walk {
        network,
        weights,
        target,
        leads,
        is_step,
    }
    .list(source, search.state(target).distance, most))
}

/// A walk over all paths of steps to a target. It follows only steps that lead to the target, so it
/// never reaches a dead end.
struct Walk<'network, Step> {
    network: &'network Network,
    weights: Weights,
    target: u32,
    leads: Leading,
    is_step: Step,
}

impl<Step: Fn(u32, u32, f64) -> bool> Walk<'_, Step> {
    fn list(&self, source: u32, length: f64, most: usize) -> PathList {
        let mut paths = Vec::new();
        let mut listed_nodes = 0;
        // The path so far, each node with the number of its arcs that were followed.
        let mut path = vec![(source, 0)];
        while let Some((node, followed)) = path.last_mut() {
            if *node == self.target {
                listed_nodes += path.len();
                let is_full = paths.len() >= most || listed_nodes > MAX_LISTED_PATH_NODES as usize;
                if is_full {
                    return PathList {
                        paths,
                        is_cut: true,
                    };
                }
                let nodes = path.iter().map(|(node, _)| *node).collect();
                paths.push(Path { nodes, length });
                path.pop();
                continue;
            }
            let from = *node;
            let next = lengths(self.network.outgoing(), self.weights, from)
                .enumerate()
                .skip(*followed)
                .find(|(_, (to, length))| {
                    self.leads.contains(*to) && (self.is_step)(from, *to, *length)
                });
            match next {
                Some((index, (to, _))) => {
                    *followed = index + 1;
                    path.push((to, 0));
                }
                None => {
                    path.pop();
                }
            }
        }
        PathList {
            paths,
            is_cut: false,
        }
    }
}
