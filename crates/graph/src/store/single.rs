//! Changes of a single node or edge, with as few statements as possible.
//!
//! Most requests change one item, and most of their time is the fixed cost of statements. So the
//! statements here also return what the response, the history and the counts need, which
//! [`super::write`] reads from the tables afterwards. They leave the same rows.

use base::{Error, Result};
use database::{Bind, Cell, Database, DatabaseExt};

use super::columns::{coordinate, edge_columns, edge_json, node_columns, node_fields, node_json};
use super::indexes::{NodeIndexes, TypeChange, WordChange};
use super::temporal::Tally;
use super::write::{EdgeChange, NewEdge, NewNode, NodeChange, Write};
use crate::model::Data;

/// Adds a node, unless its id is taken. The number of types is only needed for a new one.
const ADD_NODE: &str = concat!(
    "INSERT INTO nodes (seq, id, label, type, data, x, y, pinned, created_at, updated_at, version) \
     VALUES (?1, ?2, ?3, ?4, json(?5), ?6, ?7, ?8, ?9, ?9, ?10) ON CONFLICT (id) DO NOTHING RETURNING ",
    node_json!(),
    ", CASE WHEN NOT EXISTS (SELECT 1 FROM _codemode_types WHERE type = ?4) \
     THEN (SELECT count(*) + 1 FROM _codemode_types) END"
);
const ARCHIVE_NODE: &str = concat!(
    "INSERT INTO _codemode_past_nodes (seq, ",
    node_columns!(),
    ", version, until) SELECT seq, ",
    node_columns!(),
    ", version, ?2 FROM nodes WHERE id = ?1 RETURNING seq, type, iif(?3, data, NULL)"
);
/// Changes a node that was archived, unless it has the new values already. `?3` is the new type if
/// it differs, and `?10` the old one.
const CHANGE_NODE: &str = concat!(
    "UPDATE nodes SET label = coalesce(?2, label), type = coalesce(?3, type), data = coalesce(json(?4), data), \
     x = coalesce(?5, x), y = coalesce(?6, y), pinned = coalesce(?7, pinned), updated_at = ?8, version = ?9 \
     WHERE seq = ?1 AND (label, type, data, x, y, pinned) IS NOT (coalesce(?2, label), coalesce(?3, type), \
     coalesce(json(?4), data), coalesce(?5, x), coalesce(?6, y), coalesce(?7, pinned)) RETURNING ",
    node_json!(),
    ", label, (label, type, data) IS NOT (SELECT p.label, p.type, p.data FROM _codemode_past_nodes AS p \
     WHERE p.seq = ?1 AND p.until = ?9), CASE WHEN NOT EXISTS (SELECT 1 FROM _codemode_types WHERE type = ?3) \
     AND ?3 IS NOT NULL THEN (SELECT count(*) + 1 FROM _codemode_types) END, \
     (SELECT t.nodes FROM _codemode_types AS t WHERE t.type = ?10)"
);
const NODE: &str = concat!("SELECT ", node_json!(), ", label FROM nodes WHERE seq = ?");
const UNARCHIVE_NODE: &str = "DELETE FROM _codemode_past_nodes WHERE seq = ?1 AND until = ?2";
const ARCHIVE_REMOVED_NODE: &str = concat!(
    "INSERT INTO _codemode_past_nodes (seq, ",
    node_columns!(),
    ", version, until) SELECT seq, ",
    node_columns!(),
    ", version, ?2 FROM nodes WHERE id = ?1 RETURNING ",
    node_json!(),
    ", seq, label, type, (SELECT count(*) FROM edges AS e WHERE e.source = ?1 OR e.target = ?1), \
     (SELECT t.nodes FROM _codemode_types AS t WHERE t.type = _codemode_past_nodes.type)"
);
const DELETE_NODE: &str = "DELETE FROM nodes WHERE seq = ?";
const ARCHIVE_EDGES_OF_NODE: &str = concat!(
    "INSERT INTO _codemode_past_edges (seq, ",
    edge_columns!(),
    ", version, until) SELECT seq, ",
    edge_columns!(),
    ", version, ?2 FROM edges WHERE source = ?1 OR target = ?1"
);
const DELETE_EDGES_OF_NODE: &str = "DELETE FROM edges WHERE source = ?1 OR target = ?1";

