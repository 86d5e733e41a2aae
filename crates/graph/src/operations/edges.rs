//! Operations on one edge.

use crate::item_changes::EdgeChangeInput;
use crate::kinds::{DataChange, Id, Label, NodeId, Type, Version};
use crate::run::Operation;
use crate::{telling, tools};
use ::operation::declaration::{Argument, Body, Effect, Route, Tool};
use std::collections::HashSet;

use base::{Error, Result};
use database::Database;

use super::changes_of_data::{is_patch, merged};
use super::conflicts::{Conflicts, OnConflict};
use super::edge_plan::{self, Matching};
use super::plan::{self, Ends};
use super::words;
use crate::drafts::Issues;
use crate::model::{Data, EdgeDraft};
use crate::reply::Fields;
use crate::store::find;
use crate::store::single::ChangedEdge;
use crate::store::step::{StepDraft, commit};
use crate::store::write::{EdgeChange, Write};
use crate::{Graph, ItemList, Reply, ids};

::operation::operation! {
    /// Adds an edge. If it has neither id nor data and an edge with its source, target, label and
    /// type exists, that edge is returned.
    pub(crate) struct AddEdge {
        /// The id of the node where it starts.
        "source" => source: NodeId,
        /// The id of the node where it ends.
        "target" => target: NodeId,
        /// Name for people; may be empty.
        "label" => label: Option<Label<true>>,
        /// Type; may be empty.
        "type" => kind: Option<Type<true>>,
        /// Its data.
        "data" => data: Option<Data>,
        /// Its own id; generated if left out.
        "id" => id: Option<Id>,
        /// The version that the graph must have, or nothing is changed.
        "ifVersion" => if_version: Option<Version>,
    }
    name: "addEdge",
    title: "Add an edge",
    effect: Effect::WRITES,
    output: "EdgeAnswer",
    route: Route::write("addedge", "POST", path!("/edges"), "Add an edge", Body::Request),
    example: r#"{"source":"NCBIGene:7157","target":"NCBIGene:3630","label":"associated_with"}"#,
    tool: Tool::new("Connects two nodes. Wherever a node is named, its id or its unique label will do.", &[Argument::new("source"), Argument::new("target"), Argument::new("label"), Argument::new("type"), Argument::new("data"), Argument::new("id")], tools::CREATED, telling::added_edge),
}

impl Operation<'_> for AddEdge {
    fn run<D: Database>(self, graph: &Graph<'_, D>) -> Result<Reply> {
        let draft = EdgeDraft {
            id: self.id,
            source: self.source,
            target: self.target,
            label: self.label.unwrap_or_default(),
            kind: self.kind.unwrap_or_default(),
            data: self.data,
        };
        let committed = commit(graph, self.if_version, |write| {
            let id = draft.id.clone();
            let id = id.unwrap_or_else(|| ids::generate(ItemList::Edges));
            let added = write.add_edge(
                &edge_plan::new_edge(&draft, &id),
                edge_plan::is_bare(&draft),
            )?;
            let edge = match added {
                Some(edge) => edge,
                None => known_edge(write, &draft)?,
            };
            let words = format!("Added edge: {}", words::ends(&edge.ends));
            Ok(StepDraft::single(words, edge.json, edge.change))
        })?;
        let fields = Fields::default()
            .raw("data", &committed.value)
            .value("created", &committed.stepped);
        let created = committed.stepped;
        Ok(Reply::written(fields, &committed).created(created))
    }
}

/// Returns the edge of the graph that a request names again.
///
/// # Errors
/// The reason why the edge was not added, if it is no such edge.
fn known_edge<D: Database>(write: &Write<'_, D>, draft: &EdgeDraft) -> Result<ChangedEdge> {
    let mut issues = Issues::default();
    let none = HashSet::new();
    let ends = [draft.source.as_str(), &draft.target].map(Some);
    let edges = std::iter::once((0, ends));
    plan::check_ends(write.db, edges, &Ends::These(&none), &mut issues)?;
    let conflicts = Conflicts {
        existing: OnConflict::Error,
        repeated: OnConflict::Error,
    };
    let drafts = std::slice::from_ref(draft);
    let plan = edge_plan::edges(
        write.db,
        drafts,
        conflicts,
        Matching::Additions,
        &mut issues,
    )?;
    issues.check_one()?;
    let id = plan.into_ids().into_iter().next().unwrap_or_default();
    let edge = write.unchanged_edge(&id)?;
    edge.ok_or_else(|| Error::internal("an edge was neither added nor found"))
}

