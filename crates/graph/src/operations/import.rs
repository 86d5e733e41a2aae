//! Imports of nodes and edges together, including the example graphs.

use crate::kinds::{Example, Version};
use crate::list_kinds::{NewEdges, NewNodes};
use crate::run::Operation;
use ::operation::arguments::Arguments;
use ::operation::declaration::{Body, Effect, Route};
use std::collections::HashSet;

use base::Result;
use database::Database;

use super::conflicts::{Conflicts, Mode, OnConflict};
use super::edge_plan;
pub(crate) use super::edge_plan::Matching;
use super::plan::{self, Ends};
use super::words;
use crate::drafts::{self, Issues};
use crate::model::{Data, Drafts, NodeDraft};
use crate::reply::Fields;
use crate::store::read::each_line;
use crate::store::step::{StepDraft, commit};
use crate::store::temporal::{EDGES, NODES, Tally};
use crate::store::write::Write;
use crate::{Graph, Reply};

const ALL_NODES: &str = "SELECT CAST(seq AS TEXT) FROM nodes";
const ALL_EDGES: &str = "SELECT CAST(seq AS TEXT) FROM edges";

/// The options of an import.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Import {
    /// The treatment of items whose id exists.
    pub on_conflict: OnConflict,
    /// The treatment of the graph's present content.
    pub mode: Mode,
    /// The rule by which edges without an id match existing edges.
    pub matching: Matching,
    /// The version that the graph must have.
    pub if_version: Option<u64>,
}

/// Imports the nodes and edges of a file as one step, like `import_as`.
///
/// # Errors
/// Errors of `import_as`.
pub fn import<D: Database>(
    graph: &Graph<'_, D>,
    drafts: &Drafts,
    on_conflict: OnConflict,
    mode: Mode,
    if_version: Option<u64>,
    words: Option<&str>,
) -> Result<Reply> {
    let how = Import {
        on_conflict,
        mode,
        matching: Matching::File,
        if_version,
    };
    import_as(graph, drafts, how, words)
}

/// Imports nodes and edges as one step, all or nothing. `words` is the description in the history;
/// without it, the description counts the imported items.
///
/// The fields of the response are `nodes` and `edges`, each `{created, updated, skipped, deleted}`,
/// and `existing`, the first edges that existed already.
///
/// # Errors
/// [`crate::GraphError::InvalidItems`] with each item that cannot be used,
/// [`crate::GraphError::VersionConflict`], [`crate::GraphError::GraphFull`].
pub(crate) fn import_as<D: Database>(
    graph: &Graph<'_, D>,
    drafts: &Drafts,
    Import {
        on_conflict,
        mode,
        matching,
        if_version,
    }: Import,
    words: Option<&str>,
) -> Result<Reply> {
    let filled;
    let drafts = match mode {
        Mode::Merge => drafts,
        Mode::Replace => {
            filled = with_defaults(drafts);
            &filled
        }
    };
    let committed = commit(graph, if_version, |write| {
        let existing = apply(write, drafts, on_conflict, mode, matching)?;
        let words = match words {
            Some(words) => words.to_owned(),
            None => words::imported(
                NODES.tally(write.db, write.version)?,
                EDGES.tally(write.db, write.version)?,
            ),
        };
        Ok(StepDraft::edit(words, existing))
    })?;
    let fields = Fields::default()
        .raw("nodes", &counts(committed.nodes, drafts.nodes.len()))
        .raw("edges", &counts(committed.edges, drafts.edges.len()))
        .raw("existing", &committed.value);
    Ok(Reply::written(fields, &committed))
}

/// Returns drafts without empty fields. An import that replaces the graph must not keep old values
/// of absent fields.
fn with_defaults(drafts: &Drafts) -> Drafts {
    let nodes = drafts.nodes.iter().cloned().map(NodeDraft::with_defaults);
    let mut edges = drafts.edges.clone();
    for edge in &mut edges {
        edge.data.get_or_insert_with(Data::empty);
    }
    Drafts {
        nodes: nodes.collect(),
        edges,
    }
}

