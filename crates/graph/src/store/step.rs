//! Commits the changes of one request as one step: a new version of the graph, in one transaction
//! with its row in the history and all counters.
//!
//! A handler only changes rows, through [`Write`]. The counts are then read from the tables, so
//! that no handler can count wrongly, and a request that changed nothing adds no step. Only the
//! statements of [`super::single`] tell what they have changed.

use base::time::iso8601;
use base::{Result, text};
use database::{Bind, Database, DatabaseExt};

use super::head::Head;
use super::indexes;
use super::retention;
use super::single::SingleChange;
use super::temporal::{Tally, tally_all};
use super::write::Write;
use crate::limits::{MAX_DESCRIPTION_CHARACTERS, MAX_EDGES, MAX_NODES};
use crate::{Graph, GraphError, ItemList};

/// The kind of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StepKind {
    /// A change by a caller.
    Edit,
    /// The undo of this step.
    Undo(u64),
    /// The redo of the first step, which the second one had undone.
    Redo(u64),
    /// The restoration of this version.
    Restore(u64),
}

impl StepKind {
    fn name(self) -> &'static str {
        match self {
            Self::Edit => "edit",
            Self::Undo(_) => "undo",
            Self::Redo(_) => "redo",
            Self::Restore(_) => "restore",
        }
    }

    fn target(self) -> Bind {
        match self {
            Self::Edit => Bind::Null,
            Self::Undo(target) | Self::Redo(target) | Self::Restore(target) => Bind::number(target),
        }
    }

    /// Returns the state in which the step is recorded: `done` if it can be undone.
    fn state(self) -> &'static str {
        match self {
            Self::Edit | Self::Restore(_) => "done",
            Self::Undo(_) | Self::Redo(_) => "none",
        }
    }
}

/// The result of a handler: the description and the kind of the step, and a value for the response.
pub(crate) struct StepDraft<T> {
    pub kind: StepKind,
    pub words: String,
    pub value: T,
    /// The changes, if the handler's statements have told them.
    pub told: Option<SingleChange>,
}

impl<T> StepDraft<T> {
    /// Returns the result of a change of a single item by a caller.
    pub fn single(words: impl Into<String>, value: T, change: SingleChange) -> Self {
        Self {
            told: Some(change),
            ..Self::edit(words, value)
        }
    }

    /// Returns the result of a change by a caller.
    pub fn edit(words: impl Into<String>, value: T) -> Self {
        Self {
            kind: StepKind::Edit,
            words: words.into(),
            value,
            told: None,
        }
    }
}

/// The state after a request.
pub(crate) struct Committed<T> {
    pub value: T,
    /// The row about the graph after the request.
    pub head: Head,
    /// True if the request made a step.
    pub stepped: bool,
    pub nodes: Tally,
    pub edges: Tally,
}

const DROP_UNDONE: &str = "UPDATE _codemode_steps SET state = 'dropped' WHERE state = 'undone'";
const MARK_UNDONE: &str =
    "UPDATE _codemode_steps SET state = 'undone', undone_by = ?2 WHERE version = ?1";
const MARK_DONE: &str =
    "UPDATE _codemode_steps SET state = 'done', undone_by = NULL WHERE version = ?1";
const RECORD: &str = "INSERT INTO _codemode_steps (version, kind, description, actor, created_at, target, state, nodes_created, \
     nodes_updated, nodes_deleted, edges_created, edges_updated, edges_deleted, node_count, edge_count, can_undo, can_redo) \
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
const RECORD_FLAGS: &str =
    "UPDATE _codemode_steps SET can_undo = ?2, can_redo = ?3 WHERE version = ?1";

