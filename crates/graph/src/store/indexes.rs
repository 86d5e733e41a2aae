//! The tables that follow the nodes: the counts of types and the index of words.
//!
//! [`update_all`] finds the nodes that a step changed in the tables. A step of a single node knows
//! its own, and calls [`NodeIndexes::update`].

use base::Result;
use database::{Bind, Database, DatabaseExt};

use super::head::Head;
use super::read::counts;
use super::temporal::Tally;
use crate::GraphError;
use crate::limits::MAX_NODE_TYPES;

const COUNT_TYPES: &str = "INSERT INTO _codemode_types (type, nodes) SELECT type, sum(n) FROM \
     (SELECT type, 1 AS n FROM nodes WHERE version = ?1 UNION ALL \
     SELECT type, -1 FROM _codemode_past_nodes WHERE until = ?1) WHERE true GROUP BY type \
     ON CONFLICT (type) DO UPDATE SET nodes = nodes + excluded.nodes";
const DELETE_TYPES: &str = "DELETE FROM _codemode_types WHERE nodes = 0";
const SOME_TYPES: &str =
    "SELECT count(*) FROM (SELECT 1 FROM _codemode_types WHERE nodes > 0 LIMIT ?1)";

/// For a graph without nodes: deletes everything at once instead of row by row.
const EMPTY_TYPES: &str = "DELETE FROM _codemode_types";
const EMPTY_WORDS: &str =
    "INSERT INTO _codemode_node_words (_codemode_node_words) VALUES ('delete-all')";

/// The words of the data of a node: the tokenizer ignores JSON punctuation, but does not decode
/// escapes, so SQLite decodes them if there are any.
macro_rules! words_of_data {
    () => {
        "CASE WHEN instr(n.data, '\\') = 0 THEN n.data ELSE (SELECT group_concat(CASE typeof(key) WHEN 'text' \
         THEN key || ' ' || coalesce(atom, '') ELSE atom END, ' ') FROM json_tree(n.data)) END"
    };
}

/// The index of words is updated only for nodes whose words changed: a layout moves every node and
/// changes no word.
const DELETE_WORDS: &str = "DELETE FROM _codemode_node_words WHERE rowid IN (SELECT p.seq FROM _codemode_past_nodes AS p \
     LEFT JOIN nodes AS n ON n.seq = p.seq WHERE p.until = ?1 AND (n.label, n.type, n.data) IS NOT (p.label, p.type, p.data))";
const INSERT_WORDS: &str = concat!(
    "INSERT INTO _codemode_node_words (rowid, label, type, data) SELECT n.seq, n.label, n.type, ",
    words_of_data!(),
    " FROM nodes AS n LEFT JOIN _codemode_past_nodes AS p ON p.seq = n.seq AND p.until = ?1 \
     WHERE n.version = ?1 AND (n.label, n.type, n.data) IS NOT (p.label, p.type, p.data)"
);

const ENTER_TYPE: &str = "INSERT INTO _codemode_types (type, nodes) VALUES (?1, 1) \
     ON CONFLICT (type) DO UPDATE SET nodes = nodes + 1";
const LEAVE_TYPE: &str = "UPDATE _codemode_types SET nodes = nodes - 1 WHERE type = ?1";
const DELETE_TYPE: &str = "DELETE FROM _codemode_types WHERE type = ?1";
const MOVE_TYPE: &str = "INSERT INTO _codemode_types (type, nodes) VALUES (?1, -1), (?2, 1) \
     ON CONFLICT (type) DO UPDATE SET nodes = nodes + excluded.nodes";
/// Moves the last node of a type. Its row takes the place of that of the other type.
const MOVE_LAST_OF_TYPE: &str = "UPDATE OR REPLACE _codemode_types SET type = ?2, \
     nodes = 1 + coalesce((SELECT t.nodes FROM _codemode_types AS t WHERE t.type = ?2), 0) WHERE type = ?1";

const INSERT_NODE_WORDS: &str = concat!(
    "INSERT INTO _codemode_node_words (rowid, label, type, data) SELECT n.seq, n.label, n.type, ",
    words_of_data!(),
    " FROM nodes AS n WHERE n.seq = ?"
);
const REPLACE_NODE_WORDS: &str = concat!(
    "INSERT OR REPLACE INTO _codemode_node_words (rowid, label, type, data) SELECT n.seq, n.label, n.type, ",
    words_of_data!(),
    " FROM nodes AS n WHERE n.seq = ?"
);
const DELETE_NODE_WORDS: &str = "DELETE FROM _codemode_node_words WHERE rowid = ?";

