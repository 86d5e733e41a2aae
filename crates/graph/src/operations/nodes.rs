//! One node.

use base::{Error, Result};
use database::Database;

use super::changes_of_data::{DataChange, merged};
use super::import::OnConflict;
use super::plan::{self, Conflicts};
use super::words;
use crate::arguments::Arguments;
use crate::drafts::{self, Issues, Item};
use crate::model::{Position, check_label, check_type};
use crate::reply::Fields;
use crate::store::find;
use crate::store::step::{Made, commit};
use crate::store::write::NodeChange;
use crate::{Graph, ItemList, Reply};

/// The fields of a change of a node, besides its id.
pub(super) const CHANGE_FIELDS: &[&str] = &["label", "type", "data", "position", "pinned"];

/// What a caller wants to change of a node.
pub(super) struct Change {
    pub label: Option<String>,
    pub kind: Option<String>,
    pub data: DataChange,
    pub position: Option<Position>,
    pub pinned: Option<bool>,
}

impl Change {
    /// Reads it from an item or from arguments.
    pub fn read(item: &Item<'_>) -> Result<Self> {
        let label = item.text("label")?;
        if let Some(label) = &label {
            check_label(label, false)?;
        }
        let kind = item.text("type")?;
        if let Some(kind) = &kind {
            check_type(kind, false)?;
        }
        Ok(Self {
            label,
            kind,
            data: DataChange::read(item)?,
            position: item.position()?,
            pinned: item.flag("pinned")?,
        })
    }

    /// Whether it only moves the node.
    pub fn only_moves(&self) -> bool {
        self.position.is_some()
            && self.label.is_none()
            && self.kind.is_none()
            && matches!(self.data, DataChange::None)
    }
}

pub(crate) fn add<D: Database>(graph: &Graph<'_, D>, arguments: &str) -> Result<Reply> {
    const FIELDS: &[&str] = &[
        "id",
        "customId",
        "canonicalId",
        "label",
        "type",
        "data",
        "position",
        "pinned",
        "upsert",
        "ifVersion",
    ];
    let arguments = Arguments::parse(arguments, FIELDS)?;
    let drafts = [drafts::node_of(&arguments.0)?];
    let existing = match arguments.flag("upsert")? {
        true => OnConflict::Replace,
        false => OnConflict::Error,
    };
    let conflicts = Conflicts {
        existing,
        repeated: OnConflict::Error,
    };
    let committed = commit(graph, arguments.if_version()?, |write| {
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
        Ok(Made::edit(words, json))
    })?;
    let created = committed.nodes.created > 0;
    let fields = Fields::default()
        .raw("data", &committed.value)
        .value("created", &created);
    Ok(Reply::written(fields, &committed).created(created))
}

pub(crate) fn get<D: Database>(graph: &Graph<'_, D>, arguments: &str) -> Result<Reply> {
    let id = Arguments::parse(arguments, &["id"])?.id("id")?;
    let seq = find::require(graph.db, ItemList::Nodes, &id)?;
    let json = find::json(graph.db, ItemList::Nodes, seq)?;
    Ok(Reply::read(Fields::default().raw("data", &json)))
}

pub(crate) fn update<D: Database>(graph: &Graph<'_, D>, arguments: &str) -> Result<Reply> {
    let fields = [CHANGE_FIELDS, &["id", "ifVersion"]].concat();
    let arguments = Arguments::parse(arguments, &fields)?;
    let id = arguments.id("id")?;
    let change = Change::read(&arguments.0)?;
    let committed = commit(graph, arguments.if_version()?, |write| {
        let seq = find::require(write.db, ItemList::Nodes, &id)?;
        let data = merged(write.db, ItemList::Nodes, seq, &change.data)?;
        write.change_nodes(&[NodeChange {
            seq,
            label: change.label.clone(),
            kind: change.kind.clone(),
            data,
            position: change.position,
            pinned: change.pinned,
        }])?;
        let did = if change.only_moves() {
            "Moved"
        } else {
            "Updated"
        };
        let label = find::name(write.db, seq)?.label;
        Ok(Made::edit(
            format!("{did} node: {}", words::label(&label)),
            find::json(write.db, ItemList::Nodes, seq)?,
        ))
    })?;
    let fields = Fields::default()
        .raw("data", &committed.value)
        .value("changed", &committed.stepped);
    Ok(Reply::written(fields, &committed))
}

pub(crate) fn remove<D: Database>(graph: &Graph<'_, D>, arguments: &str) -> Result<Reply> {
    let arguments = Arguments::parse(arguments, &["id", "ifVersion"])?;
    let id = arguments.id("id")?;
    let committed = commit(graph, arguments.if_version()?, |write| {
        let seq = find::require(write.db, ItemList::Nodes, &id)?;
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
        Ok(Made::edit(words, json))
    })?;
    let fields = Fields::default()
        .raw("data", &committed.value)
        .value("removedEdges", &committed.edges.deleted);
    Ok(Reply::written(fields, &committed))
}

/// An item that has no id.
pub(super) fn item_id(item: &Item<'_>) -> Result<String> {
    let id = item.text("id")?.ok_or_else(|| drafts::missing("id"))?;
    crate::model::check_id("id", &id)?;
    Ok(id)
}

/// An item whose id stands in an item before it.
pub(super) fn repeated(id: &str) -> Error {
    Error::invalid(format!("the id {id:?} stands in two items"))
}
