//! Undo, redo, restore, and the list of steps.

use base::Result;
use database::{Bind, Cell, Database, DatabaseExt};
use serde_json::value::RawValue;

use crate::arguments::Arguments;
use crate::drafts;
use crate::limits::{DEFAULT_PAGE_STEPS, MAX_PAGE_STEPS};
use crate::reading::cursor;
use crate::reply::Fields;
use crate::store::head::Head;
use crate::store::read::texts;
use crate::store::step::{Committed, Made, StepKind, commit};
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

/// A step that is undone or done again.
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

pub(crate) fn undo<D: Database>(graph: &Graph<'_, D>, arguments: &str) -> Result<Reply> {
    let arguments = Arguments::parse(arguments, &["ifVersion"])?;
    let committed = commit(graph, arguments.if_version()?, |write| {
        let step = step(write.db, NEWEST_DONE)?.ok_or(GraphError::NothingToUndo)?;
        revert(write, step.version)?;
        Ok(Made {
            kind: StepKind::Undo(step.version),
            words: format!("Undid: {}", step.words),
            value: step.words,
        })
    })?;
    Ok(reply(&committed))
}

pub(crate) fn redo<D: Database>(graph: &Graph<'_, D>, arguments: &str) -> Result<Reply> {
    let arguments = Arguments::parse(arguments, &["ifVersion"])?;
    let committed = commit(graph, arguments.if_version()?, |write| {
        let step = step(write.db, OLDEST_UNDONE)?.ok_or(GraphError::NothingToRedo)?;
        revert(write, step.undone_by)?;
        Ok(Made {
            kind: StepKind::Redo(step.version),
            words: format!("Redid: {}", step.words),
            value: step.words,
        })
    })?;
    Ok(reply(&committed))
}

/// Makes the graph what it was; this is a step that can be undone.
pub(crate) fn restore<D: Database>(graph: &Graph<'_, D>, arguments: &str) -> Result<Reply> {
    let arguments = Arguments::parse(arguments, &["version", "ifVersion"])?;
    let version = arguments
        .version("version")?
        .ok_or_else(|| drafts::missing("version"))?;
    let committed = commit(graph, arguments.if_version()?, |write| {
        Head::load(write.db)?.require_version(version)?;
        EDGES.restore(write.db, version, write.version)?;
        NODES.restore(write.db, version, write.version)?;
        let words = format!("Restored version {version}");
        Ok(Made {
            kind: StepKind::Restore(version),
            words: words.clone(),
            value: words,
        })
    })?;
    Ok(reply(&committed))
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

pub(crate) fn list<D: Database>(graph: &Graph<'_, D>, arguments: &str) -> Result<Reply> {
    let arguments = Arguments::parse(arguments, &["limit", "cursor"])?;
    let limit = arguments.number("limit", 1..=MAX_PAGE_STEPS, DEFAULT_PAGE_STEPS)?;
    let head = Head::load(graph.db)?;
    let before = match arguments.0.text("cursor")? {
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
