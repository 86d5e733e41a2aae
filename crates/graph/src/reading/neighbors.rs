//! The neighbours of a node: a breadth-first search over a bounded number of edges.

use crate::kinds::{NodeId, WantedType};
use crate::run::Operation;
use ::operation::arguments::{OneOf, Whole, Word};
use ::operation::declaration::{Effect, Route};
use std::collections::HashSet;
use std::fmt::Write as _;

use base::Result;
use database::{Bind, Database};

use super::state::{present_types, type_parameter};
use crate::limits::{
    DEFAULT_NEIGHBORS, MAX_COMPARED_EDGES, MAX_DEPTH, MAX_FOLLOWED_EDGES, MAX_PAGE_BYTES,
    MAX_PAIRED_NODES, MAX_VISITED_NODES,
};
use crate::reply::Fields;
use crate::store::columns::{coordinate, edge_json, node_fields};
use crate::store::find;
use crate::store::listed::{Listed, listed};
use crate::store::pieces::in_pieces;
use crate::store::read::{counts, each_line, leading_number};
use crate::{Graph, ItemList, Reply};

/// The targets of the edges that begin at the nodes `?1`, each as the text `seq id`.
const OUT: &str = "SELECT n.seq || ' ' || n.id FROM jsonb_each(?1) AS f CROSS JOIN edges AS e ON e.source = f.value \
     CROSS JOIN nodes AS n ON n.id = e.target LIMIT ?2";
const IN: &str = "SELECT n.seq || ' ' || n.id FROM jsonb_each(?1) AS f CROSS JOIN edges AS e ON e.target = f.value \
     CROSS JOIN nodes AS n ON n.id = e.source LIMIT ?2";
/// The indexes in the list `?1` of the nodes that have one of the types `?2`.
const OF_TYPES: &str = "SELECT CAST(j.key AS TEXT) FROM jsonb_each(?1) AS j CROSS JOIN nodes AS n ON n.seq = j.value \
     WHERE n.type IN (SELECT value FROM jsonb_each(?2))";
const NODES: &str = concat!(
    "SELECT ",
    node_fields!(),
    " || ',\"distance\":' || distance || '}' FROM (SELECT n.*, j.value->>1 AS distance \
     FROM jsonb_each(?1) AS j CROSS JOIN nodes AS n ON n.seq = j.value->>0)"
);
/// The ids of the nodes `?1`. The statement gets their numbers, because a list of numbers has a
/// bounded size.
macro_rules! listed_ids {
    () => {
        "(SELECT n.id FROM jsonb_each(?1) AS j CROSS JOIN nodes AS n ON n.seq = j.value)"
    };
}

/// Edges among some nodes, looked up for each pair: for few nodes, however many edges each has.
const OF_PAIRS: &str = concat!(
    "SELECT CAST(e.seq AS TEXT) FROM ",
    listed_ids!(),
    " AS s CROSS JOIN ",
    listed_ids!(),
    " AS t CROSS JOIN edges AS e ON e.source = s.id AND e.target = t.id LIMIT ?2"
);
/// Edges among some nodes, found by reading the edges of each node, at most `?3`. The plus sign
/// prevents SQLite from looking up each pair.
const AMONG: &str = concat!(
    "SELECT CAST(seq AS TEXT) FROM (SELECT e.seq, e.target FROM ",
    listed_ids!(),
    " AS s CROSS JOIN edges AS e ON e.source = s.id LIMIT ?3) WHERE +target IN ",
    listed_ids!(),
    " LIMIT ?2"
);
const LEAVING: &str = concat!(
    "SELECT count(*) FROM (SELECT 1 FROM ",
    listed_ids!(),
    " AS s CROSS JOIN edges AS e ON e.source = s.id LIMIT ?2)"
);
const EDGES: &str = concat!(
    "SELECT ",
    edge_json!(),
    " FROM (SELECT e.* FROM jsonb_each(?1) AS j CROSS JOIN edges AS e ON e.seq = j.value)"
);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Both,
    Out,
    In,
}

