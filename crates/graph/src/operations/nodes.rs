//! Operations on one node.

use crate::item_changes::NodeChangeInput;
use crate::kinds::{DataChange, Id, Label, NodeId, Type, Version};
use crate::run::Operation;
use crate::{telling, tools};
use ::operation::declaration::{Argument, Body, Effect, Route, Tool};
use base::{Error, Result};
use database::Database;

use super::changes_of_data::merged;
use super::conflicts::{Conflicts, OnConflict};
use super::plan;
use super::words;
use crate::drafts::{Issues, one_id};
use crate::model::{Data, NodeDraft, Position};
use crate::reply::Fields;
use crate::store::find;
use crate::store::step::{StepDraft, commit};
use crate::store::write::NodeChange;
use crate::{Graph, ItemList, Reply};

::operation::operation! {
    /// Adds a node.
    pub(crate) struct AddNode {
        /// Name for people.
        "label" => label: Label<false>,
        /// gene, protein, disease, drug, pathway, other, or any other word.
        "type" => kind: Option<Type<false>>,
        /// Its data.
        "data" => data: Option<Data>,
        "position" => position: Option<Position>,
        /// True if layouts do not move it.
        "pinned" => pinned: Option<bool>,
        /// Its own id, such as NCBIGene:7157; generated if left out.
        "id" => id: Option<Id>,
        /// The same as id.
        "customId" => custom_id: Option<Id>,
        /// The same as id.
        "canonicalId" => canonical_id: Option<Id>,
        /// True to update a node with this id instead of failing with ALREADY_EXISTS.
        "upsert" => upsert: bool = false,
        /// The version that the graph must have, or nothing is changed.
        "ifVersion" => if_version: Option<Version>,
    }
    name: "addNode",
    title: "Add a node",
    effect: Effect::WRITES,
    output: "NodeAnswer",
    route: Route::write("addnode", "POST", path!("/nodes"), "Add a node", Body::Request).with_parameters(&["upsert"]),
    example: r#"{"label":"TP53","type":"gene","id":"NCBIGene:7157"}"#,
    tool: Tool::new("type: gene, protein, disease, drug, pathway, other or any word. canonicalId: its own id, such as NCBIGene:7157.", &[Argument::new("label"), Argument::new("type").required(), Argument::new("data"), Argument::new("position"), Argument::new("canonicalId")], tools::CREATED, telling::added_node),
}

impl Operation<'_> for AddNode {
    fn run<D: Database>(self, graph: &Graph<'_, D>) -> Result<Reply> {
        let id = one_id([
            ("id", self.id),
            ("customId", self.custom_id),
            ("canonicalId", self.canonical_id),
        ])?;
        let drafts = [NodeDraft {
            id,
            label: self.label,
            kind: self.kind.unwrap_or_default(),
            data: self.data,
            position: self.position,
            pinned: self.pinned,
        }];
        let existing = match self.upsert {
            true => OnConflict::Replace,
            false => OnConflict::Error,
        };
        let conflicts = Conflicts {
            existing,
            repeated: OnConflict::Error,
        };
        let committed = commit(graph, self.if_version, |write| {
            let mut issues = Issues::default();
            let plan = plan::nodes(write.db, &drafts, conflicts, &mut issues)?;
            issues.check_one()?;
            let inserted = plan.apply(write)?;
            let seq = plan.existing.get(&0).copied();
            let [draft] = &drafts;
            let words = match seq {
                None => format!("Added node: {}", words::label(&draft.label)),
                Some(_) => format!("Updated node: {}", words::label(&draft.label)),
            };
            let json = find::json(write.db, ItemList::Nodes, seq.unwrap_or(inserted))?;
            Ok(StepDraft::edit(words, json))
        })?;
        let created = committed.nodes.created > 0;
        let fields = Fields::default()
            .raw("data", &committed.value)
            .value("created", &created);
        Ok(Reply::written(fields, &committed).created(created))
    }
}

::operation::operation! {
    /// One node.
    pub(crate) struct GetNode {
        /// The id of the node.
        "id" => id: NodeId,
    }
    name: "getNode",
    title: "Read a node",
    effect: Effect::READS,
    output: "NodeAnswer",
    route: Route::read("getnode", path!("/nodes/{id}"), "One node", &[]),
    errors: ["NODE_NOT_FOUND"],
}

