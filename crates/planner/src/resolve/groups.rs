//! Results for each value of a column, each unit of time, or each row of another table; and groups that are compared.

use super::Resolver;
use super::evidence::spellings;
use super::joining::along;
use super::results::{SHARE_OF_WHAT, aggregate_name};
use crate::ask::{Ask, Condition, Expression, Related, Shape};
use crate::catalog::{ColumnId, DateForm, Holds};
use crate::day::Unit;
use crate::draft::{Aggregate, Comparison, Demand, Group, Intent, Joiner, Test, Wish};
use crate::lexicon::Direction;
use crate::links::ValueLink;
use crate::moments::{date_column, is_of_people, main_date};
use crate::plan::{Step, Stop};
use crate::relations::{Hop, Via};

/// An expression with its name in the result.
type Named = (Expression, Option<String>);

/// Values of one column that are compared, with the way to it.
struct Compared {
    path: Vec<Hop>,
    column: ColumnId,
    /// Each in all of its spellings.
    values: Vec<Vec<String>>,
}

/// Numbers of one column that are compared, and the other conditions.
struct ComparedNumbers {
    column: ColumnId,
    numbers: Vec<Condition>,
    rest: Vec<Wish>,
}

impl Resolver<'_> {
    /// Counts or aggregates by group.
    pub(super) fn grouped(&self, root: usize) -> Step<Ask> {
        if self.draft.intent == Intent::Amount {
            return Err(Stop::cannot("say `total` or `average` and the column"));
        }
        if !self.draft.sort.is_empty() || self.draft.rows.is_some() {
            return Err(Stop::cannot(
                "it sorts or cuts groups; ask for the `top` ones by what decides",
            ));
        }
        if let [group] = self.draft.groups.as_slice()
            && let Some((entity, path)) = self.entity(group, root)?
        {
            return self.by_entity(entity, path, root);
        }
        let mut ask = Ask::new(root);
        let split = self.split();
        ask.conditions = self.conditions(0, root)?;
        for group in &self.draft.groups {
            self.add_group(&mut ask, group, root)?;
        }
        if split {
            let (compared, _) = self.compared(root)?;
            if compared.path.iter().any(|hop| hop.down) {
                return Err(Stop::cannot(
                    "these groups overlap, so they are not counted side by side",
                ));
            }
            self.add_compared(&mut ask, &compared);
        }
        ask.order = ask
            .group
            .iter()
            .map(|key| (key.clone(), Direction::Least))
            .collect();
        let measures = self.measures(root)?;
        self.order_groups(&mut ask, &measures);
        ask.select.extend(measures);
        Ok(ask)
    }

    /// `share of deaths per type`, `share of females per species`: of all rows in each group, or of the rows of a group that are so.
    pub(super) fn shares(&self, root: usize) -> Step<Ask> {
        let wishes = self
            .draft
            .scopes
            .first()
            .map(|scope| scope.wishes.as_slice());
        let wishes = wishes.unwrap_or_default();
        let (base, part) = match self.draft.base {
            Some(base) => wishes.split_at_checked(base).unwrap_or((wishes, &[])),
            None if wishes.iter().all(|wish| wish.bare) => (&[][..], wishes),
            None => {
                return Err(Stop::cannot(SHARE_OF_WHAT));
            }
        };
        let plain = self.draft.aggregates.is_empty() && self.draft.rank.is_none();
        let by_head = self.draft.groups.is_empty() && part.is_empty();
        if !plain || !by_head && !self.draft.heads.is_empty() {
            return Err(Stop::cannot(
                "the question does not say which part of the rows it means",
            ));
        }
        let mut ask = Ask::new(root);
        ask.conditions = self.place_all(base, 0, root)?;
        for head in self.draft.heads.iter().filter(|_| by_head) {
            let id = self.column(head, root)?;
            if self.catalog().holds(id) != Holds::Text || self.is_label(id) || self.is_key(id) {
                return Err(Stop::cannot(
                    "the question does not say which part of the rows it means",
                ));
            }
            self.add_group(&mut ask, &Group::Column(head.clone()), root)?;
        }
        for group in &self.draft.groups {
            self.add_group(&mut ask, group, root)?;
        }
        let keys = ask.group.iter().cloned();
        ask.order = keys.map(|key| (key, Direction::Least)).collect();
        let share = match part {
            [] => Expression::Portion,
            part => Expression::Share(self.place_all(part, 0, root)?),
        };
        let measures = [(share, Some("percentage".to_owned()))];
        self.order_groups(&mut ask, &measures);
        ask.select.extend(measures);
        Ok(ask)
    }

    /// `number of males and females per species`: the values are counted side by side, where they are the things that are counted.
    fn split(&self) -> bool {
        let wishes = self
            .draft
            .scopes
            .first()
            .map(|scope| scope.wishes.as_slice());
        let mut pairs = wishes.unwrap_or_default().windows(2);
        let is_value = |wish: &Wish| matches!(wish.demand, Demand::Value(_)) && !wish.negated;
        pairs.any(|pair| match pair {
            [one, other] => {
                let both = is_value(one) && is_value(other) && other.joiner == Joiner::And;
                both && one.bare && other.bare && !one.located
            }
            _ => false,
        })
    }

    /// Adds the column of values that are compared to the groups; values that differ only in case are one.
    fn add_compared(&self, ask: &mut Ask, compared: &Compared) {
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

    /// What is computed for each group.
    fn measures(&self, root: usize) -> Step<Vec<Named>> {
        if !self.draft.aggregates.is_empty() {
            return self.aggregated(root);
        }
        if self.draft.intent == Intent::List && !self.draft.heads.is_empty() {
            return Err(Stop::cannot(
                "it names a column for each group and no `average`, `total` or `number of`",
            ));
        }
        Ok(vec![self.counted(root)?])
    }

    /// The table whose rows are the groups.
    fn entity(&self, group: &Group, root: usize) -> Step<Option<(usize, Vec<Hop>)>> {
        let table = match group {
            Group::Table(table) if *table == root => {
                return Err(Stop::cannot(format!(
                    "each row of {} is a group of its own",
                    self.catalog().table_name(root)
                )));
            }
            Group::Table(table) => Some(*table),
            Group::Column(link) => {
                let id = self.column(link, root)?;
                if let Some(entity) = self.entity_of_key(id, root, &link.word) {
                    return Ok(Some(entity));
                }
                let names = self.is_label(id) || self.catalog().key(id.table) == Some(id);
                (id.table != root && names).then_some(id.table)
            }
            Group::Time(..) => None,
        };
        match table {
            Some(table) => Ok(Some((table, self.way(table, root, &Via::default())?))),
            None => Ok(None),
        }
    }

    /// `per director`: the rows that a foreign key refers to, with the way back along it.
    pub(super) fn entity_of_key(
        &self,
        id: ColumnId,
        root: usize,
        word: &str,
    ) -> Option<(usize, Vec<Hop>)> {
        let edge = self.relations.key_of(id)?;
        let parent = self.relations.edges.get(edge)?.parent.table;
        let named = self
            .catalog()
            .table(parent)
            .is_some_and(|view| !view.labels.is_empty());
        (id.table == root && named && !word.to_lowercase().ends_with("id"))
            .then(|| (parent, vec![Hop { edge, down: true }]))
    }

    /// Of people who may be directors, those who are.
    pub(super) fn only_of_role(&self, path: &[Hop]) -> Option<Condition> {
        let [hop] = path else { return None };
        let role = self
            .relations
            .edges
            .get(hop.edge)
            .is_some_and(|edge| !edge.plain);
        role.then(|| {
            Condition::Related(Related {
                path: path.to_vec(),
                conditions: Vec::new(),
                count: None,
            })
        })
    }

    fn by_entity(&self, entity: usize, path: Vec<Hop>, root: usize) -> Step<Ask> {
        if path.first().is_none_or(|hop| !hop.down) {
            return Err(Stop::cannot(format!(
                "each row of {} belongs to one row of {}",
                self.catalog().table_name(entity),
                self.catalog().table_name(root)
            )));
        }
        if self.split() {
            return Err(Stop::cannot(
                "I do not see whether they are counted together for each group, or side by side; ask for one after the other",
            ));
        }
        let mut ask = Ask::new(entity);
        let role = self.only_of_role(&path);
        let only_some = role.is_some();
        ask.conditions.extend(role);
        let related = Related {
            path,
            conditions: self.conditions(0, root)?,
            count: None,
        };
        ask.select = self.entity_columns(entity);
        for (expression, name) in self.measures(root)? {
            let measured = measured(expression)?;
            if measured.is_none() {
                self.require_rows(entity, &related.path)?;
            }
            if measured.is_none() && !only_some {
                ask.notes.push(format!(
                    "Rows of {} without any have the count 0.",
                    self.catalog().table_name(entity)
                ));
            }
            ask.select
                .push((Expression::Related(related.clone(), measured), name));
        }
        let measures = ask.select.split_off(self.entity_columns(entity).len());
        self.order_groups(&mut ask, &measures);
        ask.select.extend(measures);
        ask.order.extend(self.by_key(entity));
        Ok(ask)
    }

    /// `most first`: what is computed for the groups decides before their names do.
    fn order_groups(&self, ask: &mut Ask, measures: &[Named]) {
        if let (Some(direction), Some((measure, _))) = (self.draft.first, measures.first()) {
            ask.order.insert(0, (measure.clone(), direction));
        }
    }

    /// The columns that tell the rows of a table apart: the key, and the name.
    pub(super) fn entity_columns(&self, entity: usize) -> Vec<Named> {
        let Some(view) = self.catalog().table(entity) else {
            return Vec::new();
        };
        let mut columns: Vec<usize> = view.key.into_iter().collect();
        columns.extend(view.labels.iter().filter(|label| Some(**label) != view.key));
        if columns.is_empty() {
            columns = (0..view.columns.len()).collect();
        }
        columns
            .into_iter()
            .map(|column| {
                let id = ColumnId {
                    table: entity,
                    column,
                };
                (Expression::Column(Vec::new(), id), None)
            })
            .collect()
    }

    pub(super) fn add_group(&self, ask: &mut Ask, group: &Group, root: usize) -> Step<()> {
        match group {
            Group::Time(verb, unit) => {
                let (id, form) = self.dated_column(verb.as_deref(), root)?;
                if form == DateForm::Year && *unit != Unit::Year {
                    return Err(Stop::cannot(format!(
                        "{} has only years",
                        self.catalog().shown(id)
                    )));
                }
                let key = Expression::Bucket(Vec::new(), id, form, *unit);
                let name = Some(unit_name(*unit).to_owned());
                ask.select.push((key.clone(), name));
                ask.group.push(key);
            }
            Group::Column(link) => {
                let (path, id) = self.upward(root, link)?;
                let key = Expression::Column(path, id);
                ask.select.push((key.clone(), None));
                ask.group.push(key);
            }
            Group::Table(table) => {
                let Some(path) = self.way_up(root, *table)? else {
                    return Err(Stop::cannot(
                        "rows that belong to many groups are grouped by one table at a time",
                    ));
                };
                for (expression, name) in self.entity_columns(*table) {
                    let Expression::Column(_, id) = expression else {
                        continue;
                    };
                    let key = Expression::Column(path.clone(), id);
                    ask.select.push((key.clone(), name));
                    ask.group.push(key);
                }
            }
        }
        Ok(())
    }

    fn dated_column(&self, verb: Option<&str>, root: usize) -> Step<(ColumnId, DateForm)> {
        let by_verb = verb.and_then(|verb| date_column(self.links, verb, root));
        let id = match (by_verb, main_date(self.links, root)) {
            (Some(id), _) => id,
            (None, Some(Ok(id))) if self.says_when(id, root) => id,
            (None, Some(Ok(id))) if !is_of_people(self.links, root) => id,
            (None, Some(Ok(id))) => self.which_date("each", &[id])?,
            (None, Some(Err(dates))) => self.which_date("each", &dates)?,
            (None, None) => {
                return Err(Stop::cannot(format!(
                    "{} has no column with a date",
                    self.catalog().table_name(root)
                )));
            }
        };
        match self.catalog().holds(id) {
            Holds::Date(form) => Ok((id, form)),
            _ => Err(Stop::Unknown("each".to_owned())),
        }
    }

    /// `compare the average price of A and B`, `difference between …`.
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

    /// A column of numbers that the question names two of, and the other conditions.
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
            match &wish.demand {
                Demand::Column(link, Test::Number(Comparison::Equal, value)) if !wish.negated => {
                    let id = self.column(link, root)?;
                    if id.table != root || column.is_some_and(|known| known != id) {
                        return Ok(None);
                    }
                    column = Some(id);
                    numbers.push(Condition::Number(id, Comparison::Equal, *value));
                }
                _ => rest.push(wish.clone()),
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

    /// Groups that are rows of a table to which the subject belongs many times, such as genres of movies.
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

    /// The values of one column that the question names two of, and the other conditions.
    fn compared(&self, root: usize) -> Step<(Compared, Vec<Wish>)> {
        let wishes = self
            .draft
            .scopes
            .first()
            .map(|scope| scope.wishes.as_slice())
            .unwrap_or_default();
        let mut found: Vec<(Compared, Vec<usize>)> = Vec::new();
        for (number, wish) in wishes.iter().enumerate() {
            let links: Vec<ValueLink> = match &wish.demand {
                Demand::Value(links) => links.clone(),
                Demand::Column(column, Test::Known(links)) => {
                    let own = links
                        .iter()
                        .filter(|link| column.ids.contains(&link.column));
                    own.cloned().collect()
                }
                _ => continue,
            };
            let links = links.as_slice();
            if wish.negated {
                continue;
            }
            let (path, link) = self.place_value(links, 0, root, &wish.word)?;
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

/// What is computed over the rows that belong to a row of another table.
fn measured(expression: Expression) -> Step<Option<(Aggregate, ColumnId)>> {
    match expression {
        Expression::Rows => Ok(None),
        Expression::Aggregate(aggregate, path, id) if path.is_empty() => Ok(Some((aggregate, id))),
        _ => Err(Stop::cannot(
            "it counts values for each row of a table, which needs two steps",
        )),
    }
}

fn unit_name(unit: Unit) -> &'static str {
    match unit {
        Unit::Day => "day",
        Unit::Week => "week",
        Unit::Month => "month",
        Unit::Quarter => "quarter",
        Unit::Year => "year",
    }
}
