//! Fits the values of a row into the columns that a table may have: nested objects with many keys
//! are stored as JSON. If that is not enough, some keys of the record share one JSON column.

use super::shape::{Id, Shape};
use base::limits::MAX_COLUMNS;

/// The columns that staging may add to those of the records: the row's number, its parent's number,
/// a key, and the JSON of further keys.
const OWN_COLUMNS: usize = 4;

/// The number of columns in one table that keys may take.
const CAPACITY: usize = MAX_COLUMNS - OWN_COLUMNS;

/// A place within a row.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowPart {
    pub(super) id: Id,
    /// The number of columns here and below.
    columns: usize,
    /// True if there is a list of records here or below.
    lists: bool,
    /// True if some nested object has several columns.
    branches: bool,
}

/// Returns the places of a row whose values are in its table, in the order of the keys, without
/// those of folded objects.
pub(super) fn places(shape: &Shape, row: Id) -> Vec<RowPart> {
    let mut places = Vec::new();
    visit(shape, row, &mut places);
    places
}

/// Adds a place and the places below it. The recursion is as deep as the one that found the places.
fn visit(shape: &Shape, id: Id, places: &mut Vec<RowPart>) -> RowPart {
    let node = shape.node(id);
    let at = places.len();
    let mut place = RowPart {
        id,
        columns: node.has_column().into(),
        lists: !node.folded && node.element.is_some(),
        branches: false,
    };
    places.push(place);
    if !node.folded {
        for &key in node.keys.iter().filter(|key| !shape.node(**key).spilled) {
            let inner = visit(shape, key, places);
            place.columns += inner.columns;
            place.lists |= inner.lists;
            place.branches |= inner.columns > 1 && !shape.node(key).folded;
        }
    }
    if let Some(known) = places.get_mut(at) {
        *known = place;
    }
    place
}

/// Folds objects and spills keys until a row fits.
pub(super) fn fit(shape: &mut Shape, row: Id) {
    loop {
        let places = places(shape, row);
        let columns = places.first().map_or(0, |place| place.columns);
        if columns <= CAPACITY {
            return;
        }
        // Of the innermost objects with several columns, choose the largest, and if possible one
        // without lists, because these would lose their tables.
        let candidate = places
            .iter()
            .filter(|place| place.id != row && place.columns > 1 && !place.branches)
            .max_by_key(|place| (!place.lists, place.columns));
        match candidate {
            Some(place) => shape.change(place.id, |node| node.folded = true),
            None => return spill(shape, row, columns - CAPACITY),
        }
    }
}

/// Moves the last keys of a record to the shared JSON column.
fn spill(shape: &mut Shape, row: Id, excess: usize) {
    let with_columns: Vec<Id> = shape
        .node(row)
        .keys
        .iter()
        .copied()
        .filter(|key| shape.node(*key).has_column() || !shape.node(*key).keys.is_empty())
        .collect();
    for key in with_columns.into_iter().rev().take(excess) {
        shape.change(key, |node| node.spilled = true);
    }
}
