//! What becomes of the nodes and edges that a request brings: each is inserted, changes what exists, is skipped, or is an issue.
//!
//! What exists is looked up for all items together; the decisions are made here, and nothing is written before all of them are.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use base::{Error, Result};
use database::Database;

use super::import::OnConflict;
use crate::drafts::Issues;
use crate::limits::MAX_SUGGESTED_ISSUES;
use crate::model::{DEFAULT_NODE_TYPE, Data, EdgeDraft, NodeDraft};
use crate::store::find;
use crate::store::write::{EdgeChange, NewEdge, NewNode, NodeChange, Write};
use crate::{GraphError, ItemList, ids};

/// What happens to an item whose id is taken, by what exists and by an item before it in the request.
#[derive(Debug, Clone, Copy)]
pub(super) struct Conflicts {
    pub existing: OnConflict,
    pub repeated: OnConflict,
}

/// What becomes of nodes.
pub(super) struct NodePlan<'d> {
    /// The id of each draft.
    pub ids: Vec<String>,
    /// The `seq` of each draft that exists, by index.
    pub existing: HashMap<usize, u64>,
    drafts: &'d [NodeDraft],
    inserts: Vec<usize>,
    changes: Vec<NodeChange>,
}

/// Where the first draft of an id went.
enum Slot {
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
    let given = |draft: &NodeDraft| draft.id.clone();
    let ids: Vec<String> = drafts
        .iter()
        .map(|draft| given(draft).unwrap_or_else(|| ids::generate(list)))
        .collect();
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

fn set<T>(items: &mut [T], at: usize, item: T) {
    if let Some(place) = items.get_mut(at) {
        *place = item;
    }
}

fn exists(list: ItemList, id: &str) -> Error {
    let id = id.to_owned();
    GraphError::AlreadyExists { list, id }.into()
}

/// What is not said stays as it is.
fn node_change(seq: u64, draft: &NodeDraft) -> NodeChange {
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
    /// Writes them. The `seq` of the first that is inserted.
    pub fn apply<D: Database>(&self, write: &mut Write<'_, D>) -> Result<u64> {
        write.change_nodes(&self.changes)?;
        let drafts = self.inserts.iter().filter_map(|index| {
            let draft = self.drafts.get(*index)?;
            Some((draft, self.ids.get(*index)?))
        });
        write.insert_nodes(drafts.map(|(draft, id)| {
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
        }))
    }
}

/// What becomes of edges.
pub(super) struct EdgePlan<'d> {
    /// The id of each draft, which is that of an edge that exists where there is the same.
    pub ids: Vec<String>,
    /// The edges that exist and that drafts name.
    pub existing: HashSet<u64>,
    drafts: &'d [EdgeDraft],
    inserts: Vec<(usize, Option<Data>)>,
    changes: Vec<EdgeChange>,
}

/// What makes an edge the same as another.
pub(super) type Key<'d> = [&'d str; 4];

fn key(draft: &EdgeDraft) -> Key<'_> {
    [&draft.source, &draft.target, &draft.label, &draft.kind]
}

/// Decides about edges whose ends are checked.
pub(super) fn edges<'d, D: Database>(
    db: &D,
    drafts: &'d [EdgeDraft],
    conflicts: Conflicts,
    issues: &mut Issues,
) -> Result<EdgePlan<'d>> {
    let same = find::same_edges(db, drafts.iter().map(key))?;
    let given: Vec<(usize, &str)> = drafts
        .iter()
        .enumerate()
        .filter_map(|(index, draft)| Some((index, draft.id.as_deref()?)))
        .collect();
    let found = find::seqs_of(db, ItemList::Edges, given.iter().map(|(_, id)| *id))?;
    let named: HashMap<usize, u64> = found
        .into_iter()
        .filter_map(|(at, seq)| Some((given.get(at)?.0, seq)))
        .collect();
    let mut planning = EdgePlanning {
        moved: moved(&named, &same, conflicts.existing),
        plan: EdgePlan {
            ids: Vec::with_capacity(drafts.len()),
            existing: HashSet::new(),
            drafts,
            inserts: Vec::new(),
            changes: Vec::new(),
        },
        conflicts,
        keys: HashMap::with_capacity(drafts.len()),
        seen: HashSet::with_capacity(given.len()),
    };
    for (index, draft) in drafts.iter().enumerate() {
        let outcome = planning.decide(index, draft, named.get(&index), same.get(&index));
        let id = outcome.unwrap_or_else(|error| {
            issues.add_error(ItemList::Edges, index, &error);
            String::new()
        });
        planning.plan.ids.push(id);
    }
    Ok(planning.plan)
}

/// The edges that become other ones: what they are at present is free.
fn moved(
    named: &HashMap<usize, u64>,
    same: &HashMap<usize, (u64, String)>,
    existing: OnConflict,
) -> HashSet<u64> {
    if existing != OnConflict::Replace {
        return HashSet::new();
    }
    let becomes_other =
        |index: &usize, seq: u64| same.get(index).is_none_or(|(same, _)| *same != seq);
    named
        .iter()
        .filter(|(index, seq)| becomes_other(index, **seq))
        .map(|(_, seq)| *seq)
        .collect()
}

struct EdgePlanning<'d> {
    plan: EdgePlan<'d>,
    conflicts: Conflicts,
    moved: HashSet<u64>,
    /// Where the first draft of a key went, with its index.
    keys: HashMap<Key<'d>, (Slot, usize)>,
    /// Ids of drafts.
    seen: HashSet<&'d str>,
}

