//! Analyses of the graph. The crate `graph-analysis` computes with numbers; this module translates
//! nodes to numbers and back.

pub(crate) mod bridges;
pub(crate) mod centrality;
pub(crate) mod communities;
pub(crate) mod paths;
pub(crate) mod structure;

use crate::network::{Topology, edge_words, load_topology, node_names};
use crate::reply::Fields;
use crate::store::head::Head;
use crate::{Graph, GraphError, NodeName, Reply};
use base::{Error, Result};
use database::Database;
use graph_analysis::{AnalysisError, Direction, Network, Sources, Weights};
use serde_json::Value;

/// A fixed seed, so that the same graph has the same sample.
const SAMPLE: Sources = Sources::AllThatFit { seed: 0 };

/// A graph as numbers, with the data that translates them back to nodes and edges.
struct Subject {
    rows: Topology,
    network: Network,
    weights: Weights,
    weight: Option<String>,
}

impl Subject {
    fn read<D: Database>(
        graph: &Graph<'_, D>,
        directed: bool,
        weight: Option<String>,
    ) -> Result<Self> {
        let direction = if directed {
            Direction::Directed
        } else {
            Direction::Undirected
        };
        let rows = load_topology(graph.db, weight.as_deref())?;
        let nodes = u32::try_from(rows.seqs.len()).unwrap_or(u32::MAX);
        let network = Network::new(nodes, rows.edges.iter().copied(), direction);
        Ok(Self {
            network: network.or_else(|error| Err(refused(graph.db, &rows, error)?))?,
            weights: if weight.is_some() {
                Weights::Used
            } else {
                Weights::Ignored
            },
            rows,
            weight,
        })
    }

    /// Returns the computed value, or an error in terms of the graph.
    fn computed<D: Database, T>(
        &self,
        graph: &Graph<'_, D>,
        result: graph_analysis::Result<T>,
    ) -> Result<T> {
        result.or_else(|error| Err(refused(graph.db, &self.rows, error)?))
    }

    fn is_directed(&self) -> bool {
        self.network.direction() == Direction::Directed
    }

    /// Returns nodes as results name them, as many as fit.
    fn names<D: Database>(
        &self,
        graph: &Graph<'_, D>,
        nodes: impl IntoIterator<Item = u32>,
        room_bytes: &mut usize,
    ) -> Result<Vec<NodeName>> {
        let seq = |node: u32| self.rows.seqs.get(node as usize).copied();
        let seqs: Vec<u64> = nodes.into_iter().filter_map(seq).collect();
        node_names(graph.db, &seqs, room_bytes)
    }
}

/// Adds an item to the JSON text of a list.
fn push_item(list: &mut String, json: &str) {
    if !list.ends_with('[') {
        list.push(',');
    }
    list.push_str(json);
}

fn reply<D: Database>(graph: &Graph<'_, D>, data: &Value) -> Result<Reply> {
    raw_reply(graph, &data.to_string())
}

fn raw_reply<D: Database>(graph: &Graph<'_, D>, data: &str) -> Result<Reply> {
    let fields = Fields::default().raw("data", data);
    let head = Head::load(graph.db)?;
    Ok(Reply::read(fields.value("version", &head.version)))
}

/// Returns the graph's error for a failed computation. It names edges by ids and their ends by
/// labels.
///
/// # Errors
/// Errors of the engine.
fn refused<D: Database>(db: &D, rows: &Topology, error: AnalysisError) -> Result<Error> {
    let edge_at = |at: usize| rows.edge_seqs.get(at).copied();
    let message = match &error {
        AnalysisError::TooLarge { what, size, limit } => {
            let (what, size, limit) = (*what, *size, *limit);
            return Ok(GraphError::TooLarge { what, size, limit }.into());
        }
        AnalysisError::InvalidWeight { edge, weight } => {
            let Some(seq) = edge_at(*edge) else {
                return Ok(Error::invalid(error.to_string()));
            };
            format!(
                "{} has weight {weight}; a weight is a finite number that is not negative",
                edge_words(db, seq)?
            )
        }
        AnalysisError::ZeroDistance { from, to } => {
            let ends = [(*from, *to), (*to, *from)];
            let at = rows.edges.iter().position(|(source, target, weight)| {
                ends.contains(&(*source, *target)) && *weight == 0.0
            });
            let Some(seq) = at.and_then(edge_at) else {
                return Ok(Error::invalid(error.to_string()));
            };
            return Ok(Error::invalid_with_hint(
                format!(
                    "{} has weight 0; shortest paths are counted over positive distances only",
                    edge_words(db, seq)?
                ),
                "give it a weight above 0, or leave weight out",
            ));
        }
        // Requests are checked before the computation, so these cannot occur.
        AnalysisError::NoSuchEnd { .. }
        | AnalysisError::NoSuchNode { .. }
        | AnalysisError::WrongLabelCount { .. }
        | AnalysisError::WeightOverflow
        | AnalysisError::TooManyPaths
        | AnalysisError::NoEigenvector
        | AnalysisError::NotConverged { .. }
        | AnalysisError::InvalidResolution { .. }
        | AnalysisError::SampleTooSmall { .. } => error.to_string(),
    };
    Ok(Error::invalid(message))
}
