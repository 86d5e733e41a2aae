//! Decides about each node of a request, and checks the ends of its edges: a node is inserted,
//! changes an existing one, is skipped, or is an issue. [`super::edge_plan`] decides about edges.
//!
//! The existing items are looked up all at once. Nothing is written before all decisions are made.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use base::{Error, Result};
use database::Database;

use super::conflicts::{Conflicts, OnConflict};
use crate::drafts::Issues;
use crate::limits::MAX_SUGGESTED_ISSUES;
use crate::model::{DEFAULT_NODE_TYPE, Data, NodeDraft};
use crate::store::find;
use crate::store::write::{NewNode, NodeChange, Write};
use crate::{GraphError, ItemList, ids};

/// The decisions about nodes.
pub(super) struct NodePlan<'d> {
    /// The id of each draft.
    pub ids: Vec<String>,
    /// The `seq` of each draft that exists already, by index.
    pub existing: HashMap<usize, u64>,
    drafts: &'d [NodeDraft],
    inserts: Vec<usize>,
    changes: Vec<NodeChange>,
}

/// The decision about the first draft with an id.
#[derive(Debug, Clone, Copy)]
pub(super) enum Slot {
    Insert(usize),
    Change(usize),
    Kept,
}

/// Decides about nodes.
pub(super) fn nodes<'d, D: Database>(
    db: &D,
    drafts: &'d [NodeDraft],
    conflicts: Conflicts,
    issues: &mut Issues,
) -> Result<NodePlan<'d>> {
    let list = ItemList::Nodes;
    let ids: Vec<String> = drafts.iter().map(node_id).collect();
    let existing = find::seqs_of(db, list, ids.iter().map(String::as_str))?;
    let (mut inserts, mut changes) = (Vec::new(), Vec::new());
    let mut slots: HashMap<&str, Slot> = HashMap::with_capacity(ids.len());
    for (index, (draft, id)) in drafts.iter().zip(&ids).enumerate() {
        let seq = existing.get(&index).copied();
        if let Some(slot) = slots.get(id.as_str()) {
            match (conflicts.repeated, slot) {
                (OnConflict::Error, _) => issues.add_error(list, index, &exists(list, id)),
                (OnConflict::Ignore, _) | (_, Slot::Kept) => {}
                (OnConflict::Replace, Slot::Insert(at)) => set(&mut inserts, *at, index),
                (OnConflict::Replace, Slot::Change(at)) => {
                    set(
                        &mut changes,
                        *at,
                        node_change(seq.unwrap_or_default(), draft),
                    );
                }
            }
            continue;
        }
        let slot = match (seq, conflicts.existing) {
            (None, _) => {
                inserts.push(index);
                Slot::Insert(inserts.len() - 1)
            }
            (Some(seq), OnConflict::Replace) => {
                changes.push(node_change(seq, draft));
                Slot::Change(changes.len() - 1)
            }
            (Some(_), OnConflict::Ignore) => Slot::Kept,
            (Some(_), OnConflict::Error) => {
                issues.add_error(list, index, &exists(list, id));
                Slot::Kept
            }
        };
        slots.insert(id, slot);
    }
    drop(slots);
    Ok(NodePlan {
        ids,
        existing,
        drafts,
        inserts,
        changes,
    })
}

pub(super) fn set<T>(items: &mut [T], at: usize, item: T) {
    if let Some(place) = items.get_mut(at) {
        *place = item;
    }
}

pub(super) fn exists(list: ItemList, id: &str) -> Error {
    let id = id.to_owned();
    GraphError::AlreadyExists { list, id }.into()
}

/// Returns the id of a node, which is generated if the request names none.
pub(super) fn node_id(draft: &NodeDraft) -> String {
    let id = draft.id.clone();
    id.unwrap_or_else(|| ids::generate(ItemList::Nodes))
}

