//! Undo, redo, restore, and the list of steps.

use crate::kinds::{PageCursor, Version};
use crate::run::Operation;
use crate::{telling, tools};
use ::operation::arguments::Whole;
use ::operation::declaration::{Argument, Body, Effect, Pages, Route, Tool};
use base::Result;
use database::{Bind, Cell, Database, DatabaseExt};
use serde_json::value::RawValue;

use crate::limits::{DEFAULT_PAGE_STEPS, MAX_PAGE_STEPS};
use crate::reading::cursor;
use crate::reply::Fields;
use crate::store::head::Head;
use crate::store::read::texts;
use crate::store::step::{Committed, StepDraft, StepKind, commit};
use crate::store::temporal::{EDGES, NODES};
use crate::store::write::Write;
use crate::{Graph, GraphError, Reply};

const NEWEST_DONE: &str = "SELECT CAST(version AS TEXT), description, '' FROM _codemode_steps WHERE state = 'done' \
     AND version > (SELECT floor FROM _codemode_graph) ORDER BY version DESC LIMIT 1";
const OLDEST_UNDONE: &str = "SELECT CAST(version AS TEXT), description, CAST(undone_by AS TEXT) FROM _codemode_steps WHERE state = 'undone' \
     AND version >= (SELECT floor FROM _codemode_graph) ORDER BY version LIMIT 1";
const PAGE: &str = "SELECT version, '{\"version\":' || version || ',\"kind\":\"' || kind || '\",\"description\":' || json_quote(description) \
     || ',\"createdAt\":\"' || created_at || '\",\"actor\":' || json_quote(actor) \
     || ',\"undone\":' || CASE WHEN state IN ('undone', 'dropped') THEN 'true' ELSE 'false' END \
     || ',\"nodes\":{\"created\":' || nodes_created || ',\"updated\":' || nodes_updated || ',\"deleted\":' || nodes_deleted \
     || '},\"edges\":{\"created\":' || edges_created || ',\"updated\":' || edges_updated || ',\"deleted\":' || edges_deleted || '}}' \
     FROM _codemode_steps WHERE version < ?1 AND version > ?2 ORDER BY version DESC LIMIT ?3";

/// A step to undo or redo.
struct Step {
    version: u64,
    words: String,
    undone_by: u64,
}

fn step<D: Database>(db: &D, sql: &'static str) -> Result<Option<Step>> {
    let found = texts(db, sql, &[])?;
    Ok(found.map(|[version, words, undone_by]: [String; 3]| Step {
        version: version.parse().unwrap_or_default(),
        words,
        undone_by: undone_by.parse().unwrap_or_default(),
    }))
}

fn revert<D: Database>(write: &Write<'_, D>, step: u64) -> Result<()> {
    let [nodes, edges] = write.counts;
    EDGES.revert(write.db, step, write.version, edges)?;
    NODES.revert(write.db, step, write.version, nodes)
}

::operation::operation! {
    /// Undoes the last step.
    pub(crate) struct Undo {
        /// The version that the graph must have, or nothing is changed.
        "ifVersion" => if_version: Option<Version>,
    }
    name: "undo",
    title: "Undo",
    effect: Effect::WRITES,
    output: "StepAnswer",
    route: Route::write("undo", "POST", path!("/undo"), "Undo the last step", Body::Request),
    errors: ["NOTHING_TO_UNDO"],
    tool: Tool::new("Undoes the last step of any caller. ifVersion: only if the graph is at that version.", &[Argument::new("ifVersion")], tools::ITEM, telling::undid),
}

impl Operation<'_> for Undo {
    fn run<D: Database>(self, graph: &Graph<'_, D>) -> Result<Reply> {
        let committed = commit(graph, self.if_version, |write| {
            let step = step(write.db, NEWEST_DONE)?.ok_or(GraphError::NothingToUndo)?;
            revert(write, step.version)?;
            Ok(StepDraft {
                kind: StepKind::Undo(step.version),
                words: format!("Undid: {}", step.words),
                value: step.words,
                told: None,
            })
        })?;
        Ok(reply(&committed))
    }
}

