//! What is near a node: breadth first, over a bounded number of edges.

use std::collections::HashMap;

use base::Result;
use database::{Bind, Database, DatabaseExt};
use serde_json::value::RawValue;

use super::state::{present_types, type_parameter};
use crate::arguments::Arguments;
use crate::limits::{DEFAULT_NEIGHBORS, MAX_DEPTH, MAX_FOLLOWED_EDGES, MAX_VISITED_NODES};
use crate::reply::Fields;
use crate::store::columns::{coordinate, edge_json, node_fields};
use crate::store::find;
use crate::store::pieces::in_pieces;
use crate::store::read::{each_line, leading_number};
use crate::{Graph, ItemList, Reply};

/// The nodes that edges of some nodes lead to, as `seq id`.
const OUT: &str = "SELECT n.seq || ' ' || n.id FROM jsonb_each(?1) AS f CROSS JOIN edges AS e ON e.source = f.value \
     CROSS JOIN nodes AS n ON n.id = e.target LIMIT ?2";
const IN: &str = "SELECT n.seq || ' ' || n.id FROM jsonb_each(?1) AS f CROSS JOIN edges AS e ON e.target = f.value \
     CROSS JOIN nodes AS n ON n.id = e.source LIMIT ?2";
const NODES: &str = concat!(
    "SELECT ",
    node_fields!(),
    " || ',\"distance\":' || distance || '}' FROM (SELECT n.*, j.value->>1 AS distance, j.key AS nth \
     FROM jsonb_each(?1) AS j CROSS JOIN nodes AS n ON n.seq = j.value->>0 \
     WHERE ?2 IS NULL OR n.type IN (SELECT value FROM jsonb_each(?2))) ORDER BY nth LIMIT ?3"
);
/// Edges that lead from some nodes to those that `?2` lists.
const EDGES: &str = concat!(
    "SELECT ",
    edge_json!(),
    " FROM (SELECT e.* FROM jsonb_each(?1) AS j CROSS JOIN edges AS e ON e.source = j.value \
     WHERE e.target IN (SELECT value FROM jsonb_each(?1)) LIMIT ?2) ORDER BY seq"
);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Both,
    Out,
    In,
}

const DIRECTIONS: &[(&str, Direction)] = &[
    ("both", Direction::Both),
    ("out", Direction::Out),
    ("in", Direction::In),
];

pub(crate) fn neighbors<D: Database>(graph: &Graph<'_, D>, arguments: &str) -> Result<Reply> {
    const FIELDS: &[&str] = &["id", "depth", "direction", "type", "limit"];
    let arguments = Arguments::parse(arguments, FIELDS)?;
    let db = graph.db;
    let id = arguments.id("id")?;
    let depth = arguments.number("depth", 1..=MAX_DEPTH, 1)?;
    let direction = arguments.word("direction", DIRECTIONS, Direction::Both)?;
    let limit = arguments.number("limit", 1..=MAX_VISITED_NODES, DEFAULT_NEIGHBORS)?;
    let kind = arguments.0.text("type")?;
    let kind = match kind {
        None => Bind::Null,
        kind => type_parameter(&present_types(db)?, kind.as_ref()),
    };
    let start = find::require(db, ItemList::Nodes, &id)?;
    let mut walk = Walk::from(start, id);
    walk.go(db, depth, direction)?;
    let (nodes, more) = walk.nodes(db, &kind, limit)?;
    let (edges, more_edges) = walk.edges(db, &nodes)?;
    let data = Fields::default()
        .value("nodes", &nodes)
        .value("edges", &edges);
    let fields = Fields::default()
        .raw("data", &data.finish())
        .value("truncated", &(walk.truncated || more || more_edges));
    Ok(Reply::read(fields))
}

/// The nodes that have been reached.
struct Walk {
    start: String,
    /// `seq` and distance, in the order in which they were reached.
    reached: Vec<(u64, usize)>,
    distances: HashMap<u64, usize>,
    frontier: Vec<String>,
    /// Whether a bound ended it.
    truncated: bool,
}

impl Walk {
    fn from(seq: u64, id: String) -> Self {
        Self {
            start: id.clone(),
            reached: Vec::new(),
            distances: HashMap::from([(seq, 0)]),
            frontier: vec![id],
            truncated: false,
        }
    }

