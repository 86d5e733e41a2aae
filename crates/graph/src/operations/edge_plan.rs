//! Decides about each edge of a request: it is inserted, changes an existing edge, is an existing
//! edge, or is an issue.
//!
//! An edge with an id is the edge with this id and never another. An edge without an id but with
//! data is always new, even if other edges have its source, target, label and type. Only an edge
//! with neither is the same as an existing one; [`Matching`] has the details.

use std::collections::{HashMap, HashSet};

use base::Result;
use database::Database;
use serde_json::{Value, json};

use super::conflicts::{Conflicts, OnConflict};
use super::plan::{Slot, exists, set};
use crate::drafts::Issues;
use crate::limits::MAX_LISTED_ISSUES;
use crate::model::{Data, EdgeDraft};
use crate::store::find;
use crate::store::fingerprint::Fingerprint;
use crate::store::write::{EdgeChange, NewEdge, Write};
use crate::{ItemList, ids};

/// The rule by which an edge without an id matches an edge of the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Matching {
    /// For edges that a caller adds: an edge with data is new.
    Additions,
    /// For a file: an edge matches one with the same data, so that importing a file again adds
    /// nothing. Each edge of the graph matches at most once, so that a file with two such edges
    /// adds the second. If the import replaces, an edge with other data matches the oldest edge
    /// that is left.
    File,
    /// For rows that were joined by source, target, label and type: an edge matches the one that
    /// has these.
    Rows,
}

/// The decisions about edges.
pub(super) struct EdgePlan<'d> {
    /// The id of each draft: that of the existing edge it matches, or a new one.
    ids: Vec<String>,
    /// The existing edges that drafts name.
    pub existing: HashSet<u64>,
    drafts: &'d [EdgeDraft],
    /// The draft of each new edge.
    inserts: Vec<usize>,
    changes: Vec<EdgeChange>,
    /// The first drafts that match an edge of the graph, or an earlier draft of the request.
    known: Vec<usize>,
}

/// Source, target, label and type of an edge.
type Key<'d> = [&'d str; 4];

fn key(draft: &EdgeDraft) -> Key<'_> {
    [&draft.source, &draft.target, &draft.label, &draft.kind]
}

/// Returns true if an edge has nothing but its source, target, label and type.
pub(super) fn is_bare(draft: &EdgeDraft) -> bool {
    let no_data = || draft.data.as_ref().is_none_or(Data::is_empty);
    draft.id.is_none() && no_data()
}

/// Returns the edge to insert.
pub(super) fn new_edge<'n>(draft: &'n EdgeDraft, id: &'n str) -> NewEdge<'n> {
    NewEdge {
        id,
        source: &draft.source,
        target: &draft.target,
        label: &draft.label,
        kind: &draft.kind,
        data: draft.data.as_ref().map_or("{}", Data::text),
    }
}

/// Decides about edges whose ends have been checked.
pub(super) fn edges<'d, D: Database>(
    db: &D,
    drafts: &'d [EdgeDraft],
    conflicts: Conflicts,
    matching: Matching,
    issues: &mut Issues,
) -> Result<EdgePlan<'d>> {
    let given: Vec<(usize, &EdgeDraft)> = drafts
        .iter()
        .enumerate()
        .filter(|(_, draft)| draft.id.is_some())
        .collect();
    let ids = |draft: &'d EdgeDraft| draft.id.as_deref().unwrap_or_default();
    let found = find::seqs_of(
        db,
        ItemList::Edges,
        given.iter().map(|(_, draft)| ids(draft)),
    )?;
    let index = |at: usize| given.get(at).map(|(index, _)| *index);
    let unchanged = match conflicts.existing {
        OnConflict::Error if !found.is_empty() => {
            let edges = given.iter().map(|(_, draft)| (ids(draft), key(draft)));
            find::unchanged_edges(db, edges)?
        }
        OnConflict::Error | OnConflict::Ignore | OnConflict::Replace => HashSet::new(),
    };
    let named: HashMap<usize, u64> = found
        .into_iter()
        .filter_map(|(at, seq)| Some((index(at)?, seq)))
        .collect();
    let unchanged = unchanged.into_iter().filter_map(index).collect();
    let groups = Groups::new(drafts);
    let matched = match matching {
        Matching::Additions | Matching::Rows => groups.by_ends(db, matching)?,
        Matching::File => groups.by_data(db, &named, conflicts.existing)?,
    };
    let mut planning = EdgePlanning {
        unchanged,
        conflicts,
        by_id: HashMap::with_capacity(given.len()),
        repeated: groups.repeated(),
        plan: EdgePlan {
            ids: Vec::with_capacity(drafts.len()),
            existing: HashSet::new(),
            drafts,
            inserts: Vec::new(),
            changes: Vec::new(),
            known: Vec::new(),
        },
    };
    drop(groups);
    for (index, draft) in drafts.iter().enumerate() {
        let outcome = match draft.id.as_deref() {
            Some(id) => planning.named(index, draft, id, named.get(&index).copied()),
            None => Ok(planning.unnamed(index, draft, matched.get(&index))),
        };
        let id = outcome.unwrap_or_else(|error| {
            issues.add_error(ItemList::Edges, index, &error);
            String::new()
        });
        planning.plan.ids.push(id);
    }
    Ok(planning.plan)
}

