//! The start nodes of a measure over all pairs: all nodes, or a sample.

use crate::error::{AnalysisError, Result};
use crate::network::Network;
use crate::random::Random;

/// The nodes from which the shortest paths of a measure start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sources {
    /// All nodes: the exact value, or [`AnalysisError::TooLarge`].
    All,
    /// All nodes if that is within the limit, else as many as fit, chosen with a seed.
    AllThatFit {
        /// The same seed chooses the same sources.
        seed: u64,
    },
    /// `count` nodes, chosen with a seed, or [`AnalysisError::TooLarge`]. All nodes if there are
    /// not more.
    Sample {
        /// The number of sources, at least 2.
        count: u32,
        /// The same seed chooses the same sources.
        seed: u64,
    },
}

/// The least number of sources of a sample: the value of a node in the sample is estimated from the
/// other sources.
const LEAST_SAMPLE: u32 = 2;

/// The chosen sources.
pub(crate) struct Chosen {
    /// The sources, in ascending order.
    pub nodes: Vec<u32>,
    /// The number of sources, if not all nodes were chosen.
    pub sampled: Option<u32>,
}

/// The number of nodes whose arrays of a search fit into a processor's second-level cache: 32 bytes
/// each, 512 KB.
const NODES_IN_SECOND_CACHE: u32 = 16_384;
/// The number of nodes whose arrays of a search fit into a share of its third-level cache: 32 bytes
/// each, 4 MB.
const NODES_IN_THIRD_CACHE: u32 = 131_072;

/// Returns the factor by which a step is slower in a graph that is too large for a cache, as
/// measured by `examples/speed.rs`.
fn slowness(nodes: u32) -> u64 {
    if nodes <= NODES_IN_SECOND_CACHE {
        1
    } else if nodes <= NODES_IN_THIRD_CACHE {
        3
    } else {
        10
    }
}

/// Chooses the sources of an analysis that walks over all nodes and arcs for each of them.
///
/// # Errors
/// [`AnalysisError::TooLarge`] if the requested sources exceed `limit` steps; its size and limit
/// are numbers of sources. [`AnalysisError::SampleTooSmall`].
pub(crate) fn choose(
    network: &Network,
    sources: Sources,
    what: &'static str,
    limit: u64,
) -> Result<Chosen> {
    let nodes = network.node_count();
    let steps = (u64::from(nodes) + network.arc_count()) * slowness(nodes);
    let fitting = (limit / steps.max(1)).min(u64::from(u32::MAX)) as u32;
    let (count, seed) = match sources {
        Sources::All => (nodes, 0),
        Sources::AllThatFit { seed } => (nodes.min(fitting.max(LEAST_SAMPLE)), seed),
        Sources::Sample { count, seed } => {
            if count < LEAST_SAMPLE {
                return Err(AnalysisError::SampleTooSmall {
                    given: count,
                    least: LEAST_SAMPLE,
                });
            }
            (nodes.min(count), seed)
        }
    };
    AnalysisError::check_size(what, u64::from(count), u64::from(fitting))?;
    let mut all: Vec<u32> = (0..nodes).collect();
    if count == nodes {
        return Ok(Chosen {
            nodes: all,
            sampled: None,
        });
    }
    let mut chosen = Random::new(seed).choose(&mut all, count as usize).to_vec();
    chosen.sort_unstable();
    Ok(Chosen {
        nodes: chosen,
        sampled: Some(count),
    })
}