/// The labels of both ends of an edge, beside their ids.
macro_rules! ends {
    () => {
        ", source, (SELECT n.label FROM nodes AS n WHERE n.id = source), \
         target, (SELECT n.label FROM nodes AS n WHERE n.id = target)"
    };
}

/// Adds an edge between nodes that exist, unless its id is taken, or, for an edge without an id and
/// data (`?10`), there is one with its source, target, label and type.
const ADD_EDGE: &str = concat!(
    "INSERT INTO edges (seq, id, source, target, label, type, data, created_at, updated_at, version) \
     SELECT ?1, ?2, ?3, ?4, ?5, ?6, json(?7), ?8, ?8, ?9 \
     WHERE EXISTS (SELECT 1 FROM nodes WHERE id = ?3) AND EXISTS (SELECT 1 FROM nodes WHERE id = ?4) \
     AND NOT (?10 AND EXISTS (SELECT 1 FROM edges WHERE source = ?3 AND target = ?4 AND label = ?5 AND type = ?6)) \
     ON CONFLICT (id) DO NOTHING RETURNING ",
    edge_json!(),
    ends!()
);
const ARCHIVE_EDGE: &str = concat!(
    "INSERT INTO _codemode_past_edges (seq, ",
    edge_columns!(),
    ", version, until) SELECT seq, ",
    edge_columns!(),
    ", version, ?2 FROM edges WHERE id = ?1 RETURNING seq, iif(?3, data, NULL)"
);
const CHANGE_EDGE: &str = concat!(
    "UPDATE edges SET source = coalesce(?2, source), target = coalesce(?3, target), label = coalesce(?4, label), \
     type = coalesce(?5, type), data = coalesce(json(?6), data), updated_at = ?7, version = ?8 \
     WHERE seq = ?1 AND (source, target, label, type, data) IS NOT (coalesce(?2, source), coalesce(?3, target), \
     coalesce(?4, label), coalesce(?5, type), coalesce(json(?6), data)) RETURNING ",
    edge_json!(),
    ends!()
);
const EDGE: &str = concat!(
    "SELECT ",
    edge_json!(),
    ends!(),
    " FROM edges WHERE seq = ?"
);
const EDGE_OF_ID: &str = concat!("SELECT ", edge_json!(), ends!(), " FROM edges WHERE id = ?");
const UNARCHIVE_EDGE: &str = "DELETE FROM _codemode_past_edges WHERE seq = ?1 AND until = ?2";
const ARCHIVE_REMOVED_EDGE: &str = concat!(
    "INSERT INTO _codemode_past_edges (seq, ",
    edge_columns!(),
    ", version, until) SELECT seq, ",
    edge_columns!(),
    ", version, ?2 FROM edges WHERE id = ?1 RETURNING ",
    edge_json!(),
    ends!(),
    ", seq"
);
const DELETE_EDGE: &str = "DELETE FROM edges WHERE seq = ?";

/// The changes of a step to one item and, if a node is removed, to its edges.
#[derive(Debug, Default)]
pub(crate) struct SingleChange {
    pub nodes: Tally,
    pub edges: Tally,
    /// The changes of the tables that follow the nodes.
    pub indexes: NodeIndexes,
}

/// A node after its change, or before its removal.
pub(crate) struct ChangedNode {
    pub json: String,
    pub label: String,
    pub change: SingleChange,
}

/// An edge after its change, or before its removal.
pub(crate) struct ChangedEdge {
    pub json: String,
    /// The id and the label of both ends.
    pub ends: [[String; 2]; 2],
    pub change: SingleChange,
}

const CREATED: Tally = Tally {
    created: 1,
    updated: 0,
    deleted: 0,
};
const UPDATED: Tally = Tally {
    created: 0,
    updated: 1,
    deleted: 0,
};
const DELETED: Tally = Tally {
    created: 0,
    updated: 0,
    deleted: 1,
};

/// The cells of a row, in order.
struct Row(std::vec::IntoIter<Cell>);

impl Row {
    fn text(&mut self) -> String {
        self.0.next().unwrap_or(Cell::Null).into_text()
    }

    fn count(&mut self) -> u64 {
        self.0.next().unwrap_or(Cell::Null).as_count()
    }