/// The drafts without an id, in groups with the same source, target, label and type. They are
/// sorted by these, by their data, and by index. A sorted list needs less memory than a map, which
/// matters for the largest imports.
struct Groups<'d> {
    drafts: &'d [EdgeDraft],
    sorted: Vec<(Fingerprint, usize)>,
    /// The first index of each group.
    starts: Vec<usize>,
}

impl<'d> Groups<'d> {
    fn new(drafts: &'d [EdgeDraft]) -> Self {
        let mut sorted: Vec<(Fingerprint, usize)> = drafts
            .iter()
            .enumerate()
            .filter(|(_, draft)| draft.id.is_none())
            .map(|(index, draft)| {
                let data = draft.data.as_ref().map_or("{}", Data::text);
                (Fingerprint::of(data), index)
            })
            .collect();
        let key_of = |index: usize| drafts.get(index).map(key);
        sorted.sort_unstable_by(|(one_data, one), (other_data, other)| {
            let by_key = key_of(*one).cmp(&key_of(*other));
            by_key.then_with(|| (one_data, one).cmp(&(other_data, other)))
        });
        let mut starts = Vec::new();
        let mut last = None;
        for (at, (_, index)) in sorted.iter().enumerate() {
            let key = key_of(*index);
            if at == 0 || key != last {
                starts.push(at);
            }
            last = key;
        }
        Self {
            drafts,
            sorted,
            starts,
        }
    }

    /// Returns the drafts of a group, and its first index.
    fn group(&self, number: usize) -> (usize, &[(Fingerprint, usize)]) {
        let start = self.starts.get(number).copied().unwrap_or_default();
        let end = self.starts.get(number + 1).copied();
        let end = end.unwrap_or(self.sorted.len());
        (start, self.sorted.get(start..end).unwrap_or_default())
    }

    fn keys(&self) -> impl Iterator<Item = Key<'d>> {
        let firsts = self
            .starts
            .iter()
            .filter_map(|start| self.sorted.get(*start));
        firsts.filter_map(|(_, index)| self.drafts.get(*index).map(key))
    }

    fn is_bare(&self, index: usize) -> bool {
        self.drafts.get(index).is_some_and(is_bare)
    }

    /// Returns the drafts that only repeat an earlier draft, with the index of that one.
    fn repeated(&self) -> HashMap<usize, usize> {
        let mut repeated = HashMap::new();
        for number in 0..self.starts.len() {
            let bare = self.group(number).1.iter().map(|(_, index)| *index);
            let mut bare = bare.filter(|index| self.is_bare(*index));
            if let Some(first) = bare.next() {
                repeated.extend(bare.map(|index| (index, first)));
            }
        }
        repeated
    }

    /// Returns the edges of the graph that drafts match by their ends, label and type alone.
    fn by_ends<D: Database>(
        &self,
        db: &D,
        matching: Matching,
    ) -> Result<HashMap<usize, (u64, String)>> {
        let any = |index: &usize| matching == Matching::Rows || self.is_bare(*index);
        let first = |number: usize| {
            let drafts = self.group(number).1.iter().map(|(_, index)| *index);
            drafts.filter(any).min()
        };
        let firsts: Vec<usize> = (0..self.starts.len()).filter_map(first).collect();
        let keys = firsts.iter().filter_map(|index| self.drafts.get(*index));
        let found = find::same_edges(db, keys.map(key))?;
        let edge = |(at, edge)| Some((*firsts.get::<usize>(at)?, edge));
        Ok(found.into_iter().filter_map(edge).collect())
    }

    /// Returns the edges of the graph that the drafts of a file match: those with the same data,
    /// and then the oldest that are left.
    fn by_data<D: Database>(
        &self,
        db: &D,
        named: &HashMap<usize, u64>,
        existing: OnConflict,
    ) -> Result<HashMap<usize, (u64, String)>> {
        let taken: HashSet<u64> = named.values().copied().collect();
        let mut matched: HashMap<usize, (u64, String)> = HashMap::new();
        // For the position at which each data begins, the number of drafts with it that have
        // matched an edge.
        let mut used: HashMap<usize, usize> = HashMap::new();
        let mut left: HashMap<usize, Vec<(u64, String)>> = HashMap::new();
        find::each_parallel(db, self.keys(), |number, seq, data, id| {
            if taken.contains(&seq) {
                return;
            }
            let (start, group) = self.group(number);
            let first = group.partition_point(|(other, _)| *other < data);
            let used = used.entry(start + first).or_default();
            let next = group.get(first + *used).filter(|(other, _)| *other == data);
            match next {
                // All bare drafts are the same edge, which the first one matches.
                Some((_, index)) if *used == 0 || !self.is_bare(*index) => {
                    *used += 1;
                    matched.insert(*index, (seq, id.to_owned()));
                }
                _ => {
                    let left = left.entry(number).or_default();
                    if left.len() < group.len() {
                        left.push((seq, id.to_owned()));
                    }
                }
            }
        })?;
        for (number, edges) in left {
            let drafts = self.group(number).1.iter().map(|(_, index)| *index);
            let may_be_other =
                |index: &usize| existing == OnConflict::Replace || self.is_bare(*index);
            let mut open: Vec<usize> = drafts
                .filter(|index| may_be_other(index) && !matched.contains_key(index))
                .collect();
            open.sort_unstable();
            matched.extend(open.into_iter().zip(edges));
        }
        Ok(matched)
    }
}

