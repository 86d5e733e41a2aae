//! What the analysis of a graph says, in the words of the graph: the arguments are read, `graph_analysis` computes with numbers, and numbers become
//! nodes again.

use base::{Error, Result};
use database::{Bind, Database, DatabaseExt};
use graph_analysis::centrality::{self, DegreeKind, Scores};
use graph_analysis::communities::{Leiden, leiden};
use graph_analysis::connectivity::cuts;
use graph_analysis::paths::{Path, PathList, all_shortest, k_shortest};
use graph_analysis::structure::{
    self, Components, Distances, clustering, degree_distribution, distances,
};
use graph_analysis::{AnalysisError, Direction, Network, Sources, Weights};
use serde_json::{Value, json};

use crate::arguments::Arguments;
use crate::limits::{
    DEFAULT_CENTRAL_NODES, DEFAULT_LISTED_MEMBERS, MAX_CENTRAL_NODES, MAX_LISTED_COMPONENTS,
    MAX_LISTED_CUTS, MAX_LISTED_DEGREES, MAX_LISTED_MEMBERS, MAX_LISTED_PATH_EDGES, MAX_PATHS,
};
use crate::network::{Loaded, load};
use crate::reply::Fields;
use crate::store::find;
use crate::store::head::Head;
use crate::{Graph, GraphError, ItemList, Reply};

/// The same sample for the same graph.
const SAMPLE: Sources = Sources::AllThatFit { seed: 0 };

/// One edge between two nodes, the lightest first.
const EDGE_BETWEEN: &str = "SELECT id, label, type FROM edges WHERE source = ?1 AND target = ?2 \
     ORDER BY CASE WHEN ?3 IS NULL THEN 0 ELSE json_extract(data, ?3) END, seq LIMIT 1";

/// A graph as numbers, and what is needed to name them again.
struct Subject {
    loaded: Loaded,
    network: Network,
    weights: Weights,
    weight: Option<String>,
}

impl Subject {
    fn read<D: Database>(graph: &Graph<'_, D>, arguments: &Arguments<'_>) -> Result<Self> {
        let weight = arguments.0.text("weight")?;
        let direction = if arguments.flag("directed")? {
            Direction::Directed
        } else {
            Direction::Undirected
        };
        let loaded = load(graph.db, weight.as_deref())?;
        let nodes = u32::try_from(loaded.node_count()).unwrap_or(u32::MAX);
        let network = Network::new(nodes, loaded.edges.iter().copied(), direction);
        Ok(Self {
            network: network.map_err(refused)?,
            weights: if weight.is_some() {
                Weights::Used
            } else {
                Weights::Ignored
            },
            loaded,
            weight,
        })
    }

    fn is_directed(&self) -> bool {
        self.network.direction() == Direction::Directed
    }

    /// A node as results name it.
    fn name(&self, node: u32) -> Value {
        self.loaded.name(node as usize)
    }

    fn names(&self, nodes: impl IntoIterator<Item = u32>) -> Vec<Value> {
        nodes.into_iter().map(|node| self.name(node)).collect()
    }
}

/// analyzeStructure.
pub(crate) fn structure<D: Database>(graph: &Graph<'_, D>, arguments: &str) -> Result<Reply> {
    let arguments = Arguments::parse(arguments, &["directed"])?;
    let subject = Subject::read(graph, &arguments)?;
    let network = &subject.network;
    let counts = structure::counts(network);
    let distances = distances(network, SAMPLE).map_err(refused)?;
    let clustering = clustering(network).map_err(refused)?;
    let degrees = degree_distribution(network);
    let strong = subject
        .is_directed()
        .then(|| structure::strong_components(network));
    let list = |degrees: &[(u32, u32)]| -> Vec<Value> {
        let listed = degrees.iter().take(MAX_LISTED_DEGREES);
        listed
            .map(|(degree, nodes)| json!({ "degree": degree, "nodes": nodes }))
            .collect()
    };
    let data = json!({
        "directed": subject.is_directed(),
        "nodes": counts.nodes,
        "edges": counts.given_edges,
        "distinctEdges": counts.edges,
        "selfLoops": counts.self_loops,
        "density": counts.density,
        "components": components(&distances.components),
        "stronglyConnectedComponents": strong.as_ref().map(components),
        "connected": distances.is_connected,
        "diameter": distances.diameter,
        "radius": distances.radius,
        "averagePathLength": distances.average_path_length,
        "byComponent": by_component(&distances),
        "transitivity": clustering.transitivity,
        "averageClustering": clustering.average,
        "triangles": clustering.triangles,
        "degreeDistribution": list(&degrees.total),
        "inDegreeDistribution": degrees.incoming.as_deref().map(list),
        "outDegreeDistribution": degrees.outgoing.as_deref().map(list),
        "sampledSources": distances.sampled_sources,
    });
    reply(graph, &data)
}

