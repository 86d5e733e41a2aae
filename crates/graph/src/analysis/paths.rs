//! Shortest paths between two nodes.

use super::{Subject, push_item, raw_reply};
use crate::kinds::{Attribute, NodeId};
use crate::limits::{MAX_LISTED_BYTES, MAX_LISTED_PATH_EDGES, MAX_PATHS};
use crate::network::edge_jsons;
use crate::reply::Fields;
use crate::run::Operation;
use crate::store::find;
use crate::store::listed::Listed;
use crate::{Graph, GraphError, ItemList, Reply, telling, tools};
use ::operation::arguments::Whole;
use ::operation::declaration::{Argument, Effect, Route, Tool};
use base::{Error, Result};
use database::Database;
use graph_analysis::paths::{Path, PathList, all_shortest, k_shortest};
use std::collections::{HashMap, HashSet};

::operation::operation! {
    /// The shortest path between two nodes, the k shortest, or all shortest.
    pub(crate) struct FindPath {
        /// The id of the first node.
        "from" => from: NodeId,
        /// The id of the last node.
        "to" => to: NodeId,
        /// True if edges have a direction.
        "directed" => directed: bool = false,
        /// Attribute of the edges' data that is their weight; without it each edge weighs 1.
        "weight" => weight: Option<Attribute>,
        /// The number of paths, shortest first.
        "k" => k: Whole<1, { MAX_PATHS as usize }, u32> = 1,
        /// True to list all shortest paths, 100 at most.
        "all" => all: bool = false,
    }
    name: "findPath",
    title: "Find paths",
    effect: Effect::READS,
    output: "GraphAnswer",
    route: Route::read("path", path!("/path"), "Shortest paths between two nodes", &["from", "to", "directed", "weight", "k", "all"]),
    errors: ["NODE_NOT_FOUND", "TOO_LARGE"],
    tool: Tool::new("The shortest path between two nodes. k: the k shortest paths; all: all shortest paths.", &[Argument::new("from"), Argument::new("to"), Argument::new("directed"), Argument::new("weight"), Argument::new("k"), Argument::new("all")], tools::ITEM, telling::paths),
}

impl Operation<'_> for FindPath {
    fn run<D: Database>(self, graph: &Graph<'_, D>) -> Result<Reply> {
        let Self {
            from,
            to,
            directed,
            weight,
            k,
            all,
        } = self;
        if all && k != 1 {
            return Err(Error::invalid_with_hint(
                "k and all cannot be used together",
                "use all for every path of the shortest length, or k for the k shortest paths",
            ));
        }
        let subject = Subject::read(graph, directed, weight)?;
        let node = |id: &str| -> Result<u32> {
            let seq = find::require(graph.db, ItemList::Nodes, id)?;
            let index = subject.rows.seqs.binary_search(&seq).ok();
            index
                .and_then(|index| u32::try_from(index).ok())
                .ok_or_else(|| Error::internal("a node is not in the graph that was loaded"))
        };
        let (source, target) = (node(&from)?, node(&to)?);
        let (network, weights) = (&subject.network, subject.weights);
        let list = if all {
            all_shortest(network, source, target, weights, MAX_PATHS)
        } else {
            k_shortest(network, source, target, k, weights)
        };
        let PathList { paths, is_cut } = subject.computed(graph, list)?;
        let mut room = MAX_LISTED_BYTES;
        let ends = [source, target].map(|node| subject.names(graph, [node], &mut room));
        let [from, to] = ends;
        let listed = listed_paths(graph, &subject, &paths, room)?;
        let data = Fields::default()
            .value("from", &from?.first())
            .value("to", &to?.first())
            .value("directed", &subject.is_directed())
            .value("weight", &subject.weight)
            .raw("paths", &listed.text)
            .value("truncated", &(is_cut || listed.rows < paths.len()));
        raw_reply(graph, &data.finish())
    }
}

