//! From which nodes a measure over all pairs starts: all of them, or a sample.

use crate::error::{AnalysisError, Result};
use crate::network::Network;
use crate::random::Random;

/// From which nodes the shortest paths of a measure start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sources {
    /// From each: the exact value, or [`AnalysisError::TooLarge`].
    All,
    /// From each where that is within the limit, else from as many as fit, chosen with this seed.
    AllThatFit {
        /// The same seed chooses the same sources.
        seed: u64,
    },
    /// From `count` of them, chosen with this seed, or [`AnalysisError::TooLarge`]. All, where
    /// there are not more.
    Sample {
        /// At least 2.
        count: u32,
        /// The same seed chooses the same sources.
        seed: u64,
    },
}

/// The fewest sources of a sample: a node that is in the sample itself is judged by the others.
const LEAST_SAMPLE: u32 = 2;

/// The sources chosen.
pub(crate) struct Chosen {
    /// In ascending order.
    pub nodes: Vec<u32>,
    /// How many, where not all were chosen.
    pub sampled: Option<u32>,
}

/// Nodes whose arrays of a search fit into a processor's second cache: 32 bytes each, 512 KB.
const NODES_IN_SECOND_CACHE: u32 = 16_384;
/// Nodes whose arrays of a search fit into a share of its third cache: 32 bytes each, 4 MB.
const NODES_IN_THIRD_CACHE: u32 = 131_072;

/// Returns how much longer a step takes in a graph that is too large for a cache, as
/// `examples/speed.rs` measures.
fn slowness(nodes: u32) -> u64 {
    if nodes <= NODES_IN_SECOND_CACHE {
        1
    } else if nodes <= NODES_IN_THIRD_CACHE {
        3
    } else {
        10
    }
}

/// Chooses the sources of an analysis whose work for each is a walk over all nodes and arcs.
///
/// # Errors
/// [`AnalysisError::TooLarge`] where the sources asked for exceed `limit` steps; its size and limit
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
