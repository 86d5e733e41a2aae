//! Many nodes.

use std::collections::HashSet;

use base::Result;
use database::Database;

use super::changes_of_data::{DataChange, merged_many};
use super::import::{OnConflict, skipped};
use super::nodes::{CHANGE_FIELDS, Change, item_id, repeated};
use super::plan::{self, Conflicts};
use super::words;
use crate::arguments::Arguments;
use crate::drafts::{self, Issues, Item};
use crate::model::Data;
use crate::reply::Fields;
use crate::store::find;
use crate::store::step::{Made, commit};
use crate::store::temporal::NODES;
use crate::store::write::{NodeChange, Write};
use crate::{Graph, ItemList, Reply};

pub(crate) fn add<D: Database>(graph: &Graph<'_, D>, arguments: &str) -> Result<Reply> {
    let arguments = Arguments::parse(arguments, &["nodes", "onConflict", "ifVersion"])?;
    let on_conflict = arguments.word("onConflict", OnConflict::WORDS, OnConflict::Ignore)?;
    let conflicts = Conflicts {
        existing: on_conflict,
        repeated: on_conflict,
    };
    let items = arguments.items(ItemList::Nodes)?;
    let mut unreadable = Issues::default();
    let drafts = drafts::nodes(&items, &mut unreadable);
    unreadable.check()?;
    let committed = commit(graph, arguments.if_version()?, |write| {
        let mut issues = Issues::default();
        let plan = plan::nodes(write.db, &drafts, conflicts, &mut issues)?;
        issues.check()?;
        plan.apply(write)?;
        let tally = NODES.tally(write.db, write.version)?;
        let words = format!(
            "Bulk added {}",
            words::count(tally.created + tally.updated, "node")
        );
        Ok(Made::edit(words, plan.ids))
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

pub(crate) fn update<D: Database>(graph: &Graph<'_, D>, arguments: &str) -> Result<Reply> {
    let arguments = Arguments::parse(arguments, &["nodes", "ifVersion"])?;
    let items = arguments.items(ItemList::Nodes)?;
    let fields = [CHANGE_FIELDS, &["id"]].concat();
    let mut unreadable = Issues::default();
    let changes = drafts::read(ItemList::Nodes, &items, &mut unreadable, |raw| {
        let item = Item::parse("a change of a node", raw, &fields)?;
        Ok((item_id(&item)?, Change::read(&item)?))
    });
    unreadable.check()?;
    let committed = commit(graph, arguments.if_version()?, |write| {
        apply(write, &changes)?;
        let updated = words::count(NODES.tally(write.db, write.version)?.updated, "node");
        let moved = changes.iter().all(|(_, change)| change.only_moves());
        let did = if moved { "Moved" } else { "Updated" };
        Ok(Made::edit(format!("{did} {updated}"), ()))
    })?;
    let fields = Fields::default()
        .value("updated", &committed.nodes.updated)
        .value("total", &items.len());
    Ok(Reply::written(fields, &committed))
}

fn apply<D: Database>(write: &mut Write<'_, D>, changes: &[(String, Change)]) -> Result<()> {
    let mut issues = Issues::default();
    let ids = changes.iter().map(|(id, _)| id.as_str());
    let seqs = find::seqs_of(write.db, ItemList::Nodes, ids)?;
    let mut seen = HashSet::with_capacity(changes.len());
    let mut rows = Vec::with_capacity(changes.len());
    let mut patches: Vec<(usize, u64, &Data)> = Vec::new();
    for (index, (id, change)) in changes.iter().enumerate() {
        let Some(seq) = seqs.get(&index).copied() else {
            let error = plan::missing_node(write.db, id, issues.count())?;
            issues.add_error(ItemList::Nodes, index, &error);
            continue;
        };
        if !seen.insert(seq) {
            issues.add_error(ItemList::Nodes, index, &repeated(id));
        }
        if let DataChange::Merge(patch) = &change.data {
            patches.push((index, seq, patch));
        }
        rows.push(NodeChange {
            seq,
            label: change.label.clone(),
            kind: change.kind.clone(),
            data: matches!(change.data, DataChange::Reset).then(Data::empty),
            position: change.position,
            pinned: change.pinned,
        });
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
