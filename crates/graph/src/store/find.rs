//! Looks up rows by ids, labels and ends: single rows, and many in one statement.

use std::collections::{HashMap, HashSet};

use base::{Error, Result, nearest};
use database::{Bind, Cell, Database, DatabaseExt};

use super::columns::{coordinate, edge_json, node_fields, node_json};
use super::fingerprint::Fingerprint;
use super::pieces::in_pieces;
use super::read::{each_line, leading_number, names, texts};
use super::words::candidates;
use crate::error::NodeName;
use crate::limits::{MAX_CANDIDATES, MAX_LISTED_NODES};
use crate::{GraphError, ItemList};

const NODE_SEQ: &str = "SELECT seq FROM nodes WHERE id = ?";
const EDGE_SEQ: &str = "SELECT seq FROM edges WHERE id = ?";
const NODE_JSON: &str = concat!("SELECT ", node_json!(), " FROM nodes WHERE seq = ?");
const EDGE_JSON: &str = concat!("SELECT ", edge_json!(), " FROM edges WHERE seq = ?");
const NODE_NAME: &str = "SELECT id, label, type FROM nodes WHERE seq = ?";
const NODE_SEQS: &str =
    "SELECT j.key || ' ' || n.seq FROM jsonb_each(?) AS j CROSS JOIN nodes AS n ON n.id = j.value";
const EDGE_SEQS: &str =
    "SELECT j.key || ' ' || n.seq FROM jsonb_each(?) AS j CROSS JOIN edges AS n ON n.id = j.value";
/// A tab separates data from the id: SQLite removes blanks between JSON tokens, tabs included, and
/// an id cannot contain one.
const PARALLELS: &str = "SELECT j.key || ' ' || e.seq || ' ' || e.data || char(9) || e.id FROM jsonb_each(?) AS j CROSS JOIN edges AS e \
     ON e.source = j.value->>0 AND e.target = j.value->>1 AND e.label = j.value->>2 AND e.type = j.value->>3 ORDER BY j.key, e.seq";
const SAME_EDGES: &str = "SELECT j.key || ' ' || e.seq || ' ' || e.id FROM jsonb_each(?) AS j CROSS JOIN edges AS e ON e.seq = coalesce( \
     (SELECT b.seq FROM edges AS b WHERE b.source = j.value->>0 AND b.target = j.value->>1 AND b.label = j.value->>2 AND b.type = j.value->>3 \
     AND b.data = '{}' ORDER BY b.seq LIMIT 1), \
     (SELECT a.seq FROM edges AS a WHERE a.source = j.value->>0 AND a.target = j.value->>1 AND a.label = j.value->>2 AND a.type = j.value->>3 \
     ORDER BY a.seq LIMIT 1))";
const UNCHANGED_EDGES: &str = "SELECT CAST(j.key AS TEXT) FROM jsonb_each(?) AS j CROSS JOIN edges AS e ON e.id = j.value->>0 \
     AND e.source = j.value->>1 AND e.target = j.value->>2 AND e.label = j.value->>3 AND e.type = j.value->>4";
const OF_LABEL: &str = "SELECT id, label, type FROM nodes WHERE label = ?1 COLLATE NOCASE AND label = ?1 ORDER BY seq LIMIT ?2";
const OF_LABEL_IN_ANY_CASE: &str =
    "SELECT id, label, type FROM nodes WHERE label = ?1 COLLATE NOCASE ORDER BY seq LIMIT ?2";
const SOME_EDGE_IDS: &str = "SELECT id FROM edges ORDER BY seq LIMIT ?";

/// Returns the `seq` of an id, if a row has it.
pub(crate) fn seq_of<D: Database>(db: &D, list: ItemList, id: &str) -> Result<Option<u64>> {
    let sql = match list {
        ItemList::Nodes => NODE_SEQ,
        ItemList::Edges => EDGE_SEQ,
    };
    Ok(db.cell(sql, &[Bind::text(id)])?.map(|cell| cell.as_count()))
}

/// Returns the `seq` of an id.
///
/// # Errors
/// [`GraphError::NodeNotFound`] or [`GraphError::EdgeNotFound`] with the nearest ids.
pub(crate) fn require<D: Database>(db: &D, list: ItemList, id: &str) -> Result<u64> {
    match seq_of(db, list, id)? {
        Some(seq) => Ok(seq),
        None => Err(not_found(db, list, id)?),
    }
}

/// Returns the error for an unknown id.
pub(crate) fn not_found<D: Database>(db: &D, list: ItemList, id: &str) -> Result<Error> {
    let id = id.to_owned();
    Ok(match list {
        ItemList::Nodes => {
            let suggestions = nearest_nodes(db, &id)?;
            GraphError::NodeNotFound { id, suggestions }.into()
        }
        ItemList::Edges => {
            let rows = db.rows(SOME_EDGE_IDS, &[Bind::number(MAX_CANDIDATES as u64)])?;
            let ids = rows.iter().filter_map(|row| row.first()?.as_text());
            let suggestions = nearest(&id, ids);
            GraphError::EdgeNotFound { id, suggestions }.into()
        }
    })
}

/// Returns the ids of the nodes whose id or label is most similar to a text.
fn nearest_nodes<D: Database>(db: &D, text: &str) -> Result<Vec<String>> {
    let nodes = candidates(db, text)?;
    let mut found = nearest(text, nodes.iter().map(|node| node.id.as_str()));
    for label in nearest(text, nodes.iter().map(|node| node.label.as_str())) {
        let ids = nodes.iter().filter(|node| node.label == label);
        for id in ids.map(|node| &node.id) {
            if found.len() < base::limits::MAX_SUGGESTIONS && !found.contains(id) {
                found.push(id.clone());
            }
        }
    }
    Ok(found)
}

