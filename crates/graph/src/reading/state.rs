//! Pages of the graph: as it is, or as it was at a version.

use crate::kinds::{PageCursor, Version, WantedType};
use crate::run::Operation;
use ::operation::arguments::Whole;
use ::operation::declaration::{Argument, Effect, Pages, Route, Tool};
use std::collections::BTreeMap;

use base::Result;
use database::{Bind, Cell, Database, DatabaseExt};
use serde_json::{Value, json};

use super::cursor::Position;
use super::page::{PageRows, Room, Rows, take};
use crate::limits::{DEFAULT_PAGE_ITEMS, MAX_PAGE_BYTES, MAX_PAGE_ITEMS};
use crate::reply::Fields;
use crate::store::columns::{
    coordinate, edge_columns, edge_json, node_columns, node_fields, node_json,
};
use crate::store::head::Head;
use crate::{Graph, ItemList, Reply};

/// The present nodes after `?1`, of the types `?2` unless that is NULL. `?3` is a version, `?4` a
/// bound. The plus sign keeps SQLite from the index of versions, with which it would have to sort
/// all rows; their order is `seq`.
macro_rules! present_nodes {
    ($limit:literal) => {
        concat!(
            " FROM nodes WHERE seq > ?1 AND (?2 IS NULL OR type IN (SELECT value FROM jsonb_each(?2))) AND +version <= ?3 ORDER BY seq",
            $limit
        )
    };
}

macro_rules! present_edges {
    ($limit:literal) => {
        concat!(
            " FROM edges WHERE seq > ?1 AND (?2 IS NULL OR (source IN (SELECT id FROM nodes WHERE type IN (SELECT value FROM jsonb_each(?2))) \
             AND target IN (SELECT id FROM nodes WHERE type IN (SELECT value FROM jsonb_each(?2))))) AND +version <= ?3 ORDER BY seq",
            $limit
        )
    };
}

/// Order and bound are in the inner statement, where SQLite merges two ordered tables. In the outer
/// one, all rows would be sorted.
macro_rules! past {
    ($columns:ident, $now:literal, $past:literal, $filter:expr, $limit:literal) => {
        concat!(
            " FROM (SELECT seq, ",
            $columns!(),
            " FROM ",
            $now,
            " WHERE seq > ?1 AND +version <= ?3 AND (?2 IS NULL OR ",
            $filter,
            ") UNION ALL SELECT seq, ",
            $columns!(),
            " FROM ",
            $past,
            " WHERE seq > ?1 AND +version <= ?3 AND +until > ?3 AND (?2 IS NULL OR ",
            $filter,
            ") ORDER BY seq",
            $limit,
            ")"
        )
    };
}

macro_rules! past_nodes {
    ($limit:literal) => {
        past!(
            node_columns,
            "nodes",
            "_codemode_past_nodes",
            "type IN (SELECT value FROM jsonb_each(?2))",
            $limit
        )
    };
}

/// The ids of the nodes with some types at a version.
macro_rules! past_ids {
    () => {
        "(SELECT id FROM nodes WHERE version <= ?3 AND type IN (SELECT value FROM jsonb_each(?2)) UNION ALL \
          SELECT id FROM _codemode_past_nodes WHERE version <= ?3 AND until > ?3 AND type IN (SELECT value FROM jsonb_each(?2)))"
    };
}

macro_rules! past_edges {
    ($limit:literal) => {
        past!(
            edge_columns,
            "edges",
            "_codemode_past_edges",
            concat!(
                "(source IN ",
                past_ids!(),
                " AND target IN ",
                past_ids!(),
                ")"
            ),
            $limit
        )
    };
}

macro_rules! rows {
    ($json:ident, $from:ident) => {
        Rows {
            items: concat!("SELECT ", $json!(), $from!(" LIMIT ?4")),
            seqs: concat!("SELECT seq", $from!(" LIMIT 2 OFFSET ?4")),
        }
    };
}

const PRESENT_NODES: Rows = rows!(node_json, present_nodes);
const PRESENT_EDGES: Rows = rows!(edge_json, present_edges);
const PAST_NODES: Rows = rows!(node_json, past_nodes);
const PAST_EDGES: Rows = rows!(edge_json, past_edges);

