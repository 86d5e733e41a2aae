//! The rows that a statement changed, by key: each as it was before the first change, and as the
//! last change left it.
//!
//! A statement may change a row several times, and may change the keys of rows. So a key has one of
//! two states at a time: the table has the row of an image under it, or no row. [`History::check`]
//! asks the engine if all keys are in their state before the statement, or after it.

use std::collections::{HashMap, HashSet};

use base::Result;
use database::{Bind, Cell, Cursor as _, Database, Statement};
use sql_cost::Meter;
use sql_gate::Bound;
use sql_gate::compose::{Part, compose, quote_identifier};

use super::capture::{Change, Images, Operation, ROW, Recording, Relation, Side, changes};

/// An image: one side of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Image {
    change: u64,
    side: Side,
}

/// The state of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// The row of this image.
    Row(Image),
    /// There is no row; the image only provides the key.
    Nothing(Image),
}

#[derive(Debug, Clone, Copy)]
struct Track {
    before: State,
    after: State,
}

/// The time at which states are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    /// Before the statement.
    Before,
    /// After it.
    After,
}

/// The changes of a statement.
pub(super) struct History {
    recording: Recording,
    last: u64,
    /// The changes, in their order.
    pub changes: Vec<Change>,
    /// The states of each key, by table.
    rows: Vec<HashMap<String, Track>>,
}

/// A key that is not in the expected state, given by an image with this key.
pub(super) struct Deviation {
    pub change: Change,
    pub side: Side,
    /// True if the key should have a row.
    pub expected: bool,
}

impl History {
    /// Reads the changes up to an id.
    ///
    /// # Errors
    /// The engine's.
    pub fn load<D: Database>(
        db: &D,
        relations: &[Relation],
        recording: Recording,
        last: u64,
    ) -> Result<Self> {
        let changes = changes(db, recording, last)?;
        let mut rows = Vec::with_capacity(relations.len());
        for (index, relation) in relations.iter().enumerate() {
            let keys = keys(db, relation, index, recording, last)?;
            rows.push(tracks(&changes, index, &keys));
        }
        Ok(Self {
            recording,
            last,
            changes,
            rows,
        })
    }

    /// Returns true if a key was changed here that `other` did not change.
    pub fn foreign_to(&self, other: &Self) -> bool {
        self.rows.iter().enumerate().any(|(index, rows)| {
            let known = other.rows.get(index);
            rows.keys()
                .any(|key| known.is_none_or(|known| !known.contains_key(key)))
        })
    }

    /// Returns the keys that are not in their state at that time, at most `most` of them.
    ///
    /// # Errors
    /// `QUERY_TOO_EXPENSIVE` if comparing computed columns is too much work, or the engine's.
    pub fn check<D: Database>(
        &self,
        db: &D,
        meter: &Meter<'_>,
        relations: &[Relation],
        when: When,
        most: usize,
    ) -> Result<Vec<Deviation>> {
        let mut found = Vec::new();
        for (index, relation) in relations.iter().enumerate() {
            let Some(tracks) = self.rows.get(index) else {
                continue;
            };
            let states = tracks.values().map(|track| match when {
                When::Before => track.before,
                When::After => track.after,
            });
            let (mut present, mut absent) = (HashSet::new(), HashSet::new());
            for state in states {
                match state {
                    State::Row(image) => present.insert(image),
                    State::Nothing(image) => absent.insert(image),
                };
            }
            for side in [Side::Before, Side::After] {
                let images = Images::of(relation, index, side);
                for (wanted, is_expected, condition) in [
                    (
                        &present,
                        true,
                        format!("NOT EXISTS ({})", same(images, relation)),
                    ),
                    (
                        &absent,
                        false,
                        format!("EXISTS ({})", same_key(images, relation)),
                    ),
                ] {
                    if wanted.iter().all(|image| image.side != side) {
                        continue;
                    }
                    let query = self.ids(images, &condition);
                    meter.admit(db, &relation.name, &query)?;
                    for change in numbers(db, &query)? {
                        if found.len() < most && wanted.contains(&Image { change, side }) {
                            found.extend(self.deviation(change, side, is_expected));
                        }
                    }
                }
            }
        }
        Ok(found)
    }

