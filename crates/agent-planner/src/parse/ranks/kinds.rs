//! Kinds of rows in a ranking, which a value names: `actor` and `cancelled trips` of `actor with the
//! most cancelled trips`.

use super::*;
use crate::draft::{Demand, Test};

impl Parser<'_> {
    /// Makes the rows that have what a superlative ranks the subject, if only a value names them:
    /// `which actor has the highest fee`, `musicals with the lowest budget`.
    pub(super) fn subject_of_kind(&mut self) {
        if let Some(table) = self.kind_that_has_it() {
            self.draft.set_subject(table, 1.0);
        }
    }

    /// Returns the table of these rows: that of the value, if no other table has it.
    fn kind_that_has_it(&self) -> Option<usize> {
        let mut before = self.words_before(self.at).skip(1);
        let is_between =
            |word: &str| ["the", "a", "their"].contains(&word) || word.parse::<u64>().is_ok();
        let before = before.find(|word| !is_between(word))?;
        let has = ["with", "has", "have", "had", "having"].contains(&before);
        if !has || self.draft.subject.is_some() || !self.draft.heads.is_empty() {
            return None;
        }
        let wish = self.draft.scopes.first()?.wishes.last()?;
        let mut tables = wish.demand.value()?.iter().map(|link| link.column.table);
        let table = tables.next().filter(|_| wish.bare)?;
        tables.all(|other| other == table).then_some(table)
    }

    /// Returns the only table that has a value in the plural, such as `cats`: in `which zip code
    /// has the most cats`, the rows that are cats are counted. The next step reads the value
    /// itself.
    fn rows_of_value(&self) -> Option<usize> {
        if self.draft.subject.is_some() || self.draft.heads.is_empty() {
            return None;
        }
        let found = self.links.value_at(self.at)?;
        let last = self.token(found.tokens.checked_sub(1)?)?;
        let mut tables = found.item.iter().map(|link| link.column.table);
        let table = tables.next()?;
        let kinds = found
            .item
            .iter()
            .all(|link| !self.links.catalog.is_name(link.column));
        let named = self.links.table_at(self.at).is_some() || self.column_in_scope(false).is_some();
        (kinds && !named && is_plural(&last.lower) && tables.all(|other| other == table))
            .then_some(table)
    }

    /// Takes `cancelled trips` of `driver with the most cancelled trips`, and prepares for `cats` of
    /// `which zip code has the most cats`: the rows with this value are counted.
    pub(super) fn rows_with_value(&mut self) -> Step<bool> {
        if let Some(table) = self.rows_of_value() {
            self.set_measure(Measure::Rows(table))?;
            return Ok(true);
        }
        let named = self.draft.subject.is_some() || !self.draft.heads.is_empty();
        if !named || !self.draft.most {
            return Ok(false);
        }
        if self.rows_that_are_so()? {
            return Ok(true);
        }
        let subject = self.draft.subject.map(|subject| subject.table);
        let Some(found) = self.links.value_at(self.at) else {
            return Ok(false);
        };
        let Some(rows) = self.links.table_at(self.at + found.tokens) else {
            return Ok(false);
        };
        let table = rows.item.table;
        let has_it = found.item.iter().any(|link| link.column.table == table);
        if !has_it || Some(table) == subject {
            return Ok(false);
        }
        self.set_measure(Measure::Rows(table))?;
        self.value(found)?;
        self.at += rows.tokens;
        Ok(true)
    }

    /// Takes `landlocked countries` of `which continent has the most landlocked countries`, where a
    /// column says yes or no.
    fn rows_that_are_so(&mut self) -> Step<bool> {
        let Some(found) = self.column_in_scope(false) else {
            return Ok(false);
        };
        let Some(rows) = self.links.table_at(self.at + found.tokens) else {
            return Ok(false);
        };
        let table = rows.item.table;
        let catalog = self.links.catalog;
        let says =
            |id: &ColumnId| id.table == table && (catalog.is_flag(*id) || catalog.may_be_flag(*id));
        let subject = self.draft.subject.map(|subject| subject.table);
        let own: Vec<ColumnId> = found.item.ids.iter().copied().filter(says).collect();
        if own.is_empty() || subject == Some(table) {
            return Ok(false);
        }
        let word = found.item.word.clone();
        self.set_measure(Measure::Rows(table))?;
        self.at += found.tokens + rows.tokens;
        let link = ColumnLink::new(own, word.clone(), 1.0);
        self.wish(self.scope, Demand::Column(link, Test::Flag), word)?;
        Ok(true)
    }
}
