//! Operations on one node.

use crate::item_changes::NodeChangeInput;
use crate::kinds::{DataChange, Id, Label, NodeId, Type, Version};
use crate::run::Operation;
use crate::{telling, tools};
use ::operation::declaration::{Argument, Body, Effect, Route, Tool};
use base::{Error, Result};
use database::Database;

use super::changes_of_data::{is_patch, merged};
use super::plan;
use super::words;
use crate::drafts::one_id;
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
        let draft = NodeDraft {
            id,
            label: self.label,
            kind: self.kind.unwrap_or_default(),
            data: self.data,
            position: self.position,
            pinned: self.pinned,
        };
        let committed = commit(graph, self.if_version, |write| {
            if self.upsert
                && let Some(id) = &draft.id
            {
                let change = |seq, _: &str| Ok(plan::node_change(seq, &draft));
                if let Some(node) = write.change_node(id, false, change)? {
                    let words = format!("Updated node: {}", words::label(&draft.label));
                    return Ok(StepDraft::single(words, node.json, node.change));
                }
            }
            let id = plan::node_id(&draft);
            let node = write.add_node(&plan::new_node(&draft, &id))?;
            let node = node.ok_or_else(|| plan::exists(ItemList::Nodes, &id))?;
            let words = format!("Added node: {}", words::label(&node.label));
            Ok(StepDraft::single(words, node.json, node.change))
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
            let patched = |seq, data: &str| {
                Ok(NodeChange {
                    data: merged(data, &change.data)?,
                    ..change.of_row(seq)
                })
            };
            let node = write.change_node(&change.id, is_patch(&change.data), patched)?;
            let Some(node) = node else {
                return Err(find::not_found(write.db, ItemList::Nodes, &change.id)?);
            };
            let did = if change.only_moves() {
                "Moved"
            } else {
                "Updated"
            };
            let words = format!("{did} node: {}", words::label(&node.label));
            Ok(StepDraft::single(words, node.json, node.change))
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
            let Some(node) = write.remove_node(&self.id)? else {
                return Err(find::not_found(write.db, ItemList::Nodes, &self.id)?);
            };
            let label = words::label(&node.label);
            let words = match node.change.edges.deleted {
                0 => format!("Removed node: {label}"),
                edges => format!("Removed node: {label} and {}", words::count(edges, "edge")),
            };
            Ok(StepDraft::single(words, node.json, node.change))
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