/// Runs a handler in a transaction and commits its changes as the next version.
///
/// # Errors
/// [`GraphError::VersionConflict`] for a graph at another version, errors of the handler,
/// [`GraphError::GraphFull`]. Nothing is changed then.
pub(crate) fn commit<D: Database, T>(
    graph: &Graph<'_, D>,
    if_version: Option<u64>,
    mut handler: impl FnMut(&mut Write<'_, D>) -> Result<StepDraft<T>>,
) -> Result<Committed<T>> {
    let db = graph.db;
    let mut committed = None;
    // The memory gets the row back after the commit, so a failure leaves it empty.
    let mut kept = graph.memory.take();
    db.transaction(&mut || {
        let mut head = match kept.take() {
            Some(head) => head,
            None => Head::load(db)?,
        };
        head.require(if_version)?;
        let mut write = Write::new(db, &head, iso8601(graph.now_ms));
        let made = handler(&mut write)?;
        let [nodes, edges] = match &made.told {
            Some(change) => [change.nodes, change.edges],
            None => tally_all(db, write.version)?,
        };
        let stepped = !(nodes.is_empty() && edges.is_empty());
        if stepped {
            advance(&mut head, &write, nodes, edges)?;
            match &made.told {
                Some(change) => change.indexes.update(db)?,
                None => indexes::update_all(db, &head, nodes)?,
            }
            record(graph, &mut head, &made, &write.now, nodes, edges)?;
        }
        committed = Some(Committed {
            value: made.value,
            head,
            stepped,
            nodes,
            edges,
        });
        Ok(())
    })?;
    let committed = committed.ok_or_else(|| base::Error::internal("a transaction did not run"))?;
    graph.memory.keep(&committed.head);
    Ok(committed)
}

fn advance<D: Database>(
    head: &mut Head,
    write: &Write<'_, D>,
    nodes: Tally,
    edges: Tally,
) -> Result<()> {
    head.version = write.version;
    head.next_node = write.next_node;
    head.next_edge = write.next_edge;
    head.past_rows += nodes.updated + nodes.deleted + edges.updated + edges.deleted;
    head.node_count = (head.node_count + nodes.created).saturating_sub(nodes.deleted);
    head.edge_count = (head.edge_count + edges.created).saturating_sub(edges.deleted);
    check_size(ItemList::Nodes, head.node_count, nodes, MAX_NODES)?;
    check_size(ItemList::Edges, head.edge_count, edges, MAX_EDGES)
}

fn check_size(list: ItemList, size: u64, tally: Tally, limit: u64) -> Result<()> {
    // A step that removes more than it adds is allowed even in a graph that is too large.
    if size > limit && tally.created > tally.deleted {
        let what = list.name();
        return Err(GraphError::GraphFull { what, size, limit }.into());
    }
    Ok(())
}

fn record<D: Database, T>(
    graph: &Graph<'_, D>,
    head: &mut Head,
    made: &StepDraft<T>,
    now: &str,
    nodes: Tally,
    edges: Tally,
) -> Result<()> {
    let db = graph.db;
    let version = Bind::number(head.version);
    match made.kind {
        StepKind::Edit | StepKind::Restore(_) if !head.can_redo => {}
        StepKind::Edit | StepKind::Restore(_) => drop(db.run(DROP_UNDONE, &[])?),
        StepKind::Undo(target) => {
            db.run(MARK_UNDONE, &[Bind::number(target), version.clone()])?;
        }
        StepKind::Redo(target) => drop(db.run(MARK_DONE, &[Bind::number(target)])?),
    }
    let words = text::cut(&made.words, MAX_DESCRIPTION_CHARACTERS);
    let mut binds = vec![
        version.clone(),
        Bind::text(made.kind.name()),
        Bind::Text(words),
        Bind::text(graph.actor),
        Bind::text(now),
        made.kind.target(),
        Bind::text(made.kind.state()),
    ];
    let counts = [nodes, edges].map(|tally| [tally.created, tally.updated, tally.deleted]);
    binds.extend(counts.as_flattened().iter().copied().map(Bind::number));
    binds.extend([head.node_count, head.edge_count].map(Bind::number));
    // An edit is kept in the history and can be undone, and it has dropped the undone steps. Other
    // kinds of steps read these two from the tables after the write.
    binds.extend([1, 0].map(Bind::number));
    db.run(RECORD, &binds)?;
    let is_edit = matches!(made.kind, StepKind::Edit | StepKind::Restore(_));
    retention::apply(db, head, graph.settings.history_steps, !is_edit)?;
    head.save(db, now)?;
    if is_edit {
        head.created_at.get_or_insert_with(|| now.to_owned());
        head.updated_at = Some(now.to_owned());
        (head.can_undo, head.can_redo) = (true, false);
        return Ok(());
    }
    *head = Head::load(db)?;
    let flags = [head.can_undo, head.can_redo].map(|flag| Bind::number(u64::from(flag)));
    let [can_undo, can_redo] = flags;
    db.run(RECORD_FLAGS, &[version, can_undo, can_redo])
        .map(drop)
}