struct EdgePlanning<'d> {
    plan: EdgePlan<'d>,
    conflicts: Conflicts,
    /// Drafts whose id belongs to an edge with the same source, target, label and type.
    unchanged: HashSet<usize>,
    /// The destination of the first draft with each id, and its index.
    by_id: HashMap<&'d str, (Slot, usize)>,
    /// Drafts that only repeat the draft at the other index.
    repeated: HashMap<usize, usize>,
}

impl<'d> EdgePlanning<'d> {
    /// Returns the id of a draft that has one, and decides about it.
    fn named(
        &mut self,
        index: usize,
        draft: &'d EdgeDraft,
        id: &'d str,
        seq: Option<u64>,
    ) -> Result<String> {
        if let Some((slot, first)) = self.by_id.get(id).copied() {
            let is_same = self.plan.drafts.get(first).map(key) == Some(key(draft));
            match (self.conflicts.repeated, slot) {
                (OnConflict::Error, _) if !is_same => return Err(exists(ItemList::Edges, id)),
                (OnConflict::Error | OnConflict::Ignore, _) | (_, Slot::Kept) => {}
                (OnConflict::Replace, Slot::Insert(at)) => set(&mut self.plan.inserts, at, index),
                (OnConflict::Replace, Slot::Change(at)) => {
                    let change = changed(seq.unwrap_or_default(), draft);
                    set(&mut self.plan.changes, at, change);
                }
            }
            self.plan.know(index);
            return Ok(id.to_owned());
        }
        let slot = match seq {
            None => self.plan.insert(index),
            Some(seq) => {
                self.plan.existing.insert(seq);
                self.plan.know(index);
                match self.conflicts.existing {
                    OnConflict::Replace => self.plan.change(changed(seq, draft)),
                    OnConflict::Error if !self.unchanged.contains(&index) => {
                        return Err(exists(ItemList::Edges, id));
                    }
                    OnConflict::Error | OnConflict::Ignore => Slot::Kept,
                }
            }
        };
        self.by_id.insert(id, (slot, index));
        Ok(id.to_owned())
    }

    /// Returns the id of a draft that has none: that of the edge it matches, or a new one.
    fn unnamed(
        &mut self,
        index: usize,
        draft: &EdgeDraft,
        matched: Option<&(u64, String)>,
    ) -> String {
        if let Some(first) = self.repeated.get(&index) {
            let id = self.plan.ids.get(*first).cloned();
            self.plan.know(index);
            return id.unwrap_or_default();
        }
        let Some((seq, id)) = matched else {
            self.plan.insert(index);
            return ids::generate(ItemList::Edges);
        };
        self.plan.existing.insert(*seq);
        self.plan.know(index);
        if self.conflicts.existing == OnConflict::Replace {
            self.plan.change(EdgeChange {
                seq: *seq,
                data: draft.data.clone(),
                ..EdgeChange::default()
            });
        }
        id.clone()
    }
}

/// Returns the changes by which an edge gets the values of a draft.
fn changed(seq: u64, draft: &EdgeDraft) -> EdgeChange {
    EdgeChange {
        seq,
        source: Some(draft.source.clone()),
        target: Some(draft.target.clone()),
        label: Some(draft.label.clone()),
        kind: Some(draft.kind.clone()),
        data: draft.data.clone(),
    }
}

impl EdgePlan<'_> {
    fn insert(&mut self, index: usize) -> Slot {
        self.inserts.push(index);
        Slot::Insert(self.inserts.len() - 1)
    }

    fn change(&mut self, change: EdgeChange) -> Slot {
        self.changes.push(change);
        Slot::Change(self.changes.len() - 1)
    }

    fn know(&mut self, index: usize) {
        if self.known.len() < MAX_LISTED_ISSUES {
            self.known.push(index);
        }
    }

    /// Writes the decisions.
    pub fn apply<D: Database>(&self, write: &mut Write<'_, D>) -> Result<()> {
        write.change_edges(&self.changes)?;
        let drafts = self
            .inserts
            .iter()
            .filter_map(|index| Some((self.drafts.get(*index)?, self.ids.get(*index)?)));
        write
            .insert_edges(drafts.map(|(draft, id)| new_edge(draft, id)))
            .map(drop)
    }

    /// Returns the first drafts that matched an edge: the index of each, and the id of that edge.
    pub fn existing_json(&self) -> String {
        let known = self.known.iter();
        let known: Vec<Value> = known
            .filter_map(|index| Some(json!({"index": index, "id": self.ids.get(*index)?})))
            .collect();
        Value::from(known).to_string()
    }

    /// Returns the id of each draft.
    pub fn into_ids(self) -> Vec<String> {
        self.ids
    }
}
