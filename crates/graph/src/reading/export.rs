//! Reads all nodes and edges of the present graph in the order of their creation, in pieces of a
//! bounded size.

use base::Result;
use database::{Bind, Cell, Database, DatabaseExt};

use crate::limits::TAKEN_BYTES;
use crate::model::Position;

const NODES: &str = "SELECT seq, id, label, type, data, x, y, pinned, created_at, updated_at FROM \
     (SELECT *, sum(octet_length(data) + octet_length(label)) OVER (ORDER BY seq) AS bytes, row_number() OVER (ORDER BY seq) AS number \
     FROM (SELECT * FROM nodes WHERE seq > ?1 ORDER BY seq LIMIT ?2)) WHERE bytes <= ?3 OR number = 1";
const EDGES: &str = "SELECT seq, id, source, target, label, type, data, created_at, updated_at FROM \
     (SELECT *, sum(octet_length(data) + octet_length(label)) OVER (ORDER BY seq) AS bytes, row_number() OVER (ORDER BY seq) AS number \
     FROM (SELECT * FROM edges WHERE seq > ?1 ORDER BY seq LIMIT ?2)) WHERE bytes <= ?3 OR number = 1";
/// Rows of a piece: with data of usual size, they have a few hundred KB.
const PIECE_ROWS: u64 = 1_000;

/// A node as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeRow {
    /// Its position in the order of creation.
    pub seq: u64,
    /// Its id.
    pub id: String,
    /// Its name for people.
    pub label: String,
    /// Its type.
    pub kind: String,
    /// Its data, a JSON object.
    pub data: String,
    /// Its position.
    pub position: Position,
    /// True if layouts do not move it.
    pub pinned: bool,
    /// The time of its creation, as ISO 8601.
    pub created_at: String,
    /// The time of its last change, as ISO 8601.
    pub updated_at: String,
}

/// An edge as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EdgeRow {
    /// Its position in the order of creation.
    pub seq: u64,
    /// Its id.
    pub id: String,
    /// The id of the node that it leaves.
    pub source: String,
    /// The id of the node that it enters.
    pub target: String,
    /// Its name for people.
    pub label: String,
    /// Its type.
    pub kind: String,
    /// Its data, a JSON object.
    pub data: String,
    /// The time of its creation, as ISO 8601.
    pub created_at: String,
    /// The time of its last change, as ISO 8601.
    pub updated_at: String,
}

/// Returns as many of the nodes after a row as fit into a piece; none at the end.
///
/// # Errors
/// Errors of the engine.
pub fn nodes_after<D: Database>(db: &D, after: u64) -> Result<Vec<NodeRow>> {
    read(db, NODES, after, |next| NodeRow {
        seq: next().as_count(),
        id: next().into_text(),
        label: next().into_text(),
        kind: next().into_text(),
        data: next().into_text(),
        position: Position {
            x: real(&next()),
            y: real(&next()),
        },
        pinned: next().as_count() > 0,
        created_at: next().into_text(),
        updated_at: next().into_text(),
    })
}

/// Returns as many of the edges after a row as fit into a piece; none at the end.
///
/// # Errors
/// Errors of the engine.
pub fn edges_after<D: Database>(db: &D, after: u64) -> Result<Vec<EdgeRow>> {
    read(db, EDGES, after, |next| EdgeRow {
        seq: next().as_count(),
        id: next().into_text(),
        source: next().into_text(),
        target: next().into_text(),
        label: next().into_text(),
        kind: next().into_text(),
        data: next().into_text(),
        created_at: next().into_text(),
        updated_at: next().into_text(),
    })
}

fn read<D: Database, T>(
    db: &D,
    sql: &'static str,
    after: u64,
    make: impl Fn(&mut dyn FnMut() -> Cell) -> T,
) -> Result<Vec<T>> {
    let binds = [after, PIECE_ROWS, TAKEN_BYTES as u64].map(Bind::number);
    let rows = db.rows(sql, &binds)?.into_iter().map(|row| {
        let mut cells = row.into_iter();
        make(&mut || cells.next().unwrap_or(Cell::Null))
    });
    Ok(rows.collect())
}

fn real(cell: &Cell) -> f64 {
    match cell {
        Cell::Number(number) => *number,
        Cell::Null | Cell::Text(_) | Cell::Blob(_) => 0.0,
    }
}
