//! Operations on several nodes.

use crate::item_changes::NodeChangeInput;
use crate::kinds::{DataChange, Version};
use crate::list_kinds::{NewNodes, NodeChanges};
use crate::run::Operation;
use crate::{telling, tools};
use ::operation::arguments::{Arguments, OneOf};
use ::operation::declaration::{Argument, Body, Effect, Route, Tool};
use std::collections::HashSet;

use base::Result;
use database::Database;

use super::changes_of_data::merged_many;
use super::conflicts::{Conflicts, OnConflict};
use super::import::skipped;
use super::nodes::repeated;
use super::plan;
use super::words;
use crate::drafts::{self, Issues};
use crate::model::Data;
use crate::reply::Fields;
use crate::store::find;
use crate::store::step::{StepDraft, commit};
use crate::store::temporal::NODES;
use crate::store::write::{NodeChange, Write};
use crate::{Graph, ItemList, Reply};

::operation::operation! {
    /// Adds nodes, all or nothing; ids that exist are skipped unless onConflict says otherwise.
    pub(crate) struct AddMultipleNodes<'a> {
        /// The nodes.
        "nodes" => nodes: NewNodes,
        /// Handling of an id that exists.
        "onConflict" => on_conflict: OneOf<OnConflict> = OnConflict::Ignore,
        /// The version that the graph must have, or nothing is changed.
        "ifVersion" => if_version: Option<Version>,
    }
    name: "addMultipleNodes",
    title: "Add nodes",
    effect: Effect::WRITES,
    output: "BulkAnswer",
    route: Route::write("addnodes", "POST", path!("/nodes/bulk"), "Add nodes, all or nothing", Body::Batch),
    example: r#"{"nodes":[{"id":"NCBIGene:3630","label":"INS","type":"gene"},{"id":"NCBIGene:3952","label":"LEP","type":"gene"}]}"#,
    tool: Tool::new("Many nodes as one step. An id that exists is skipped unless onConflict says otherwise.", &[Argument::new("nodes").shown(r#"{"type":"array","items":{"type":"object","properties":{"label":{"type":"string"},"type":{"type":"string"},"id":{"type":"string"},"data":{"type":"object"}},"required":["label"]}}"#), Argument::new("onConflict").shown(r#"{"enum":["ignore","error","replace"]}"#)], tools::COUNTS, telling::added_nodes),
}

impl<'a> Operation<'a> for AddMultipleNodes<'a> {
    fn run<D: Database>(self, graph: &Graph<'_, D>) -> Result<Reply> {
        let conflicts = Conflicts {
            existing: self.on_conflict,
            repeated: self.on_conflict,
        };
        let items = self.nodes;
        let mut unreadable = Issues::default();
        let drafts = drafts::nodes(&items, &mut unreadable);
        unreadable.check()?;
        let committed = commit(graph, self.if_version, |write| {
            let mut issues = Issues::default();
            let plan = plan::nodes(write.db, &drafts, conflicts, &mut issues)?;
            issues.check()?;
            plan.apply(write)?;
            let tally = NODES.tally(write.db, write.version)?;
            let words = format!(
                "Bulk added {}",
                words::count(tally.created + tally.updated, "node")
            );
            Ok(StepDraft::edit(words, plan.ids))
        })?;
        let fields = Fields::default()
            .value("created", &committed.nodes.created)
            .value("updated", &committed.nodes.updated)
            .value("skipped", &skipped(committed.nodes, items.len()))
            .value("total", &items.len())
            .value("ids", &committed.value);
        let created = committed.nodes.created > 0;
        Ok(Reply::written(fields, &committed).created(created))
    }
}

::operation::operation! {
    /// Changes several nodes, all or nothing, as one step.
    pub(crate) struct UpdateMultipleNodes<'a> {
        /// The id of each node, and its changes.
        "nodes" => nodes: NodeChanges,
        /// The version that the graph must have, or nothing is changed.
        "ifVersion" => if_version: Option<Version>,
    }
    name: "updateMultipleNodes",
    title: "Update nodes",
    effect: Effect::WRITES.once(),
    output: "BulkAnswer",
    route: Route::write("updatenodes", "PUT", path!("/nodes/bulk-update"), "Update nodes, all or nothing", Body::Batch),
    example: r#"{"nodes":[{"id":"NCBIGene:3630","position":{"x":50,"y":-100}}]}"#,
}

impl<'a> Operation<'a> for UpdateMultipleNodes<'a> {
    fn run<D: Database>(self, graph: &Graph<'_, D>) -> Result<Reply> {
        let items = self.nodes;
        let mut unreadable = Issues::default();
        let changes = drafts::read(ItemList::Nodes, &items, &mut unreadable, |raw| {
            NodeChangeInput::read("a change of a node", raw)
        });
        unreadable.check()?;
        let committed = commit(graph, self.if_version, |write| {
            apply(write, &changes)?;
            let updated = words::count(NODES.tally(write.db, write.version)?.updated, "node");
            let moved = changes.iter().all(NodeChangeInput::only_moves);
            let did = if moved { "Moved" } else { "Updated" };
            Ok(StepDraft::edit(format!("{did} {updated}"), ()))
        })?;
        let fields = Fields::default()
            .value("updated", &committed.nodes.updated)
            .value("total", &items.len());
        Ok(Reply::written(fields, &committed))
    }
}

fn apply<D: Database>(write: &mut Write<'_, D>, changes: &[NodeChangeInput]) -> Result<()> {
    let mut issues = Issues::default();
    let ids = changes.iter().map(|change| change.id.as_str());
    let seqs = find::seqs_of(write.db, ItemList::Nodes, ids)?;
    let mut seen = HashSet::with_capacity(changes.len());
    let mut rows = Vec::with_capacity(changes.len());
    let mut patches: Vec<(usize, u64, &Data)> = Vec::new();
    for (index, change) in changes.iter().enumerate() {
        let Some(seq) = seqs.get(&index).copied() else {
            let error = plan::missing_node(write.db, &change.id, issues.count())?;
            issues.add_error(ItemList::Nodes, index, &error);
            continue;
        };
        if !seen.insert(seq) {
            issues.add_error(ItemList::Nodes, index, &repeated(&change.id));
        }
        if let DataChange::Merge(patch) = &change.data {
            patches.push((index, seq, patch));
        }
        rows.push(change.of_row(seq));
    }
    if issues.is_empty() {
        write.change_nodes(&rows)?;
        let mut too_large =
            |index: usize, error: &_| issues.add_error(ItemList::Nodes, index, error);
        merged_many(
            write.db,
            ItemList::Nodes,
            &patches,
            &mut too_large,
            |merged| {
                let rows: Vec<NodeChange> = merged
                    .into_iter()
                    .map(|(index, data)| NodeChange {
                        seq: seqs.get(&index).copied().unwrap_or_default(),
                        data: Some(data),
                        ..NodeChange::default()
                    })
                    .collect();
                write.change_nodes(&rows)
            },
        )?;
    }
    issues.check()
}
