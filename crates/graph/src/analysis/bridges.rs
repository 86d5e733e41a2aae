//! Edges and nodes whose removal would disconnect a part of the graph.

use super::{Subject, reply};
use crate::limits::{MAX_LISTED_BYTES, MAX_LISTED_CUTS};
use crate::run::Operation;
use crate::{Graph, Reply};
use ::operation::declaration::{Effect, Route};
use base::Result;
use database::Database;
use graph_analysis::connectivity::cuts;
use serde_json::{Value, json};

::operation::operation! {
    /// Edges and nodes without which a part of the graph falls apart.
    pub(crate) struct FindBridges {
    }
    name: "findBridges",
    title: "Find bridges",
    effect: Effect::READS,
    output: "GraphAnswer",
    route: Route::read("bridges", path!("/bridges"), "Edges and nodes that hold parts together", &[]),
    errors: ["TOO_LARGE"],
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