::operation::operation! {
    /// One edge.
    pub(crate) struct GetEdge {
        /// Id of the edge
        "id" => id: Id,
    }
    name: "getEdge",
    title: "Read an edge",
    effect: Effect::READS,
    output: "EdgeAnswer",
    route: Route::read("getedge", path!("/edges/{id}"), "One edge", &[]),
    errors: ["EDGE_NOT_FOUND"],
}

impl Operation<'_> for GetEdge {
    fn run<D: Database>(self, graph: &Graph<'_, D>) -> Result<Reply> {
        let seq = find::require(graph.db, ItemList::Edges, &self.id)?;
        let json = find::json(graph.db, ItemList::Edges, seq)?;
        Ok(Reply::read(Fields::default().raw("data", &json)))
    }
}

::operation::operation! {
    /// Changes the given fields of an edge; data is a JSON merge patch.
    pub(crate) struct UpdateEdge {
        /// Id of the edge
        "id" => id: Id,
        /// The id of the node where it starts.
        "source" => source: Option<NodeId>,
        /// The id of the node where it ends.
        "target" => target: Option<NodeId>,
        /// Name for people; may be empty.
        "label" => label: Option<Label<true>>,
        /// Type; may be empty.
        "type" => kind: Option<Type<true>>,
        /// A JSON merge patch (RFC 7396) of its data.
        "data" => data: DataChange,
        /// The version that the graph must have, or nothing is changed.
        "ifVersion" => if_version: Option<Version>,
    }
    name: "updateEdge",
    title: "Update an edge",
    effect: Effect::WRITES.once(),
    output: "EdgeAnswer",
    route: Route::write("updateedge", "PUT", path!("/edges/{id}"), "Update an edge", Body::Request),
    example: r#"{"label":"regulates"}"#,
    tool: Tool::new("Changes what is given; data is merged.", &[Argument::new("id").named("edgeId"), Argument::new("source"), Argument::new("target"), Argument::new("label"), Argument::new("type"), Argument::new("data")], tools::CHANGED, telling::updated_edge),
}

impl Operation<'_> for UpdateEdge {
    fn run<D: Database>(self, graph: &Graph<'_, D>) -> Result<Reply> {
        let Self {
            id,
            source,
            target,
            label,
            kind,
            data,
            if_version,
        } = self;
        let change = EdgeChangeInput {
            id,
            source,
            target,
            label,
            kind,
            data,
        };
        let committed = commit(graph, if_version, |write| {
            let patched = |seq, data: &str| {
                let mut issues = Issues::default();
                let none = HashSet::new();
                let ends = std::iter::once((0, change.ends()));
                plan::check_ends(write.db, ends, &Ends::These(&none), &mut issues)?;
                issues.check_one()?;
                Ok(EdgeChange {
                    data: merged(data, &change.data)?,
                    ..change.of_row(seq)
                })
            };
            let edge = write.change_edge(&change.id, is_patch(&change.data), patched)?;
            let Some(edge) = edge else {
                return Err(find::not_found(write.db, ItemList::Edges, &change.id)?);
            };
            let words = format!("Updated edge: {}", words::ends(&edge.ends));
            Ok(StepDraft::single(words, edge.json, edge.change))
        })?;
        let fields = Fields::default()
            .raw("data", &committed.value)
            .value("changed", &committed.stepped);
        Ok(Reply::written(fields, &committed))
    }
}

::operation::operation! {
    /// Removes an edge.
    pub(crate) struct RemoveEdge {
        /// Id of the edge
        "id" => id: Id,
        /// The version that the graph must have, or nothing is changed.
        "ifVersion" => if_version: Option<Version>,
    }
    name: "removeEdge",
    title: "Remove an edge",
    effect: Effect::REMOVES,
    output: "EdgeAnswer",
    route: Route::write("removeedge", "DELETE", path!("/edges/{id}"), "Remove an edge", Body::None),
    tool: Tool::new("Removes one edge.", &[Argument::new("id").named("edgeId")], tools::ITEM, telling::removed_edge),
}

impl Operation<'_> for RemoveEdge {
    fn run<D: Database>(self, graph: &Graph<'_, D>) -> Result<Reply> {
        let committed = commit(graph, self.if_version, |write| {
            let Some(edge) = write.remove_edge(&self.id)? else {
                return Err(find::not_found(write.db, ItemList::Edges, &self.id)?);
            };
            let words = format!("Removed edge: {}", words::ends(&edge.ends));
            Ok(StepDraft::single(words, edge.json, edge.change))
        })?;
        let fields = Fields::default().raw("data", &committed.value);
        Ok(Reply::written(fields, &committed))
    }
}