    /// Returns an edge from its JSON and its ends.
    fn edge(&mut self, change: SingleChange) -> ChangedEdge {
        ChangedEdge {
            json: self.text(),
            ends: [[self.text(), self.text()], [self.text(), self.text()]],
            change,
        }
    }
}

impl<D: Database> Write<'_, D> {
    fn row(&self, sql: &'static str, binds: &[Bind]) -> Result<Option<Row>> {
        let row = self.db.rows(sql, binds)?.into_iter().next();
        Ok(row.map(|cells| Row(cells.into_iter())))
    }

    /// Adds a node; `None` if its id is taken.
    pub fn add_node(&mut self, node: &NewNode<'_>) -> Result<Option<ChangedNode>> {
        let seq = self.next_node;
        let binds = [
            Bind::number(seq),
            Bind::text(node.id),
            Bind::text(node.label),
            Bind::text(node.kind),
            Bind::text(&*node.data),
            Bind::Real(node.position.x),
            Bind::Real(node.position.y),
            Bind::number(u64::from(node.pinned)),
            Bind::text(&self.now),
            Bind::number(self.version),
        ];
        let Some(mut row) = self.row(ADD_NODE, &binds)? else {
            return Ok(None);
        };
        self.next_node += 1;
        Ok(Some(ChangedNode {
            json: row.text(),
            label: node.label.to_owned(),
            change: SingleChange {
                nodes: CREATED,
                edges: Tally::default(),
                indexes: NodeIndexes {
                    seq,
                    words: WordChange::Insert,
                    types: TypeChange::Enter {
                        kind: node.kind.to_owned(),
                        types: row.count(),
                    },
                },
            },
        }))
    }

    /// Changes a node; `None` if there is no node with this id. `changes` returns the changes from
    /// the `seq` of the node and, if `with_data`, its data.
    pub fn change_node(
        &self,
        id: &str,
        with_data: bool,
        changes: impl FnOnce(u64, &str) -> Result<NodeChange>,
    ) -> Result<Option<ChangedNode>> {
        let Some(mut row) = self.row(ARCHIVE_NODE, &self.archived(id, with_data))? else {
            return Ok(None);
        };
        let (seq, from, data) = (row.count(), row.text(), row.text());
        let change = changes(seq, &data)?;
        let to = change.kind.filter(|to| *to != from);
        let number = |number: Option<f64>| number.map_or(Bind::Null, Bind::Real);
        let binds = [
            Bind::number(seq),
            text(change.label),
            text(to.clone()),
            text(change.data.map(Data::into_text)),
            number(change.position.map(|position| position.x)),
            number(change.position.map(|position| position.y)),
            number(change.pinned.map(|pinned| f64::from(u8::from(pinned)))),
            Bind::text(&self.now),
            Bind::number(self.version),
            Bind::text(&from),
        ];
        let Some(mut row) = self.row(CHANGE_NODE, &binds)? else {
            self.unarchive(UNARCHIVE_NODE, seq)?;
            let row = self.row(NODE, &[Bind::number(seq)])?;
            let mut row = row.ok_or_else(missing)?;
            return Ok(Some(ChangedNode {
                json: row.text(),
                label: row.text(),
                change: SingleChange::default(),
            }));
        };
        let (json, label) = (row.text(), row.text());
        let words = match row.count() {
            0 => WordChange::None,
            _ => WordChange::Replace,
        };
        let (types, nodes_of_from) = (row.count(), row.count());
        let types = match to {
            None => TypeChange::None,
            Some(to) => TypeChange::Move {
                from,
                nodes_of_from,
                to,
                types,
            },
        };
        Ok(Some(ChangedNode {
            json,
            label,
            change: SingleChange {
                nodes: UPDATED,
                edges: Tally::default(),
                indexes: NodeIndexes { seq, words, types },
            },
        }))
    }

    /// Removes a node with its edges; `None` if there is no node with this id.
    pub fn remove_node(&self, id: &str) -> Result<Option<ChangedNode>> {
        let step = [Bind::text(id), Bind::number(self.version)];
        let Some(mut row) = self.row(ARCHIVE_REMOVED_NODE, &step)? else {
            return Ok(None);
        };
        let (json, seq, label) = (row.text(), row.count(), row.text());
        let (kind, edges, nodes_of_kind) = (row.text(), row.count(), row.count());
        if edges > 0 {
            self.db.run(ARCHIVE_EDGES_OF_NODE, &step)?;
            self.db.run(DELETE_EDGES_OF_NODE, &[Bind::text(id)])?;
        }
        self.db.run(DELETE_NODE, &[Bind::number(seq)])?;
        Ok(Some(ChangedNode {
            json,
            label,
            change: SingleChange {
                nodes: DELETED,
                edges: Tally {
                    deleted: edges,
                    ..Tally::default()
                },
                indexes: NodeIndexes {
                    seq,
                    words: WordChange::Delete,
                    types: TypeChange::Leave {
                        kind,
                        nodes_of_kind,
                    },
                },
            },
        }))
    }

    /// Adds an edge; `None` if one of its ends is missing, its id is taken, or it `is_bare` and an
    /// edge with its source, target, label and type exists.
    pub fn add_edge(&mut self, edge: &NewEdge<'_>, is_bare: bool) -> Result<Option<ChangedEdge>> {
        let texts = [
            edge.id,
            edge.source,
            edge.target,
            edge.label,
            edge.kind,
            edge.data,
            &self.now,
        ];
        let mut binds = vec![Bind::number(self.next_edge)];
        binds.extend(texts.map(Bind::text));
        binds.extend([self.version, u64::from(is_bare)].map(Bind::number));
        let Some(mut row) = self.row(ADD_EDGE, &binds)? else {
            return Ok(None);
        };
        self.next_edge += 1;
        Ok(Some(row.edge(SingleChange {
            edges: CREATED,
            ..SingleChange::default()
        })))
    }

    /// Changes an edge; `None` if there is no edge with this id. `changes` returns the changes from
    /// the `seq` of the edge and, if `with_data`, its data; it checks the new ends.
    pub fn change_edge(
        &self,
        id: &str,
        with_data: bool,
        changes: impl FnOnce(u64, &str) -> Result<EdgeChange>,
    ) -> Result<Option<ChangedEdge>> {
        let Some(mut row) = self.row(ARCHIVE_EDGE, &self.archived(id, with_data))? else {
            return Ok(None);
        };
        let (seq, data) = (row.count(), row.text());
        let change = changes(seq, &data)?;
        let binds = [
            Bind::number(seq),
            text(change.source),
            text(change.target),
            text(change.label),
            text(change.kind),
            text(change.data.map(Data::into_text)),
            Bind::text(&self.now),
            Bind::number(self.version),
        ];
        if let Some(mut row) = self.row(CHANGE_EDGE, &binds)? {
            return Ok(Some(row.edge(SingleChange {
                edges: UPDATED,
                ..SingleChange::default()
            })));
        }
        self.unarchive(UNARCHIVE_EDGE, seq)?;
        let row = self.row(EDGE, &[Bind::number(seq)])?;
        Ok(Some(row.ok_or_else(missing)?.edge(SingleChange::default())))
    }

    /// Returns an edge as it is; `None` if there is no edge with this id.
    pub fn unchanged_edge(&self, id: &str) -> Result<Option<ChangedEdge>> {
        let row = self.row(EDGE_OF_ID, &[Bind::text(id)])?;
        Ok(row.map(|mut row| row.edge(SingleChange::default())))
    }

    /// Removes an edge; `None` if there is no edge with this id.
    pub fn remove_edge(&self, id: &str) -> Result<Option<ChangedEdge>> {
        let step = [Bind::text(id), Bind::number(self.version)];
        let Some(mut row) = self.row(ARCHIVE_REMOVED_EDGE, &step)? else {
            return Ok(None);
        };
        let edge = row.edge(SingleChange {
            edges: DELETED,
            ..SingleChange::default()
        });
        self.db.run(DELETE_EDGE, &[Bind::number(row.count())])?;
        Ok(Some(edge))
    }

    fn archived(&self, id: &str, with_data: bool) -> [Bind; 3] {
        [
            Bind::text(id),
            Bind::number(self.version),
            Bind::number(u64::from(with_data)),
        ]
    }

    fn unarchive(&self, sql: &'static str, seq: u64) -> Result<()> {
        let binds = [seq, self.version].map(Bind::number);
        self.db.run(sql, &binds).map(drop)
    }
}

fn text(text: Option<String>) -> Bind {
    text.map_or(Bind::Null, Bind::Text)
}

fn missing() -> Error {
    Error::internal("a row is missing")
}
