//! Dates and values beside a condition on other rows: `pets with surgery in 2024` is about the
//! visit with the surgery, and not about the birth of the pet.

use super::Resolver;
use super::conditions::date_question;
use super::joining::{Placed, along};
use crate::ask::{Condition, Related};
use crate::catalog::{ColumnId, Holds};
use crate::draft::{DateTest, Demand, Joiner, Wish};
use crate::moments::{dates_row, is_birth, main_date};
use crate::plan::Step;
use crate::relations::{Hop, Via, Ways};

impl Resolver<'_> {
    /// Places a date that follows a condition on children of the rows: on the date column of these
    /// children, if they have one and no other column is likely.
    ///
    /// # Errors
    /// A question back for the date.
    pub(super) fn date_beside(
        &self,
        before: &[(&Wish, Placed)],
        wish: &Wish,
        table: usize,
    ) -> Step<Option<Placed>> {
        let Demand::Date(None, test) = &wish.demand else {
            return Ok(None);
        };
        if let Some((way, id)) = before.last().and_then(|(_, placed)| date_of(placed)) {
            // `in 2024 or 2025`
            return self.dated_along(way, id, *test, wish);
        }
        let mut rows = before.iter().rev().map(|(_, placed)| children(placed));
        let Some((apart, path)) = rows
            .by_ref()
            .enumerate()
            .find_map(|(at, path)| Some((at, path?)))
        else {
            return Ok(None);
        };
        let down = path.iter().take_while(|hop| hop.down).count();
        let all_down = down == path.len();
        let certain = all_down && apart == 0 && !self.strict && wish.joiner == Joiner::None;
        let mut dates: Vec<(&[Hop], ColumnId)> = Vec::new();
        // If the path also goes up, dates of its last table do not count: in `movies of Tom Hanks
        // in 1994`, that table holds the actors.
        for length in 1..=down.max(path.len() - usize::from(!all_down)) {
            let way = path.get(..length).unwrap_or_default();
            let end = way.last().and_then(|hop| self.relations.ends(*hop));
            let ids = end.map(|(arrived, _)| self.main_dates(arrived.table));
            dates.extend(ids.unwrap_or_default().into_iter().map(|id| (way, id)));
        }
        let happens = |(_, id): &(&[Hop], ColumnId)| !is_birth(self.links, *id);
        let certain = certain && dates.iter().any(happens);
        if certain {
            dates.retain(happens);
        }
        if dates.is_empty() && !all_down {
            return Ok(None);
        }
        let (way, id) = match dates.as_slice() {
            [one] if certain && dates_row(self.links, one.1) => *one,
            _ => {
                dates.extend(self.main_dates(table).into_iter().map(|id| (&[][..], id)));
                if dates.is_empty() {
                    return Ok(None);
                }
                let question = date_question(&wish.word, dates.len());
                let shown = |(_, id): &(&[Hop], ColumnId)| self.catalog().shown(*id);
                self.catalog().choose(question, &dates, shown)?
            }
        };
        self.dated_along(way, id, *test, wish)
    }

    /// Asks back, where rows are changed, of which of two rows a value is said: `loans of lapsed
    /// members at Central`, where loans and members have a branch.
    ///
    /// # Errors
    /// The question back.
    pub(super) fn said_of_either(
        &self,
        before: &[(&Wish, Placed)],
        next: &mut Placed,
        table: usize,
    ) -> Step<()> {
        let (Some((path, column)), true, Joiner::None) = (&next.value, self.strict, next.joiner)
        else {
            return Ok(());
        };
        let Condition::Related(related) = &next.condition else {
            return Ok(());
        };
        let is_up = |way: &[Hop]| !way.is_empty() && way.iter().all(|hop| !hop.down);
        let nearer = before.iter().rev().find_map(|(_, placed)| {
            let (first, other) = placed
                .value
                .as_ref()
                .filter(|(first, _)| !first.is_empty())?;
            let on = self
                .relations
                .ways(other.table, column.table, &Via::default());
            match on {
                Ways::One(rest) if is_up(&rest) && !path.starts_with(first) => {
                    Some((first, other, rest))
                }
                Ways::None | Ways::One(_) | Ways::Several(_) => None,
            }
        });
        let Some((first, other, rest)) = nearer else {
            return Ok(());
        };
        let catalog = self.catalog();
        let word = &next.mark.word;
        let of = catalog.choose(
            format!("{word:?}: of which rows is it said?"),
            &[other.table, table],
            |table| format!("{word} is said of {}", catalog.table_name(*table)),
        )?;
        if of == other.table {
            let way = first.iter().chain(&rest).copied().collect::<Vec<_>>();
            next.condition = Condition::Related(Related {
                path: way.clone(),
                ..related.clone()
            });
            next.value = Some((way, *column));
        }
        Ok(())
    }

    fn dated_along(
        &self,
        way: &[Hop],
        id: ColumnId,
        test: DateTest,
        wish: &Wish,
    ) -> Step<Option<Placed>> {
        let Holds::Date(form) = self.catalog().holds(id) else {
            return Ok(None);
        };
        let dated = self.dates(id, form, test)?;
        let dated = if wish.negated { dated.negate() } else { dated };
        let condition = along(way.to_vec(), dated);
        Ok(Some(Placed::new(condition, wish.joiner)))
    }

    /// Returns the date of a table, or those of which one may be meant.
    fn main_dates(&self, table: usize) -> Vec<ColumnId> {
        match main_date(self.links, table) {
            Some(Ok(id)) => vec![id],
            Some(Err(ids)) => ids,
            None => Vec::new(),
        }
    }
}

/// Returns the way to the children that a condition is about, whether it demands or denies them.
fn children(placed: &Placed) -> Option<&[Hop]> {
    let condition = &placed.condition;
    let related = condition.denied().unwrap_or(condition).related()?;
    related.path.first()?.down.then_some(&related.path)
}

/// Returns the date of children that a condition alone is about, and the way to it.
fn date_of(placed: &Placed) -> Option<(&[Hop], ColumnId)> {
    let related = placed.condition.related()?;
    match related.conditions.as_slice() {
        [Condition::Date(id, ..)] => Some((&related.path, *id)),
        _ => None,
    }
}