/// Returns the node to insert.
pub(super) fn new_node<'n>(draft: &'n NodeDraft, id: &'n str) -> NewNode<'n> {
    let kind = match draft.kind.as_str() {
        "" => DEFAULT_NODE_TYPE,
        kind => kind,
    };
    let data = match &draft.data {
        Some(data) => Cow::Borrowed(data.text()),
        None => Cow::Owned(Data::of_type(kind).text().to_owned()),
    };
    NewNode {
        id,
        label: &draft.label,
        kind,
        data,
        position: draft.position.unwrap_or_default(),
        pinned: draft.pinned.unwrap_or_default(),
    }
}

/// Returns the change to an existing node. Absent fields keep their values.
pub(super) fn node_change(seq: u64, draft: &NodeDraft) -> NodeChange {
    NodeChange {
        seq,
        label: Some(draft.label.clone()),
        kind: (!draft.kind.is_empty()).then(|| draft.kind.clone()),
        data: draft.data.clone(),
        position: draft.position,
        pinned: draft.pinned,
    }
}

impl NodePlan<'_> {
    /// Writes the decisions. Returns the `seq` of the first inserted node.
    pub fn apply<D: Database>(&self, write: &mut Write<'_, D>) -> Result<u64> {
        write.change_nodes(&self.changes)?;
        let drafts = self.inserts.iter().filter_map(|index| {
            let draft = self.drafts.get(*index)?;
            Some((draft, self.ids.get(*index)?))
        });
        write.insert_nodes(drafts.map(|(draft, id)| new_node(draft, id)))
    }
}

/// The nodes that may be the ends of an edge.
pub(super) enum Ends<'n> {
    /// The nodes of the request and those of the graph.
    These(&'n HashSet<&'n str>),
    /// Only the nodes of the request.
    Only(&'n HashSet<&'n str>),
}

/// Checks that the ends of edges exist. Each edge with a missing end is an issue that names the
/// first one.
pub(super) fn check_ends<'e, D: Database>(
    db: &D,
    edges: impl Iterator<Item = (usize, [Option<&'e str>; 2])>,
    allowed: &Ends<'_>,
    issues: &mut Issues,
) -> Result<()> {
    let (Ends::These(brought) | Ends::Only(brought)) = allowed;
    let open: Vec<(usize, &str)> = edges
        .flat_map(|(index, ends)| ends.into_iter().flatten().map(move |end| (index, end)))
        .filter(|(_, end)| !brought.contains(end))
        .collect();
    let mut distinct: Vec<&str> = open.iter().map(|(_, end)| *end).collect();
    distinct.sort_unstable();
    distinct.dedup();
    let missing: HashSet<&str> = match allowed {
        Ends::Only(_) => distinct.into_iter().collect(),
        Ends::These(_) => {
            let found = find::seqs_of(db, ItemList::Nodes, distinct.iter().copied())?;
            let known = |index: &usize| found.contains_key(index);
            let lost = distinct
                .iter()
                .enumerate()
                .filter(|(index, _)| !known(index));
            lost.map(|(_, end)| *end).collect()
        }
    };
    let mut last = None;
    for (index, end) in open.into_iter().filter(|(_, end)| missing.contains(end)) {
        if last == Some(index) {
            continue;
        }
        last = Some(index);
        issues.add_error(
            ItemList::Edges,
            index,
            &missing_node(db, end, issues.count())?,
        );
    }
    Ok(())
}

/// Returns the error for an id that no node has. The nearest ids are looked up for the first issues
/// only.
pub(super) fn missing_node<D: Database>(db: &D, id: &str, issues: usize) -> Result<Error> {
    missing(db, ItemList::Nodes, id, issues)
}

/// Returns the error for an id that no edge has.
pub(super) fn missing_edge<D: Database>(db: &D, id: &str, issues: usize) -> Result<Error> {
    missing(db, ItemList::Edges, id, issues)
}

fn missing<D: Database>(db: &D, list: ItemList, id: &str, issues: usize) -> Result<Error> {
    if issues < MAX_SUGGESTED_ISSUES {
        return find::not_found(db, list, id);
    }
    let (id, suggestions) = (id.to_owned(), Vec::new());
    Ok(match list {
        ItemList::Nodes => GraphError::NodeNotFound { id, suggestions }.into(),
        ItemList::Edges => GraphError::EdgeNotFound { id, suggestions }.into(),
    })
}
