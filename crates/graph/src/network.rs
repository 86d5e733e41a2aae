//! The graph as compact lists for algorithms, and the writing of the positions that they compute.

use base::text::cut;
use base::{Error, Result, did_you_mean, nearest};
use database::{Bind, Database, DatabaseExt};
use graph_analysis::limits::{MAX_ANALYSED_EDGES, MAX_ANALYSED_NODES};
use graph_layout::limits::MAX_LAYOUT_NODES;
use serde_json::Value;

use crate::error::NodeName;
use crate::limits::{MAX_CANDIDATES, MAX_LABEL_CHARACTERS, MAX_LISTED_ATTRIBUTES};
use crate::model::Position;
use crate::reply::Fields;
use crate::search::attribute_paths;
use crate::store::columns::{coordinate, edge_json};
use crate::store::head::Head;
use crate::store::listed::{Listed, listed};
use crate::store::pieces::in_pieces_of;
use crate::store::read::{each_line, each_numbered_line, leading_number, names, texts};
use crate::store::step::{StepDraft, commit};
use crate::store::write::NodeChange;
use crate::{Graph, GraphError, Reply};

const NODES: &str = concat!(
    "SELECT seq || ' ' || pinned || ' ' || (",
    coordinate!("x"),
    ") || ' ' || (",
    coordinate!("y"),
    ") || ' ' || id FROM nodes ORDER BY seq"
);
const SEQS: &str = "SELECT group_concat(seq, char(10)) FROM (SELECT seq FROM nodes WHERE seq > ?1 ORDER BY seq LIMIT 1000)";
const EDGES: &str = "SELECT group_concat(line, char(10)) FROM (SELECT e.seq || ' ' || s.seq || ' ' || t.seq AS line \
     FROM edges AS e CROSS JOIN nodes AS s ON s.id = e.source CROSS JOIN nodes AS t ON t.id = e.target \
     WHERE e.seq > ?1 ORDER BY e.seq LIMIT 1000)";
const WEIGHTED_EDGES: &str = "SELECT group_concat(line, char(10)) FROM (SELECT e.seq || ' ' || s.seq || ' ' || t.seq || ' ' || \
     CASE coalesce(json_type(e.data, ?2), json_type(e.data, ?3), 'null') WHEN 'integer' THEN coalesce(e.data->?2, e.data->?3) \
     WHEN 'real' THEN coalesce(e.data->?2, e.data->?3) WHEN 'null' THEN '' ELSE 'no number' END AS line \
     FROM edges AS e CROSS JOIN nodes AS s ON s.id = e.source CROSS JOIN nodes AS t ON t.id = e.target \
     WHERE e.seq > ?1 ORDER BY e.seq LIMIT 1000)";
const NAMES: &str = "SELECT n.id, n.label, n.type FROM jsonb_each(?) AS j CROSS JOIN nodes AS n ON n.seq = j.value ORDER BY j.key";
/// Nodes whose names are read in one statement: a name may have 4 KB.
const NAMES_AT_A_TIME: usize = 1_000;
const LISTED_EDGES: &str = concat!(
    "SELECT ",
    edge_json!(),
    " FROM (SELECT e.* FROM jsonb_each(?1) AS j CROSS JOIN edges AS e ON e.seq = j.value)"
);
const EDGE_NAMES: &str = "SELECT e.id, e.source, s.label, e.target, t.label FROM edges AS e JOIN nodes AS s ON s.id = e.source \
     JOIN nodes AS t ON t.id = e.target WHERE e.seq = ?";
const SOME_ATTRIBUTES: &str = "SELECT DISTINCT j.key FROM (SELECT data FROM edges ORDER BY seq LIMIT 1000) AS e, json_each(e.data) AS j \
     WHERE j.type IN ('integer', 'real') LIMIT ?";

/// The present graph, in the order of creation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NetworkRows {
    /// The row of each node.
    pub seqs: Vec<u64>,
    /// The id of each node.
    pub ids: Vec<String>,
    /// The position of each node.
    pub positions: Vec<Position>,
    /// True for each node that layouts do not move.
    pub pinned: Vec<bool>,
    /// Source, target and weight of each edge; the ends are indexes of nodes.
    pub edges: Vec<(u32, u32, f64)>,
    /// The row of each edge.
    pub edge_seqs: Vec<u64>,
}

/// The nodes and edges without positions, for analyses. SQLite needs a long time to print
/// positions.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Topology {
    /// The row of each node.
    pub seqs: Vec<u64>,
    /// Source, target and weight of each edge, as in [`NetworkRows`].
    pub edges: Vec<(u32, u32, f64)>,
    /// The row of each edge.
    pub edge_seqs: Vec<u64>,
}