impl Word for Direction {
    const WORDS: &'static [(&'static str, Self)] =
        &[("both", Self::Both), ("out", Self::Out), ("in", Self::In)];
}

::operation::operation! {
    /// The nodes within a distance of a node, nearest first, and the edges between them.
    pub(crate) struct GetNeighbors {
        /// The id of the node.
        "id" => id: NodeId,
        /// The greatest distance, in edges.
        "depth" => depth: Whole<1, MAX_DEPTH> = 1,
        /// The direction in which edges are followed.
        "direction" => direction: OneOf<Direction> = Direction::Both,
        /// Only this type.
        "type" => kind: Option<WantedType>,
        /// The most nodes to return.
        "limit" => limit: Whole<1, MAX_VISITED_NODES> = DEFAULT_NEIGHBORS,
    }
    name: "getNeighbors",
    title: "Read neighbors",
    effect: Effect::READS,
    output: "GraphAnswer",
    route: Route::read("neighbors", path!("/nodes/{id}/neighbors"), "The nodes around a node", &["depth", "direction", "type", "limit"]),
    errors: ["NODE_NOT_FOUND"],
}

impl Operation<'_> for GetNeighbors {
    fn run<D: Database>(self, graph: &Graph<'_, D>) -> Result<Reply> {
        let db = graph.db;
        let Self {
            id,
            depth,
            direction,
            kind,
            limit,
        } = self;
        let kind = match kind {
            None => None,
            kind => Some(type_parameter(&present_types(db)?, kind.as_ref())),
        };
        let start = find::require(db, ItemList::Nodes, &id)?;
        let mut walk = Walk::from(start, id);
        walk.go(db, depth, direction)?;
        walk.keep_types(db, kind)?;
        if walk.reached.len() > limit {
            walk.truncated = true;
            walk.reached.truncate(limit);
        }
        let nodes = walk.nodes(db)?;
        let edges = walk.edges(db, nodes.rows)?;
        let data = Fields::default()
            .raw("nodes", &format!("[{}]", nodes.text))
            .raw("edges", &format!("[{}]", edges.text));
        let is_cut = walk.truncated || nodes.is_cut || edges.is_cut;
        let fields = Fields::default()
            .raw("data", &data.finish())
            .value("truncated", &is_cut);
        Ok(Reply::read(fields))
    }
}

/// A node that was reached.
struct Reached {
    seq: u64,
    id: String,
    distance: usize,
}

/// The nodes that have been reached.
struct Walk {
    start: String,
    start_seq: u64,
    /// The nodes, in the order in which they were reached.
    reached: Vec<Reached>,
    known: HashSet<u64>,
    /// The number of nodes whose edges have been followed.
    followed: usize,
    /// True if a bound ended the search.
    truncated: bool,
}

impl Walk {
    fn from(seq: u64, id: String) -> Self {
        Self {
            start: id,
            start_seq: seq,
            reached: Vec::new(),
            known: HashSet::from([seq]),
            followed: 0,
            truncated: false,
        }
    }