    fn go<D: Database>(&mut self, db: &D, depth: usize, direction: Direction) -> Result<()> {
        let mut edges_left = MAX_FOLLOWED_EDGES;
        for distance in 1..=depth {
            let frontier = std::mem::take(&mut self.frontier);
            let mut found: Vec<(u64, String)> = Vec::new();
            for (sql, other) in [(OUT, Direction::In), (IN, Direction::Out)] {
                if direction != other {
                    self.follow(db, sql, &frontier, &mut edges_left, &mut found)?;
                }
            }
            // In the order of their creation, whatever the order of the edges.
            found.sort_unstable();
            found.dedup();
            for (seq, id) in found {
                if self.distances.len() > MAX_VISITED_NODES {
                    self.truncated = true;
                    return Ok(());
                }
                if self.distances.insert(seq, distance).is_none() {
                    self.reached.push((seq, distance));
                    self.frontier.push(id);
                }
            }
            if self.truncated || self.frontier.is_empty() {
                return Ok(());
            }
        }
        Ok(())
    }

    fn follow<D: Database>(
        &mut self,
        db: &D,
        sql: &'static str,
        frontier: &[String],
        edges_left: &mut usize,
        found: &mut Vec<(u64, String)>,
    ) -> Result<()> {
        let ids = frontier.iter().map(String::as_str);
        let distances = &self.distances;
        let truncated = &mut self.truncated;
        in_pieces(ids, find::push_text, |_, piece| {
            let binds = [Bind::Text(piece), Bind::number(*edges_left as u64 + 1)];
            each_line(db, sql, &binds, |line| {
                if *edges_left == 0 {
                    *truncated = true;
                    return Ok(());
                }
                *edges_left -= 1;
                let (seq, id) = leading_number(line)?;
                if !distances.contains_key(&seq) {
                    found.push((seq, id.to_owned()));
                }
                Ok(())
            })
        })
    }

    /// The nodes as JSON, and whether there are more.
    fn nodes<D: Database>(
        &self,
        db: &D,
        kind: &Bind,
        limit: usize,
    ) -> Result<(Vec<Box<RawValue>>, bool)> {
        let mut nodes = Vec::new();
        let push = |(seq, distance): &(u64, usize), json: &mut String| {
            json.push_str(&format!("[{seq},{distance}]"));
        };
        in_pieces(&self.reached, push, |_, piece| {
            let left = limit + 1 - nodes.len().min(limit + 1);
            let binds = [Bind::Text(piece), kind.clone(), Bind::number(left as u64)];
            nodes.extend(jsons(db, NODES, &binds)?);
            Ok(())
        })?;
        let more = nodes.len() > limit;
        nodes.truncate(limit);
        Ok((nodes, more))
    }

    /// The edges among the start and these nodes as JSON, and whether there are more.
    fn edges<D: Database>(
        &self,
        db: &D,
        nodes: &[Box<RawValue>],
    ) -> Result<(Vec<Box<RawValue>>, bool)> {
        #[derive(serde::Deserialize)]
        struct Id {
            id: String,
        }
        let mut ids = vec![self.start.clone()];
        for node in nodes {
            let node: Id = serde_json::from_str(node.get())
                .map_err(|error| base::Error::internal(format!("a node: {error}")))?;
            ids.push(node.id);
        }
        let ids = serde_json::Value::from(ids).to_string();
        let limit = MAX_FOLLOWED_EDGES;
        let binds = [Bind::Text(ids), Bind::number(limit as u64 + 1)];
        let mut edges = jsons(db, EDGES, &binds)?;
        let more = edges.len() > limit;
        edges.truncate(limit);
        Ok((edges, more))
    }
}

/// Rows that are JSON.
pub(crate) fn jsons<D: Database>(
    db: &D,
    sql: &'static str,
    binds: &[Bind],
) -> Result<Vec<Box<RawValue>>> {
    let texts = db
        .rows(sql, binds)?
        .into_iter()
        .filter_map(|row| row.into_iter().next());
    texts
        .map(|text| {
            RawValue::from_string(text.into_text())
                .map_err(|error| base::Error::internal(format!("a row is no JSON: {error}")))
        })
        .collect()
}
