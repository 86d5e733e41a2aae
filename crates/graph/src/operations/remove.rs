//! Operations that remove several nodes and edges.

use crate::kinds::{NodeIds, Version};
use crate::run::Operation;
use ::operation::arguments::Texts;
use ::operation::declaration::{Body, Effect, Route};
use std::collections::{BTreeMap, HashSet};

use base::{Error, Result};
use database::{Bind, Database};
use serde_json::json;

use super::plan;
use super::words;
use crate::drafts::Issues;
use crate::limits::MAX_ITEMS;
use crate::reading::state::{present_types, resolve_types};
use crate::reply::Fields;
use crate::store::find;
use crate::store::head::Head;
use crate::store::read::counts;
use crate::store::step::{StepDraft, commit};
use crate::store::temporal::{EDGES, NODES};
use crate::{Graph, ItemList, Reply};

const EDGES_OF_TYPES: &str = "SELECT count(*) FROM edges WHERE \
     source IN (SELECT id FROM nodes WHERE type IN (SELECT value FROM jsonb_each(?1))) OR \
     target IN (SELECT id FROM nodes WHERE type IN (SELECT value FROM jsonb_each(?1)))";

::operation::operation! {
    /// Removes the nodes of some types, or of all other types, and their edges, as one step.
    pub(crate) struct DeleteNodesByType {
        /// The types to remove; case does not matter.
        "nodeTypes" => node_types: Option<Texts>,
        /// The types to keep; case does not matter.
        "excludeTypes" => exclude_types: Option<Texts>,
        /// True to only count the nodes and edges.
        "preview" => preview: bool = false,
        /// The version that the graph must have, or nothing is changed.
        "ifVersion" => if_version: Option<Version>,
    }
    name: "deleteNodesByType",
    title: "Remove nodes by type",
    effect: Effect::REMOVES,
    output: "BulkAnswer",
    route: Route::write("deletenodesbytype", "DELETE", path!("/nodes/by-type"), "Remove the nodes of some types with their edges", Body::Request),
    example: r#"{"nodeTypes":["drug"],"preview":true}"#,
}

impl Operation<'_> for DeleteNodesByType {
    fn run<D: Database>(self, graph: &Graph<'_, D>) -> Result<Reply> {
        let (wanted, excluded) = (self.node_types, self.exclude_types);
        if wanted.is_none() && excluded.is_none() {
            return Err(Error::invalid("nodeTypes or excludeTypes must be given"));
        }
        let choose = |db: &D| -> Result<BTreeMap<String, u64>> {
            let mut types = present_types(db)?;
            if let Some(wanted) = &wanted {
                let kept: HashSet<String> = resolve_types(&types, wanted).into_iter().collect();
                types.retain(|kind, _| kept.contains(kind));
            }
            for kind in resolve_types(&types, excluded.as_deref().unwrap_or_default()) {
                types.remove(&kind);
            }
            Ok(types)
        };
        if self.preview {
            let head = Head::load(graph.db)?;
            head.require(self.if_version)?;
            let types = choose(graph.db)?;
            let [edges] = counts(graph.db, EDGES_OF_TYPES, &[names(&types)])?;
            let fields = result(true, types.values().sum(), edges, &types).of_graph(&head);
            return Ok(Reply::read(fields));
        }
        let committed = commit(graph, self.if_version, |write| {
            let types = choose(write.db)?;
            if let Bind::Text(names) = names(&types) {
                write.delete_types(&names)?;
            }
            let removed: Vec<String> = types.keys().cloned().collect();
            let words = format!("Removed nodes by type: {}", words::types(&removed));
            Ok(StepDraft::edit(words, types))
        })?;
        let (nodes, edges) = (committed.nodes.deleted, committed.edges.deleted);
        let fields = result(false, nodes, edges, &committed.value);
        Ok(Reply::written(fields, &committed))
    }
}

fn names(types: &BTreeMap<String, u64>) -> Bind {
    let names: Vec<&String> = types.keys().collect();
    Bind::Text(json!(names).to_string())
}

fn result(preview: bool, nodes: u64, edges: u64, types: &BTreeMap<String, u64>) -> Fields {
    Fields::default()
        .value("preview", &preview)
        .value("nodes", &nodes)
        .value("edges", &edges)
        .value("types", types)
}

::operation::operation! {
    /// Removes nodes with their edges, and edges, all or nothing, as one step.
    pub(crate) struct RemoveMultiple {
        /// Ids of nodes.
        "nodes" => nodes: Option<NodeIds>,
        /// Ids of edges.
        "edges" => edges: Option<Texts>,
        /// The version that the graph must have, or nothing is changed.
        "ifVersion" => if_version: Option<Version>,
    }
    name: "removeMultiple",
    title: "Remove nodes and edges",
    effect: Effect::REMOVES,
    output: "BulkAnswer",
    route: Route::write("removemultiple", "POST", path!("/remove"), "Remove nodes and edges, as one step", Body::Batch),
    example: r#"{"nodes":["NCBIGene:3952"]}"#,
}

impl Operation<'_> for RemoveMultiple {
    fn run<D: Database>(self, graph: &Graph<'_, D>) -> Result<Reply> {
        let (nodes, edges) = (self.nodes, self.edges);
        if nodes.is_none() && edges.is_none() {
            return Err(Error::invalid("nodes or edges must be given"));
        }
        let (nodes, edges) = (nodes.unwrap_or_default(), edges.unwrap_or_default());
        if nodes.len() + edges.len() > MAX_ITEMS {
            return Err(Error::invalid(format!(
                "the request has more than {MAX_ITEMS} nodes and edges"
            )));
        }
        let committed = commit(graph, self.if_version, |write| {
            let mut issues = Issues::default();
            let node_seqs = seqs(write.db, ItemList::Nodes, &nodes, &mut issues)?;
            let edge_seqs = seqs(write.db, ItemList::Edges, &edges, &mut issues)?;
            issues.check()?;
            write.delete_nodes(&node_seqs)?;
            write.delete_edges(&edge_seqs)?;
            let nodes = NODES.tally(write.db, write.version)?.deleted;
            let edges = EDGES.tally(write.db, write.version)?.deleted;
            let (nodes, edges) = (words::count(nodes, "node"), words::count(edges, "edge"));
            Ok(StepDraft::edit(format!("Removed {nodes} and {edges}"), ()))
        })?;
        let fields = Fields::default()
            .value("nodes", &committed.nodes.deleted)
            .value("edges", &committed.edges.deleted);
        Ok(Reply::written(fields, &committed))
    }
}

/// Returns the rows of ids. A duplicate id counts once.
fn seqs<D: Database>(
    db: &D,
    list: ItemList,
    ids: &[String],
    issues: &mut Issues,
) -> Result<Vec<u64>> {
    let found = find::seqs_of(db, list, ids.iter().map(String::as_str))?;
    for (index, id) in ids.iter().enumerate() {
        if !found.contains_key(&index) {
            let error = match list {
                ItemList::Nodes => plan::missing_node(db, id, issues.count())?,
                ItemList::Edges => plan::missing_edge(db, id, issues.count())?,
            };
            issues.add_error(list, index, &error);
        }
    }
    let mut seqs: Vec<u64> = found.into_values().collect();
    seqs.sort_unstable();
    seqs.dedup();
    Ok(seqs)
}