fn components(components: &Components) -> Value {
    let sizes: Vec<u32> = components
        .sizes
        .iter()
        .copied()
        .take(MAX_LISTED_COMPONENTS)
        .collect();
    json!({ "count": components.count(), "largest": sizes })
}

fn by_component(distances: &Distances) -> Vec<Value> {
    let listed = distances.by_component.iter().take(MAX_LISTED_COMPONENTS);
    listed
        .map(|component| {
            json!({
                "size": component.size,
                "diameter": component.diameter,
                "radius": component.radius,
                "averagePathLength": component.average_path_length,
            })
        })
        .collect()
}

/// A measure of centrality.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Measure {
    Degree,
    Betweenness,
    Closeness,
    Harmonic,
    Eigenvector,
    PageRank,
}

const MEASURES: &[(&str, Measure)] = &[
    ("degree", Measure::Degree),
    ("betweenness", Measure::Betweenness),
    ("closeness", Measure::Closeness),
    ("harmonic", Measure::Harmonic),
    ("eigenvector", Measure::Eigenvector),
    ("pagerank", Measure::PageRank),
];

impl Measure {
    fn name(self) -> &'static str {
        let found = MEASURES.iter().find(|(_, measure)| *measure == self);
        found.map_or("", |(name, _)| name)
    }

    fn scores(self, subject: &Subject) -> Result<Scores> {
        let (network, weights) = (&subject.network, subject.weights);
        let exact = |values: Vec<f64>| Scores {
            values,
            sampled_sources: None,
        };
        let scores = match self {
            Self::Degree if weights == Weights::Used => {
                return Err(Error::invalid_with_hint(
                    "degree has no weights",
                    "leave weight out, or use pagerank or eigenvector, in which edges count what they weigh",
                ));
            }
            Self::Degree => Ok(exact(centrality::degree(network, DegreeKind::Total))),
            Self::Betweenness => centrality::betweenness(network, weights, SAMPLE),
            Self::Closeness => centrality::closeness(network, weights, SAMPLE),
            Self::Harmonic => centrality::harmonic(network, weights, SAMPLE),
            Self::Eigenvector => centrality::eigenvector(network, weights).map(exact),
            Self::PageRank => Ok(exact(centrality::pagerank(network, weights))),
        };
        scores.map_err(refused)
    }
}

/// findCentrality.
pub(crate) fn centrality<D: Database>(graph: &Graph<'_, D>, arguments: &str) -> Result<Reply> {
    let arguments = Arguments::parse(arguments, &["measure", "directed", "weight", "limit"])?;
    let measure = arguments.word("measure", MEASURES, Measure::Degree)?;
    let limit = arguments.number("limit", 1..=MAX_CENTRAL_NODES, DEFAULT_CENTRAL_NODES)?;
    let subject = Subject::read(graph, &arguments)?;
    let scores = measure.scores(&subject)?;
    let mut ranked: Vec<(u32, f64)> = (0..).zip(scores.values).collect();
    // Of equal scores the older node comes first.
    ranked.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    let listed: Vec<Value> = ranked
        .iter()
        .take(limit)
        .map(|(node, score)| {
            let mut name = subject.name(*node);
            if let Some(fields) = name.as_object_mut() {
                fields.insert("score".to_owned(), json!(score));
            }
            name
        })
        .collect();
    let data = json!({
        "measure": measure.name(),
        "directed": subject.is_directed(),
        "weight": subject.weight,
        "nodes": ranked.len(),
        "scores": listed,
        "sampledSources": scores.sampled_sources,
    });
    reply(graph, &data)
}

/// detectCommunities.
pub(crate) fn communities<D: Database>(graph: &Graph<'_, D>, arguments: &str) -> Result<Reply> {
    let arguments = Arguments::parse(arguments, &["resolution", "seed", "weight", "limit"])?;
    let limit = arguments.number("limit", 1..=MAX_LISTED_MEMBERS, DEFAULT_LISTED_MEMBERS)?;
    let resolution = arguments.0.number("resolution")?.unwrap_or(1.0);
    let seed = arguments.number("seed", 0..=base::limits::MAX_EXACT_INTEGER, 0)?;
    let subject = Subject::read(graph, &arguments)?;
    let options = Leiden {
        weights: subject.weights,
        resolution,
        seed,
        ..Leiden::default()
    };
    let found = leiden(&subject.network, options).map_err(refused)?;
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); found.sizes.len()];
    for (node, label) in (0..).zip(&found.labels) {
        if let Some(list) = members.get_mut(*label as usize) {
            list.push(node);
        }
    }
    let mut left = limit;
    let listed: Vec<Value> = members
        .iter()
        .enumerate()
        .take_while(|(index, _)| *index < limit)
        .map(|(index, nodes)| {
            let shown = nodes.len().min(left);
            left -= shown;
            json!({
                "index": index,
                "size": nodes.len(),
                "members": subject.names(nodes.iter().copied().take(shown)),
            })
        })
        .collect();
    let data = json!({
        "count": found.sizes.len(),
        "modularity": found.modularity,
        "resolution": resolution,
        "seed": seed,
        "weight": subject.weight,
        "communities": listed,
        "truncated": found.labels.len() > limit,
        "cut": found.is_cut,
    });
    reply(graph, &data)
}