    fn deviation(&self, id: u64, side: Side, expected: bool) -> Option<Deviation> {
        let change = self.changes.iter().find(|change| change.id == id)?;
        Some(Deviation {
            change: *change,
            side,
            expected,
        })
    }

    /// Returns a query for the changes whose image meets a condition.
    fn ids(&self, images: Images<'_>, condition: &str) -> Bound {
        let text = format!(
            "{id} {} AND {id} > ?1 AND {id} <= ?2 AND {condition}",
            images.source(),
            id = images.change()
        );
        over_images(&text, self.recording, self.last)
    }
}

fn numbers<D: Database>(db: &D, query: &Bound) -> Result<Vec<u64>> {
    let rows = rows(db, query)?;
    let first = rows.into_iter().filter_map(|row| row.into_iter().next());
    Ok(first.map(|cell| cell.as_count()).collect())
}

fn same_key(images: Images<'_>, relation: &Relation) -> String {
    format!(
        "SELECT 1 FROM {} AS {ROW} WHERE {}",
        quote_identifier(&relation.name),
        images.same_key()
    )
}

fn same(images: Images<'_>, relation: &Relation) -> String {
    format!("{} AND {}", same_key(images, relation), images.same_row())
}

/// Returns the keys of all images of a table.
fn keys<D: Database>(
    db: &D,
    relation: &Relation,
    index: usize,
    recording: Recording,
    last: u64,
) -> Result<HashMap<Image, String>> {
    let mut found = HashMap::new();
    for side in [Side::Before, Side::After] {
        let images = Images::of(relation, index, side);
        let text = format!(
            "{id}, {} {} AND {id} > ?1 AND {id} <= ?2",
            images.key_text(),
            images.source(),
            id = images.change()
        );
        for row in rows(db, &over_images(&text, recording, last))? {
            let mut cells = row.into_iter();
            if let (Some(change), Some(key)) = (cells.next(), cells.next()) {
                let image = Image {
                    change: change.as_count(),
                    side,
                };
                found.insert(image, key.into_text());
            }
        }
    }
    Ok(found)
}

/// Returns a query over the images of these changes.
fn over_images(text: &str, recording: Recording, last: u64) -> Bound {
    compose(
        &[Part::Sql("SELECT "), Part::Expression(text)],
        vec![Bind::number(recording.after), Bind::number(last)],
    )
}

fn rows<D: Database>(db: &D, bound: &Bound) -> Result<Vec<Vec<Cell>>> {
    let fail = |error: database::EngineError| error.own();
    let mut cursor = db
        .open(Statement::Reviewed(bound.reviewed()))
        .map_err(fail)?;
    let mut rows = Vec::new();
    while let Some(row) = cursor.next().map_err(fail)? {
        rows.push(row);
    }
    Ok(rows)
}

fn tracks(
    changes: &[Change],
    index: usize,
    keys: &HashMap<Image, String>,
) -> HashMap<String, Track> {
    let mut tracks: HashMap<String, Track> = HashMap::new();
    for change in changes.iter().filter(|change| change.relation == index) {
        let image = |side| Image {
            change: change.id,
            side,
        };
        let (old, new) = (image(Side::Before), image(Side::After));
        let mut follow = |at: Image, before: State, after: State| {
            if let Some(key) = keys.get(&at) {
                let track = tracks.entry(key.clone()).or_insert(Track { before, after });
                track.after = after;
            }
        };
        match change.operation {
            Operation::Insert => follow(new, State::Nothing(new), State::Row(new)),
            Operation::Delete => follow(old, State::Row(old), State::Nothing(old)),
            Operation::Update if keys.get(&old) == keys.get(&new) => {
                follow(new, State::Row(old), State::Row(new));
            }
            Operation::Update => {
                follow(old, State::Row(old), State::Nothing(old));
                follow(new, State::Nothing(new), State::Row(new));
            }
        }
    }
    tracks
}
