//! The graph in compact lists, for whoever computes with it, and what comes back: positions.

use base::{Error, Result};
use database::{Bind, Cell, Database, DatabaseExt};
use serde_json::Value;

use crate::error::NodeName;
use crate::model::Position;
use crate::reply::Fields;
use crate::search::attribute_paths;
use crate::store::columns::coordinate;
use crate::store::find;
use crate::store::pieces::in_pieces;
use crate::store::read::{each_line, leading_number, names};
use crate::store::step::{Made, commit};
use crate::store::write::NodeChange;
use crate::{Graph, ItemList, Reply};

const NODES: &str = concat!(
    "SELECT seq || ' ' || pinned || ' ' || (",
    coordinate!("x"),
    ") || ' ' || (",
    coordinate!("y"),
    ") || ' ' || id FROM nodes ORDER BY seq"
);
const SEQS: &str = "SELECT CAST(seq AS TEXT) FROM nodes ORDER BY seq";
const EDGES: &str = "SELECT s.seq || ' ' || t.seq || ' ' || e.seq FROM edges AS e CROSS JOIN nodes AS s ON s.id = e.source \
     CROSS JOIN nodes AS t ON t.id = e.target ORDER BY e.seq";
const WEIGHTED_EDGES: &str = "SELECT s.seq || ' ' || t.seq || ' ' || e.seq || ' ' || \
     CASE coalesce(json_type(e.data, ?1), json_type(e.data, ?2), 'null') WHEN 'integer' THEN coalesce(e.data->?1, e.data->?2) \
     WHEN 'real' THEN coalesce(e.data->?1, e.data->?2) WHEN 'null' THEN '1' ELSE 'no number' END \
     FROM edges AS e CROSS JOIN nodes AS s ON s.id = e.source CROSS JOIN nodes AS t ON t.id = e.target ORDER BY e.seq";
const NAMES: &str = "SELECT n.id, n.label, n.type FROM jsonb_each(?) AS j CROSS JOIN nodes AS n ON n.seq = j.value ORDER BY j.key";
const EDGE_ID: &str = "SELECT id FROM edges WHERE seq = ?";

/// The graph as it is, in the order of creation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NetworkRows {
    /// The row of each node.
    pub seqs: Vec<u64>,
    /// The id of each node.
    pub ids: Vec<String>,
    /// Where each node stands.
    pub positions: Vec<Position>,
    /// Whether layouts leave each node where it is.
    pub pinned: Vec<bool>,
    /// Source, target and weight of each edge; the ends are indexes of nodes.
    pub edges: Vec<(u32, u32, f64)>,
    /// The row of each edge.
    pub edge_seqs: Vec<u64>,
}

/// Which nodes there are and what joins them: what analyses need. SQLite takes long to print where each node stands.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Topology {
    /// The row of each node.
    pub seqs: Vec<u64>,
    /// As in [`NetworkRows`].
    pub edges: Vec<(u32, u32, f64)>,
    /// The row of each edge.
    pub edge_seqs: Vec<u64>,
}

/// Reads the graph. `weight` is an attribute of the edges' data; an edge without it weighs 1, as all do without `weight`.
///
/// # Errors
/// [`base::CommonError::InvalidArgument`] for an edge whose weight is no number, naming it.
pub fn load_network<D: Database>(db: &D, weight: Option<&str>) -> Result<NetworkRows> {
    let mut network = NetworkRows::default();
    each_line(db, NODES, &[], |line| network.push_node(line))?;
    let mut topology = Topology {
        seqs: std::mem::take(&mut network.seqs),
        ..Topology::default()
    };
    topology.read_edges(db, weight)?;
    Ok(NetworkRows {
        seqs: topology.seqs,
        edges: topology.edges,
        edge_seqs: topology.edge_seqs,
        ..network
    })
}

/// The same without what a node is besides its row.
///
/// # Errors
/// Those of [`load_network`].
pub fn load_topology<D: Database>(db: &D, weight: Option<&str>) -> Result<Topology> {
    let mut topology = Topology::default();
    each_line(db, SEQS, &[], |line| {
        topology.seqs.push(leading_number(line)?.0);
        Ok(())
    })?;
    topology.read_edges(db, weight)?;
    Ok(topology)
}

