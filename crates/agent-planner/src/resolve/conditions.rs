//! Places each condition on rows: finds its column, and the path to the table of the column.

mod dates;
mod values;

pub(super) use dates::date_question;

use super::Resolver;
use super::evidence::spellings;
use super::joining::{Placed, along};
use crate::ask::Condition;
use crate::catalog::{ColumnId, DateForm, Holds};
use crate::draft::{Comparison, DateTest, Demand, Joiner, Test, Wish, Written};
use crate::joins::{does, names_a_row};
use crate::lexicon::MONEY_COLUMNS;
use crate::links::{ColumnLink, ValueLink};
use crate::moments::{date_column, is_of_people, main_date};
use crate::morphology::{is_plural, lemma};
use crate::plan::{Step, Stop};
use crate::relations::{Hop, Via, Ways};
use crate::truths::truth;

/// The longest life of a person, in years.
const OLDEST_YEARS: f64 = 120.0;

impl Resolver<'_> {
    /// Resolves the conditions of a scope whose table is known.
    pub(super) fn conditions(&self, scope: usize, table: usize) -> Step<Vec<Condition>> {
        let Some(found) = self.draft.scopes.get(scope) else {
            return Ok(Vec::new());
        };
        self.place_all(&found.wishes, scope, table)
    }

    /// Places one condition of a scope: finds the column that it is about, and the path to it.
    pub(super) fn place(&self, wish: &Wish, scope: usize, table: usize) -> Step<Placed> {
        let mut value = None;
        let condition = match &wish.demand {
            Demand::Value(links) => {
                let (path, link) = self.own_place(links, wish, scope, table)?;
                value = Some((path.clone(), link.column));
                along(path, self.spelt(links, link))
            }
            Demand::Column(link, test @ (Test::Absent | Test::Has))
                if scope == 0 && wish.negated == (*test == Test::Has) =>
            {
                return self.place_absence(link, wish, table);
            }
            Demand::Column(link, Test::Absent | Test::Has) if wish.negated => {
                let absent = matches!(wish.demand, Demand::Column(_, Test::Has));
                let test = if absent { Test::Absent } else { Test::Has };
                // A negated test means the opposite test. The condition of a negated wish is
                // negated further below; a first negation here cancels that one.
                self.place_column(link, &test, table)?.negate()
            }
            Demand::Column(link, test) => self.place_column(link, test, table)?,
            Demand::Date(verb, test) => {
                let (id, form) = self.date_of(verb.as_deref(), table, &wish.word)?;
                self.dates(id, form, *test)?
            }
            Demand::Number(comparison, number, written) => {
                let id = self.main_number(table, *number, *written, &wish.word)?;
                Condition::Number(id, *comparison, *number)
            }
            Demand::Happened(verb, by) => {
                let id = date_column(self.links, verb, table)
                    .ok_or_else(|| Stop::Unknown(verb.clone()))?;
                match (by, self.catalog().holds(id)) {
                    (Some(by), Holds::Date(form)) if wish.negated => {
                        let later = self.dates(id, form, DateTest::After(*by))?;
                        Condition::Any(vec![Condition::Missing(id), later]).negate()
                    }
                    (Some(by), Holds::Date(form)) => self.dates(id, form, DateTest::UpTo(*by))?,
                    _ => Condition::Present(id),
                }
            }
            Demand::Key(of, number) => {
                let id = self.catalog().key(*of).filter(|_| *of == table);
                Condition::Number(
                    id.ok_or_else(|| Stop::Unknown(wish.word.clone()))?,
                    Comparison::Equal,
                    *number,
                )
            }
            Demand::Inner(inner, count) => {
                self.place_inner(*inner, None, *count, table, wish, scope)?
            }
        };
        if let Some(id) = self.lacked_by(&condition, wish, scope, table)? {
            let condition = Condition::Lacks(id, vec![referring(condition)]);
            return Ok(Placed {
                negated: true,
                ..Placed::new(condition, wish.joiner)
            });
        }
        if let (Demand::Column(..), Condition::In(id, _) | Condition::Same(id, _)) =
            (&wish.demand, &condition)
        {
            value = Some((Vec::new(), *id));
        }
        let inner = matches!(wish.demand, Demand::Inner(..));
        let condition = match wish.negated && !(inner && matches!(condition, Condition::Missing(_)))
        {
            true => self.require_dated(condition.negate(), &wish.word)?,
            false => condition,
        };
        Ok(Placed {
            value,
            negated: wish.negated,
            located: wish.located,
            ..Placed::new(condition, wish.joiner)
        })
    }

    /// Places a value, and asks back where its column may not be what is meant.
    fn own_place(
        &self,
        links: &[ValueLink],
        wish: &Wish,
        scope: usize,
        table: usize,
    ) -> Step<(Vec<Hop>, ValueLink)> {
        let (path, link) = self.place_value(links, scope, table, wish)?;
        self.require_own(&path, &link, wish, table)?;
        if wish.located {
            self.require_place(&path, &link, &wish.word)?;
        }
        self.used.borrow_mut().push(link.column);
        Ok((path, link))
    }

    /// Places the absence of a value. If the question asks for the values of a column, as in
    /// `owners without a chip`, none of the rows of such a value may have one.
    fn place_absence(&self, link: &ColumnLink, wish: &Wish, table: usize) -> Step<Placed> {
        let group = match self.asks_for_values() {
            true => self.lacking(table, wish)?,
            false => None,
        };
        let condition = match group {
            Some(id) => Condition::Lacks(id, vec![self.place_column(link, &Test::Has, table)?]),
            None => self.absent_column(link, table)?,
        };
        Ok(Placed::new(condition, wish.joiner))
    }

    /// Returns the condition that a column has nothing, and of children that none has it: `teams
    /// without a captain`.
    fn absent_column(&self, link: &ColumnLink, table: usize) -> Step<Condition> {
        if self.column(link, table)?.table != table {
            let has = self.place_column(link, &Test::Has, table)?;
            let mut path = has.related().into_iter().flat_map(|related| &related.path);
            if path.any(|hop| hop.down) {
                return Ok(has.negate());
            }
        }
        self.place_column(link, &Test::Absent, table)
    }

    fn place_column(&self, link: &ColumnLink, test: &Test, table: usize) -> Step<Condition> {
        let id = self.column(link, table)?;
        let path = if id.table == table {
            Vec::new()
        } else {
            self.way(table, id.table, &Via::default())?
        };
        Ok(along(path, self.tested(id, test, link)?))
    }

    fn tested(&self, id: ColumnId, test: &Test, link: &ColumnLink) -> Step<Condition> {
        let holds = self.catalog().holds(id);
        let wrong = || {
            Stop::cannot(format!(
                "{} does not have values of that kind",
                self.catalog().shown(id)
            ))
        };
        let equals = matches!(test, Test::Number(Comparison::Equal, _));
        let counts = matches!(test, Test::Number(..) | Test::Between(..)) && !equals;
        // `events with more than 2 assistants`: a key is no number of rows.
        let refers = self.relations.key_of(id).or(self.relations.own_key_of(id));
        if refers.is_some()
            && !self.catalog().column(id).is_some_and(|view| {
                let last = link.word.rsplit(' ').next().unwrap_or_default();
                view.words.last() == Some(&lemma(&last.to_lowercase())) && view.words.len() > 1
            })
            && (counts || is_plural(&link.word) && matches!(test, Test::Number(..)))
        {
            return Err(Stop::cannot(format!(
                "{} is a key, which is neither compared nor counted",
                self.catalog().shown(id)
            )));
        }
        Ok(match test {
            Test::Absent | Test::Has if self.may_be_nothing(id) => self.zero_or_none(id, test)?,
            Test::Absent => self.absent(id),
            Test::Has => self.has(id),
            Test::Missing => Condition::Missing(id),
            Test::Present => Condition::Present(id),
            Test::Flag if self.catalog().is_flag(id) || self.catalog().may_be_flag(id) => {
                Condition::Flag(id)
            }
            Test::Number(comparison, value) => match holds {
                Holds::Number | Holds::Unknown | Holds::Flag | Holds::Date(DateForm::Year) => {
                    Condition::Number(id, *comparison, *value)
                }
                Holds::Text | Holds::Date(_) => return Err(wrong()),
            },
            Test::Between(low, high) => match holds {
                Holds::Number | Holds::Unknown | Holds::Date(DateForm::Year) => {
                    Condition::Between(id, *low, *high)
                }
                Holds::Text | Holds::Flag | Holds::Date(_) => return Err(wrong()),
            },
            Test::Text(kind, text) => match holds {
                Holds::Text | Holds::Unknown => Condition::Text(id, *kind, text.clone()),
                Holds::Number | Holds::Flag | Holds::Date(_) => return Err(wrong()),
            },
            Test::Exactly(text) => self.exactly(id, text)?,
            Test::Column(comparison, other) => {
                let other = self.column(other, id.table)?;
                let is_key = |id| self.is_key(id) || names_a_row(self.catalog(), id);
                if let Some(key) = [id, other].into_iter().find(|id| is_key(*id)) {
                    return Err(Stop::cannot(format!(
                        "{} says which row is meant and is no amount; ask for the value of that row first, and then use it in a second question",
                        self.catalog().shown(key)
                    )));
                }
                if other.table != id.table || self.catalog().holds(other) != holds || other == id {
                    return Err(wrong());
                }
                Condition::Columns(id, *comparison, other)
            }
            Test::Date(test) => match holds {
                Holds::Date(form) => self.dates(id, form, *test)?,
                Holds::Text | Holds::Number | Holds::Flag | Holds::Unknown => return Err(wrong()),
            },
            Test::Known(values) => self.known(id, values, link)?,
            Test::Flag => return Err(wrong()),
        })
    }

    /// Refuses `whose captain is injured`, where the column has names, and `injured` is the state of
    /// other rows.
    fn refuse_state_of_others(&self, id: ColumnId, text: &str) -> Step<()> {
        let others = self.links.columns_with(text);
        let Some(other) = others.first().filter(|_| !self.links.is_quoted(text)) else {
            return Ok(());
        };
        let is_name = text.chars().next().is_some_and(char::is_uppercase);
        let alike = others.iter().any(|other| self.same_kind(id, *other));
        if alike || is_name && !self.strict {
            return Ok(());
        }
        let (shown, other) = (self.catalog().shown(id), self.catalog().shown(*other));
        Err(Stop::cannot(format!(
            "{text:?} is no value of {shown}, but one of {other}; put it between quotes if {shown} is meant"
        )))
    }

    fn exactly(&self, id: ColumnId, text: &str) -> Step<Condition> {
        self.used.borrow_mut().push(id);
        let is_so = Condition::Flag(id);
        let says = truth(text).filter(|_| self.catalog().truths(id).is_some());
        match self.catalog().holds(id) {
            Holds::Text | Holds::Unknown => Ok(match self.links.stored(text, id) {
                // `survived is 1`, where the column has `yes`.
                stored if stored.is_empty() => match says {
                    Some(true) => is_so,
                    Some(false) => is_so.negate(),
                    None => {
                        self.refuse_state_of_others(id, text)?;
                        Condition::Same(id, text.to_owned())
                    }
                },
                stored => Condition::In(id, stored),
            }),
            Holds::Number => match text.parse::<f64>() {
                Ok(value) if value.is_finite() => {
                    Ok(Condition::Number(id, Comparison::Equal, value))
                }
                _ => Err(Stop::cannot(format!(
                    "{} has numbers, and {text:?} is none",
                    self.catalog().shown(id)
                ))),
            },
            Holds::Flag | Holds::Date(_) => Err(Stop::cannot(format!(
                "{} has no texts",
                self.catalog().shown(id)
            ))),
        }
    }

    /// Returns the condition on a value of the column, or on the row that it refers to: `whose
    /// manager is Karl Wolf`.
    fn known(&self, id: ColumnId, values: &[ValueLink], link: &ColumnLink) -> Step<Condition> {
        if let Some(value) = values.iter().find(|value| value.column == id) {
            self.used.borrow_mut().push(id);
            return Ok(Condition::In(id, spellings(values, value.clone())));
        }
        let edge = self
            .relations
            .edges
            .iter()
            .position(|edge| edge.child == id);
        let parent = edge
            .and_then(|edge| self.relations.edges.get(edge))
            .map(|edge| edge.parent.table);
        let of_parent: Vec<&ValueLink> = values
            .iter()
            .filter(|value| Some(value.column.table) == parent)
            .collect();
        match (edge, of_parent.as_slice()) {
            (Some(edge), [value]) => Ok(along(
                vec![Hop { edge, down: false }],
                Condition::In(value.column, spellings(values, (*value).clone())),
            )),
            (Some(edge), [_, ..]) => {
                let mut columns = of_parent.clone();
                columns.dedup_by_key(|value| value.column);
                let value = self.one_value(&columns, &[], &link.word)?;
                let condition = Condition::In(value.column, spellings(values, value));
                Ok(along(vec![Hop { edge, down: false }], condition))
            }
            // A person chose this column, and another one has the value.
            (None, _) if self.catalog().holds(id) == Holds::Text && !values.is_empty() => {
                let text = values.first().map_or("", |value| value.stored.as_str());
                self.exactly(id, text)
            }
            _ => Err(Stop::Unknown(link.word.clone())),
        }
    }

    /// Returns the one number of a table that a comparison without a column may mean: an age of
    /// people, otherwise money.
    fn main_number(
        &self,
        table: usize,
        number: f64,
        written: Written,
        word: &str,
    ) -> Step<ColumnId> {
        let numbers: Vec<ColumnId> = self
            .catalog()
            .ids(table)
            .filter(|id| self.catalog().holds(*id) == Holds::Number && !self.is_key(*id))
            .filter(|id| !self.catalog().is_called_id(*id) && !self.catalog().may_be_flag(*id))
            .collect();
        let called = |name: &str| {
            let is_it = |id: &ColumnId| {
                let view = self.catalog().column(*id);
                view.is_some_and(|view| view.words == [name])
            };
            numbers.iter().copied().find(is_it)
        };
        let money: Vec<ColumnId> = MONEY_COLUMNS
            .iter()
            .filter_map(|name| called(name))
            .collect();
        let (age, people) = (called("age"), is_of_people(self.links, table));
        let may_be_age =
            written == Written::Plain && number <= OLDEST_YEARS && (age.is_some() || people);
        match (money.as_slice(), age) {
            (_, Some(age)) if may_be_age && people && number.fract() == 0.0 => Ok(age),
            ([one], _)
                if !may_be_age
                    && (written == Written::Money
                        || numbers.iter().all(|id| id == one || Some(*id) == age)
                        || !people && !self.strict) =>
            {
                Ok(*one)
            }
            _ => self
                .catalog()
                .choose(format!("{word:?}: of which column?"), &numbers, |id| {
                    self.catalog().shown(*id)
                }),
        }
    }
}

/// Returns the condition that something is there for one that a row refers to nothing.
fn referring(condition: Condition) -> Condition {
    if let Condition::Missing(key) = condition {
        return Condition::Present(key);
    }
    condition
}