impl<'d> EdgePlanning<'d> {
    /// The id that the edge of a draft has.
    fn decide(
        &mut self,
        index: usize,
        draft: &'d EdgeDraft,
        named: Option<&u64>,
        same: Option<&(u64, String)>,
    ) -> Result<String> {
        if let Some((slot, first)) = self.keys.get(&key(draft)) {
            if self.conflicts.repeated == OnConflict::Replace {
                match slot {
                    Slot::Insert(at) => {
                        set(&mut self.plan.inserts, *at, (*first, draft.data.clone()))
                    }
                    Slot::Change(at) => {
                        if let Some(change) = self.plan.changes.get_mut(*at) {
                            change.data.clone_from(&draft.data);
                        }
                    }
                    Slot::Kept => {}
                }
            }
            return Ok(self.plan.ids.get(*first).cloned().unwrap_or_default());
        }
        let id = draft.id.as_deref();
        if let Some(id) = id
            && !self.seen.insert(id)
        {
            return match self.conflicts.repeated {
                OnConflict::Ignore => Ok(id.to_owned()),
                OnConflict::Error | OnConflict::Replace => Err(exists(ItemList::Edges, id)),
            };
        }
        let same = same.filter(|(seq, _)| !self.moved.contains(seq));
        let (slot, id) = match (same, named, id) {
            (Some((seq, known)), named, _) => {
                if let (Some(named), Some(id)) = (named, id)
                    && named != seq
                    && self.conflicts.existing == OnConflict::Replace
                {
                    return Err(exists(ItemList::Edges, id));
                }
                (self.keep(*seq, draft), known.clone())
            }
            (None, Some(seq), Some(id)) => (self.named(*seq, id, draft)?, id.to_owned()),
            (None, _, id) => {
                self.plan.inserts.push((index, draft.data.clone()));
                let id = id.map_or_else(|| ids::generate(ItemList::Edges), str::to_owned);
                (Slot::Insert(self.plan.inserts.len() - 1), id)
            }
        };
        self.keys.insert(key(draft), (slot, index));
        Ok(id)
    }

    /// The same edge is there.
    fn keep(&mut self, seq: u64, draft: &EdgeDraft) -> Slot {
        self.plan.existing.insert(seq);
        if self.conflicts.existing != OnConflict::Replace {
            return Slot::Kept;
        }
        self.plan.changes.push(EdgeChange {
            seq,
            data: draft.data.clone(),
            ..EdgeChange::default()
        });
        Slot::Change(self.plan.changes.len() - 1)
    }

    /// Another edge has the id.
    fn named(&mut self, seq: u64, id: &str, draft: &EdgeDraft) -> Result<Slot> {
        self.plan.existing.insert(seq);
        match self.conflicts.existing {
            OnConflict::Error => Err(exists(ItemList::Edges, id)),
            OnConflict::Ignore => Ok(Slot::Kept),
            OnConflict::Replace => {
                self.plan.changes.push(EdgeChange {
                    seq,
                    source: Some(draft.source.clone()),
                    target: Some(draft.target.clone()),
                    label: Some(draft.label.clone()),
                    kind: Some(draft.kind.clone()),
                    data: draft.data.clone(),
                });
                Ok(Slot::Change(self.plan.changes.len() - 1))
            }
        }
    }
}

impl EdgePlan<'_> {
    /// Writes them.
    pub fn apply<D: Database>(&self, write: &mut Write<'_, D>) -> Result<()> {
        write.change_edges(&self.changes)?;
        let drafts = self.inserts.iter().filter_map(|(index, data)| {
            let draft = self.drafts.get(*index)?;
            Some((draft, self.ids.get(*index)?, data))
        });
        write
            .insert_edges(drafts.map(|(draft, id, data)| NewEdge {
                id,
                source: &draft.source,
                target: &draft.target,
                label: &draft.label,
                kind: &draft.kind,
                data: data.as_ref().map_or("{}", Data::text),
            }))
            .map(drop)
    }
}

/// Which nodes an edge may end at.
pub(super) enum Ends<'n> {
    /// Those of the request and those of the graph.
    These(&'n HashSet<&'n str>),
    /// Those of the request alone.
    Only(&'n HashSet<&'n str>),
}

/// Finds edges that would end nowhere: each is an issue that names the first end that is missing.
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

/// The error of an id that no node has. Nearest ids are looked up for the first issues only.
pub(super) fn missing_node<D: Database>(db: &D, id: &str, issues: usize) -> Result<Error> {
    missing(db, ItemList::Nodes, id, issues)
}

/// The error of an id that no edge has.
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

/// Finds changes that would make an edge the same as another. `indexes` are those of the items that the changes come from.
pub(super) fn check_unique<D: Database>(
    db: &D,
    changes: &[EdgeChange],
    indexes: &[usize],
    issues: &mut Issues,
) -> Result<()> {
    let keys = find::keys_after(db, changes)?;
    let same = find::same_edges(
        db,
        keys.iter().map(|key| key.each_ref().map(String::as_str)),
    )?;
    let moved: HashSet<u64> = changes.iter().map(|change| change.seq).collect();
    let mut taken: HashSet<&[String; 4]> = HashSet::with_capacity(keys.len());
    for (at, (key, index)) in keys.iter().zip(indexes).enumerate() {
        let other = same.get(&at).filter(|(seq, _)| !moved.contains(seq));
        match other {
            Some((_, id)) => {
                issues.add_error(ItemList::Edges, *index, &exists(ItemList::Edges, id));
            }
            None if !taken.insert(key) => {
                let message = "two edges would have the same source, target, label and type";
                issues.add_error(ItemList::Edges, *index, &Error::invalid(message));
            }
            None => {}
        }
    }
    Ok(())
}