    fn go<D: Database>(&mut self, db: &D, depth: usize, direction: Direction) -> Result<()> {
        let mut edges_left = MAX_FOLLOWED_EDGES;
        for distance in 1..=depth {
            let mut found: Vec<(u64, String)> = Vec::new();
            for (sql, other) in [(OUT, Direction::In), (IN, Direction::Out)] {
                if direction != other {
                    self.follow(db, sql, distance, &mut edges_left, &mut found)?;
                }
            }
            self.followed = self.reached.len();
            // The order is that of creation and does not depend on the edges.
            found.sort_unstable();
            found.dedup();
            for (seq, id) in found {
                if self.reached.len() >= MAX_VISITED_NODES {
                    self.truncated = true;
                    return Ok(());
                }
                self.known.insert(seq);
                self.reached.push(Reached { seq, id, distance });
            }
            if self.truncated || self.followed == self.reached.len() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Follows the edges of the nodes that were reached last, or those of the start.
    fn follow<D: Database>(
        &mut self,
        db: &D,
        sql: &'static str,
        distance: usize,
        edges_left: &mut usize,
        found: &mut Vec<(u64, String)>,
    ) -> Result<()> {
        let start = (distance == 1).then_some(self.start.as_str());
        let last = self.reached.get(self.followed..).unwrap_or_default();
        let ids = start.into_iter().chain(last.iter().map(|node| &*node.id));
        let (known, truncated) = (&self.known, &mut self.truncated);
        in_pieces(ids, find::push_text, |_, piece| {
            let binds = [Bind::Text(piece), Bind::number(*edges_left as u64 + 1)];
            each_line(db, sql, &binds, |line| {
                if *edges_left == 0 {
                    *truncated = true;
                    return Ok(());
                }
                *edges_left -= 1;
                let (seq, id) = leading_number(line)?;
                if !known.contains(&seq) {
                    found.push((seq, id.to_owned()));
                }
                Ok(())
            })
        })
    }

    /// Removes the nodes whose type is not in a parameter.
    fn keep_types<D: Database>(&mut self, db: &D, kind: Option<Bind>) -> Result<()> {
        let Some(kind) = kind else { return Ok(()) };
        let mut kept = HashSet::new();
        let seqs = self.reached.iter().map(|node| node.seq);
        in_pieces(seqs, push_number, |first, piece| {
            let binds = [Bind::Text(piece), kind.clone()];
            each_line(db, OF_TYPES, &binds, |line| {
                kept.insert(first + index(leading_number(line)?.0));
                Ok(())
            })
        })?;
        let mut at = 0..;
        self.reached
            .retain(|_| at.next().is_some_and(|at| kept.contains(&at)));
        Ok(())
    }

    fn nodes<D: Database>(&self, db: &D) -> Result<Listed> {
        let push = |node: &Reached, json: &mut String| {
            let _ = write!(json, "[{},{}]", node.seq, node.distance);
        };
        listed(db, NODES, &self.reached, push, &mut { MAX_PAGE_BYTES })
    }

    /// Returns the edges among the start and the first `nodes` nodes.
    fn edges<D: Database>(&self, db: &D, nodes: usize) -> Result<Listed> {
        let seqs = self.reached.iter().take(nodes).map(|node| node.seq);
        let among: Vec<u64> = std::iter::once(self.start_seq).chain(seqs).collect();
        let count = among.len();
        let among = Bind::Text(serde_json::Value::from(among).to_string());
        let most = Bind::number(MAX_FOLLOWED_EDGES as u64 + 1);
        let mut seqs = Vec::new();
        let mut is_cut = false;
        let mut take = |line: &str| {
            seqs.push(leading_number(line)?.0);
            Ok(())
        };
        if count <= MAX_PAIRED_NODES {
            each_line(db, OF_PAIRS, &[among, most], &mut take)?;
        } else {
            let [leaving] = counts(
                db,
                LEAVING,
                &[among.clone(), Bind::number(MAX_COMPARED_EDGES + 1)],
            )?;
            is_cut = leaving > MAX_COMPARED_EDGES;
            let compared = Bind::number(MAX_COMPARED_EDGES);
            each_line(db, AMONG, &[among, most, compared], &mut take)?;
        }
        seqs.sort_unstable();
        is_cut |= seqs.len() > MAX_FOLLOWED_EDGES;
        seqs.truncate(MAX_FOLLOWED_EDGES);
        let mut edges = listed(db, EDGES, seqs, push_number, &mut { MAX_PAGE_BYTES })?;
        edges.is_cut |= is_cut;
        Ok(edges)
    }
}

fn push_number(number: u64, json: &mut String) {
    json.push_str(&number.to_string());
}

fn index(key: u64) -> usize {
    usize::try_from(key).unwrap_or(usize::MAX)
}
