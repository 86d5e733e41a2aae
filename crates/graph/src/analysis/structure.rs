//! Statistics of a graph's structure.

use super::{SAMPLE, Subject, reply};
use crate::limits::{MAX_LISTED_COMPONENTS, MAX_LISTED_DEGREES};
use crate::run::Operation;
use crate::{Graph, Reply, telling, tools};
use ::operation::declaration::{Argument, Effect, Route, Tool};
use base::Result;
use database::Database;
use graph_analysis::structure::{
    self, Components, Distances, clustering, degree_distribution, distances,
};
use serde_json::{Value, json};

::operation::operation! {
    /// Counts, density, components, diameter, path length, clustering and degrees.
    pub(crate) struct AnalyzeStructure {
        /// True if edges have a direction.
        "directed" => directed: bool = false,
    }
    name: "analyzeStructure",
    title: "Analyze the structure",
    effect: Effect::READS,
    output: "GraphAnswer",
    route: Route::read("analysis", path!("/analysis"), "The structure of the graph in numbers", &["directed"]),
    errors: ["TOO_LARGE"],
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