::operation::operation! {
    /// Does the last undone step again.
    pub(crate) struct Redo {
        /// The version that the graph must have, or nothing is changed.
        "ifVersion" => if_version: Option<Version>,
    }
    name: "redo",
    title: "Redo",
    effect: Effect::WRITES,
    output: "StepAnswer",
    route: Route::write("redo", "POST", path!("/redo"), "Do the last undone step again", Body::Request),
    errors: ["NOTHING_TO_REDO"],
    tool: Tool::new("Does the last undone step again.", &[Argument::new("ifVersion")], tools::ITEM, telling::redid),
}

impl Operation<'_> for Redo {
    fn run<D: Database>(self, graph: &Graph<'_, D>) -> Result<Reply> {
        let committed = commit(graph, self.if_version, |write| {
            let step = step(write.db, OLDEST_UNDONE)?.ok_or(GraphError::NothingToRedo)?;
            revert(write, step.undone_by)?;
            Ok(StepDraft {
                kind: StepKind::Redo(step.version),
                words: format!("Redid: {}", step.words),
                value: step.words,
                told: None,
            })
        })?;
        Ok(reply(&committed))
    }
}

::operation::operation! {
    /// Restores the graph to a version, as one step.
    pub(crate) struct Restore {
        /// The version.
        "version" => version: Version,
        /// The version that the graph must have, or nothing is changed.
        "ifVersion" => if_version: Option<Version>,
    }
    name: "restore",
    title: "Restore a version",
    effect: Effect::REMOVES,
    output: "StepAnswer",
    route: Route::write("restore", "POST", path!("/restore"), "Make the graph what it was at a version", Body::Request),
    errors: ["VERSION_NOT_FOUND"],
    example: r#"{"version":0}"#,
}

impl Operation<'_> for Restore {
    fn run<D: Database>(self, graph: &Graph<'_, D>) -> Result<Reply> {
        let version = self.version;
        let committed = commit(graph, self.if_version, |write| {
            Head::load(write.db)?.require_version(version)?;
            EDGES.restore(write.db, version, write.version)?;
            NODES.restore(write.db, version, write.version)?;
            let words = format!("Restored version {version}");
            Ok(StepDraft {
                kind: StepKind::Restore(version),
                words: words.clone(),
                value: words,
                told: None,
            })
        })?;
        Ok(reply(&committed))
    }
}

fn reply(committed: &Committed<String>) -> Reply {
    let data = Fields::default()
        .value("version", &committed.head.version)
        .value("description", &committed.value)
        .raw("nodes", &committed.nodes.to_json())
        .raw("edges", &committed.edges.to_json());
    let fields = Fields::default().raw("data", &data.finish());
    Reply::written(fields, committed)
}

::operation::operation! {
    /// The steps of the graph, newest first.
    pub(crate) struct GetHistory {
        /// Steps of one page at most.
        "limit" => limit: Whole<1, MAX_PAGE_STEPS> = DEFAULT_PAGE_STEPS,
        /// nextCursor of the previous page.
        "cursor" => cursor: Option<PageCursor>,
    }
    name: "getHistory",
    title: "Read the history",
    effect: Effect::READS,
    output: "HistoryAnswer",
    route: Route::read("history", path!("/history"), "The steps, newest first", &["limit", "cursor"]),
    tool: Tool::of_pages("The steps, newest first.", &[Argument::new("limit"), Argument::new("cursor")], tools::PAGE, Pages::Steps),
}

impl Operation<'_> for GetHistory {
    fn run<D: Database>(self, graph: &Graph<'_, D>) -> Result<Reply> {
        let limit = self.limit;
        let head = Head::load(graph.db)?;
        let before = match self.cursor {
            None => head.version + 1,
            Some(text) => cursor::parse(&text, |[before]: [u64; 1]| Some(before))?,
        };
        let binds = [before, head.floor, limit as u64 + 1].map(Bind::number);
        let rows = graph.db.rows(PAGE, &binds)?;
        let more = rows.len() > limit;
        let mut steps = Vec::with_capacity(rows.len());
        let mut last = 0;
        for row in rows.into_iter().take(limit) {
            let mut cells = row.into_iter();
            last = cells.next().map_or(0, |cell| cell.as_count());
            let json = cells.next().unwrap_or(Cell::Null).into_text();
            steps.extend(RawValue::from_string(json).ok());
        }
        let fields = Fields::default()
            .value("data", &steps)
            .value("oldestVersion", &head.floor)
            .value("version", &head.version)
            .value("nextCursor", &more.then(|| last.to_string()));
        Ok(Reply::read(fields))
    }
}
