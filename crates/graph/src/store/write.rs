//! Changes present rows, each at most once in a step. The old row is archived first.

use std::borrow::Cow;
use std::fmt::Write as _;

use base::Result;
use database::{Bind, Database, DatabaseExt};

use super::head::Head;
use super::pieces::{in_pieces, quoted};
use super::temporal::EDGES;
use crate::model::{Data, Position};

/// A node to insert.
pub(crate) struct NewNode<'a> {
    pub id: &'a str,
    pub label: &'a str,
    pub kind: &'a str,
    pub data: Cow<'a, str>,
    pub position: Position,
    pub pinned: bool,
}

/// An edge to insert.
pub(crate) struct NewEdge<'a> {
    pub id: &'a str,
    pub source: &'a str,
    pub target: &'a str,
    pub label: &'a str,
    pub kind: &'a str,
    pub data: &'a str,
}

/// The changes to a node. A field that is `None` does not change.
#[derive(Debug, Clone, Default)]
pub(crate) struct NodeChange {
    pub seq: u64,
    pub label: Option<String>,
    pub kind: Option<String>,
    pub data: Option<Data>,
    pub position: Option<Position>,
    pub pinned: Option<bool>,
}

/// The changes to an edge. A field that is `None` does not change.
#[derive(Debug, Clone, Default)]
pub(crate) struct EdgeChange {
    pub seq: u64,
    pub source: Option<String>,
    pub target: Option<String>,
    pub label: Option<String>,
    pub kind: Option<String>,
    pub data: Option<Data>,
}

/// A step while it is being made.
pub(crate) struct Write<'a, D: Database> {
    pub db: &'a D,
    /// The version that the step makes.
    pub version: u64,
    /// The time of the step, as ISO 8601.
    pub now: String,
    pub next_node: u64,
    pub next_edge: u64,
    /// The numbers of nodes and edges before the step.
    pub counts: [u64; 2],
}

const INSERT_NODES: &str = "INSERT INTO nodes (seq, id, label, type, data, x, y, pinned, created_at, updated_at, version) \
     SELECT value->>0, value->>1, value->>2, value->>3, value->>4, value->>5, value->>6, value->>7, ?2, ?2, ?3 FROM jsonb_each(?1)";
const INSERT_EDGES: &str = "INSERT INTO edges (seq, id, source, target, label, type, data, created_at, updated_at, version) \
     SELECT value->>0, value->>1, value->>2, value->>3, value->>4, value->>5, value->>6, ?2, ?2, ?3 FROM jsonb_each(?1)";

const ARCHIVE_CHANGED_NODES: &str = "INSERT INTO _codemode_past_nodes (seq, id, label, type, data, x, y, pinned, created_at, updated_at, \
     version, until) SELECT n.seq, n.id, n.label, n.type, n.data, n.x, n.y, n.pinned, n.created_at, n.updated_at, n.version, ?2 \
     FROM jsonb_each(?1) AS j CROSS JOIN nodes AS n ON n.seq = j.value->>0 WHERE n.version < ?2 AND (n.label, n.type, n.data, n.x, n.y, n.pinned) IS NOT \
     (coalesce(j.value->>1, n.label), coalesce(j.value->>2, n.type), coalesce(j.value->>3, n.data), coalesce(j.value->>4, n.x), \
     coalesce(j.value->>5, n.y), coalesce(j.value->>6, n.pinned))";
const CHANGE_NODES: &str = "UPDATE nodes SET label = coalesce(j.value->>1, label), type = coalesce(j.value->>2, nodes.type), \
     data = coalesce(j.value->>3, data), x = coalesce(j.value->>4, x), y = coalesce(j.value->>5, y), \
     pinned = coalesce(j.value->>6, pinned), updated_at = ?2, version = ?3 FROM (SELECT value FROM jsonb_each(?1)) AS j \
     WHERE nodes.seq = j.value->>0 AND EXISTS (SELECT 1 FROM _codemode_past_nodes AS p WHERE p.seq = nodes.seq AND p.until = ?3)";
const ARCHIVE_CHANGED_EDGES: &str = "INSERT INTO _codemode_past_edges (seq, id, source, target, label, type, data, created_at, updated_at, \
     version, until) SELECT n.seq, n.id, n.source, n.target, n.label, n.type, n.data, n.created_at, n.updated_at, n.version, ?2 \
     FROM jsonb_each(?1) AS j CROSS JOIN edges AS n ON n.seq = j.value->>0 WHERE n.version < ?2 AND (n.source, n.target, n.label, n.type, n.data) IS NOT \
     (coalesce(j.value->>1, n.source), coalesce(j.value->>2, n.target), coalesce(j.value->>3, n.label), coalesce(j.value->>4, n.type), \
     coalesce(j.value->>5, n.data))";
