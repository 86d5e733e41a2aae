//! The most central nodes.

use super::{SAMPLE, Subject, reply};
use crate::kinds::Attribute;
use crate::limits::{DEFAULT_CENTRAL_NODES, MAX_CENTRAL_NODES, MAX_LISTED_BYTES};
use crate::run::Operation;
use crate::{Graph, Reply, telling, tools};
use ::operation::arguments::{OneOf, Whole, Word};
use ::operation::declaration::{Argument, Effect, Route, Tool};
use base::{Error, Result};
use database::Database;
use graph_analysis::Weights;
use graph_analysis::centrality::{self, DegreeKind, Scores};
use serde_json::{Value, json};

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
                    "leave weight out, or use pagerank or eigenvector, which use weights",
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

::operation::operation! {
    /// The most central nodes by one measure, highest score first.
    pub(crate) struct FindCentrality {
        /// The measure.
        "measure" => measure: OneOf<Measure> = Measure::Degree,
        /// True if edges have a direction.
        "directed" => directed: bool = false,
        /// Attribute of the edges' data that is their weight; without it each edge weighs 1.
        "weight" => weight: Option<Attribute>,
        /// The most nodes to return.
        "limit" => limit: Whole<1, MAX_CENTRAL_NODES> = DEFAULT_CENTRAL_NODES,
    }
    name: "findCentrality",
    title: "Find central nodes",
    effect: Effect::READS,
    output: "GraphAnswer",
    route: Route::read("centrality", path!("/centrality"), "The most central nodes", &["measure", "directed", "weight", "limit"]),
    errors: ["TOO_LARGE"],
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
        // Of equal scores, the older node comes first.
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
