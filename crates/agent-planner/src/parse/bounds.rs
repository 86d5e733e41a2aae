//! Finds the column that a number is compared with if the question does not name the column before
//! the number. The unit or the noun after the number names it, or only one column fits.

use super::Parser;
use super::numbers::Quantity;
use crate::catalog::{ColumnId, Holds};
use crate::draft::{Comparison, Demand, Joiner, Test, Wish, Written};
use crate::lexicon::{ADJECTIVES, MONEY_COLUMNS, MULTIPLIERS, of};
use crate::links::ColumnLink;
use crate::morphology::is_participle;
use crate::plan::{Step, Stop};
use crate::schema::SampleValue;

/// The form in which a column stores `15%`.
enum Portion {
    /// As 0.15.
    Fraction,
    /// As 15.
    Hundredths,
    Unclear,
}

impl Parser<'_> {
    /// Takes a number that is followed by neither a column nor a table.
    pub(super) fn number_alone(
        &mut self,
        op: Comparison,
        quantity: Quantity,
        start: usize,
    ) -> Step<bool> {
        let word = self.links.shown(start, self.at - start);
        let scope = self.scope;
        let link = match quantity.unit {
            Some(unit) => Some(self.measured_in(unit, scope)?),
            None => self.column_of_bound(op, quantity.value, start)?,
        };
        let demand = match link {
            Some(link) => {
                let value = self.measured(&link, quantity)?;
                Demand::Column(link, Test::Number(op, value))
            }
            None if quantity.written == Written::Percent => {
                return Err(unnamed(&word));
            }
            None => {
                self.rows_beside(&self.tables_around(), &word)?;
                Demand::Number(op, quantity.value, quantity.written)
            }
        };
        self.wish(scope, demand, word)?;
        Ok(true)
    }

    /// Takes `between 2 and 5 euros`, where no column is named.
    ///
    /// # Errors
    /// A range of which the first number is the larger one, and a range that is denied.
    pub(super) fn between_alone(&mut self) -> Step<bool> {
        let start = self.at;
        let low = self.eat(&["between"]).then(|| self.quantity()).flatten();
        let high = low.filter(|_| self.eat(&["and", "to"]));
        let high = high.and_then(|_| self.quantity());
        let (Some(low), Some(high)) = (low, high) else {
            self.at = start;
            return Ok(false);
        };
        if self.negated || low.value > high.value || self.names_something(self.at) {
            self.at = start;
            return Err(self.unknown());
        }
        let low = Quantity {
            unit: high.unit,
            written: high.written,
            ..low
        };
        self.number_alone(Comparison::AtLeast, low, start)?;
        self.number_alone(Comparison::AtMost, high, start)
    }

    /// Returns the only column with this unit in its name, as for `over 80 kg`.
    pub(super) fn measured_in(&self, unit: &[&str], scope: usize) -> Step<ColumnLink> {
        let table = self.table_of(scope);
        let ids: Vec<_> = table
            .into_iter()
            .flat_map(|table| self.links.catalog.ids(table))
            .filter(|id| self.has_unit(*id, unit))
            .collect();
        match ids.as_slice() {
            [_] => Ok(ColumnLink::new(ids, String::new(), 0.9)),
            _ => Err(Stop::cannot(
                "no column has the unit that the question names",
            )),
        }
    }

    pub(super) fn has_unit(&self, id: ColumnId, unit: &[&str]) -> bool {
        let last = self
            .links
            .catalog
            .column(id)
            .and_then(|view| base::words::split(&view.column.name).pop());
        last.is_some_and(|last| unit.contains(&last.as_str()))
    }

    /// Returns a number as its column holds it.
    ///
    /// # Errors
    /// A unit that is not in the name of the column, or a percentage if the values of the column do
    /// not show if it stores 15% as 0.15 or as 15.
    pub(super) fn measured(&self, link: &ColumnLink, quantity: Quantity) -> Step<f64> {
        if let Some(unit) = quantity.unit
            && !link.ids.iter().any(|id| self.has_unit(*id, unit))
        {
            return Err(Stop::cannot(format!(
                "the column for {:?} does not say that it has the unit that the question names",
                link.word
            )));
        }
        if quantity.written != Written::Percent {
            return Ok(quantity.value / self.scale(link, quantity));
        }
        let all = |portion: fn(&Portion) -> bool| {
            let mut ids = link.ids.iter();
            ids.all(|id| portion(&self.portion(*id)))
        };
        match () {
            () if all(|portion| matches!(portion, Portion::Fraction)) => {
                // `12.3` divided is not the nearest number to 0.123.
                let written = format!("{}e-2", quantity.value);
                written.parse().map_err(|_| self.unknown())
            }
            () if all(|portion| matches!(portion, Portion::Hundredths)) => Ok(quantity.value),
            () => Err(Stop::cannot(format!(
                "I do not see how {:?} holds percentages; give the number as it is stored",
                link.word
            ))),
        }
    }

    /// Returns the multiplier in which a column counts, if the number was written with one: `gdp over
    /// 500 billion` is 500 in `gdp_billion_usd`.
    fn scale(&self, link: &ColumnLink, quantity: Quantity) -> f64 {
        let counts = |id: &ColumnId| {
            let view = self.links.catalog.column(*id)?;
            view.words.iter().find_map(|word| of(MULTIPLIERS, word))
        };
        let scale = link.ids.iter().find_map(counts);
        scale
            .filter(|_| quantity.multiplier.is_some())
            .unwrap_or(1.0)
    }

    /// Returns how a column holds percentages, as far as its samples tell.
    fn portion(&self, id: ColumnId) -> Portion {
        let Some(view) = self.links.catalog.column(id) else {
            return Portion::Unclear;
        };
        let numbers = view.column.samples.iter().map(|sample| match sample {
            #[expect(clippy::cast_precision_loss, reason = "only compared with 100")]
            SampleValue::Integer(value) => Some((*value as f64).abs()),
            SampleValue::Real(value) => Some(value.abs()),
            SampleValue::Text(_) => None,
        });
        let numbers: Vec<f64> = numbers.flatten().filter(|value| *value != 0.0).collect();
        let last = view.words.last();
        let is_money = last.is_some_and(|last| MONEY_COLUMNS.contains(&last.as_str()));
        let says = view
            .words
            .iter()
            .any(|word| ["percent", "percentage", "pct"].contains(&word.as_str()));
        let within =
            |least: f64, most: f64| numbers.iter().all(|value| (least..=most).contains(value));
        match () {
            () if numbers.is_empty() || is_money => Portion::Unclear,
            () if within(1.0, 100.0) && numbers.iter().any(|value| *value > 1.0) => {
                Portion::Hundredths
            }
            () if within(0.0, 1.0) && !says && numbers.iter().any(|value| *value < 1.0) => {
                Portion::Fraction
            }
            () => Portion::Unclear,
        }
    }

    /// Returns the column of a bound that names none: that of the bound before it, `quantity above
    /// 20 and below 50`, or behind it, `more than 20 and fewer than 50 pages`.
    ///
    /// # Errors
    /// A question back where another column of the question may be meant.
    pub(super) fn column_of_bound(
        &mut self,
        op: Comparison,
        value: f64,
        start: usize,
    ) -> Step<Option<ColumnLink>> {
        let word = self.links.shown(start, self.at - start);
        let word = word.as_str();
        if let Some(link) = self.column_behind() {
            return Ok(Some(link));
        }
        let Some(scope) = self.scope_of(self.scope) else {
            return Ok(None);
        };
        let is_verb = is_participle(self.word_before(start));
        // `cars never repaired under 2000`
        if self.scope != 0 && self.opened_at == start && is_verb {
            return Err(unnamed(word));
        }
        // `people with a dog under 2`
        if let (Some(Demand::Value(links)), Joiner::None) =
            (scope.wishes.last().map(|wish| &wish.demand), self.joiner)
            && links
                .iter()
                .all(|link| Some(link.column.table) != scope.table)
            && scope.table.is_some()
        {
            return Err(unnamed(word));
        }
        let compared = |wish: &Wish| {
            let Demand::Column(link, Test::Number(..) | Test::Between(..)) = &wish.demand else {
                return None;
            };
            Some(link.clone())
        };
        let compares =
            |wish: &Wish| matches!(wish.demand, Demand::Number(..)) || compared(wish).is_some();
        // `patients with a treatment and under 80`
        if self.scope != 0
            && self.joiner != Joiner::None
            && !scope.wishes.last().is_some_and(compares)
        {
            return Err(unnamed(word));
        }
        let Some(before) = scope.wishes.iter().rev().find_map(compared) else {
            return Ok(None);
        };
        let last = scope.wishes.last();
        let in_front = last.is_some_and(|wish| !wish.word.starts_with(&before.word));
        if in_front && self.joiner == Joiner::None {
            // `rooms with more than 2 beds under 100`
            return Ok(None);
        }
        let op = if self.negated { op.opposite() } else { op };
        // `cheaper than 60 and over 2` may go on with an age.
        let compares = |word: &str| {
            let mut adjectives = ADJECTIVES.iter();
            adjectives.any(|adjective| adjective.comparative == word)
        };
        let goes_on = !in_front && !compares(&before.word);
        if goes_on && last.is_some_and(|wish| self.continues(wish, op, value)) {
            return Ok(Some(before));
        }
        let catalog = self.links.catalog;
        let mut ids = before.ids.clone();
        let table = ids.first().map_or(0, |id| id.table);
        let others = catalog.ids(table).filter(|id| {
            let is_key = catalog.key(table) == Some(*id) || self.relations.key_of(*id).is_some();
            catalog.holds(*id) == Holds::Number && !is_key && !catalog.is_called_id(*id)
        });
        ids.extend(others.filter(|id| !before.ids.contains(id)));
        let id = catalog.choose(format!("{word:?}: of which column?"), &ids, |id| {
            catalog.shown(*id)
        })?;
        Ok(Some(ColumnLink::new(vec![id], word, 0.9)))
    }

    /// Returns true if a bound is the other end of the range that the condition before it begins.
    fn continues(&self, before: &Wish, op: Comparison, value: f64) -> bool {
        let Demand::Column(_, Test::Number(first, other)) = &before.demand else {
            return false;
        };
        let first = if before.negated {
            first.opposite()
        } else {
            *first
        };
        let is_lower = |op| matches!(op, Comparison::Greater | Comparison::AtLeast);
        let is_upper = |op| matches!(op, Comparison::Less | Comparison::AtMost);
        let (low, high) = match () {
            () if is_lower(first) && is_upper(op) => (*other, value),
            () if is_upper(first) && is_lower(op) => (value, *other),
            () => return false,
        };
        match self.joiner {
            Joiner::Or => low >= high,
            Joiner::And | Joiner::None => low <= high,
        }
    }

    /// Returns the column of numbers after a second bound that directly follows.
    fn column_behind(&mut self) -> Option<ColumnLink> {
        let start = self.at;
        let found = (self.eat(&["and", "or"]) && self.comparator().is_some())
            .then(|| self.quantity())
            .flatten()
            .and_then(|_| self.column_in_scope(false));
        self.at = start;
        let holds = |id: &ColumnId| self.links.catalog.holds(*id) == Holds::Number;
        found
            .map(|found| found.item)
            .filter(|link| link.ids.iter().all(holds))
    }
}

/// Returns the refusal of a number without a column.
pub(super) fn unnamed(word: &str) -> Stop {
    Stop::cannot(format!(
        "{word:?}: the question does not say of which column"
    ))
}
