//! The changes of each step, for readers that follow the graph: new and changed nodes and edges,
//! and the ids of deleted ones.
//!
//! A reader that applies the changes of all steps from version 0 on has the whole graph. Changes
//! that a reader missed are read from the history tables.

use base::Result;
use database::{Bind, Cell, Cursor, Database, DatabaseExt, EngineError, Statement};
use serde_json::{Map, Value, json};

use crate::limits::MAX_PATCH_BYTES;
use crate::reply::Fields;
use crate::store::columns::{
    coordinate, edge_columns, edge_json, node_columns, node_fields, node_json,
};
use crate::store::head::Head;

macro_rules! upserted {
    ($json:ident, $columns:ident, $now:literal, $past:literal) => {
        concat!(
            "SELECT ",
            $json!(),
            " FROM (SELECT seq, ",
            $columns!(),
            " FROM ",
            $now,
            " WHERE version = ?1 UNION ALL SELECT seq, ",
            $columns!(),
            " FROM ",
            $past,
            " WHERE version = ?1) ORDER BY seq"
        )
    };
}

macro_rules! deleted {
    ($now:literal, $past:literal) => {
        concat!(
            "SELECT json_quote(id) FROM ",
            $past,
            " AS p WHERE until = ?1 AND NOT EXISTS (SELECT 1 FROM ",
            $now,
            " AS n WHERE n.seq = p.seq AND n.version = ?1) AND NOT EXISTS (SELECT 1 FROM ",
            $past,
            " AS q WHERE q.seq = p.seq AND q.version = ?1) ORDER BY seq"
        )
    };
}

const UPSERTED_NODES: &str = upserted!(node_json, node_columns, "nodes", "_codemode_past_nodes");
const UPSERTED_EDGES: &str = upserted!(edge_json, edge_columns, "edges", "_codemode_past_edges");
const DELETED_NODES: &str = deleted!("nodes", "_codemode_past_nodes");
const DELETED_EDGES: &str = deleted!("edges", "_codemode_past_edges");
const STEPS: &str = "SELECT version, kind, description, actor, created_at, node_count, edge_count, can_undo, can_redo, \
     nodes_created + nodes_updated + nodes_deleted + edges_created + edges_updated + edges_deleted \
     FROM _codemode_steps WHERE version > ? ORDER BY version LIMIT ?";
/// The most steps that one call reads: a reader that missed more calls again.
const STEPS_AT_A_TIME: u64 = 100;
/// The least bytes of an item of a patch: an id with its quotation marks and comma. If there are
/// more items than could fit, none is read.
const LEAST_ITEM_BYTES: u64 = 4;

/// The change that one step made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The version that the step made.
    pub version: u64,
    /// One JSON object: `version`, `kind`, `description`, `actor`, `createdAt`, `metadata`, and
    /// `patch`. If the patch would be too long, it is null and `reload` is true.
    pub json: String,
}

/// The response to a reader that has some version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Changes {
    /// The steps after that version, oldest first; empty if there are none.
    Steps(Vec<Change>),
    /// The history does not contain the version: the reader has to load the graph.
    Reset {
        /// The present version of the graph.
        version: u64,
        /// The oldest version of the history.
        oldest: u64,
    },
}

/// Returns the steps after a version, oldest first. It stops after the step with which their JSON
/// exceeds `max_bytes`; the reader then asks again for the others.
///
/// # Errors
/// Errors of the engine.
pub fn changes_since<D: Database>(db: &D, version: u64, max_bytes: usize) -> Result<Changes> {
    let head = Head::load(db)?;
    if !(head.floor..=head.version).contains(&version) {
        return Ok(Changes::Reset {
            version: head.version,
            oldest: head.floor,
        });
    }
    let mut changes = Vec::new();
    let mut bytes = 0;
    for row in db.rows(STEPS, &[version, STEPS_AT_A_TIME].map(Bind::number))? {
        if bytes >= max_bytes {
            break;
        }
        let change = change(db, row)?;
        bytes += change.json.len();
        changes.push(change);
    }
    Ok(Changes::Steps(changes))
}

fn change<D: Database>(db: &D, row: Vec<Cell>) -> Result<Change> {
    let mut cells = row.into_iter();
    let mut next = || cells.next().unwrap_or(Cell::Null);
    let version = next().as_count();
    let mut fields = Fields::default().value("version", &version);
    for name in ["kind", "description", "actor", "createdAt"] {
        fields = fields.value(name, &next().into_text());
    }
    let mut metadata = Map::new();
    metadata.insert("version".to_owned(), version.into());
    for name in ["nodeCount", "edgeCount"] {
        metadata.insert(name.to_owned(), next().as_count().into());
    }
    for name in ["canUndo", "canRedo"] {
        metadata.insert(name.to_owned(), Value::Bool(next().as_count() > 0));
    }
    let items = next().as_count();
    let fields = match patch(db, version, items)? {
        Some(patch) => fields.raw("patch", &patch),
        None => fields.raw("patch", "null").value("reload", &true),
    };
    Ok(Change {
        version,
        json: fields.value("metadata", &json!(metadata)).finish(),
    })
}

/// Returns the patch of a step; `None` if it is too long.
fn patch<D: Database>(db: &D, version: u64, items: u64) -> Result<Option<String>> {
    let mut left = MAX_PATCH_BYTES;
    if items * LEAST_ITEM_BYTES > left as u64 {
        return Ok(None);
    }
    let mut patch = Fields::default();
    for (name, upserted, deleted) in [
        ("nodes", UPSERTED_NODES, DELETED_NODES),
        ("edges", UPSERTED_EDGES, DELETED_EDGES),
    ] {
        let mut lists = Fields::default();
        for (name, sql) in [("upserted", upserted), ("deleted", deleted)] {
            let mut cursor = db
                .open(Statement::Own(sql, &[Bind::number(version)]))
                .map_err(EngineError::own)?;
            let taken = cursor
                .take_text(usize::MAX, left + 1, ",")
                .map_err(EngineError::own)?;
            if !taken.done || taken.text.len() > left {
                return Ok(None);
            }
            left -= taken.text.len();
            lists = lists.raw(name, &format!("[{}]", taken.text));
        }
        patch = patch.raw(name, &lists.finish());
    }
    Ok(Some(patch.finish()))
}
