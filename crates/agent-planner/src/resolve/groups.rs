//! Results for each value of a column, each unit of time, or each row of another table.

use super::Resolver;
use super::results::{SHARE_OF_WHAT, measured};
use crate::ask::{Ask, Condition, Expression, Named, Related};
use crate::catalog::{ColumnId, DateForm, Holds};
use crate::day::Unit;
use crate::draft::{Demand, Group, Intent, Joiner, Wish};
use crate::lexicon::Direction;
use crate::plan::{Step, Stop};
use crate::relations::{Hop, Via};

/// The joins on the way to a group that keep rows without a partner. These rows become a group of
/// their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum JoinedBy {
    /// Only joins of columns that have equal values, but no declared foreign key.
    Values,
    Anything,
}

impl Resolver<'_> {
    /// Counts or aggregates by group.
    pub(super) fn grouped(&self, root: usize) -> Step<Ask> {
        if self.draft.intent == Intent::Amount {
            return Err(Stop::cannot("say `total` or `average` and the column"));
        }
        if !self.draft.sort.is_empty() || self.draft.rows.is_some() {
            return Err(Stop::cannot(
                "the question sorts or limits groups; ask for the `top` groups, and say by which number",
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
        self.keep_all(&mut ask, JoinedBy::Values);
        self.order_groups(&mut ask, &measures);
        ask.select.extend(measures);
        Ok(ask)
    }

    /// Makes rows that refer to nothing a group of their own, and says so: all groups together are
    /// all rows.
    fn keep_all(&self, ask: &mut Ask, joined: JoinedBy) {
        let by_values = |hop: &Hop| self.relations.is_by_values(*hop);
        let leaves = |path: &[Hop]| {
            !path.is_empty() && (joined == JoinedBy::Anything || path.iter().any(by_values))
        };
        let is_left = |key: &&Expression| {
            matches!(key, Expression::Column(path, _) | Expression::Lower(path, _)
                if leaves(path))
        };
        let Some(Expression::Column(path, id) | Expression::Lower(path, id)) =
            ask.group.iter().find(is_left)
        else {
            return;
        };
        ask.keeps_all = true;
        let certain = path.iter().all(|hop| {
            let edge = self.relations.edges.get(hop.edge);
            let child = edge.map(|edge| edge.child);
            !by_values(hop) && child.is_some_and(|child| self.catalog().is_filled(child))
        });
        if !certain {
            let (from, to) = (ask.root, id.table);
            ask.notes.push(format!(
                "Rows of {} that belong to no row of {} are counted in the group without a value.",
                self.catalog().table_name(from),
                self.catalog().table_name(to)
            ));
        }
    }

    /// Returns the shares of groups: of all rows in each group, as in `share of deaths per type`,
    /// or of the rows of a group that meet a condition, as in `share of females per species`.
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
        self.keep_all(&mut ask, JoinedBy::Anything);
        let measures = [(share, Some("percentage".to_owned()))];
        self.order_groups(&mut ask, &measures);
        ask.select.extend(measures);
        Ok(ask)
    }

    /// Returns true if the values themselves are counted, side by side: `number of males and
    /// females per species`.
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

    /// Returns the values that are computed for each group.
    fn measures(&self, root: usize) -> Step<Vec<Named>> {
        if !self.draft.aggregates.is_empty() {
            let mut measures = self.aggregated(root)?;
            if self.draft.intent == Intent::Count && !self.draft.distinct {
                let repeats = |(measure, _): &Named| matches!(measure, Expression::Aggregate(_, path, _) if !path.is_empty());
                if measures.iter().any(repeats) {
                    return Err(Stop::cannot(
                        "it counts rows of one table beside an amount of another; ask for one after the other",
                    ));
                }
                measures.insert(0, (Expression::Rows, Some("count".to_owned())));
            }
            return Ok(measures);
        }
        if self.draft.intent == Intent::List && !self.draft.heads.is_empty() {
            if let Some(aggregate) = self.unsaid_aggregate(root)? {
                return self.aggregated_by(&[aggregate], root);
            }
            return Err(Stop::cannot(
                "it names a column for each group and no `average`, `total` or `number of`",
            ));
        }
        Ok(vec![self.counted(root)?])
    }

    /// Returns the table whose rows are the groups.
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

    /// Returns the rows that a foreign key refers to, with the way back along it: `per director`.
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

    /// Returns the condition that keeps, of people who may be directors, those who are.
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
        let mut conditions = self.conditions(0, root)?;
        // `orders per customer from Berlin`: the customers are described.
        conditions.retain(|condition| match self.said_of_end(condition, &path) {
            Some(own) => {
                ask.conditions.push(own);
                false
            }
            None => true,
        });
        let related = Related {
            path,
            conditions,
            count: None,
        };
        ask.select = self.told_apart(entity, &related.path);
        let shown = ask.select.len();
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
        let measures = ask.select.split_off(shown);
        self.note_left_out(&mut ask, &related.path);
        self.order_groups(&mut ask, &measures);
        ask.select.extend(measures);
        ask.order.extend(self.by_key(entity));
        Ok(ask)
    }

    /// Returns a condition on the rows at the beginning of a way as one on those at its end, if it
    /// leads there. `path` is the way back.
    fn said_of_end(&self, condition: &Condition, path: &[Hop]) -> Option<Condition> {
        let denied = condition.denied();
        let Condition::Related(related) = denied.unwrap_or(condition) else {
            return None;
        };
        let back = |(hop, other): (&Hop, &Hop)| hop.edge == other.edge && hop.down != other.down;
        let leads = related.path.len() >= path.len()
            && related.path.iter().zip(path.iter().rev()).all(back);
        let (rest, own) = (related.path.get(path.len()..)?, related.conditions.clone());
        if !leads || related.count.is_some() || own.is_empty() {
            return None;
        }
        let condition = match (rest.is_empty(), own.as_slice()) {
            (true, [one]) => one.clone(),
            (true, _) => return None,
            (false, _) => Condition::Related(Related {
                path: rest.to_vec(),
                conditions: own,
                count: None,
            }),
        };
        Some(match denied {
            Some(_) => condition.negate(),
            None => condition,
        })
    }

    /// Sorts the groups by what is computed for them before their names: `most first`.
    fn order_groups(&self, ask: &mut Ask, measures: &[Named]) {
        if let (Some(direction), Some((measure, _))) = (self.draft.first, measures.first()) {
            ask.order.insert(0, (measure.clone(), direction));
        }
    }

    /// Says that rows that belong to no row of the table are in none of its groups, where only
    /// their values say to which one they belong.
    fn note_left_out(&self, ask: &mut Ask, path: &[Hop]) {
        let by_values = |hop: &&Hop| {
            let edge = self.relations.edges.get(hop.edge);
            edge.is_some_and(|edge| edge.percent.is_some())
        };
        let Some((arrived, left)) = path
            .iter()
            .find(by_values)
            .and_then(|hop| self.relations.ends(*hop))
        else {
            return;
        };
        ask.notes.push(format!(
            "Rows of {} that belong to no row of {} are in none of the groups.",
            self.catalog().table_name(arrived.table),
            self.catalog().table_name(left.table)
        ));
    }

    pub(super) fn add_group(&self, ask: &mut Ask, group: &Group, root: usize) -> Step<()> {
        match group {
            Group::Time(verb, unit) => {
                let word = format!("each {}", unit_name(*unit));
                let (id, form) = self.date_of(verb.as_deref(), root, &word)?;
                if verb.is_some() {
                    // `paid per month`: rows that were not paid are in no month.
                    ask.conditions.push(Condition::Present(id));
                }
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
                if self.is_label(id) {
                    self.add_identity(ask, &path, id.table);
                }
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
                self.add_identity(ask, &path, *table);
                for (expression, name) in self.entity_columns(*table) {
                    let Expression::Column(_, id) = expression else {
                        continue;
                    };
                    let key = Expression::Column(path.clone(), id);
                    if !ask.group.contains(&key) {
                        ask.select.push((key.clone(), name));
                        ask.group.push(key);
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds the column that tells the rows of another table apart to the groups, because two rows
    /// may have one name. It is the key or, without one, the column that is referred to.
    fn add_identity(&self, ask: &mut Ask, path: &[Hop], table: usize) {
        let referred = path.last().and_then(|hop| self.relations.ends(*hop));
        let referred = referred.map(|(arrived, _)| arrived);
        let Some(id) = referred.map(|id| self.catalog().key(table).unwrap_or(id)) else {
            return;
        };
        let key = Expression::Column(path.to_vec(), id);
        if !ask.group.contains(&key) {
            ask.select.push((key.clone(), None));
            ask.group.push(key);
        }
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