/// Returns a node or an edge as JSON.
pub(crate) fn json<D: Database>(db: &D, list: ItemList, seq: u64) -> Result<String> {
    let sql = match list {
        ItemList::Nodes => NODE_JSON,
        ItemList::Edges => EDGE_JSON,
    };
    let cell = db.cell(sql, &[Bind::number(seq)])?;
    Ok(cell.map(Cell::into_text).unwrap_or_default())
}

/// Returns id, label and type of a node.
pub(crate) fn name<D: Database>(db: &D, seq: u64) -> Result<NodeName> {
    let [id, label, kind] = texts(db, NODE_NAME, &[Bind::number(seq)])?.unwrap_or_default();
    Ok(NodeName { id, label, kind })
}

/// Returns the `seq` of each known id, by its index.
pub(crate) fn seqs_of<'i, D: Database>(
    db: &D,
    list: ItemList,
    ids: impl IntoIterator<Item = &'i str>,
) -> Result<HashMap<usize, u64>> {
    let sql = match list {
        ItemList::Nodes => NODE_SEQS,
        ItemList::Edges => EDGE_SEQS,
    };
    let mut found = HashMap::new();
    in_pieces(ids, push_text, |first, piece| {
        each_line(db, sql, &[Bind::Text(piece)], |line| {
            let (key, seq) = leading_number(line)?;
            found.insert(first + index(key), leading_number(seq)?.0);
            Ok(())
        })
    })?;
    Ok(found)
}

/// Returns the edge with each of these sources, targets, labels and types, by index: the oldest
/// without data, else the oldest.
pub(crate) fn same_edges<'i, D: Database>(
    db: &D,
    keys: impl IntoIterator<Item = [&'i str; 4]>,
) -> Result<HashMap<usize, (u64, String)>> {
    let mut found = HashMap::new();
    in_pieces(keys, push_key, |first, piece| {
        each_line(db, SAME_EDGES, &[Bind::Text(piece)], |line| {
            let (key, rest) = leading_number(line)?;
            let (seq, id) = leading_number(rest)?;
            found.insert(first + index(key), (seq, id.to_owned()));
            Ok(())
        })
    })?;
    Ok(found)
}

/// Calls `take` with every edge that has one of these sources, targets, labels and types, in the
/// order of creation: the index of its key, its row, its data, and its id.
pub(crate) fn each_parallel<'i, D: Database>(
    db: &D,
    keys: impl IntoIterator<Item = [&'i str; 4]>,
    mut take: impl FnMut(usize, u64, Fingerprint, &str),
) -> Result<()> {
    in_pieces(keys, push_key, |first, piece| {
        each_line(db, PARALLELS, &[Bind::Text(piece)], |line| {
            let (key, rest) = leading_number(line)?;
            let (seq, rest) = leading_number(rest)?;
            let (data, id) = rest.split_once('\t').unwrap_or(("", rest));
            take(first + index(key), seq, Fingerprint::of(data), id);
            Ok(())
        })
    })
}

fn push_key(key: [&str; 4], json: &mut String) {
    json.push('[');
    json.push_str(&key.map(super::pieces::quoted).join(","));
    json.push(']');
}

/// Returns the indexes of those edges, each given as id, source, target, label and type, that are
/// in the graph unchanged.
pub(crate) fn unchanged_edges<'i, D: Database>(
    db: &D,
    edges: impl IntoIterator<Item = (&'i str, [&'i str; 4])>,
) -> Result<HashSet<usize>> {
    let mut found = HashSet::new();
    let push = |(id, [source, target, label, kind]): (&str, [&str; 4]), json: &mut String| {
        let texts = [id, source, target, label, kind].map(super::pieces::quoted);
        json.push('[');
        json.push_str(&texts.join(","));
        json.push(']');
    };
    in_pieces(edges, push, |first, piece| {
        each_line(db, UNCHANGED_EDGES, &[Bind::Text(piece)], |line| {
            found.insert(first + index(leading_number(line)?.0));
            Ok(())
        })
    })?;
    Ok(found)
}

pub(crate) fn push_text(text: &str, json: &mut String) {
    json.push_str(&super::pieces::quoted(text));
}

fn index(key: u64) -> usize {
    usize::try_from(key).unwrap_or(usize::MAX)
}

/// Returns the id of the node that a text names: an id, or a label that only one node has. A label
/// in another case counts only if no node has the label exactly.
///
/// # Errors
/// [`GraphError::AmbiguousNode`] with the nodes that have the label, [`GraphError::NodeNotFound`]
/// with the nearest ids.
pub fn resolve_node<D: Database>(db: &D, text: &str) -> Result<String> {
    if seq_of(db, ItemList::Nodes, text)?.is_some() {
        return Ok(text.to_owned());
    }
    for sql in [OF_LABEL, OF_LABEL_IN_ANY_CASE] {
        let binds = [Bind::text(text), Bind::number(MAX_LISTED_NODES as u64)];
        let mut candidates = names(db, sql, &binds)?;
        match candidates.len() {
            0 => {}
            1 => return Ok(candidates.swap_remove(0).id),
            _ => {
                let label = text.to_owned();
                return Err(GraphError::AmbiguousNode { label, candidates }.into());
            }
        }
    }
    Err(not_found(db, ItemList::Nodes, text)?)
}