const TYPES: &str = "SELECT type, nodes FROM _codemode_types";
/// The present types, without nodes that were added since, and with those that were removed.
const PAST_TYPES: &str = "SELECT type, sum(n) FROM (SELECT type, nodes AS n FROM _codemode_types UNION ALL \
     SELECT type, -1 FROM nodes WHERE version > ?1 UNION ALL \
     SELECT type, 1 FROM _codemode_past_nodes WHERE until > ?1 AND version <= ?1) GROUP BY type HAVING sum(n) > 0";
const COUNTS: &str =
    "SELECT node_count, edge_count, created_at FROM _codemode_steps WHERE version = ?";

/// Returns the number of nodes of each type.
pub(crate) fn present_types<D: Database>(db: &D) -> Result<BTreeMap<String, u64>> {
    types(db, TYPES, &[])
}

fn types<D: Database>(db: &D, sql: &'static str, binds: &[Bind]) -> Result<BTreeMap<String, u64>> {
    let rows = db.rows(sql, binds)?.into_iter().map(|row| {
        let mut cells = row.into_iter();
        let kind = cells.next().unwrap_or(Cell::Null).into_text();
        (kind, cells.next().map_or(0, |cell| cell.as_count()))
    });
    Ok(rows.collect())
}

/// Returns the types that have one of these names, regardless of case.
pub(crate) fn resolve_types(types: &BTreeMap<String, u64>, names: &[String]) -> Vec<String> {
    let wanted: Vec<String> = names.iter().map(|name| name.to_lowercase()).collect();
    let found = types
        .keys()
        .filter(|kind| wanted.contains(&kind.to_lowercase()));
    found.cloned().collect()
}

/// Returns the type in a request as a parameter: a list of the types with this name, or NULL.
pub(crate) fn type_parameter(types: &BTreeMap<String, u64>, name: Option<&String>) -> Bind {
    name.map_or(Bind::Null, |name| {
        Bind::Text(json!(resolve_types(types, std::slice::from_ref(name))).to_string())
    })
}

::operation::operation! {
    /// The nodes and edges, page by page: first the nodes in the order of their creation, then the
    /// edges.
    pub(crate) struct GetGraphState {
        /// Nodes and edges of one page at most.
        "limit" => limit: Whole<1, MAX_PAGE_ITEMS> = DEFAULT_PAGE_ITEMS,
        /// nextCursor of the previous page.
        "cursor" => cursor: Option<PageCursor>,
        /// Only nodes of this type, and the edges between them.
        "type" => kind: Option<WantedType>,
    }
    name: "getGraphState",
    title: "Read the graph",
    effect: Effect::READS,
    output: "GraphState",
    route: Route::read("graphstate", path!("/state"), "Nodes and edges, page by page", &["limit", "cursor", "type"]),
    tool: Tool::of_pages("A page of the graph, nodes first; more with cursor: nextCursor. type: only nodes of it.", &[Argument::new("limit"), Argument::new("cursor"), Argument::new("type")], r#""data":{"type":"object"},"nextCursor":{"type":["string","null"]}"#, Pages::State).shown(),
}

impl Operation<'_> for GetGraphState {
    fn run<D: Database>(self, graph: &Graph<'_, D>) -> Result<Reply> {
        let head = Head::load(graph.db)?;
        let from = match self.cursor {
            Some(cursor) => Position::parse(&cursor)?,
            None => Position::start(head.version),
        };
        page(graph, self.limit, self.kind.as_ref(), &head, from)
    }
}

::operation::operation! {
    /// Nodes and edges as they were at a version, page by page.
    pub(crate) struct GetVersion {
        /// The version.
        "version" => version: Version,
        /// Nodes and edges of one page at most.
        "limit" => limit: Whole<1, MAX_PAGE_ITEMS> = DEFAULT_PAGE_ITEMS,
        /// nextCursor of the previous page.
        "cursor" => cursor: Option<PageCursor>,
        /// Only nodes of this type, and the edges between them.
        "type" => kind: Option<WantedType>,
    }
    name: "getVersion",
    title: "Read an old version",
    effect: Effect::READS,
    output: "GraphState",
    route: Route::read("graphversion", path!("/history/{version}"), "The graph as it was at a version", &["limit", "cursor", "type"]),
    errors: ["VERSION_NOT_FOUND"],
}