impl NetworkRows {
    fn push_node(&mut self, line: &str) -> Result<()> {
        let (seq, rest) = leading_number(line)?;
        let (pinned, rest) = leading_number(rest)?;
        let mut pieces = rest.splitn(3, ' ');
        let mut coordinate = || pieces.next().and_then(|piece| piece.parse().ok());
        let (x, y) = (
            coordinate().unwrap_or_default(),
            coordinate().unwrap_or_default(),
        );
        self.seqs.push(seq);
        self.pinned.push(pinned > 0);
        self.positions.push(Position { x, y });
        self.ids.push(pieces.next().unwrap_or_default().to_owned());
        Ok(())
    }
}

impl Topology {
    /// Reads the edges between the nodes that are known.
    fn read_edges<D: Database>(&mut self, db: &D, weight: Option<&str>) -> Result<()> {
        let (sql, binds) = match weight {
            None => (EDGES, Vec::new()),
            Some(weight) => {
                let (whole, path) = attribute_paths(weight)?;
                let path = if path == Bind::Null {
                    whole.clone()
                } else {
                    path
                };
                (WEIGHTED_EDGES, vec![whole, path])
            }
        };
        let mut wrong = None;
        each_line(db, sql, &binds, |line| {
            if let Err(seq) = self.push_edge(line)? {
                wrong.get_or_insert(seq);
            }
            Ok(())
        })?;
        match (wrong, weight) {
            (Some(seq), Some(weight)) => {
                let id = db.cell(EDGE_ID, &[Bind::number(seq)])?;
                let id = id.map(Cell::into_text).unwrap_or_default();
                Err(Error::invalid(format!(
                    "{weight} of the edge {id:?} is no number"
                )))
            }
            _ => Ok(()),
        }
    }

    /// The edge's row where its weight is no number.
    fn push_edge(&mut self, line: &str) -> Result<Result<(), u64>> {
        let (source, rest) = leading_number(line)?;
        let (target, rest) = leading_number(rest)?;
        let (seq, weight) = leading_number(rest)?;
        let index = |seq: u64| {
            self.seqs
                .binary_search(&seq)
                .ok()
                .and_then(|at| u32::try_from(at).ok())
        };
        let (Some(source), Some(target)) = (index(source), index(target)) else {
            return Err(Error::internal("an edge ends nowhere"));
        };
        let weight = if weight.is_empty() {
            Ok(1.0)
        } else {
            weight.parse()
        };
        let Ok(weight) = weight else {
            return Ok(Err(seq));
        };
        self.edges.push((source, target, weight));
        self.edge_seqs.push(seq);
        Ok(Ok(()))
    }
}

/// Id, label and type of nodes, in the order of their rows in the list.
///
/// # Errors
/// The engine's.
pub fn node_names<D: Database>(db: &D, seqs: &[u64]) -> Result<Vec<NodeName>> {
    let mut found = Vec::with_capacity(seqs.len());
    let push = |seq: &u64, json: &mut String| json.push_str(&seq.to_string());
    in_pieces(seqs, push, |_, piece| {
        found.extend(names(db, NAMES, &[Bind::Text(piece)])?);
        Ok(())
    })?;
    Ok(found)
}

/// Edges as JSON, in the order of their rows in the list.
///
/// # Errors
/// The engine's.
pub fn edge_jsons<D: Database>(db: &D, seqs: &[u64]) -> Result<Vec<String>> {
    seqs.iter()
        .map(|seq| find::json(db, ItemList::Edges, *seq))
        .collect()
}

/// Moves nodes as one step: the row of each, and where it goes. Who is there already is not touched. The response has `data`.
///
/// # Errors
/// [`base::CommonError::InvalidArgument`] for a position that is none, [`crate::GraphError::VersionConflict`].
pub fn move_nodes<D: Database>(
    graph: &Graph<'_, D>,
    moves: &[(u64, f64, f64)],
    if_version: Option<u64>,
    words: &str,
    data: &Value,
) -> Result<Reply> {
    let changes = moves
        .iter()
        .map(|(seq, x, y)| {
            Ok(NodeChange {
                seq: *seq,
                position: Some(Position::new(*x, *y)?),
                ..NodeChange::default()
            })
        })
        .collect::<Result<Vec<NodeChange>>>()?;
    let committed = commit(graph, if_version, |write| {
        write.change_nodes(&changes)?;
        Ok(Made::edit(words, ()))
    })?;
    Ok(Reply::written(
        Fields::default().value("data", data),
        &committed,
    ))
}
