//! Makes SQL text for images: their values, their keys, and comparisons with the rows of a table.
//!
//! All of it is built from quoted names and our own numbers. A row of a table is always called
//! [`ROW`], a name that the gate refuses to callers, so that no name of a caller can change the
//! meaning.

use std::fmt::Write as _;

use super::relation::{Relation, Slot};
use crate::limits::{CHAINED_TERMS, IMAGE_COLUMNS};

/// The name of a table's row in our own statements.
pub(crate) const ROW: &str = "_codemode_row";

/// One side of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Side {
    /// The row before the change.
    Before,
    /// The row after the change.
    After,
}

impl Side {
    /// Returns the number of the side in `_codemode_images`.
    pub fn number(self) -> u8 {
        match self {
            Self::Before => 0,
            Self::After => 1,
        }
    }
}

/// The images of one side of the changes of a table, with SQL names for their parts and values.
#[derive(Clone, Copy)]
pub(crate) struct Images<'a> {
    relation: &'a Relation,
    index: usize,
    side: Side,
}

impl<'a> Images<'a> {
    /// Makes the images of the table at this position.
    pub fn of(relation: &'a Relation, index: usize, side: Side) -> Self {
        Self {
            relation,
            index,
            side,
        }
    }

    fn part(self, number: usize) -> String {
        format!("_codemode_image{}_{number}", self.side.number())
    }

    /// Returns the value of a slot.
    pub fn value(self, slot: usize) -> String {
        let column = slot % IMAGE_COLUMNS + 1;
        format!("{}.v{column}", self.part(slot / IMAGE_COLUMNS))
    }

    /// Returns the id of the change.
    pub fn change(self) -> String {
        format!("{}.change_id", self.part(0))
    }

    /// Returns `FROM … WHERE …`, to which conditions can be added.
    pub fn source(self) -> String {
        let first = self.part(0);
        let mut text = format!("FROM _codemode_images AS {first}");
        for number in 1..self.relation.parts() {
            let part = self.part(number);
            let _ = write!(
                text,
                " JOIN _codemode_images AS {part} ON {part}.relation = {first}.relation AND {part}.change_id = {first}.change_id \
                 AND {part}.side = {first}.side AND {part}.part = {number}"
            );
        }
        let _ = write!(
            text,
            " WHERE {first}.relation = {} AND {first}.side = {} AND {first}.part = 0",
            self.index,
            self.side.number()
        );
        text
    }

    /// Returns the condition that [`ROW`] has the key of the image. The second comparison is by
    /// bytes, because the column may have another collation.
    pub fn same_key(self) -> String {
        let keys = self.slots().filter(|(_, slot)| slot.key);
        all(keys.map(|(at, slot)| {
            let value = self.value(at);
            format!(
                "{ROW}.{0} = {value} AND {ROW}.{0} COLLATE BINARY = {value}",
                slot.quoted
            )
        }))
    }

    /// Returns the condition that [`ROW`] has exactly the values of the image. The unary plus
    /// removes the affinity of the column.
    pub fn same_row(self) -> String {
        all(self.slots().map(|(at, slot)| {
            let value = self.value(at);
            format!(
                "((+{ROW}.{0}) COLLATE BINARY IS {value} AND typeof({ROW}.{0}) = typeof({value}))",
                slot.quoted
            )
        }))
    }

    /// Returns a text that is the same for equal keys, and different for different keys.
    pub fn key_text(self) -> String {
        let keys = self.slots().filter(|(_, slot)| slot.key);
        let texts = keys.map(|(at, _)| {
            let value = self.value(at);
            format!(
                "CASE typeof({value}) WHEN 'text' THEN 't' || hex({value}) WHEN 'blob' THEN 'b' || hex({value}) ELSE quote({value}) END"
            )
        });
        chained(texts, " || ',' || ")
    }

    /// Returns the columns that can be set, and their values.
    pub fn writable(self) -> (Vec<String>, Vec<String>) {
        let writable = self.slots().filter(|(_, slot)| slot.writable);
        writable
            .map(|(at, slot)| (slot.quoted.clone(), self.value(at)))
            .unzip()
    }

    /// Returns the columns that a query shows, and their values.
    pub fn shown(self) -> (Vec<String>, Vec<String>) {
        self.slots()
            .filter_map(|(at, slot)| Some((slot.column.clone()?, self.value(at))))
            .unzip()
    }

    fn slots(self) -> impl Iterator<Item = (usize, &'a Slot)> {
        self.relation.slots.iter().enumerate()
    }
}

/// Joins conditions with AND.
fn all(conditions: impl Iterator<Item = String>) -> String {
    chained(conditions, " AND ")
}

/// Returns the sum of the sizes of values.
pub(crate) fn sizes(values: impl Iterator<Item = String>) -> String {
    chained(
        values.map(|value| format!("coalesce(octet_length({value}), 0)")),
        " + ",
    )
}

/// Joins terms with an operator, grouped in brackets, so that the expression tree stays flat.
fn chained(terms: impl Iterator<Item = String>, operator: &str) -> String {
    let terms: Vec<String> = terms.collect();
    let groups = terms.chunks(CHAINED_TERMS);
    let groups: Vec<String> = groups
        .map(|group| format!("({})", group.join(operator)))
        .collect();
    groups.join(operator)
}
