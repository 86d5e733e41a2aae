//! Operations on several edges.

use crate::item_changes::EdgeChangeInput;
use crate::kinds::{DataChange, Version};
use crate::list_kinds::{EdgeChanges, NewEdges};
use crate::run::Operation;
use crate::{telling, tools};
use ::operation::arguments::Arguments;
use ::operation::declaration::{Argument, Body, Effect, Route, Tool};
use std::collections::HashSet;

use base::Result;
use database::Database;

use super::changes_of_data::merged_many;
use super::conflicts::{Conflicts, OnConflict};
use super::edge_plan::{self, Matching};
use super::import::skipped;
use super::nodes::repeated;
use super::plan::{self, Ends};
use super::words;
use crate::drafts::{self, Issues};
use crate::model::Data;
use crate::reply::Fields;
use crate::store::find;
use crate::store::step::{StepDraft, commit};
use crate::store::temporal::EDGES;
use crate::store::write::{EdgeChange, Write};
use crate::{Graph, ItemList, Reply};

::operation::operation! {
    /// Adds edges, all or nothing. Edges that exist already are skipped and listed in existing, as
    /// addEdge does.
    pub(crate) struct AddMultipleEdges<'a> {
        /// The edges.
        "edges" => edges: NewEdges,
        /// The version that the graph must have, or nothing is changed.
        "ifVersion" => if_version: Option<Version>,
    }
    name: "addMultipleEdges",
    title: "Add edges",
    effect: Effect::WRITES,
    output: "BulkAnswer",
    route: Route::write("addedges", "POST", path!("/edges/bulk"), "Add edges, all or nothing", Body::Batch),
    example: r#"{"edges":[{"source":"NCBIGene:3630","target":"NCBIGene:3952","label":"interacts_with"}]}"#,
    tool: Tool::new("Many edges as one step.", &[Argument::new("edges").shown(r#"{"type":"array","items":{"type":"object","properties":{"source":{"type":"string"},"target":{"type":"string"},"label":{"type":"string"},"type":{"type":"string"},"data":{"type":"object"},"id":{"type":"string"}},"required":["source","target"]}}"#)], tools::COUNTS, telling::added_edges),
}

impl<'a> Operation<'a> for AddMultipleEdges<'a> {
    fn run<D: Database>(self, graph: &Graph<'_, D>) -> Result<Reply> {
        let conflicts = Conflicts {
            existing: OnConflict::Error,
            repeated: OnConflict::Error,
        };
        let items = self.edges;
        let mut unreadable = Issues::default();
        let drafts = drafts::edges(&items, &mut unreadable);
        unreadable.check()?;
        let committed = commit(graph, self.if_version, |write| {
            let mut issues = Issues::default();
            let none = HashSet::new();
            let ends = drafts
                .iter()
                .map(|edge| [edge.source.as_str(), &edge.target].map(Some));
            plan::check_ends(write.db, ends.enumerate(), &Ends::These(&none), &mut issues)?;
            let plan = edge_plan::edges(
                write.db,
                &drafts,
                conflicts,
                Matching::Additions,
                &mut issues,
            )?;
            issues.check()?;
            plan.apply(write)?;
            let created = EDGES.tally(write.db, write.version)?.created;
            let words = format!("Bulk added {}", words::count(created, "edge"));
            let existing = plan.existing_json();
            Ok(StepDraft::edit(words, (plan.into_ids(), existing)))
        })?;
        let (ids, existing) = &committed.value;
        let fields = Fields::default()
            .value("created", &committed.edges.created)
            .value("skipped", &skipped(committed.edges, items.len()))
            .value("total", &items.len())
            .value("ids", ids)
            .raw("existing", existing);
        let created = committed.edges.created > 0;
        Ok(Reply::written(fields, &committed).created(created))
    }
}

::operation::operation! {
    /// Changes several edges, all or nothing, as one step.
    pub(crate) struct UpdateMultipleEdges<'a> {
        /// The id of each edge, and its changes.
        "edges" => edges: EdgeChanges,
        /// The version that the graph must have, or nothing is changed.
        "ifVersion" => if_version: Option<Version>,
    }
    name: "updateMultipleEdges",
    title: "Update edges",
    effect: Effect::WRITES.once(),
    output: "BulkAnswer",
    route: Route::write("updateedges", "PUT", path!("/edges/bulk-update"), "Update edges, all or nothing", Body::Batch),
    example: r#"{"edges":[]}"#,
}

impl<'a> Operation<'a> for UpdateMultipleEdges<'a> {
    fn run<D: Database>(self, graph: &Graph<'_, D>) -> Result<Reply> {
        let items = self.edges;
        let mut unreadable = Issues::default();
        let changes = drafts::read(ItemList::Edges, &items, &mut unreadable, |raw| {
            EdgeChangeInput::read("a change of an edge", raw)
        });
        unreadable.check()?;
        let committed = commit(graph, self.if_version, |write| {
            apply(write, &changes)?;
            let updated = EDGES.tally(write.db, write.version)?.updated;
            Ok(StepDraft::edit(
                format!("Updated {}", words::count(updated, "edge")),
                (),
            ))
        })?;
        let fields = Fields::default()
            .value("updated", &committed.edges.updated)
            .value("total", &items.len());
        Ok(Reply::written(fields, &committed))
    }
}

fn apply<D: Database>(write: &mut Write<'_, D>, changes: &[EdgeChangeInput]) -> Result<()> {
    let mut issues = Issues::default();
    let ids = changes.iter().map(|change| change.id.as_str());
    let seqs = find::seqs_of(write.db, ItemList::Edges, ids)?;
    let ends = changes.iter().map(EdgeChangeInput::ends);
    let none = HashSet::new();
    plan::check_ends(write.db, ends.enumerate(), &Ends::These(&none), &mut issues)?;
    let mut seen = HashSet::with_capacity(changes.len());
    let mut rows = Vec::new();
    let mut patches: Vec<(usize, u64, &Data)> = Vec::new();
    for (index, change) in changes.iter().enumerate() {
        let Some(seq) = seqs.get(&index).copied() else {
            issues.add_error(
                ItemList::Edges,
                index,
                &plan::missing_edge(write.db, &change.id, issues.count())?,
            );
            continue;
        };
        if !seen.insert(seq) {
            issues.add_error(ItemList::Edges, index, &repeated(&change.id));
            continue;
        }
        if let DataChange::Merge(patch) = &change.data {
            patches.push((index, seq, patch));
        }
        rows.push(change.of_row(seq));
    }
    if issues.is_empty() {
        write.change_edges(&rows)?;
        let mut too_large =
            |index: usize, error: &_| issues.add_error(ItemList::Edges, index, error);
        merged_many(
            write.db,
            ItemList::Edges,
            &patches,
            &mut too_large,
            |merged| {
                let rows: Vec<EdgeChange> = merged
                    .into_iter()
                    .map(|(index, data)| EdgeChange {
                        seq: seqs.get(&index).copied().unwrap_or_default(),
                        data: Some(data),
                        ..EdgeChange::default()
                    })
                    .collect();
                write.change_edges(&rows)
            },
        )?;
    }
    issues.check()
}