const CHANGE_EDGES: &str = "UPDATE edges SET source = coalesce(j.value->>1, source), target = coalesce(j.value->>2, target), \
     label = coalesce(j.value->>3, label), type = coalesce(j.value->>4, edges.type), data = coalesce(j.value->>5, data), \
     updated_at = ?2, version = ?3 FROM (SELECT value FROM jsonb_each(?1)) AS j \
     WHERE edges.seq = j.value->>0 AND EXISTS (SELECT 1 FROM _codemode_past_edges AS p WHERE p.seq = edges.seq AND p.until = ?3)";

const ARCHIVE_NODES: &str = "INSERT INTO _codemode_past_nodes (seq, id, label, type, data, x, y, pinned, created_at, updated_at, version, \
     until) SELECT n.seq, n.id, n.label, n.type, n.data, n.x, n.y, n.pinned, n.created_at, n.updated_at, n.version, ?2 \
     FROM jsonb_each(?1) AS j CROSS JOIN nodes AS n ON n.seq = j.value WHERE n.version < ?2";
const ARCHIVE_EDGES: &str = "INSERT INTO _codemode_past_edges (seq, id, source, target, label, type, data, created_at, updated_at, version, \
     until) SELECT n.seq, n.id, n.source, n.target, n.label, n.type, n.data, n.created_at, n.updated_at, n.version, ?2 \
     FROM jsonb_each(?1) AS j CROSS JOIN edges AS n ON n.seq = j.value WHERE n.version < ?2";
const ARCHIVE_LEAVING: &str = "INSERT INTO _codemode_past_edges (seq, id, source, target, label, type, data, created_at, updated_at, version, \
     until) SELECT n.seq, n.id, n.source, n.target, n.label, n.type, n.data, n.created_at, n.updated_at, n.version, ?1 \
     FROM _codemode_past_nodes AS p CROSS JOIN edges AS n ON n.source = p.id WHERE p.until = ?1 AND n.version < ?1 \
     AND NOT EXISTS (SELECT 1 FROM nodes WHERE nodes.seq = p.seq)";
const ARCHIVE_ENTERING: &str = "INSERT INTO _codemode_past_edges (seq, id, source, target, label, type, data, created_at, updated_at, version, \
     until) SELECT n.seq, n.id, n.source, n.target, n.label, n.type, n.data, n.created_at, n.updated_at, n.version, ?1 \
     FROM _codemode_past_nodes AS p CROSS JOIN edges AS n ON n.target = p.id WHERE p.until = ?1 AND n.version < ?1 \
     AND NOT EXISTS (SELECT 1 FROM nodes WHERE nodes.seq = p.seq)";
const ARCHIVE_TYPES: &str = "INSERT INTO _codemode_past_nodes (seq, id, label, type, data, x, y, pinned, created_at, updated_at, version, \
     until) SELECT seq, id, label, type, data, x, y, pinned, created_at, updated_at, version, ?2 FROM nodes \
     WHERE type IN (SELECT value FROM jsonb_each(?1))";
const DELETE_TYPES: &str = "DELETE FROM nodes WHERE type IN (SELECT value FROM jsonb_each(?1))";
const DELETE_NODES: &str = "DELETE FROM nodes WHERE seq IN (SELECT value FROM jsonb_each(?1))";
const DELETE_EDGES: &str = "DELETE FROM edges WHERE seq IN (SELECT value FROM jsonb_each(?1))";

impl<'a, D: Database> Write<'a, D> {
    /// Returns the step that follows the present version of the graph.
    pub fn new(db: &'a D, head: &Head, now: String) -> Self {
        Self {
            db,
            version: head.version + 1,
            now,
            next_node: head.next_node,
            next_edge: head.next_edge,
            counts: [head.node_count, head.edge_count],
        }
    }

