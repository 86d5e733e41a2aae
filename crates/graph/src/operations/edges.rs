//! One edge.

use std::collections::HashSet;

use base::Result;
use database::Database;

use super::changes_of_data::{DataChange, merged};
use super::edge_plan::{self, Matching};
use super::import::OnConflict;
use super::plan::{self, Conflicts, Ends};
use super::words;
use crate::arguments::Arguments;
use crate::drafts::{self, Issues, Item};
use crate::model::{check_id, check_label, check_type};
use crate::reply::Fields;
use crate::store::find;
use crate::store::step::{Made, commit};
use crate::store::write::EdgeChange;
use crate::{Graph, ItemList, Reply};

/// The fields of a change of an edge, besides its id.
pub(super) const CHANGE_FIELDS: &[&str] = &["source", "target", "label", "type", "data"];

/// What a caller wants to change of an edge.
pub(super) struct Change {
    pub source: Option<String>,
    pub target: Option<String>,
    pub label: Option<String>,
    pub kind: Option<String>,
    pub data: DataChange,
}

impl Change {
    /// Reads it from an item or from arguments.
    pub fn read(item: &Item<'_>) -> Result<Self> {
        let end = |field: &'static str| -> Result<Option<String>> {
            let id = item.text(field)?;
            id.as_deref().map_or(Ok(()), |id| check_id(field, id))?;
            Ok(id)
        };
        let (source, target) = (end("source")?, end("target")?);
        let label = item.text("label")?;
        if let Some(label) = &label {
            check_label(label, true)?;
        }
        let kind = item.text("type")?;
        if let Some(kind) = &kind {
            check_type(kind, true)?;
        }
        Ok(Self {
            source,
            target,
            label,
            kind,
            data: DataChange::read(item)?,
        })
    }

    /// The ends that it names.
    pub fn ends(&self) -> [Option<&str>; 2] {
        [self.source.as_deref(), self.target.as_deref()]
    }

    /// What changes of the row besides its data.
    pub fn of_row(&self, seq: u64) -> EdgeChange {
        EdgeChange {
            seq,
            source: self.source.clone(),
            target: self.target.clone(),
            label: self.label.clone(),
            kind: self.kind.clone(),
            data: matches!(self.data, DataChange::Reset).then(crate::model::Data::empty),
        }
    }
}

pub(crate) fn add<D: Database>(graph: &Graph<'_, D>, arguments: &str) -> Result<Reply> {
    const FIELDS: &[&str] = &[
        "id",
        "source",
        "target",
        "label",
        "type",
        "data",
        "ifVersion",
    ];
    let arguments = Arguments::parse(arguments, FIELDS)?;
    let drafts = [drafts::edge_of(&arguments.0)?];
    let conflicts = Conflicts {
        existing: OnConflict::Error,
        repeated: OnConflict::Error,
    };
    let committed = commit(graph, arguments.if_version()?, |write| {
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
        Ok(Made::edit(
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

pub(crate) fn get<D: Database>(graph: &Graph<'_, D>, arguments: &str) -> Result<Reply> {
    let id = Arguments::parse(arguments, &["id"])?.id("id")?;
    let seq = find::require(graph.db, ItemList::Edges, &id)?;
    let json = find::json(graph.db, ItemList::Edges, seq)?;
    Ok(Reply::read(Fields::default().raw("data", &json)))
}

pub(crate) fn update<D: Database>(graph: &Graph<'_, D>, arguments: &str) -> Result<Reply> {
    let fields = [CHANGE_FIELDS, &["id", "ifVersion"]].concat();
    let arguments = Arguments::parse(arguments, &fields)?;
    let id = arguments.id("id")?;
    let change = Change::read(&arguments.0)?;
    let committed = commit(graph, arguments.if_version()?, |write| {
        let seq = find::require(write.db, ItemList::Edges, &id)?;
        let mut issues = Issues::default();
        let none = HashSet::new();
        let ends = std::iter::once((0, change.ends()));
        plan::check_ends(write.db, ends, &Ends::These(&none), &mut issues)?;
        let row = change.of_row(seq);
        issues.check_one()?;
        let data = merged(write.db, ItemList::Edges, seq, &change.data)?;
        write.change_edges(&[EdgeChange { data, ..row }])?;
        let ends = find::ends(write.db, seq)?;
        Ok(Made::edit(
            format!("Updated edge: {}", words::ends(&ends)),
            find::json(write.db, ItemList::Edges, seq)?,
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
        let seq = find::require(write.db, ItemList::Edges, &id)?;
        let json = find::json(write.db, ItemList::Edges, seq)?;
        let words = format!("Removed edge: {}", words::ends(&find::ends(write.db, seq)?));
        write.delete_edges(&[seq])?;
        Ok(Made::edit(words, json))
    })?;
    let fields = Fields::default().raw("data", &committed.value);
    Ok(Reply::written(fields, &committed))
}