/// Loads the graph for a layout. `weight` is an attribute of the edges' data. An edge without the
/// attribute weighs 1, and so do all edges if there is no `weight`.
///
/// # Errors
/// [`base::CommonError::InvalidArgument`] for an edge whose weight is not a number, which it names,
/// or an attribute that no edge has; [`GraphError::TooLarge`] for a graph that is too large for a
/// layout, before it is read.
pub fn load_network<D: Database>(db: &D, weight: Option<&str>) -> Result<NetworkRows> {
    check_size(db, MAX_LAYOUT_NODES as u64)?;
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

/// Loads the graph for an analysis: like [`load_network`], but only the rows of the nodes.
///
/// # Errors
/// Errors of [`load_network`], with the limits of analyses.
pub fn load_topology<D: Database>(db: &D, weight: Option<&str>) -> Result<Topology> {
    check_size(db, MAX_ANALYSED_NODES)?;
    let mut topology = Topology::default();
    each_numbered_line(db, SEQS, &[], |seq, _| {
        topology.seqs.push(seq);
        Ok(())
    })?;
    topology.read_edges(db, weight)?;
    Ok(topology)
}

/// Rejects a graph that would take too much memory, before it is read. Each node and edge takes
/// some bytes.
fn check_size<D: Database>(db: &D, most_nodes: u64) -> Result<()> {
    let head = Head::load(db)?;
    for (what, size, limit) in [
        ("nodes", head.node_count, most_nodes),
        ("edges", head.edge_count, MAX_ANALYSED_EDGES),
    ] {
        if size > limit {
            return Err(GraphError::TooLarge { what, size, limit }.into());
        }
    }
    Ok(())
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
    /// Reads the edges between the loaded nodes.
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
        let mut weighted = 0;
        let mut wrong = None;
        each_numbered_line(db, sql, &binds, |seq, line| {
            let (source, rest) = leading_number(line)?;
            let (target, own) = leading_number(rest)?;
            let (Some(source), Some(target)) = (self.index(source), self.index(target)) else {
                return Err(Error::internal(
                    "an edge ends at a node that does not exist",
                ));
            };
            let weight = if own.is_empty() {
                1.0
            } else {
                weighted += 1;
                own.parse().unwrap_or_else(|_| {
                    wrong.get_or_insert(seq);
                    1.0
                })
            };
            self.edges.push((source, target, weight));
            self.edge_seqs.push(seq);
            Ok(())
        })?;
        match (weight, wrong) {
            (Some(weight), Some(seq)) => {
                let edge = edge_words(db, seq)?;
                Err(Error::invalid(format!(
                    "{weight} of {edge} is not a number"
                )))
            }
            (Some(weight), None) if weighted == 0 && !self.edges.is_empty() => {
                Err(no_such_weight(db, weight)?)
            }
            _ => Ok(()),
        }
    }

    /// Returns the index of a node by its row.
    fn index(&self, seq: u64) -> Option<u32> {
        let index = self.seqs.binary_search(&seq).ok()?;
        u32::try_from(index).ok()
    }
}

/// Returns the error for a weight attribute that no edge has. Without the error, all edges would
/// weigh 1 and a misspelled name would go unnoticed.
fn no_such_weight<D: Database>(db: &D, weight: &str) -> Result<Error> {
    let rows = db.rows(SOME_ATTRIBUTES, &[Bind::number(MAX_CANDIDATES as u64)])?;
    let keys: Vec<&str> = rows
        .iter()
        .filter_map(|row| row.first()?.as_text())
        .collect();
    let hint =
        did_you_mean(&nearest(weight, keys.iter().copied())).unwrap_or_else(|| match &*keys {
            [] => "leave weight out: no edge has a number in its data".to_owned(),
            keys => {
                let shown: Vec<&str> = keys.iter().copied().take(MAX_LISTED_ATTRIBUTES).collect();
                format!("edges have the numbers {}", shown.join(", "))
            }
        });
    let message = format!("no edge has {weight:?} in its data");
    Ok(Error::invalid_with_hint(message, hint))
}

/// Returns an edge as an error names it: `the edge "e1" from "TP53" to "Obesity"`, with ids if both
/// ends have the same label.
///
/// # Errors
/// Errors of the engine.
pub(crate) fn edge_words<D: Database>(db: &D, seq: u64) -> Result<String> {
    let found: Option<[String; 5]> = texts(db, EDGE_NAMES, &[Bind::number(seq)])?;
    let [id, source, source_label, target, target_label] = found.unwrap_or_default();
    let is_shared = source_label == target_label && source != target;
    let end = |label: &str, id: &str| {
        let label = cut(label, MAX_LABEL_CHARACTERS);
        match is_shared {
            true => format!("{label:?} ({id})"),
            false => format!("{label:?}"),
        }
    };
    let (from, to) = (end(&source_label, &source), end(&target_label, &target));
    Ok(format!("the edge {id:?} from {from} to {to}"))
}

/// Returns id, label and type of nodes, in the order of `seqs`, as many as fit.
///
/// # Errors
/// Errors of the engine.
pub fn node_names<D: Database>(
    db: &D,
    seqs: &[u64],
    room_bytes: &mut usize,
) -> Result<Vec<NodeName>> {
    let mut found = Vec::with_capacity(seqs.len());
    let push = |seq: &u64, json: &mut String| json.push_str(&seq.to_string());
    in_pieces_of(NAMES_AT_A_TIME, seqs, push, |_, piece| {
        if *room_bytes == 0 {
            return Ok(());
        }
        for name in names(db, NAMES, &[Bind::Text(piece)])? {
            if *room_bytes > 0 {
                *room_bytes = room_bytes.saturating_sub(name.bytes());
                found.push(name);
            }
        }
        Ok(())
    })?;
    Ok(found)
}

/// Returns edges as JSON with commas between them, in the order of `seqs`, as many as fit.
///
/// # Errors
/// Errors of the engine.
pub(crate) fn edge_jsons<D: Database>(
    db: &D,
    seqs: &[u64],
    room_bytes: &mut usize,
) -> Result<Listed> {
    let push = |seq: &u64, json: &mut String| json.push_str(&seq.to_string());
    listed(db, LISTED_EDGES, seqs, push, room_bytes)
}

/// Moves nodes as one step, each given as its row and new position. Nodes that are already there
/// are not changed. The response has `data`.
///
/// # Errors
/// [`base::CommonError::InvalidArgument`] for an invalid position,
/// [`crate::GraphError::VersionConflict`].
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
        Ok(StepDraft::edit(words, ()))
    })?;
    Ok(Reply::written(
        Fields::default().value("data", data),
        &committed,
    ))
}