impl Operation<'_> for GetVersion {
    fn run<D: Database>(self, graph: &Graph<'_, D>) -> Result<Reply> {
        let wanted = self.version;
        let from = match self.cursor {
            Some(cursor) => Position::parse(&cursor)?,
            None => Position::start(wanted),
        };
        if from.version != wanted {
            return Err(base::Error::invalid(format!(
                "cursor belongs to version {}, not {wanted}",
                from.version
            )));
        }
        page(
            graph,
            self.limit,
            self.kind.as_ref(),
            &Head::load(graph.db)?,
            from,
        )
    }
}

fn page<D: Database>(
    graph: &Graph<'_, D>,
    limit: usize,
    kind: Option<&String>,
    head: &Head,
    from: Position,
) -> Result<Reply> {
    let db = graph.db;
    head.require_version(from.version)?;
    let mut room = Room {
        items: limit,
        bytes: MAX_PAGE_BYTES,
    };
    let is_present = from.version == head.version;
    let types = if is_present {
        present_types(db)?
    } else {
        types(db, PAST_TYPES, &[Bind::number(from.version)])?
    };
    let kind = type_parameter(&types, kind);
    let (node_rows, edge_rows) = if is_present {
        (PRESENT_NODES, PRESENT_EDGES)
    } else {
        (PAST_NODES, PAST_EDGES)
    };
    let binds = |after: u64| {
        [
            Bind::number(after),
            kind.clone(),
            Bind::number(from.version),
        ]
    };
    let (mut nodes, mut edges) = (PageRows::default(), PageRows::default());
    let mut next = None;
    let mut edges_after = 0;
    if from.list == ItemList::Nodes {
        nodes = take(db, &node_rows, &binds(from.after), &mut room)?;
        next = nodes.last.map(|after| Position { after, ..from });
    } else {
        edges_after = from.after;
    }
    if next.is_none() {
        let list = ItemList::Edges;
        let mut after = Some(edges_after);
        if room.items > 0 && room.bytes > 0 {
            edges = take(db, &edge_rows, &binds(edges_after), &mut room)?;
            after = edges.last;
        } else if head.edge_count == 0 && is_present {
            after = None;
        }
        next = after.map(|after| Position {
            list,
            after,
            ..from
        });
    }
    let data = Fields::default()
        .raw("nodes", &format!("[{}]", nodes.text))
        .raw("edges", &format!("[{}]", edges.text))
        .value("metadata", &metadata(graph, head, from.version, &types)?);
    let fields = Fields::default()
        .raw("data", &data.finish())
        .value("nextCursor", &next.map(Position::to_text));
    Ok(Reply::read(fields))
}

/// Returns the `metadata` of a version. Undo and redo refer to the present graph.
fn metadata<D: Database>(
    graph: &Graph<'_, D>,
    head: &Head,
    version: u64,
    types: &BTreeMap<String, u64>,
) -> Result<Value> {
    let mut head = head.clone();
    if version != head.version {
        head.updated_at = head.created_at.clone();
        (head.node_count, head.edge_count) = (0, 0);
        head.version = version;
        if let Some(row) = graph.db.rows(COUNTS, &[Bind::number(version)])?.first() {
            let count = |at: usize| row.get(at).map_or(0, Cell::as_count);
            (head.node_count, head.edge_count) = (count(0), count(1));
            head.updated_at = row.get(2).and_then(Cell::as_text).map(str::to_owned);
        }
    }
    let mut metadata = head.metadata();
    if let Some(fields) = metadata.as_object_mut() {
        fields.insert("lastUpdated".to_owned(), head.updated_at.into());
        fields.insert("types".to_owned(), json!(types));
    }
    Ok(metadata)
}
