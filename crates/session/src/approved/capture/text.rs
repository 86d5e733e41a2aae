//! SQL text over images: their values, whether a row of a table is the same, and what names it.
//!
//! Everything here is built of quoted names and of numbers of ours. A row of a table is always called [`ROW`], a name that the gate
//! gives nobody, so no name of a caller can take another meaning.

use std::fmt::Write as _;

use super::relation::{Relation, Slot};
use crate::limits::{CHAINED_TERMS, IMAGE_COLUMNS};

/// What a row of a table is called in statements of ours.
pub(crate) const ROW: &str = "_codemode_row";

/// Before a change, or after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Side {
    /// As the row was.
    Before,
    /// As the change left it.
    After,
}

impl Side {
    /// As it stands in `_codemode_images`.
    pub fn number(self) -> u8 {
        match self {
            Self::Before => 0,
            Self::After => 1,
        }
    }
}

/// The images of one side of the changes of a table: names its parts and their values.
#[derive(Clone, Copy)]
pub(crate) struct Images<'a> {
    relation: &'a Relation,
    index: usize,
    side: Side,
}

impl<'a> Images<'a> {
    /// Of the table at this position.
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

    /// The value of a slot.
    pub fn value(self, slot: usize) -> String {
        let column = slot % IMAGE_COLUMNS + 1;
        format!("{}.v{column}", self.part(slot / IMAGE_COLUMNS))
    }

    /// The id of the change.
    pub fn change(self) -> String {
        format!("{}.change_id", self.part(0))
    }

    /// `FROM … WHERE …`, to which more conditions can be added.
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

    /// Whether [`ROW`] is named as the image is. The second comparison is that of bytes, where a column compares in another way.
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

    /// Whether [`ROW`] has exactly the values of the image. The unary plus takes the affinity of the column away.
    pub fn same_row(self) -> String {
        all(self.slots().map(|(at, slot)| {
            let value = self.value(at);
            format!(
                "((+{ROW}.{0}) COLLATE BINARY IS {value} AND typeof({ROW}.{0}) = typeof({value}))",
                slot.quoted
            )
        }))
    }

    /// One text that is the same for the same key.
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

    /// The values that can be set, with the names of their columns.
    pub fn writable(self) -> (Vec<String>, Vec<String>) {
        let writable = self.slots().filter(|(_, slot)| slot.writable);
        writable
            .map(|(at, slot)| (slot.quoted.clone(), self.value(at)))
            .unzip()
    }

    /// The values that a query shows, with the names of their columns.
    pub fn shown(self) -> (Vec<String>, Vec<String>) {
        self.slots()
            .filter_map(|(at, slot)| Some((slot.column.clone()?, self.value(at))))
            .unzip()
    }

    fn slots(self) -> impl Iterator<Item = (usize, &'a Slot)> {
        self.relation.slots.iter().enumerate()
    }
}

/// All of these conditions.
fn all(conditions: impl Iterator<Item = String>) -> String {
    chained(conditions, " AND ")
}

/// The sum of the sizes of values.
pub(crate) fn sizes(values: impl Iterator<Item = String>) -> String {
    chained(
        values.map(|value| format!("coalesce(octet_length({value}), 0)")),
        " + ",
    )
}

/// Terms with an operator between them, in brackets, so that the expression stays low.
fn chained(terms: impl Iterator<Item = String>, operator: &str) -> String {
    let terms: Vec<String> = terms.collect();
    let groups = terms.chunks(CHAINED_TERMS);
    let groups: Vec<String> = groups
        .map(|group| format!("({})", group.join(operator)))
        .collect();
    groups.join(operator)
}