    /// Inserts nodes whose ids are free. Returns the `seq` of the first one; the others follow it
    /// in order.
    pub fn insert_nodes<'n>(
        &mut self,
        nodes: impl IntoIterator<Item = NewNode<'n>>,
    ) -> Result<u64> {
        let first = self.next_node;
        let mut seq = first;
        in_pieces(
            nodes,
            |node, json| {
                let texts = [node.id, node.label, node.kind].map(quoted).join(",");
                let Position { x, y } = node.position;
                let pinned = u8::from(node.pinned);
                let _ = write!(json, "[{seq},{texts},{},{x},{y},{pinned}]", node.data);
                seq += 1;
            },
            |_, piece| self.insert(INSERT_NODES, piece),
        )?;
        self.next_node = seq;
        Ok(first)
    }

    /// Inserts edges whose ids and ends have been checked. Returns the `seq` of the first one; the
    /// others follow it in order.
    pub fn insert_edges<'n>(
        &mut self,
        edges: impl IntoIterator<Item = NewEdge<'n>>,
    ) -> Result<u64> {
        let first = self.next_edge;
        let mut seq = first;
        in_pieces(
            edges,
            |edge, json| {
                let texts = [edge.id, edge.source, edge.target, edge.label, edge.kind].map(quoted);
                let _ = write!(json, "[{seq},{},{}]", texts.join(","), edge.data);
                seq += 1;
            },
            |_, piece| self.insert(INSERT_EDGES, piece),
        )?;
        self.next_edge = seq;
        Ok(first)
    }

    fn insert(&self, sql: &'static str, piece: String) -> Result<()> {
        let binds = [
            Bind::Text(piece),
            Bind::text(&self.now),
            Bind::number(self.version),
        ];
        self.db.run(sql, &binds).map(drop)
    }

    fn archive(&self, sql: &'static str, piece: String) -> Result<()> {
        let binds = [Bind::Text(piece), Bind::number(self.version)];
        self.db.run(sql, &binds).map(drop)
    }

    /// Changes nodes. A node that has the new values already is not touched.
    pub fn change_nodes(&self, changes: &[NodeChange]) -> Result<()> {
        in_pieces(changes, push_node_change, |_, piece| {
            self.archive(ARCHIVE_CHANGED_NODES, piece.clone())?;
            self.insert(CHANGE_NODES, piece)
        })
    }

    /// Changes edges. An edge that has the new values already is not touched.
    pub fn change_edges(&self, changes: &[EdgeChange]) -> Result<()> {
        in_pieces(changes, push_edge_change, |_, piece| {
            self.archive(ARCHIVE_CHANGED_EDGES, piece.clone())?;
            self.insert(CHANGE_EDGES, piece)
        })
    }

    /// Deletes nodes with their edges.
    pub fn delete_nodes(&self, seqs: &[u64]) -> Result<()> {
        if seqs.is_empty() {
            return Ok(());
        }
        // A deleted node differs from a changed one by the absence of its present row, so all nodes
        // are deleted before their edges are searched.
        self.delete(ARCHIVE_NODES, DELETE_NODES, seqs)?;
        self.delete_loose_edges()
    }

    /// Deletes the edges whose ends this step deleted.
    fn delete_loose_edges(&self) -> Result<()> {
        let step = [Bind::number(self.version)];
        for sql in [ARCHIVE_LEAVING, ARCHIVE_ENTERING] {
            self.db.run(sql, &step)?;
            EDGES.delete_archived(self.db, self.version)?;
        }
        Ok(())
    }

    /// Deletes the nodes of some types with their edges.
    pub fn delete_types(&self, types: &str) -> Result<()> {
        self.archive(ARCHIVE_TYPES, types.to_owned())?;
        self.db.run(DELETE_TYPES, &[Bind::text(types)])?;
        self.delete_loose_edges()
    }

    /// Deletes edges.
    pub fn delete_edges(&self, seqs: &[u64]) -> Result<()> {
        self.delete(ARCHIVE_EDGES, DELETE_EDGES, seqs)
    }

    fn delete(&self, archive: &'static str, delete: &'static str, seqs: &[u64]) -> Result<()> {
        in_pieces(
            seqs,
            |seq, json| json.push_str(&seq.to_string()),
            |_, piece| {
                self.archive(archive, piece.clone())?;
                self.db.run(delete, &[Bind::Text(piece)]).map(drop)
            },
        )
    }
}

fn push_node_change(change: &NodeChange, json: &mut String) {
    let text = |text: &Option<String>| text.as_deref().map_or_else(null, quoted);
    let data = change.data.as_ref().map_or("null", Data::text);
    let number = |number: Option<f64>| number.map_or_else(null, |number| number.to_string());
    let pinned = change.pinned.map(|pinned| u8::from(pinned).to_string());
    let _ = write!(
        json,
        "[{},{},{},{data},{},{},{}]",
        change.seq,
        text(&change.label),
        text(&change.kind),
        number(change.position.map(|position| position.x)),
        number(change.position.map(|position| position.y)),
        pinned.unwrap_or_else(null),
    );
}

fn push_edge_change(change: &EdgeChange, json: &mut String) {
    let texts = [&change.source, &change.target, &change.label, &change.kind]
        .map(|text| text.as_deref().map_or_else(null, quoted));
    let data = change.data.as_ref().map_or("null", Data::text);
    let _ = write!(json, "[{},{},{data}]", change.seq, texts.join(","));
}

fn null() -> String {
    "null".to_owned()
}
