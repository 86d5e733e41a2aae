//! Records the changes of a statement with our own triggers, which only exist within one
//! transaction.
//!
//! Each change of a row in the written table, and in each table that foreign keys change with it,
//! becomes a row of `_codemode_changes`; the engine copies its stored values before and after into
//! rows of `_codemode_images`. `recursive_triggers` is on while the statement runs, because
//! otherwise no triggers run for the rows that REPLACE deletes. If the statement fails, the
//! caller's transaction must roll it back, and the triggers with it.

use base::{Error, Result};
use database::{Database, DatabaseExt as _, Statement};
use sql_gate::compose::{Part, compose, quote_identifier};

use super::relation::Relation;
use super::text::{Side, sizes};
use crate::limits::{IMAGE_COLUMNS, SAMPLED_IMAGES};

const LAST_CHANGE: &str = "SELECT coalesce(max(id), 0) FROM _codemode_changes";
const REPLACE_TELLS: &str = "PRAGMA recursive_triggers = ON";
const REPLACE_IS_SILENT: &str = "PRAGMA recursive_triggers = OFF";

/// The beginning of the error message with which a dry run stops itself.
const TOO_MUCH: &str = "codemode ends the dry run";

/// The limits of a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RecordingLimits {
    /// The maximum number of changed rows.
    pub rows: u64,
    /// The maximum size of their images, in bytes.
    pub bytes: u64,
    /// The behaviour beyond these limits.
    pub beyond: OverLimit,
}

/// The behaviour when a statement changes more than the limits allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OverLimit {
    /// The statement fails with an error that [`is_too_much`] recognises. For each table only the
    /// first images are kept.
    Fail,
    /// The statement continues, but nothing is recorded after the first change beyond the limits.
    Stop,
}

/// The effect of a change on its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    /// The row is inserted.
    Insert,
    /// The row gets other values.
    Update,
    /// The row is deleted.
    Delete,
}

impl Operation {
    pub const ALL: [Self; 3] = [Self::Insert, Self::Update, Self::Delete];

    /// Returns the name in `_codemode_changes` and in SQL.
    pub fn name(self) -> &'static str {
        match self {
            Self::Insert => "insert",
            Self::Update => "update",
            Self::Delete => "delete",
        }
    }

    /// Returns the operation with that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|operation| operation.name() == name)
    }

    /// Returns the sides of the change that have a row, with SQLite's names for it.
    fn sides(self) -> &'static [(Side, &'static str)] {
        match self {
            Self::Insert => &[(Side::After, "NEW")],
            Self::Update => &[(Side::Before, "OLD"), (Side::After, "NEW")],
            Self::Delete => &[(Side::Before, "OLD")],
        }
    }
}

/// The recorded changes: those after this id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Recording {
    /// The last id before the first change.
    pub after: u64,
}

/// Returns true if an error message is the one with which a dry run stops itself.
pub(crate) fn is_too_much(message: &str) -> bool {
    message.contains(TOO_MUCH)
}

/// Runs `work` while changes of these tables are recorded. It must be called inside a transaction
/// that is rolled back on an error.
///
/// # Errors
/// Those of `work`, or the engine's.
pub(crate) fn recording<D: Database, T>(
    db: &D,
    relations: &[Relation],
    extent: RecordingLimits,
    work: impl FnOnce() -> Result<T>,
) -> Result<(Recording, T)> {
    let after = db.cell(LAST_CHANGE, &[])?.map_or(0, |cell| cell.as_count());
    let recording = Recording { after };
    for (index, relation) in relations.iter().enumerate() {
        for operation in Operation::ALL {
            let text = trigger(relation, index, operation, extent, recording);
            run(db, &[Part::Sql("CREATE TRIGGER "), Part::Expression(&text)])?;
        }
    }
    let outcome = with_pragma(db, REPLACE_TELLS, REPLACE_IS_SILENT, work)?;
    for index in 0..relations.len() {
        for operation in Operation::ALL {
            let name = trigger_name(index, operation);
            // DROP TABLE also drops the triggers of its table.
            run(
                db,
                &[
                    Part::Sql("DROP TRIGGER IF EXISTS "),
                    Part::Expression(&name),
                ],
            )?;
        }
    }
    Ok((recording, outcome))
}

