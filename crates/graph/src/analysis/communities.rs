//! Groups of closely connected nodes.

use super::{Subject, push_item, raw_reply};
use crate::kinds::{Attribute, Resolution, Seed};
use crate::limits::{DEFAULT_LISTED_MEMBERS, MAX_LISTED_BYTES, MAX_LISTED_MEMBERS};
use crate::reply::Fields;
use crate::run::Operation;
use crate::{Graph, NodeName, Reply, telling, tools};
use ::operation::arguments::Whole;
use ::operation::declaration::{Argument, Effect, Route, Tool};
use base::Result;
use database::Database;
use graph_analysis::communities::{Leiden, leiden};

::operation::operation! {
    /// Groups of nodes that have more edges among themselves than to others (Leiden).
    pub(crate) struct DetectCommunities {
        /// A value above 1 gives smaller communities.
        "resolution" => resolution: Resolution = 1.0,
        /// Random seed.
        "seed" => seed: Seed = 0,
        /// Attribute of the edges' data that is their weight; without it each edge weighs 1.
        "weight" => weight: Option<Attribute>,
        /// The most members to list, of all communities together.
        "limit" => limit: Whole<1, MAX_LISTED_MEMBERS> = DEFAULT_LISTED_MEMBERS,
    }
    name: "detectCommunities",
    title: "Detect communities",
    effect: Effect::READS,
    output: "GraphAnswer",
    route: Route::read("communities", path!("/communities"), "Groups of nodes, by Leiden", &["resolution", "seed", "weight", "limit"]),
    errors: ["TOO_LARGE"],
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
        // Members of the same community follow each other, in the order of creation.
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
