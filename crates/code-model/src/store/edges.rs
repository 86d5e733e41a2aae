//! References of items, as rows that begin and end with versions.

use std::collections::{BTreeMap, BTreeSet};

use base::Result;
use database::{Bind, Database, DatabaseExt};
use serde_json::json;

use super::rows::{OPEN, Pieces, Row, list, optional, row, rows};
use crate::limits::MAX_LISTED_EDGES;
use crate::model::{EdgeKind, Reference, TargetForm};

const OPEN_OF_PATH: &str = "SELECT edge, source, kind, form, target, coalesce(alias, '') FROM code_edges WHERE path = ?1 AND valid_to = ?2";
const END: &str =
    "UPDATE code_edges SET valid_to = ?2 WHERE edge IN (SELECT value FROM json_each(?1))";
const INSERT: &str = "INSERT INTO code_edges (source, path, kind, form, target, alias, valid_from, valid_to) \
     SELECT value->>'$[0]', ?2, value->>'$[1]', value->>'$[2]', value->>'$[3]', nullif(value->>'$[4]', ''), ?3, ?4 FROM json_each(?1)";
const OF_SOURCE: &str = "SELECT edge, source, kind, form, target, coalesce(alias, '') FROM code_edges WHERE path = ?2 AND valid_from <= ?1 AND \
     valid_to > ?1 AND source = ?3 ORDER BY edge LIMIT ?4";
const TO_TARGET: &str = "SELECT edge, source, kind, form, target, coalesce(alias, '') FROM code_edges WHERE target = ?2 AND form = ?3 AND \
     valid_from <= ?1 AND valid_to > ?1 ORDER BY edge LIMIT ?4";
const OF_ALIAS: &str = "SELECT target FROM code_edges WHERE alias = ?2 AND valid_from <= ?1 AND valid_to > ?1 ORDER BY edge LIMIT 1";

/// An edge of a version.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct EdgeRow {
    pub source: u64,
    pub kind: EdgeKind,
    pub form: TargetForm,
    pub target: String,
    pub alias: String,
}

impl EdgeRow {
    fn read(row: &mut Row) -> (u64, Self) {
        let edge = row.number();
        let found = Self {
            source: row.number(),
            kind: EdgeKind::of(&row.text()).unwrap_or(EdgeKind::Uses),
            form: TargetForm::of(&row.text()).unwrap_or(TargetForm::Name),
            target: row.text(),
            alias: row.text(),
        };
        (edge, found)
    }
}

/// Replaces the edges of a file by those of its text. `numbers` are the rows of its items.
pub(super) fn write<D: Database>(
    db: &D,
    path: &str,
    references: Vec<Reference>,
    numbers: &[u64],
    version: u64,
) -> Result<()> {
    let present = rows(
        db,
        OPEN_OF_PATH,
        &[Bind::text(path), Bind::number(OPEN)],
        EdgeRow::read,
    )?;
    let mut present: BTreeMap<EdgeRow, u64> =
        present.into_iter().map(|(edge, row)| (row, edge)).collect();
    let mut added = BTreeSet::new();
    for reference in references {
        let Some(source) = numbers.get(reference.source) else {
            continue;
        };
        let edge = EdgeRow {
            source: *source,
            kind: reference.kind,
            form: reference.form,
            target: reference.target,
            alias: reference.alias,
        };
        if present.remove(&edge).is_none() {
            added.insert(edge);
        }
    }
    let ended: Vec<u64> = present.into_values().collect();
    if !ended.is_empty() {
        db.run(END, &[list(&ended), Bind::number(version)])?;
    }
    let others = vec![Bind::text(path), Bind::number(version), Bind::number(OPEN)];
    let mut pieces = Pieces::new(db, INSERT, others);
    for edge in &added {
        pieces.push(&json!([
            edge.source,
            edge.kind.word(),
            edge.form.word(),
            edge.target,
            edge.alias
        ]))?;
    }
    pieces.finish()
}

/// Returns the edges of an item.
pub(crate) fn of_source<D: Database>(
    db: &D,
    version: u64,
    path: &str,
    source: u64,
) -> Result<Vec<EdgeRow>> {
    let binds = [
        Bind::number(version),
        Bind::text(path),
        Bind::number(source),
        Bind::number(MAX_LISTED_EDGES),
    ];
    rows(db, OF_SOURCE, &binds, |row| EdgeRow::read(row).1)
}

/// Returns the edges with this target.
pub(crate) fn to_target<D: Database>(
    db: &D,
    version: u64,
    target: &str,
    form: TargetForm,
) -> Result<Vec<EdgeRow>> {
    let binds = [
        Bind::number(version),
        Bind::text(target),
        Bind::text(form.word()),
        Bind::number(MAX_LISTED_EDGES),
    ];
    rows(db, TO_TARGET, &binds, |row| EdgeRow::read(row).1)
}

/// Returns the target of an import under this path.
pub(crate) fn of_alias<D: Database>(db: &D, version: u64, alias: &str) -> Result<Option<String>> {
    row(
        db,
        OF_ALIAS,
        &[Bind::number(version), optional(Some(alias))],
        Row::text,
    )
}
