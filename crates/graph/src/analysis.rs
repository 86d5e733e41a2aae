//! What the analysis of a graph says, in the words of the graph: the arguments are read, `graph_analysis` computes with numbers, and numbers become
//! nodes again.

use crate::dispatch::Operation;
use crate::kinds::{Attribute, NodeId, Resolution, Seed};
use crate::{telling, tools};
use ::operations::arguments::{OneOf, Whole, Word};
use ::operations::declaration::{Argument, Effect, Route, Tool};
use std::collections::{HashMap, HashSet};

use base::{Error, Result};
use database::Database;
use graph_analysis::centrality::{self, DegreeKind, Scores};
use graph_analysis::communities::{Leiden, leiden};
use graph_analysis::connectivity::cuts;
use graph_analysis::paths::{Path, PathList, all_shortest, k_shortest};
use graph_analysis::structure::{
    self, Components, Distances, clustering, degree_distribution, distances,
};
use graph_analysis::{AnalysisError, Direction, Network, Sources, Weights};
use serde_json::{Value, json};

use crate::limits::{
    DEFAULT_CENTRAL_NODES, DEFAULT_LISTED_MEMBERS, MAX_CENTRAL_NODES, MAX_LISTED_BYTES,
    MAX_LISTED_COMPONENTS, MAX_LISTED_CUTS, MAX_LISTED_DEGREES, MAX_LISTED_MEMBERS,
    MAX_LISTED_PATH_EDGES, MAX_PATHS,
};
use crate::network::{Topology, edge_jsons, edge_words, load_topology, node_names};
use crate::reply::Fields;
use crate::store::find;
use crate::store::head::Head;
use crate::store::listed::Listed;
use crate::{Graph, GraphError, ItemList, NodeName, Reply};

/// The same sample for the same graph.
const SAMPLE: Sources = Sources::AllThatFit { seed: 0 };

/// A graph as numbers, and what is needed to name them again.
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

    /// Returns the computed value, or the failure in the words of the graph.
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

    /// Nodes as results name them, while there is room.
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

::operations::operation! {
    /// Counts, density, components, diameter, path length, clustering and degrees.
    pub(crate) struct AnalyzeStructure {
        /// Whether edges have a direction.
        "directed" => directed: bool = false,
    }
    name: "analyzeStructure",
    title: "Analyze the structure",
    effect: Effect::READS,
    output: "GraphAnswer",
    route: Route::read("analysis", path!("/analysis"), "The structure of the graph in numbers", &["directed"]),
    errors: ["TOO_LARGE"],
    helper: "analyzeStructure(options?: { directed?: boolean }): Promise<GraphResult>;",
    tool: Tool::new("Density, components, diameter, path length, clustering.", &[Argument::new("directed")], tools::ITEM, telling::structure),
}

impl Operation<'_> for AnalyzeStructure {
    fn run<D: Database>(self, graph: &Graph<'_, D>) -> Result<Reply> {
        let subject = Subject::read(graph, self.directed, None)?;
        let network = &subject.network;
        let counts = structure::counts(network);
        let distances = subject.computed(graph, distances(network, SAMPLE))?;
        let clustering = subject.computed(graph, clustering(network))?;
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

impl Word for Measure {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("degree", Self::Degree),
        ("betweenness", Self::Betweenness),
        ("closeness", Self::Closeness),
        ("harmonic", Self::Harmonic),
        ("eigenvector", Self::Eigenvector),
        ("pagerank", Self::PageRank),
    ];
}

impl Measure {
    fn name(self) -> &'static str {
        let found = Self::WORDS.iter().find(|(_, measure)| *measure == self);
        found.map_or("", |(name, _)| name)
    }

    fn scores<D: Database>(self, graph: &Graph<'_, D>, subject: &Subject) -> Result<Scores> {
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
        subject.computed(graph, scores)
    }
}

::operations::operation! {
    /// The most central nodes by one measure, highest score first.
    pub(crate) struct FindCentrality {
        /// The measure.
        "measure" => measure: OneOf<Measure> = Measure::Degree,
        /// Whether edges have a direction.
        "directed" => directed: bool = false,
        /// Attribute of the edges' data that is their weight; without it each edge weighs 1.
        "weight" => weight: Option<Attribute>,
        /// Nodes at most.
        "limit" => limit: Whole<1, MAX_CENTRAL_NODES> = DEFAULT_CENTRAL_NODES,
    }
    name: "findCentrality",
    title: "Find central nodes",
    effect: Effect::READS,
    output: "GraphAnswer",
    route: Route::read("centrality", path!("/centrality"), "The most central nodes", &["measure", "directed", "weight", "limit"]),
    errors: ["TOO_LARGE"],
    helper: r#"findCentrality(options: { measure?: "degree" | "betweenness" | "closeness" | "harmonic" | "eigenvector" | "pagerank"; directed?: boolean; weight?: string; limit?: number }): Promise<GraphResult>;"#,
    tool: Tool::new("The most central nodes. weight: a key of the edges' data.", &[Argument::new("measure"), Argument::new("directed"), Argument::new("weight"), Argument::new("limit")], tools::ITEM, telling::central),
}