impl Operation<'_> for GetNode {
    fn run<D: Database>(self, graph: &Graph<'_, D>) -> Result<Reply> {
        let seq = find::require(graph.db, ItemList::Nodes, &self.id)?;
        let json = find::json(graph.db, ItemList::Nodes, seq)?;
        Ok(Reply::read(Fields::default().raw("data", &json)))
    }
}

::operation::operation! {
    /// Changes the given fields of a node; data is a JSON merge patch.
    pub(crate) struct UpdateNode {
        /// The id of the node.
        "id" => id: NodeId,
        /// Name for people.
        "label" => label: Option<Label<false>>,
        /// gene, protein, disease, drug, pathway, other, or any other word.
        "type" => kind: Option<Type<false>>,
        /// A JSON merge patch (RFC 7396) of its data.
        "data" => data: DataChange,
        "position" => position: Option<Position>,
        /// True if layouts do not move it.
        "pinned" => pinned: Option<bool>,
        /// The version that the graph must have, or nothing is changed.
        "ifVersion" => if_version: Option<Version>,
    }
    name: "updateNode",
    title: "Update a node",
    effect: Effect::WRITES.once(),
    output: "NodeAnswer",
    route: Route::write("updatenode", "PUT", path!("/nodes/{id}"), "Update a node", Body::Request),
    example: r#"{"data":{"note":"tumour suppressor"}}"#,
    tool: Tool::new("Changes what is given; data is merged, null removes a key. pinned: layouts leave it there.", &[Argument::new("id").named("nodeId"), Argument::new("label"), Argument::new("type"), Argument::new("data"), Argument::new("position"), Argument::new("pinned")], tools::CHANGED, telling::updated_node),
}

impl Operation<'_> for UpdateNode {
    fn run<D: Database>(self, graph: &Graph<'_, D>) -> Result<Reply> {
        let Self {
            id,
            label,
            kind,
            data,
            position,
            pinned,
            if_version,
        } = self;
        let change = NodeChangeInput {
            id,
            label,
            kind,
            data,
            position,
            pinned,
        };
        let committed = commit(graph, if_version, |write| {
            let seq = find::require(write.db, ItemList::Nodes, &change.id)?;
            let data = merged(write.db, ItemList::Nodes, seq, &change.data)?;
            write.change_nodes(&[NodeChange {
                data,
                ..change.of_row(seq)
            }])?;
            let did = if change.only_moves() {
                "Moved"
            } else {
                "Updated"
            };
            let label = find::name(write.db, seq)?.label;
            Ok(StepDraft::edit(
                format!("{did} node: {}", words::label(&label)),
                find::json(write.db, ItemList::Nodes, seq)?,
            ))
        })?;
        let fields = Fields::default()
            .raw("data", &committed.value)
            .value("changed", &committed.stepped);
        Ok(Reply::written(fields, &committed))
    }
}

::operation::operation! {
    /// Removes a node and its edges, as one step.
    pub(crate) struct RemoveNode {
        /// The id of the node.
        "id" => id: NodeId,
        /// The version that the graph must have, or nothing is changed.
        "ifVersion" => if_version: Option<Version>,
    }
    name: "removeNode",
    title: "Remove a node",
    effect: Effect::REMOVES,
    output: "NodeAnswer",
    route: Route::write("removenode", "DELETE", path!("/nodes/{id}"), "Remove a node with its edges", Body::None),
    tool: Tool::new("Removes a node with its edges.", &[Argument::new("id").named("nodeId")], tools::ITEM, telling::removed_node),
}

impl Operation<'_> for RemoveNode {
    fn run<D: Database>(self, graph: &Graph<'_, D>) -> Result<Reply> {
        let committed = commit(graph, self.if_version, |write| {
            let seq = find::require(write.db, ItemList::Nodes, &self.id)?;
            let json = find::json(write.db, ItemList::Nodes, seq)?;
            let label = words::label(&find::name(write.db, seq)?.label);
            write.delete_nodes(&[seq])?;
            let edges = crate::store::temporal::EDGES
                .tally(write.db, write.version)?
                .deleted;
            let words = match edges {
                0 => format!("Removed node: {label}"),
                _ => format!("Removed node: {label} and {}", words::count(edges, "edge")),
            };
            Ok(StepDraft::edit(words, json))
        })?;
        let fields = Fields::default()
            .raw("data", &committed.value)
            .value("removedEdges", &committed.edges.deleted);
        Ok(Reply::written(fields, &committed))
    }
}

/// Returns the error for an item that repeats the id of an earlier item.
pub(super) fn repeated(id: &str) -> Error {
    Error::invalid(format!("two items have the id {id:?}"))
}