/// findPath.
pub(crate) fn path<D: Database>(graph: &Graph<'_, D>, arguments: &str) -> Result<Reply> {
    let fields = ["from", "to", "directed", "weight", "k", "all"];
    let arguments = Arguments::parse(arguments, &fields)?;
    let (from, to) = (arguments.id("from")?, arguments.id("to")?);
    let k = arguments.number("k", 1..=MAX_PATHS, 1)?;
    let all = arguments.flag("all")?;
    if all && k != 1 {
        return Err(Error::invalid_with_hint(
            "k and all exclude each other",
            "all lists the shortest paths, k also longer ones",
        ));
    }
    let subject = Subject::read(graph, &arguments)?;
    let node = |id: &str| -> Result<u32> {
        let seq = find::require(graph.db, ItemList::Nodes, id)?;
        let index = subject.loaded.index_of(seq);
        index.ok_or_else(|| Error::internal("a node is not in the graph that was loaded"))
    };
    let (source, target) = (node(&from)?, node(&to)?);
    let (network, weights) = (&subject.network, subject.weights);
    let list = if all {
        all_shortest(network, source, target, weights, MAX_PATHS)
    } else {
        k_shortest(network, source, target, k, weights)
    };
    let PathList { paths, is_cut } = list.map_err(refused)?;
    let mut left = MAX_LISTED_PATH_EDGES;
    let shown: Result<Vec<Value>> = paths
        .iter()
        .map(|path| shown(graph, &subject, path, &mut left))
        .collect();
    let data = json!({
        "from": subject.name(source),
        "to": subject.name(target),
        "directed": subject.is_directed(),
        "weight": subject.weight,
        "paths": shown?,
        "truncated": is_cut,
    });
    reply(graph, &data)
}

/// A path with its nodes and, as far as there is room, its edges.
fn shown<D: Database>(
    graph: &Graph<'_, D>,
    subject: &Subject,
    path: &Path,
    left: &mut usize,
) -> Result<Value> {
    let mut edges = Vec::new();
    if path.nodes.len() <= *left {
        *left -= path.nodes.len();
        for pair in path.nodes.windows(2) {
            if let [from, to] = pair {
                edges.push(edge_between(graph.db, subject, *from, *to)?);
            }
        }
    }
    Ok(json!({
        "nodes": subject.names(path.nodes.iter().copied()),
        "edges": edges,
        "length": path.length,
    }))
}

/// One edge of those that connect two nodes: the first in the direction of the path, else one against it.
fn edge_between<D: Database>(db: &D, subject: &Subject, from: u32, to: u32) -> Result<Value> {
    let id = |node: u32| subject.loaded.id(node as usize).to_owned();
    let path = subject.weight.as_deref().map_or(Bind::Null, |weight| {
        Bind::Text(crate::network::json_path(weight))
    });
    for (source, target) in [(from, to), (to, from)] {
        let binds = [Bind::Text(id(source)), Bind::Text(id(target)), path.clone()];
        let row = db.rows(EDGE_BETWEEN, &binds)?.into_iter().next();
        if let Some(cells) = row {
            let mut texts = cells.into_iter().map(database::Cell::into_text);
            let mut next = || texts.next().unwrap_or_default();
            return Ok(json!({ "id": next(), "label": next(), "type": next() }));
        }
    }
    Err(Error::internal("two nodes of a path have no edge"))
}

/// findBridges.
pub(crate) fn bridges<D: Database>(graph: &Graph<'_, D>, arguments: &str) -> Result<Reply> {
    let arguments = Arguments::parse(arguments, &[])?;
    let subject = Subject::read(graph, &arguments)?;
    let found = cuts(&subject.network).map_err(refused)?;
    let bridges: Vec<Value> = found
        .bridges
        .iter()
        .take(MAX_LISTED_CUTS)
        .map(|(source, target)| json!({ "source": subject.name(*source), "target": subject.name(*target) }))
        .collect();
    let points = &found.articulation_points;
    let data = json!({
        "bridges": bridges,
        "bridgeCount": found.bridges.len(),
        "articulationPoints": subject.names(points.iter().copied().take(MAX_LISTED_CUTS)),
        "articulationPointCount": points.len(),
    });
    reply(graph, &data)
}

fn reply<D: Database>(graph: &Graph<'_, D>, data: &Value) -> Result<Reply> {
    let fields = Fields::default().value("data", data);
    let head = Head::load(graph.db)?;
    Ok(Reply::read(fields.value("version", &head.version)))
}

/// What cannot be computed, as a failure of the graph.
fn refused(error: AnalysisError) -> Error {
    match error {
        AnalysisError::TooLarge { what, size, limit } => {
            GraphError::TooLarge { what, size, limit }.into()
        }
        other => Error::invalid(other.to_string()),
    }
}
