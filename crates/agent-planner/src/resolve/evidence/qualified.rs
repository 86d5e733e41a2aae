//! Columns with a qualifier, such as `ship_country` of orders, if a table above has a plain
//! `country`: the word alone does not say which of the two is meant. A table A is above a table B
//! if each row of B belongs to at most one row of A.

use super::*;
use crate::draft::Demand;
use crate::parse::has_direction;

/// Words of columns that say where something is.
const PLACES: Words = Words(
    "
     address city continent country county district location municipality nation place postcode
     province region state town village zip
    ",
);

impl Resolver<'_> {
    /// Returns `elsewhere`, the column of another table that has the word as its name. Asks back if
    /// the table itself or one above it has a qualified column for the word: in
    /// `orders per country`, customers have a `country` and orders a `ship_country`.
    ///
    /// # Errors
    /// The question back.
    pub(crate) fn unqualified(
        &self,
        elsewhere: ColumnId,
        table: usize,
        word: &str,
    ) -> Step<ColumnId> {
        if self.strict
            && self.is_above(elsewhere.table, table)
            && !self.catalog().is_flag(elsewhere)
        {
            // `clients whose boss is Ann`, where only their agents have a boss.
            let rows = self.catalog().table_name(table);
            let shown = self.catalog().shown(elsewhere);
            self.catalog().choose(
                format!("{word:?} is no column of {rows}; is {shown} meant?"),
                &[()],
                |()| shown.clone(),
            )?;
        }
        let kind = self.plain_kind(elsewhere);
        let Some(kind) = kind.filter(|_| self.draft.owner.is_none()) else {
            return Ok(elsewhere);
        };
        let tables = (0..self.catalog().tables.len())
            .filter(|other| *other == table || self.is_above(*other, table));
        let mut columns: Vec<ColumnId> = tables
            .flat_map(|table| self.catalog().ids(table))
            .filter(|id| self.qualifies(*id, kind) && !self.is_key(*id))
            .filter(|id| self.catalog().holds(*id) == self.catalog().holds(elsewhere))
            .collect();
        if columns.is_empty() {
            return Ok(elsewhere);
        }
        columns.push(elsewhere);
        self.which_column(&columns, word)
    }

    /// Returns `own`, a column that has the word as its name. Asks back if the question names a row
    /// of another table that has a qualified column for the word: in `price of Milk`, order items
    /// have a `price` and products a `unit_price`.
    ///
    /// # Errors
    /// The question back.
    pub(crate) fn beside_value(&self, own: ColumnId, word: &str) -> Step<ColumnId> {
        let wishes = self.draft.scopes.iter().flat_map(|scope| &scope.wishes);
        let mut named = wishes.filter_map(|wish| match &wish.demand {
            Demand::Value(links) => links.first().map(|link| link.column.table),
            Demand::Column(..)
            | Demand::Date(..)
            | Demand::Number(..)
            | Demand::Happened(..)
            | Demand::Key(..)
            | Demand::Inner(..) => None,
        });
        let table = named.find(|table| *table != own.table);
        let (Some(table), Some(kind)) = (table, self.plain_kind(own)) else {
            return Ok(own);
        };
        let qualified = self.catalog().ids(table).filter(|id| {
            self.qualifies(*id, kind)
                && !self.is_key(*id)
                && self.catalog().holds(*id) == self.catalog().holds(own)
        });
        let mut columns: Vec<ColumnId> = qualified.collect();
        if columns.is_empty() {
            return Ok(own);
        }
        columns.push(own);
        self.which_column(&columns, word)
    }

    /// Returns links of the value to those columns of the tables above that may be meant instead of
    /// the qualified column of `link`. For `orders from Norway` and the `ship_country` of orders,
    /// this is the `country` of customers.
    pub(crate) fn beside_qualified(
        &self,
        link: &ValueLink,
        table: usize,
        wish: &Wish,
    ) -> Vec<ValueLink> {
        let kind = self.catalog().column(link.column);
        let kind = kind.and_then(|view| view.words.last());
        let Some(kind) = kind.filter(|kind| self.qualifies(link.column, kind)) else {
            return Vec::new();
        };
        let is_place = wish.located || PLACES.contains(kind);
        if !is_place || self.says_way(link.column, &wish.word) {
            return Vec::new();
        }
        let alike = |id: &ColumnId| {
            self.plain_kind(*id) == Some(kind.as_str()) || self.qualifies(*id, kind)
        };
        let others = (0..self.catalog().tables.len())
            .filter(|other| *other != link.column.table && self.is_above(*other, table))
            .flat_map(|other| self.catalog().ids(other))
            .filter(|id| alike(id) && self.catalog().holds(*id) == Holds::Text);
        let values = others.map(|column| ValueLink {
            column,
            stored: link.stored.clone(),
        });
        values.collect()
    }

    /// Returns true if each row of a table belongs to one row of the other at most.
    fn is_above(&self, other: usize, table: usize) -> bool {
        let paths = self.relations.paths(table, other);
        paths.iter().any(|path| path.iter().all(|hop| !hop.down))
    }

    /// Returns true if the name of a column is a qualifier and a word for what it holds.
    fn qualifies(&self, id: ColumnId, kind: &str) -> bool {
        let view = self.catalog().column(id);
        let ends = view.is_some_and(|view| {
            view.words.len() > 1 && view.words.last().is_some_and(|last| last == kind)
        });
        ends && !GENERAL_WORDS.contains(kind) && self.plain_kind(id).is_none()
    }

    /// Returns the word for what a column holds, if its name has no other words than those of its
    /// table.
    fn plain_kind(&self, id: ColumnId) -> Option<&str> {
        let of_table = self.catalog().table(id.table)?.words.as_slice();
        let (kind, rest) = self.catalog().column(id)?.words.split_last()?;
        let is_plain = rest.iter().all(|word| of_table.contains(word));
        is_plain.then_some(kind.as_str())
    }

    /// Returns true if the preposition before a value is that of the column: `from` of
    /// `origin_city`, and `to` of any that is not the row's own.
    fn says_way(&self, id: ColumnId, word: &str) -> bool {
        let view = self.catalog().column(id);
        let says = |said| view.is_some_and(|view| has_direction(&view.words, said));
        let mut before = self.words_before(word);
        before.any(|(_, said)| ["to", "into"].contains(&said) || says(said))
    }
}
