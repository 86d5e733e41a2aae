//! Counts, reads and deletes the recorded changes.

use base::Result;
use database::{Bind, Cell, Database, DatabaseExt as _};

use super::relation::Relation;
use super::triggers::{Operation, Recording};

const COUNTED: &str = "SELECT relation, operation, count(*) FROM _codemode_changes WHERE id > ?1 GROUP BY relation, operation";
const BYTES: &str = "SELECT bytes FROM _codemode_changes WHERE id > ?1 ORDER BY id DESC LIMIT 1";
const CHANGES: &str =
    "SELECT id, relation, operation FROM _codemode_changes WHERE id > ?1 AND id <= ?2 ORDER BY id";
const FORGET_CHANGES: &str = "DELETE FROM _codemode_changes WHERE id > ?1 AND id <= ?2";
const FORGET_IMAGES: &str =
    "DELETE FROM _codemode_images WHERE relation = ?1 AND change_id > ?2 AND change_id <= ?3";

/// The numbers of changes in one table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    pub inserted: u64,
    pub updated: u64,
    pub deleted: u64,
}

impl Counted {
    /// Returns the total number.
    pub fn total(self) -> u64 {
        self.inserted
            .saturating_add(self.updated)
            .saturating_add(self.deleted)
    }
}

/// One change of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Change {
    pub id: u64,
    /// The position of the table.
    pub relation: usize,
    pub operation: Operation,
}

/// Counts the changes of each table, in the order of the tables.
///
/// # Errors
/// The engine's.
pub(crate) fn count<D: Database>(
    db: &D,
    relations: &[Relation],
    recording: Recording,
) -> Result<Vec<Counted>> {
    let mut counted = vec![Counted::default(); relations.len()];
    for row in db.rows(COUNTED, &[Bind::number(recording.after)])? {
        let mut cells = row.into_iter();
        let mut next = || cells.next().unwrap_or(Cell::Null);
        let (relation, operation, rows) =
            (position(&next()), next().into_text(), next().as_count());
        if let Some(counted) = counted.get_mut(relation) {
            match Operation::named(&operation) {
                Some(Operation::Insert) => counted.inserted = rows,
                Some(Operation::Update) => counted.updated = rows,
                Some(Operation::Delete) => counted.deleted = rows,
                None => {}
            }
        }
    }
    Ok(counted)
}

/// Returns the total size of the images in bytes.
///
/// # Errors
/// The engine's.
pub(crate) fn bytes<D: Database>(db: &D, recording: Recording) -> Result<u64> {
    let bytes = db.cell(BYTES, &[Bind::number(recording.after)])?;
    Ok(bytes.map_or(0, |cell| cell.as_count()))
}

/// Returns the changes up to an id, in their order.
///
/// # Errors
/// The engine's.
pub(crate) fn changes<D: Database>(db: &D, recording: Recording, last: u64) -> Result<Vec<Change>> {
    let rows = db.rows(
        CHANGES,
        &[Bind::number(recording.after), Bind::number(last)],
    )?;
    Ok(rows
        .into_iter()
        .filter_map(|row| {
            let mut cells = row.into_iter();
            Some(Change {
                id: cells.next()?.as_count(),
                relation: position(&cells.next()?),
                operation: Operation::named(cells.next()?.as_text()?)?,
            })
        })
        .collect())
}

/// Deletes the changes up to an id, and their images.
///
/// # Errors
/// The engine's.
pub(crate) fn forget<D: Database>(
    db: &D,
    relations: usize,
    recording: Recording,
    last: u64,
) -> Result<()> {
    let (after, last) = (Bind::number(recording.after), Bind::number(last));
    for relation in 0..relations {
        let relation = Bind::number(relation as u64);
        db.run(FORGET_IMAGES, &[relation, after.clone(), last.clone()])?;
    }
    db.run(FORGET_CHANGES, &[after, last])?;
    Ok(())
}

fn position(cell: &Cell) -> usize {
    usize::try_from(cell.as_count()).unwrap_or(usize::MAX)
}