impl Operation<'_> for FindCentrality {
    fn run<D: Database>(self, graph: &Graph<'_, D>) -> Result<Reply> {
        let Self {
            measure,
            directed,
            weight,
            limit,
        } = self;
        let subject = Subject::read(graph, directed, weight)?;
        let scores = measure.scores(graph, &subject)?;
        let mut ranked: Vec<(u32, f64)> = (0..).zip(scores.values).collect();
        // Of equal scores the older node comes first.
        ranked.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        let count = ranked.len();
        ranked.truncate(limit);
        let shown = ranked.iter().map(|(node, _)| *node);
        let names = subject.names(graph, shown, &mut { MAX_LISTED_BYTES })?;
        let listed: Vec<Value> = names
        .iter()
        .zip(&ranked)
        .map(|(node, (_, score))| {
            json!({ "id": node.id, "label": node.label, "type": node.kind, "score": score + 0.0 })
        })
        .collect();
        let data = json!({
            "measure": measure.name(),
            "directed": subject.is_directed(),
            "weight": subject.weight,
            "nodes": count,
            "truncated": names.len() < ranked.len(),
            "scores": listed,
            "sampledSources": scores.sampled_sources,
        });
        reply(graph, &data)
    }
}

::operations::operation! {
    /// Groups of nodes that have more edges among themselves than to others (Leiden).
    pub(crate) struct DetectCommunities {
        /// Above 1 the communities are smaller.
        "resolution" => resolution: Resolution = 1.0,
        /// Seed of the random numbers.
        "seed" => seed: Seed = 0,
        /// Attribute of the edges' data that is their weight; without it each edge weighs 1.
        "weight" => weight: Option<Attribute>,
        /// Members that are listed at most, of all communities together.
        "limit" => limit: Whole<1, MAX_LISTED_MEMBERS> = DEFAULT_LISTED_MEMBERS,
    }
    name: "detectCommunities",
    title: "Detect communities",
    effect: Effect::READS,
    output: "GraphAnswer",
    route: Route::read("communities", path!("/communities"), "Groups of nodes, by Leiden", &["resolution", "seed", "weight", "limit"]),
    errors: ["TOO_LARGE"],
    helper: "detectCommunities(options?: { resolution?: number; seed?: number; weight?: string; limit?: number }): Promise<GraphResult>;",
    tool: Tool::new("Groups of closely connected nodes (Leiden).", &[Argument::new("resolution"), Argument::new("seed"), Argument::new("weight"), Argument::new("limit")], tools::ITEM, telling::communities),
}

impl Operation<'_> for DetectCommunities {
    fn run<D: Database>(self, graph: &Graph<'_, D>) -> Result<Reply> {
        let Self {
            resolution,
            seed,
            weight,
            limit,
        } = self;
        let subject = Subject::read(graph, false, weight)?;
        let options = Leiden {
            weights: subject.weights,
            resolution,
            seed,
            ..Leiden::default()
        };
        let found = subject.computed(graph, leiden(&subject.network, options))?;
        // Members of one community behind each other, each list in the order of creation.
        let mut members: Vec<u32> = (0..).take(found.labels.len()).collect();
        members.sort_by_key(|node| found.labels.get(*node as usize));
        members.truncate(limit);
        let mut names = subject.names(graph, members, &mut { MAX_LISTED_BYTES })?;
        let is_cut = names.len() < found.labels.len();
        let mut left = names.drain(..);
        let mut listed = String::from("[");
        for (index, size) in found.sizes.iter().take(limit).enumerate() {
            let members: Vec<NodeName> = left.by_ref().take(*size as usize).collect();
            let community = Fields::default()
                .value("index", &index)
                .value("size", size)
                .value("members", &members);
            push_item(&mut listed, &community.finish());
        }
        listed.push(']');
        let data = Fields::default()
            .value("count", &found.sizes.len())
            .value("modularity", &found.modularity)
            .value("resolution", &resolution)
            .value("seed", &seed)
            .value("weight", &subject.weight)
            .raw("communities", &listed)
            .value("truncated", &is_cut)
            .value("cut", &found.is_cut);
        raw_reply(graph, &data.finish())
    }
}

/// Adds an item to a list that is being written.
fn push_item(list: &mut String, json: &str) {
    if !list.ends_with('[') {
        list.push(',');
    }
    list.push_str(json);
}