/// Returns as many whole paths as fit, as JSON.
///
/// # Errors
/// [`GraphError::TooLarge`] if not even one path fits, and errors of the engine.
fn listed_paths<D: Database>(
    graph: &Graph<'_, D>,
    subject: &Subject,
    paths: &[Path],
    mut room: usize,
) -> Result<Listed> {
    // The edges of a path are listed only if they all fit.
    let mut edges_left = MAX_LISTED_PATH_EDGES;
    let with_edges: Vec<bool> = paths
        .iter()
        .map(|path| {
            let fits = path.nodes.len() <= edges_left;
            edges_left -= if fits { path.nodes.len() } else { 0 };
            fits
        })
        .collect();
    let chosen = paths.iter().zip(&with_edges).filter(|(_, chosen)| **chosen);
    let lightest = lightest_edges(subject, chosen.map(|(path, _)| path));
    let mut listed = Listed {
        text: "[".to_owned(),
        ..Listed::default()
    };
    for (path, with_edges) in paths.iter().zip(with_edges) {
        let Some(json) = shown(graph, subject, &lightest, path, with_edges, &mut room)? else {
            listed.is_cut = true;
            break;
        };
        push_item(&mut listed.text, &json);
        listed.rows += 1;
    }
    if let (0, Some(first)) = (listed.rows, paths.first()) {
        return Err(GraphError::TooLarge {
            what: "the nodes of the shortest path, whose names and edges do not fit into a result",
            size: first.nodes.len() as u64,
            limit: (MAX_LISTED_BYTES / USUAL_NAME_BYTES) as u64,
        }
        .into());
    }
    listed.text.push(']');
    Ok(listed)
}

/// The usual size in bytes of a node's name in a result.
const USUAL_NAME_BYTES: usize = 100;

/// Returns the row of the lightest edge between each two consecutive nodes of the paths, in their
/// direction. Of equal edges it is the oldest.
fn lightest_edges<'p>(
    subject: &Subject,
    paths: impl Iterator<Item = &'p Path>,
) -> HashMap<(u32, u32), (f64, u64)> {
    let steps: HashSet<(u32, u32)> = paths
        .flat_map(|path| path.nodes.iter().zip(path.nodes.iter().skip(1)))
        .flat_map(|(from, to)| [(*from, *to), (*to, *from)])
        .collect();
    let rows = &subject.rows;
    let mut lightest: HashMap<(u32, u32), (f64, u64)> = HashMap::new();
    for ((source, target, weight), seq) in rows.edges.iter().zip(&rows.edge_seqs) {
        if !steps.contains(&(*source, *target)) {
            continue;
        }
        let known = lightest
            .entry((*source, *target))
            .or_insert((*weight, *seq));
        if *weight < known.0 {
            *known = (*weight, *seq);
        }
    }
    lightest
}

/// Returns a path with its nodes and, if they are to be listed, its edges; `None` if it does not
/// fit.
fn shown<D: Database>(
    graph: &Graph<'_, D>,
    subject: &Subject,
    lightest: &HashMap<(u32, u32), (f64, u64)>,
    path: &Path,
    with_edges: bool,
    room: &mut usize,
) -> Result<Option<String>> {
    let names = subject.names(graph, path.nodes.iter().copied(), room)?;
    if names.len() < path.nodes.len() || *room == 0 {
        return Ok(None);
    }
    let mut seqs = Vec::new();
    for pair in path.nodes.windows(2).filter(|_| with_edges) {
        let [from, to] = pair else { continue };
        let along = lightest.get(&(*from, *to));
        let against = lightest
            .get(&(*to, *from))
            .filter(|_| !subject.is_directed());
        let edge = match (along, against) {
            (Some(along), Some(against)) if against.0 < along.0 => Some(against),
            (along, against) => along.or(against),
        };
        seqs.extend(edge.map(|(_, seq)| *seq));
    }
    let edges = edge_jsons(graph.db, &seqs, room)?;
    if edges.is_cut {
        return Ok(None);
    }
    let path = Fields::default()
        .value("nodes", &names)
        .raw("edges", &format!("[{}]", edges.text))
        .value("length", &path.length);
    Ok(Some(path.finish()))
}
