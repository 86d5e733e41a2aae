//! Breadth-first searches from many sources, 64 at a time.
//!
//! Each node has a word with a bit for each source, so that one walk over the rows serves all
//! searches of a batch that reach a node at the same distance (Then et al., "The more the merrier:
//! efficient multi-source graph traversal", VLDB 2014). A frontier is a list, so a line of a
//! million nodes costs a million steps and not the square of that.

use crate::network::Rows;
use crate::per_node::PerNode;

/// The number of sources of a batch: the bits of a word.
pub(crate) const BATCH: usize = u64::BITS as usize;

/// A node that sources of a batch reach at the same distance.
pub(crate) struct Reached {
    /// The index of the batch's first source in the list of sources.
    pub batch: usize,
    /// The node.
    pub node: u32,
    /// The distance from the sources in edges; 0 for the source itself.
    pub distance: u32,
    /// The sources of the batch that reach it: bit 0 is the first source.
    pub sources: u64,
    /// The sources of the batch for which shortest paths continue to a node one step further.
    pub onward: u64,
}

/// Searches from each source along the rows; if nodes have regions, only through arcs within one
/// region. Calls `tell` with each node in order of distance, batch after batch.
pub(crate) fn sweep(
    rows: &Rows,
    nodes: u32,
    sources: &[u32],
    regions: Option<&PerNode<u32>>,
    mut tell: impl FnMut(&Reached),
) {
    let mut seen = PerNode::new(nodes, 0u64);
    let mut current = PerNode::new(nodes, 0u64);
    let mut next = PerNode::new(nodes, 0u64);
    let mut frontier: Vec<u32> = Vec::new();
    let mut following: Vec<u32> = Vec::new();
    for (index, batch) in sources.chunks(BATCH).enumerate() {
        seen.fill(0);
        frontier.clear();
        for (bit, source) in batch.iter().enumerate() {
            next.update(*source, |bits| *bits |= 1 << bit);
            following.push(*source);
        }
        let mut distance = 0;
        while !following.is_empty() {
            std::mem::swap(&mut current, &mut next);
            std::mem::swap(&mut frontier, &mut following);
            for node in &frontier {
                let sources = current.get(*node);
                seen.update(*node, |bits| *bits |= sources);
            }
            for node in frontier.drain(..) {
                let sources = current.get(node);
                current.set(node, 0);
                let mut onward = 0;
                for target in rows.row(node) {
                    let fresh = sources & !seen.get(*target);
                    let is_inside =
                        regions.is_none_or(|regions| regions.get(node) == regions.get(*target));
                    if fresh != 0 && is_inside {
                        onward |= fresh;
                        next.update(*target, |bits| {
                            if *bits == 0 {
                                following.push(*target);
                            }
                            *bits |= fresh;
                        });
                    }
                }
                tell(&Reached {
                    batch: index * BATCH,
                    node,
                    distance,
                    sources,
                    onward,
                });
            }
            distance += 1;
        }
    }
}