::operations::operation! {
    /// The shortest path between two nodes, the k shortest, or all shortest.
    pub(crate) struct FindPath {
        /// Id of the first node.
        "from" => from: NodeId,
        /// Id of the last node.
        "to" => to: NodeId,
        /// Whether edges have a direction.
        "directed" => directed: bool = false,
        /// Attribute of the edges' data that is their weight; without it each edge weighs 1.
        "weight" => weight: Option<Attribute>,
        /// How many paths, shortest first.
        "k" => k: Whole<1, { MAX_PATHS as usize }, u32> = 1,
        /// Whether all shortest paths are listed, 100 at most.
        "all" => all: bool = false,
    }
    name: "findPath",
    title: "Find paths",
    effect: Effect::READS,
    output: "GraphAnswer",
    route: Route::read("path", path!("/path"), "Shortest paths between two nodes", &["from", "to", "directed", "weight", "k", "all"]),
    errors: ["NODE_NOT_FOUND", "TOO_LARGE"],
    helper: "findPath(options: { from: string; to: string; directed?: boolean; weight?: string; k?: number; all?: boolean }): Promise<GraphResult>;",
    tool: Tool::new("The shortest path between two nodes; k: that many; all: all shortest.", &[Argument::new("from"), Argument::new("to"), Argument::new("directed"), Argument::new("weight"), Argument::new("k"), Argument::new("all")], tools::ITEM, telling::paths),
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
                "k and all exclude each other",
                "all lists the shortest paths, k also longer ones",
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

/// Paths as JSON, each whole: those that fit.
///
/// # Errors
/// [`GraphError::TooLarge`] for a path that does not fit alone, or the engine's.
fn listed_paths<D: Database>(
    graph: &Graph<'_, D>,
    subject: &Subject,
    paths: &[Path],
    mut room: usize,
) -> Result<Listed> {
    // The edges of as many paths as there is room for are listed, those of a longer one not.
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
            what: "the nodes of the shortest path, whose names and edges are longer than a result may be",
            size: first.nodes.len() as u64,
            limit: (MAX_LISTED_BYTES / USUAL_NAME_BYTES) as u64,
        }
        .into());
    }
    listed.text.push(']');
    Ok(listed)
}

/// Bytes of a node of usual names in a result.
const USUAL_NAME_BYTES: usize = 100;

/// The row of the lightest edge between two nodes in each direction, of equal ones the oldest, for the nodes that follow each other on paths.
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

/// A path with its nodes and, where they are listed, its edges; none where that does not fit.
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

::operations::operation! {
    /// Edges and nodes without which a part of the graph falls apart.
    pub(crate) struct FindBridges {
    }
    name: "findBridges",
    title: "Find bridges",
    effect: Effect::READS,
    output: "GraphAnswer",
    route: Route::read("bridges", path!("/bridges"), "Edges and nodes that hold parts together", &[]),
    errors: ["TOO_LARGE"],
    helper: "findBridges(): Promise<GraphResult>;",
}

impl Operation<'_> for FindBridges {
    fn run<D: Database>(self, graph: &Graph<'_, D>) -> Result<Reply> {
        let subject = Subject::read(graph, false, None)?;
        let found = subject.computed(graph, cuts(&subject.network))?;
        let ends = found.bridges.iter().take(MAX_LISTED_CUTS);
        let ends = ends.flat_map(|(source, target)| [*source, *target]);
        let mut room = MAX_LISTED_BYTES;
        let ends = subject.names(graph, ends, &mut room)?;
        let bridges: Vec<Value> = ends
            .chunks_exact(2)
            .map(|ends| json!({ "source": ends.first(), "target": ends.last() }))
            .collect();
        let points = &found.articulation_points;
        let listed_points = points.iter().copied().take(MAX_LISTED_CUTS);
        let data = json!({
            "bridges": bridges,
            "bridgeCount": found.bridges.len(),
            "articulationPoints": subject.names(graph, listed_points, &mut room)?,
            "articulationPointCount": points.len(),
        });
        reply(graph, &data)
    }
}

fn reply<D: Database>(graph: &Graph<'_, D>, data: &Value) -> Result<Reply> {
    raw_reply(graph, &data.to_string())
}

fn raw_reply<D: Database>(graph: &Graph<'_, D>, data: &str) -> Result<Reply> {
    let fields = Fields::default().raw("data", data);
    let head = Head::load(graph.db)?;
    Ok(Reply::read(fields.value("version", &head.version)))
}

/// Turns a failed computation into a failure of the graph, which names edges by ids and their ends by labels.
///
/// # Errors
/// The engine's.
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
        // Requests are checked before they come so far.
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
