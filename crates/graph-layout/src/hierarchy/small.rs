//! Draws small graphs with the crate dagre.
//!
//! Dagre's searches recurse once for each node of a path, so the caller bounds the number of nodes.
//! Its network simplex may not end, so it runs with the tight tree. Its input has no self-loops,
//! parallel edges or cycles, and the names of its nodes are numbers.

use dagre::graph::{Graph, GraphOptions};
use dagre::{EdgeLabel, LayoutOptions, NodeLabel, RankDir, Ranker};

use super::HierarchyOptions;
use crate::problem::Position;

/// Returns positions with edges that point downwards.
pub(super) fn draw(
    nodes: usize,
    edges: &[(u32, u32)],
    options: &HierarchyOptions,
) -> Vec<Position> {
    let mut graph: Graph<NodeLabel, EdgeLabel> = Graph::with_options(GraphOptions {
        directed: true,
        multigraph: false,
        compound: false,
    });
    for node in 0..nodes {
        let label = NodeLabel {
            width: options.node_size,
            height: options.node_size,
            ..NodeLabel::default()
        };
        graph.set_node(node.to_string(), Some(label));
    }
    for (source, target) in edges {
        graph.set_edge(
            source.to_string(),
            target.to_string(),
            Some(EdgeLabel::default()),
            None,
        );
    }
    let layout = LayoutOptions {
        rankdir: RankDir::TB,
        nodesep: options.node_separation,
        ranksep: options.rank_separation,
        ranker: Ranker::TightTree,
        ..LayoutOptions::default()
    };
    if nodes > 0 {
        dagre::layout(&mut graph, Some(layout));
    }
    (0..nodes)
        .map(|node| {
            let label = graph.node(&node.to_string());
            let coordinate =
                |value: Option<f64>| value.filter(|one| one.is_finite()).unwrap_or(0.0);
            let x = coordinate(label.and_then(|label| label.x));
            let y = coordinate(label.and_then(|label| label.y));
            Position::new(x, y)
        })
        .collect()
}