/// Runs `work` between two pragmas. The second one reverts the first and is retried if it fails,
/// because the connection would otherwise keep the setting after the transaction.
///
/// # Errors
/// Those of `work`, or the engine's.
pub(crate) fn with_pragma<D: Database, T>(
    db: &D,
    on: &'static str,
    off: &'static str,
    work: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let outcome = match db.run(on, &[]) {
        Ok(_) => work(),
        Err(error) => Err(error),
    };
    db.run(off, &[]).or_else(|_| db.run(off, &[]))?;
    outcome
}

fn run<D: Database>(db: &D, parts: &[Part<'_>]) -> Result<()> {
    let bound = compose(parts, Vec::new());
    db.open(Statement::Reviewed(bound.reviewed()))
        .map(drop)
        .map_err(|error| Error::internal(error.parts().message))
}

fn trigger_name(index: usize, operation: Operation) -> String {
    quote_identifier(&format!("_codemode_capture_{index}_{}", operation.name()))
}

/// Returns `name AFTER … ON table WHEN … BEGIN … END`.
fn trigger(
    relation: &Relation,
    index: usize,
    operation: Operation,
    extent: RecordingLimits,
    Recording { after }: Recording,
) -> String {
    let bytes = format!(
        "coalesce((SELECT bytes FROM _codemode_changes WHERE id > {after} ORDER BY id DESC LIMIT 1), 0)"
    );
    let rows = "coalesce((SELECT max(id) FROM _codemode_changes), 0)";
    let last = after.saturating_add(extent.rows);
    let (when, first) = match extent.beyond {
        OverLimit::Stop => (
            format!(" WHEN {rows} <= {last} AND {bytes} <= {}", extent.bytes),
            String::new(),
        ),
        OverLimit::Fail => (
            String::new(),
            format!(
                " SELECT RAISE(ABORT, '{TOO_MUCH}') WHERE {rows} >= {last} OR {bytes} > {};",
                extent.bytes
            ),
        ),
    };
    let sampled = match extent.beyond {
        OverLimit::Stop => String::new(),
        OverLimit::Fail => format!(
            " WHERE (SELECT count(*) FROM (SELECT 1 FROM _codemode_images WHERE relation = {index} AND change_id > {after} \
             LIMIT {sampled})) < {sampled}",
            sampled = SAMPLED_IMAGES
                .saturating_mul(2)
                .saturating_mul(relation.parts() as u64)
        ),
    };
    let sides = operation.sides();
    let size = sizes(sides.iter().flat_map(|(_, row)| {
        let slots = relation.slots.iter();
        slots.map(move |slot| format!("{row}.{}", slot.quoted))
    }));
    let mut images = String::new();
    for (side, row) in sides {
        for (part, slots) in relation.slots.chunks(IMAGE_COLUMNS).enumerate() {
            let targets: Vec<String> = (1..=slots.len())
                .map(|number| format!("v{number}"))
                .collect();
            let values: Vec<String> = slots
                .iter()
                .map(|slot| format!("{row}.{}", slot.quoted))
                .collect();
            images.push_str(&format!(
                " INSERT INTO _codemode_images (relation, change_id, side, part, {}) SELECT {index}, last_insert_rowid(), {}, {part}, {}{sampled};",
                targets.join(", "),
                side.number(),
                values.join(", ")
            ));
        }
    }
    format!(
        "{} AFTER {} ON {}{when} BEGIN{first} INSERT INTO _codemode_changes (relation, operation, bytes) VALUES ({index}, '{}', {bytes} + {size});{images} END",
        trigger_name(index, operation),
        operation.name(),
        quote_identifier(&relation.name),
        operation.name(),
    )
}
