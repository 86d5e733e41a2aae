//! Operations on one edge.

use crate::item_changes::EdgeChangeInput;
use crate::kinds::{DataChange, Id, Label, NodeId, Type, Version};
use crate::run::Operation;
use crate::{telling, tools};
use ::operation::declaration::{Argument, Body, Effect, Route, Tool};
use std::collections::HashSet;

use base::Result;
use database::Database;

use super::changes_of_data::merged;
use super::conflicts::{Conflicts, OnConflict};
use super::edge_plan::{self, Matching};
use super::plan::{self, Ends};
use super::words;
use crate::drafts::Issues;
use crate::model::{Data, EdgeDraft};
use crate::reply::Fields;
use crate::store::find;
use crate::store::step::{StepDraft, commit};
use crate::store::write::EdgeChange;
use crate::{Graph, ItemList, Reply};

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
        let drafts = [EdgeDraft {
            id: self.id,
            source: self.source,
            target: self.target,
            label: self.label.unwrap_or_default(),
            kind: self.kind.unwrap_or_default(),
            data: self.data,
        }];
        let conflicts = Conflicts {
            existing: OnConflict::Error,
            repeated: OnConflict::Error,
        };
        let committed = commit(graph, self.if_version, |write| {
            let mut issues = Issues::default();
            let ends = drafts
                .iter()
                .map(|edge| [edge.source.as_str(), &edge.target].map(Some));
            let none = HashSet::new();
            plan::check_ends(write.db, ends.enumerate(), &Ends::These(&none), &mut issues)?;
            let plan = edge_plan::edges(
                write.db,
                &drafts,
                conflicts,
                Matching::Additions,
                &mut issues,
            )?;
            issues.check_one()?;
            plan.apply(write)?;
            let id = plan.into_ids().into_iter().next().unwrap_or_default();
            let seq = find::require(write.db, ItemList::Edges, &id)?;
            let ends = find::ends(write.db, seq)?;
            Ok(StepDraft::edit(
                format!("Added edge: {}", words::ends(&ends)),
                find::json(write.db, ItemList::Edges, seq)?,
            ))
        })?;
        let fields = Fields::default()
            .raw("data", &committed.value)
            .value("created", &committed.stepped);
        let created = committed.stepped;
        Ok(Reply::written(fields, &committed).created(created))
    }
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
            let seq = find::require(write.db, ItemList::Edges, &change.id)?;
            let mut issues = Issues::default();
            let none = HashSet::new();
            let ends = std::iter::once((0, change.ends()));
            plan::check_ends(write.db, ends, &Ends::These(&none), &mut issues)?;
            let row = change.of_row(seq);
            issues.check_one()?;
            let data = merged(write.db, ItemList::Edges, seq, &change.data)?;
            write.change_edges(&[EdgeChange { data, ..row }])?;
            let ends = find::ends(write.db, seq)?;
            Ok(StepDraft::edit(
                format!("Updated edge: {}", words::ends(&ends)),
                find::json(write.db, ItemList::Edges, seq)?,
            ))
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
            let seq = find::require(write.db, ItemList::Edges, &self.id)?;
            let json = find::json(write.db, ItemList::Edges, seq)?;
            let words = format!("Removed edge: {}", words::ends(&find::ends(write.db, seq)?));
            write.delete_edges(&[seq])?;
            Ok(StepDraft::edit(words, json))
        })?;
        let fields = Fields::default().raw("data", &committed.value);
        Ok(Reply::written(fields, &committed))
    }
}
