//! Comparisons of two groups of rows, which differ in one column: `salary of Engineering versus
//! Sales`, `horsepower of 4 cylinders versus 6 cylinders`.

use super::Resolver;
use super::evidence::spellings;
use super::joining::along;
use super::results::{aggregate_name, measured};
use crate::ask::{Ask, Condition, Expression, Named, Related, Shape};
use crate::catalog::ColumnId;
use crate::draft::{Aggregate, Comparison, Demand, Intent, Test, Wish};
use crate::lexicon::Direction;
use crate::links::ValueLink;
use crate::plan::{Step, Stop};
use crate::relations::{Hop, Via};

/// Values of one column that are compared, with the way to it.
pub(super) struct Compared {
    pub(super) path: Vec<Hop>,
    pub(super) column: ColumnId,
    /// Each value with all of its spellings.
    pub(super) values: Vec<Vec<String>>,
}

/// Numbers of one column that are compared, and the other conditions.
struct ComparedNumbers {
    column: ColumnId,
    numbers: Vec<Condition>,
    rest: Vec<Wish>,
}

impl Resolver<'_> {
    /// Resolves `compare the average price of A and B` and `difference between …`.
    pub(super) fn comparison(&self, root: usize) -> Step<Ask> {
        let plain = self.draft.groups.is_empty()
            && self.draft.rank.is_none()
            && self.draft.sort.is_empty()
            && self.draft.rows.is_none();
        if !plain {
            return Err(Stop::cannot(
                "a comparison of two groups has no other groups and no ranking",
            ));
        }
        if let Some(compared) = self.compared_numbers(root)? {
            return self.numbers_compared(root, compared);
        }
        let (compared, rest) = self.compared(root)?;
        let (measure, assumed) = self.compared_measure(root)?;
        let mut ask = Ask::new(root);
        ask.conditions = self.place_all(&rest, 0, root)?;
        ask.notes.extend(assumed);
        let within = |values: Vec<String>| {
            along(
                compared.path.clone(),
                Condition::In(compared.column, values),
            )
        };
        if self.draft.intent == Intent::Difference {
            let [first, second] = compared.values.as_slice() else {
                return Err(Stop::cannot("a difference is between two groups"));
            };
            ask.shape = Shape::Difference(within(first.clone()), within(second.clone()));
            ask.select = vec![(measure.0, Some("difference".to_owned()))];
            return Ok(ask);
        }
        if compared.path.iter().all(|hop| !hop.down) {
            ask.conditions.push(within(compared.values.concat()));
            self.add_compared(&mut ask, &compared);
            let keys = ask.group.iter().cloned();
            ask.order = keys.map(|key| (key, Direction::Least)).collect();
            ask.select.push(measure);
            return Ok(ask);
        }
        self.compared_entities(ask, compared, measure)
    }

    /// Returns the column of numbers of which the question names two, and the other conditions.
    fn compared_numbers(&self, root: usize) -> Step<Option<ComparedNumbers>> {
        let wishes = self
            .draft
            .scopes
            .first()
            .map(|scope| scope.wishes.as_slice());
        let mut numbers = Vec::new();
        let mut rest = Vec::new();
        let mut column = None;
        for wish in wishes.unwrap_or_default() {
            if let Demand::Column(link, Test::Number(Comparison::Equal, value)) = &wish.demand
                && !wish.negated
            {
                let id = self.column(link, root)?;
                if id.table != root || column.is_some_and(|known| known != id) {
                    return Ok(None);
                }
                column = Some(id);
                numbers.push(Condition::Number(id, Comparison::Equal, *value));
            } else {
                rest.push(wish.clone());
            }
        }
        let several = column.filter(|_| numbers.len() > 1 && self.draft.intent == Intent::Compare);
        Ok(several.map(|column| ComparedNumbers {
            column,
            numbers,
            rest,
        }))
    }

    fn numbers_compared(&self, root: usize, compared: ComparedNumbers) -> Step<Ask> {
        let (measure, assumed) = self.compared_measure(root)?;
        let mut ask = Ask::new(root);
        ask.conditions = self.place_all(&compared.rest, 0, root)?;
        ask.conditions.push(Condition::Any(compared.numbers));
        ask.notes.extend(assumed);
        let key = Expression::Column(Vec::new(), compared.column);
        ask.select = vec![(key.clone(), None), measure];
        ask.group = vec![key.clone()];
        ask.order = vec![(key, Direction::Least)];
        Ok(ask)
    }

    /// Groups that are rows of a table to which the subject belongs many times, such as genres of
    /// movies.
    fn compared_entities(&self, ask: Ask, compared: Compared, measure: Named) -> Step<Ask> {
        let table = compared.column.table;
        if !self.is_label(compared.column) {
            return Err(Stop::cannot(
                "these groups overlap, so they are not compared",
            ));
        }
        let related = Related {
            path: self.way(table, ask.root, &Via::default())?,
            conditions: ask.conditions,
            count: None,
        };
        let measured = measured(measure.0)?;
        let mut entities = Ask::new(table);
        entities.notes = ask.notes;
        entities.conditions = vec![Condition::In(compared.column, compared.values.concat())];
        entities.select = self.entity_columns(table);
        entities
            .select
            .push((Expression::Related(related, measured), measure.1));
        entities.order.extend(self.by_key(table));
        Ok(entities)
    }

    /// Returns the two values that the question names of one column, and the other conditions.
    pub(super) fn compared(&self, root: usize) -> Step<(Compared, Vec<Wish>)> {
        let wishes = self
            .draft
            .scopes
            .first()
            .map(|scope| scope.wishes.as_slice())
            .unwrap_or_default();
        let mut found: Vec<(Compared, Vec<usize>)> = Vec::new();
        for (number, wish) in wishes.iter().enumerate() {
            let links: Vec<ValueLink> = if let Demand::Value(links) = &wish.demand {
                links.clone()
            } else if let Demand::Column(column, Test::Known(links)) = &wish.demand {
                let own = |link: &&ValueLink| column.ids.contains(&link.column);
                links.iter().filter(own).cloned().collect()
            } else {
                continue;
            };
            let links = links.as_slice();
            if wish.negated {
                continue;
            }
            let (path, link) = self.place_value(links, 0, root, wish)?;
            self.used.borrow_mut().push(link.column);
            let known = found
                .iter_mut()
                .find(|(known, _)| known.path == path && known.column == link.column);
            match known {
                Some((known, numbers)) => {
                    known.values.push(spellings(links, link));
                    numbers.push(number);
                }
                None => {
                    let compared = Compared {
                        path,
                        column: link.column,
                        values: vec![spellings(links, link.clone())],
                    };
                    found.push((compared, vec![number]));
                }
            }
        }
        let mut several = found
            .into_iter()
            .filter(|(known, _)| known.values.len() > 1);
        let (Some((compared, numbers)), None) = (several.next(), several.next()) else {
            return Err(Stop::cannot(
                "the question does not name two values of one column to compare",
            ));
        };
        let rest = wishes
            .iter()
            .enumerate()
            .filter(|(number, _)| !numbers.contains(number))
            .map(|(_, wish)| wish.clone())
            .collect();
        Ok((compared, rest))
    }

    /// Adds the column of values that are compared to the groups; values that differ only in case
    /// are one.
    pub(super) fn add_compared(&self, ask: &mut Ask, compared: &Compared) {
        let mut key = Expression::Column(compared.path.clone(), compared.column);
        let mut called = None;
        if compared.values.iter().any(|values| values.len() > 1) {
            key = Expression::Lower(compared.path.clone(), compared.column);
            called = Some(self.catalog().column_name(compared.column).to_owned());
            ask.notes
                .push("Values that differ only in case count as one.".to_owned());
        }
        ask.select.push((key.clone(), called));
        ask.group.push(key);
    }

    fn compared_measure(&self, root: usize) -> Step<(Named, Option<String>)> {
        let one = || Stop::cannot("groups are compared by one number");
        if !self.draft.aggregates.is_empty() {
            let mut measures = self.aggregated(root)?;
            let measure = measures.pop().filter(|_| measures.is_empty());
            return Ok((measure.ok_or_else(one)?, None));
        }
        match self.draft.heads.as_slice() {
            [] => Ok(((Expression::Rows, Some("count".to_owned())), None)),
            [head] => {
                let (path, id) = self.upward(root, head)?;
                self.require_measure(Aggregate::Average, id)?;
                let name = self.catalog().column_name(id);
                let note = format!(
                    "The average of {name} is compared, because the question names no other way."
                );
                let measure = Expression::Aggregate(Aggregate::Average, path, id);
                let named = Some(aggregate_name(Aggregate::Average, name));
                Ok(((measure, named), Some(note)))
            }
            _ => Err(one()),
        }
    }
}