fn apply<D: Database>(
    write: &mut Write<'_, D>,
    drafts: &Drafts,
    on_conflict: OnConflict,
    mode: Mode,
    matching: Matching,
) -> Result<String> {
    let conflicts = Conflicts {
        existing: match mode {
            Mode::Merge => on_conflict,
            Mode::Replace => OnConflict::Replace,
        },
        repeated: on_conflict,
    };
    let mut issues = Issues::default();
    let nodes = plan::nodes(write.db, &drafts.nodes, conflicts, &mut issues)?;
    let brought: HashSet<&str> = nodes.ids.iter().map(String::as_str).collect();
    let allowed = match mode {
        Mode::Merge => Ends::These(&brought),
        Mode::Replace => Ends::Only(&brought),
    };
    let ends = drafts
        .edges
        .iter()
        .map(|edge| [edge.source.as_str(), &edge.target].map(Some));
    plan::check_ends(write.db, ends.enumerate(), &allowed, &mut issues)?;
    let edges = edge_plan::edges(write.db, &drafts.edges, conflicts, matching, &mut issues)?;
    issues.check()?;
    if mode == Mode::Replace {
        let kept: HashSet<u64> = nodes.existing.values().copied().collect();
        write.delete_nodes(&others(write, ALL_NODES, &kept)?)?;
        write.delete_edges(&others(write, ALL_EDGES, &edges.existing)?)?;
    }
    nodes.apply(write)?;
    edges.apply(write)?;
    Ok(edges.existing_json())
}

/// Returns all rows except for these.
fn others<D: Database>(
    write: &Write<'_, D>,
    all: &'static str,
    kept: &HashSet<u64>,
) -> Result<Vec<u64>> {
    let mut others = Vec::new();
    each_line(write.db, all, &[], |line| {
        let (seq, _) = crate::store::read::leading_number(line)?;
        if !kept.contains(&seq) {
            others.push(seq);
        }
        Ok(())
    })?;
    Ok(others)
}

/// Returns the counts of the items of a list, as JSON.
pub(super) fn counts(tally: Tally, total: usize) -> String {
    format!(
        r#"{{"created":{},"updated":{},"skipped":{},"deleted":{}}}"#,
        tally.created,
        tally.updated,
        skipped(tally, total),
        tally.deleted
    )
}

/// Returns the number of items that changed nothing.
pub(super) fn skipped(tally: Tally, total: usize) -> u64 {
    (total as u64).saturating_sub(tally.created + tally.updated)
}

::operation::arguments! {
    /// The text of an example graph.
    struct ExampleGraph<'a> {
        "nodes" => nodes: NewNodes,
        "edges" => edges: NewEdges,
    }
}

::operation::operation! {
    /// Adds a small example graph.
    pub(crate) struct AddMockData {
        /// The name of the example.
        "dataset" => dataset: Example,
        /// The version that the graph must have, or nothing is changed.
        "ifVersion" => if_version: Option<Version>,
    }
    name: "addMockData",
    title: "Add example data",
    effect: Effect::WRITES.once(),
    output: "ImportAnswer",
    route: Route::write("mockdata", "POST", path!("/mock-data"), "Add a small example graph", Body::Request),
    example: r#"{"dataset":"diabetes"}"#,
}

impl Operation<'_> for AddMockData {
    fn run<D: Database>(self, graph: &Graph<'_, D>) -> Result<Reply> {
        let file = ExampleGraph::parse(self.dataset)?;
        let mut issues = Issues::default();
        let drafts = Drafts {
            nodes: drafts::nodes(&file.nodes, &mut issues),
            edges: drafts::edges(&file.edges, &mut issues),
        };
        issues.check()?;
        let words = Some("Added mock data");
        import(
            graph,
            &drafts,
            OnConflict::Ignore,
            Mode::Merge,
            self.if_version,
            words,
        )
    }
}