/// The changes that a step of a single node makes.
#[derive(Debug, Default)]
pub(crate) struct NodeIndexes {
    pub seq: u64,
    pub words: WordChange,
    pub types: TypeChange,
}

/// The change of the index of words.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WordChange {
    #[default]
    None,
    Insert,
    Replace,
    Delete,
}

/// The change of the counts of types.
#[derive(Debug, Default)]
pub(crate) enum TypeChange {
    #[default]
    None,
    /// A node of this type is new. `types` is the number of types with it if it is new, too, and
    /// otherwise 0.
    Enter { kind: String, types: u64 },
    /// A node of this type is deleted, which was one of `nodes_of_kind`.
    Leave { kind: String, nodes_of_kind: u64 },
    /// A node of `from`, one of `nodes_of_from`, becomes one of `to`. `types` is the number of types
    /// with both if `to` is new, and otherwise 0.
    Move {
        from: String,
        nodes_of_from: u64,
        to: String,
        types: u64,
    },
}

impl NodeIndexes {
    /// Updates the counts of types and the index of words.
    ///
    /// # Errors
    /// [`GraphError::GraphFull`] for too many types, and errors of the engine.
    pub fn update<D: Database>(&self, db: &D) -> Result<()> {
        match &self.types {
            TypeChange::None => {}
            TypeChange::Enter { kind, types } => {
                check_types(*types)?;
                db.run(ENTER_TYPE, &[Bind::text(kind)])?;
            }
            TypeChange::Leave {
                kind,
                nodes_of_kind,
            } => {
                let sql = match nodes_of_kind {
                    0 | 1 => DELETE_TYPE,
                    _ => LEAVE_TYPE,
                };
                db.run(sql, &[Bind::text(kind)])?;
            }
            TypeChange::Move {
                from,
                nodes_of_from,
                to,
                types,
            } => {
                let is_last = *nodes_of_from <= 1;
                check_types(types.saturating_sub(u64::from(is_last)))?;
                let sql = if is_last {
                    MOVE_LAST_OF_TYPE
                } else {
                    MOVE_TYPE
                };
                db.run(sql, &[from, to].map(Bind::text))?;
            }
        }
        let sql = match self.words {
            WordChange::None => return Ok(()),
            WordChange::Insert => INSERT_NODE_WORDS,
            WordChange::Replace => REPLACE_NODE_WORDS,
            WordChange::Delete => DELETE_NODE_WORDS,
        };
        db.run(sql, &[Bind::number(self.seq)]).map(drop)
    }
}

/// Updates the counts of types and the index of words for the nodes that the step changed.
///
/// # Errors
/// As [`NodeIndexes::update`].
pub(crate) fn update_all<D: Database>(db: &D, head: &Head, nodes: Tally) -> Result<()> {
    if nodes.is_empty() {
        return Ok(());
    }
    if head.node_count == 0 {
        db.run(EMPTY_TYPES, &[])?;
        return db.run(EMPTY_WORDS, &[]).map(drop);
    }
    let step = [Bind::number(head.version)];
    db.run(COUNT_TYPES, &step)?;
    if nodes.updated > 0 || nodes.created > 0 {
        let [types] = counts(db, SOME_TYPES, &[Bind::number(MAX_NODE_TYPES + 1)])?;
        check_types(types)?;
    }
    if nodes.updated > 0 || nodes.deleted > 0 {
        db.run(DELETE_TYPES, &[])?;
        db.run(DELETE_WORDS, &step)?;
    }
    if nodes.updated > 0 || nodes.created > 0 {
        db.run(INSERT_WORDS, &step)?;
    }
    Ok(())
}

/// Checks the number of node types, because each page of the graph lists them all.
fn check_types(types: u64) -> Result<()> {
    if types <= MAX_NODE_TYPES {
        return Ok(());
    }
    Err(GraphError::GraphFull {
        what: "types of nodes",
        size: types,
        limit: MAX_NODE_TYPES,
    }
    .into())
}
