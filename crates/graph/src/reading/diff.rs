//! The differences between two versions.

use crate::kinds::{PageCursor, Version};
use crate::run::Operation;
use ::operation::arguments::Whole;
use ::operation::declaration::{Effect, Route};
use base::Result;
use database::{Bind, Cell, Cursor, Database, EngineError, Statement};

use super::cursor;
use crate::limits::{DEFAULT_PAGE_ITEMS, MAX_PAGE_BYTES, MAX_PAGE_ITEMS};
use crate::reply::Fields;
use crate::store::columns::{
    coordinate, edge_columns, edge_json, node_columns, node_fields, node_json,
};
use crate::store::head::Head;
use crate::{Graph, Reply};

/// The row of `t.seq` at a version, as JSON; NULL if there was none.
macro_rules! row_at {
    ($json:ident, $columns:ident, $now:literal, $past:literal, $version:literal) => {
        concat!(
            "(SELECT ",
            $json!(),
            " FROM (SELECT ",
            $columns!(),
            " FROM ",
            $now,
            " AS n WHERE n.seq = t.seq AND n.version <= ",
            $version,
            " UNION ALL SELECT ",
            $columns!(),
            " FROM ",
            $past,
            " AS p WHERE p.seq = t.seq AND p.version <= ",
            $version,
            " AND p.until > ",
            $version,
            "))"
        )
    };
}

/// Rows that were changed between the versions `?3` and `?4`, as they are at `?1` and at `?2`,
/// after the row `?5`.
macro_rules! differences {
    ($json:ident, $columns:ident, $now:literal, $past:literal) => {
        concat!(
            "SELECT seq, before, after FROM (SELECT t.seq AS seq, ",
            row_at!($json, $columns, $now, $past, "?1"),
            " AS before, ",
            row_at!($json, $columns, $now, $past, "?2"),
            " AS after FROM (SELECT seq FROM ",
            $now,
            " WHERE version > ?3 AND version <= ?4 \
             UNION SELECT seq FROM ",
            $past,
            " WHERE version > ?3 AND version <= ?4 \
             UNION SELECT seq FROM ",
            $past,
            " WHERE until > ?3 AND until <= ?4) AS t WHERE t.seq > ?5) \
             WHERE before IS NOT after ORDER BY seq LIMIT ?6"
        )
    };
}

const NODES: &str = differences!(node_json, node_columns, "nodes", "_codemode_past_nodes");
const EDGES: &str = differences!(edge_json, edge_columns, "edges", "_codemode_past_edges");

/// The differences of one list.
#[derive(Default)]
struct Differences {
    added: Vec<String>,
    removed: Vec<String>,
    changed: Vec<String>,
    /// The last row, if more follow.
    last: Option<u64>,
}

impl Differences {
    fn to_json(&self) -> String {
        let list = |items: &[String]| format!("[{}]", items.join(","));
        Fields::default()
            .raw("added", &list(&self.added))
            .raw("removed", &list(&self.removed))
            .raw("changed", &list(&self.changed))
            .finish()
    }

    fn push(&mut self, before: Cell, after: Cell) {
        match (before, after) {
            (Cell::Text(before), Cell::Text(after)) => {
                let change = Fields::default()
                    .raw("before", &before)
                    .raw("after", &after);
                self.changed.push(change.finish());
            }
            (Cell::Text(before), _) => self.removed.push(before),
            (_, Cell::Text(after)) => self.added.push(after),
            _ => {}
        }
    }
}

/// The remaining room of a page.
struct Room {
    items: usize,
    bytes: usize,
}

::operation::operation! {
    /// The nodes and edges that were added, removed and changed between two versions.
    pub(crate) struct Diff {
        /// The earlier version.
        "from" => from: Version,
        /// The later version; the present one if left out.
        "to" => to: Option<Version>,
        /// Nodes and edges of one page at most.
        "limit" => limit: Whole<1, MAX_PAGE_ITEMS> = DEFAULT_PAGE_ITEMS,
        /// nextCursor of the previous page.
        "cursor" => cursor: Option<PageCursor>,
    }
    name: "diff",
    title: "Compare versions",
    effect: Effect::READS,
    output: "GraphAnswer",
    route: Route::read("diff", path!("/diff"), "The differences between two versions", &["from", "to", "limit", "cursor"]),
    errors: ["VERSION_NOT_FOUND"],
}

impl Operation<'_> for Diff {
    fn run<D: Database>(self, graph: &Graph<'_, D>) -> Result<Reply> {
        let head = Head::load(graph.db)?;
        let (from, given) = (self.from, self.to);
        let (to, list, after) = match self.cursor {
            None => (given.unwrap_or(head.version), 0, 0),
            Some(text) => cursor::parse(&text, |[to, list, after]: [u64; 3]| {
                (given.is_none_or(|given| given == to) && list <= 1).then_some((to, list, after))
            })?,
        };
        head.require_version(from)?;
        head.require_version(to)?;
        let mut room = Room {
            items: self.limit,
            bytes: MAX_PAGE_BYTES,
        };
        let (mut nodes, mut edges) = (Differences::default(), Differences::default());
        let mut next = None;
        if list == 0 {
            nodes = take(graph.db, NODES, [from, to], after, &mut room)?;
            next = nodes.last.map(|last| (0, last));
        }
        if next.is_none() {
            let after = if list == 0 { 0 } else { after };
            if room.items > 0 && room.bytes > 0 {
                edges = take(graph.db, EDGES, [from, to], after, &mut room)?;
                next = edges.last.map(|last| (1, last));
            } else {
                next = Some((1, after));
            }
        }
        let data = Fields::default()
            .value("from", &from)
            .value("to", &to)
            .raw("nodes", &nodes.to_json())
            .raw("edges", &edges.to_json());
        let next = next.map(|(list, last)| format!("{to}.{list}.{last}"));
        let fields = Fields::default()
            .raw("data", &data.finish())
            .value("nextCursor", &next);
        Ok(Reply::read(fields))
    }
}

fn take<D: Database>(
    db: &D,
    sql: &'static str,
    [from, to]: [u64; 2],
    after: u64,
    room: &mut Room,
) -> Result<Differences> {
    let numbers = [
        from,
        to,
        from.min(to),
        from.max(to),
        after,
        room.items as u64 + 1,
    ];
    let mut cursor = db
        .open(Statement::Own(sql, &numbers.map(Bind::number)))
        .map_err(EngineError::own)?;
    let mut found = Differences::default();
    let mut last = after;
    while let Some(row) = cursor.next().map_err(EngineError::own)? {
        if room.items == 0 || room.bytes == 0 {
            found.last = Some(last);
            break;
        }
        let mut cells = row.into_iter();
        let mut next = || cells.next().unwrap_or(Cell::Null);
        last = next().as_count();
        let (before, after) = (next(), next());
        let bytes = [&before, &after].map(|cell| cell.as_text().map_or(0, str::len));
        room.items -= 1;
        room.bytes = room.bytes.saturating_sub(bytes.iter().sum());
        found.push(before, after);
    }
    Ok(found)
}
