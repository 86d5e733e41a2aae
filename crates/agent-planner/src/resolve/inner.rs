//! Conditions on rows of other tables that belong to a row: their properties, their number, and
//! their absence.

use super::Resolver;
use super::joining::{Placed, along, join_related, nested, part_below, shared_children};
use super::results::aggregate_name;
use crate::ask::{Ask, Condition, Expression, Related};
use crate::catalog::{ColumnId, Holds};
use crate::draft::{Aggregate, Comparison, Demand, Joiner, Test, Wish};
use crate::lexicon::Words;
use crate::morphology::{is_participle, is_plural};
use crate::plan::{Step, Stop};
use crate::relations::{Hop, Via, Ways};

/// Words after which a participle may be the verb of a sentence.
const DOES: Words = Words("who that which have has had always often already");

impl Resolver<'_> {
    /// Returns true if many rows of the scope belong to one row of the scope around it.
    pub(super) fn is_many(&self, scope: usize, table: usize) -> bool {
        let found = self.draft.scopes.get(scope);
        let outer = found.and_then(|scope| scope.outer);
        let around = outer
            .and_then(|outer| self.draft.scopes.get(outer))
            .and_then(|scope| scope.table);
        match found.and_then(|scope| scope.hop) {
            Some(hop) => hop.down,
            None => around.is_some_and(|around| {
                match self.relations.ways(around, table, &Via::default()) {
                    Ways::One(path) => path.iter().any(|hop| hop.down),
                    Ways::None | Ways::Several(_) => true,
                }
            }),
        }
    }

    /// Returns true if values are listed that many rows of other tables have: `students who took
    /// Algebra and Optics` of a sheet of grades.
    pub(super) fn lists_shared_values(&self, scope: usize) -> bool {
        let ([head], 0, None) = (self.draft.heads.as_slice(), scope, self.draft.subject) else {
            return false;
        };
        let shared = |id: &ColumnId| {
            self.catalog().holds(*id) == Holds::Text && !self.is_label(*id) && !self.is_key(*id)
        };
        self.draft.intent == crate::draft::Intent::List && head.ids.iter().all(shared)
    }

    /// Returns true if many rows of a scope around this one belong to one row: `readers who
    /// borrowed books by Ann and Bob`.
    pub(super) fn is_below_many(&self, scope: usize) -> bool {
        let found = self.draft.scopes.get(scope);
        let outer = found.and_then(|scope| scope.outer);
        let table = outer.and_then(|outer| self.draft.scopes.get(outer)?.table);
        outer
            .zip(table)
            .is_some_and(|(outer, table)| self.is_many(outer, table) || self.is_below_many(outer))
    }

    /// Places the condition that rows of an inner scope belong to a row. `only` lists the
    /// conditions on these rows; `None` stands for all conditions of the inner scope. `count`
    /// compares the number of rows.
    pub(super) fn place_inner(
        &self,
        inner: usize,
        only: Option<&[Wish]>,
        count: Option<(Comparison, f64)>,
        table: usize,
        wish: &Wish,
        outer: usize,
    ) -> Step<Condition> {
        let (word, negated) = (wish.word.as_str(), wish.negated);
        let Some(scope) = self.draft.scopes.get(inner) else {
            return Err(Stop::Unknown(word.to_owned()));
        };
        let Some(target) = scope.table else {
            return Err(Stop::Unknown(word.to_owned()));
        };
        let via = self
            .draft
            .scopes
            .get(outer)
            .map_or_else(Via::default, |scope| scope.via.clone());
        let path = match scope.hop {
            Some(hop) => vec![hop],
            None => self.way(table, target, &via)?,
        };
        let mut conditions = match only {
            Some(wishes) => self.place_all(wishes, inner, target)?,
            None => self.conditions(inner, target)?,
        };
        let up = path.first().is_some_and(|hop| !hop.down);
        if conditions.is_empty() && !scope.demanded {
            return Err(Stop::cannot(format!(
                "the question does not say what it asks of {word:?}"
            )));
        }
        if up && count.is_some() {
            return Err(Stop::cannot(format!("a row has one of {word:?} at most")));
        }
        if count.is_some() {
            self.require_rows(table, &path)?;
        }
        if !up {
            conditions.extend(self.amount_over_zero(target, &conditions, count.is_some())?);
        }
        if let (true, [hop]) = (up && conditions.is_empty(), path.as_slice())
            && let Some(edge) = self.relations.edges.get(hop.edge)
            && edge.percent.is_none()
        {
            let key = edge.child;
            return Ok(match negated {
                true => Condition::Missing(key),
                false => Condition::Present(key),
            });
        }
        Ok(Condition::Related(Related {
            path,
            conditions,
            count,
        }))
    }

    /// Asks back for `hotels with rooms over 150` and `students without a grade`, where the column
    /// is called as another table: a row of that may be meant.
    ///
    /// # Errors
    /// The question back, and a refusal if the rows are meant and nothing says which column of
    /// them.
    pub(super) fn require_column(&self, wish: &Wish, table: usize) -> Step<Option<Placed>> {
        let Demand::Column(link, test) = &wish.demand else {
            return Ok(None);
        };
        // `more than 1 fee`: a column that is called in the plural counts them itself.
        let last = link.ids.first().and_then(|id| self.catalog().column(*id));
        let is_many = last.is_some_and(|view| {
            let words = base::words::split(&view.column.name);
            words.last().is_some_and(|last| is_plural(last))
        });
        let counts = !wish.word.starts_with(&link.word) && !is_many;
        let lacks = matches!(test, Test::Absent | Test::Missing);
        let is_any = lacks || matches!(test, Test::Has | Test::Present);
        let compares =
            matches!(test, Test::Number(comparison, _) if *comparison != Comparison::Equal);
        let doubtful = is_any || compares && (wish.word.starts_with(&link.word) || counts);
        let mut own = link.ids.iter().filter(|id| id.table == table);
        let Some(id) = own.next().filter(|_| doubtful) else {
            return Ok(None);
        };
        let words = self.catalog().column(*id).map(|view| view.words.join(" "));
        let other = words.and_then(|words| self.links.table_named(&words));
        let Some(other) = other.filter(|other| *other != table && !self.is_key(*id)) else {
            return Ok(None);
        };
        let (column, name) = (self.catalog().shown(*id), self.catalog().table_name(other));
        let question = format!("is {column} meant, or are rows of {name}?");
        let rows = format!("rows of {name}");
        let chosen = self
            .catalog()
            .choose(question, &[column, rows.clone()], Clone::clone)?;
        if chosen != rows {
            return Ok(None);
        }
        let mut count = None;
        if let Test::Number(comparison, number) = test {
            if !counts {
                return Err(Stop::cannot(format!(
                    "name the column of {name} that {:?} is about",
                    wish.word
                )));
            }
            count = Some((*comparison, *number));
        }
        let condition = Condition::Related(Related {
            path: self.way(table, other, &Via::default())?,
            conditions: Vec::new(),
            count,
        });
        let negated = wish.negated ^ lacks;
        let condition = match negated {
            true => condition.negate(),
            false => condition,
        };
        Ok(Some(Placed {
            negated,
            ..Placed::new(condition, wish.joiner)
        }))
    }

    /// Asks back for `who paid by cash`, where `paid` is a value of the rows between: it may be the
    /// verb of what follows.
    ///
    /// # Errors
    /// The question back.
    pub(super) fn require_no_verb(&self, last: &Placed, next: &Placed, said: &Wish) -> Step<()> {
        let word = said.word.to_lowercase();
        let mut pairs = self.links.tokens.windows(2);
        let does = pairs.any(|pair| match pair {
            [before, token] => token.lower == word && DOES.contains(&before.lower),
            _ => false,
        });
        let parts = part_below(&last.condition, &next.condition).is_some();
        let Some((_, column)) = last
            .value
            .as_ref()
            .filter(|_| does && parts && next.joiner == Joiner::None && is_participle(&word))
        else {
            return Ok(());
        };
        let shown = |id: &ColumnId| self.catalog().shown(*id);
        let question = format!("is {:?} a value of {}?", said.word, shown(column));
        self.catalog().choose(question, &[*column], shown).map(drop)
    }

    /// Asks back for `how many tracks did Helena buy`, which may ask for different tracks or for
    /// pieces. For pieces, returns a query that adds up the quantities of the rows between.
    ///
    /// # Errors
    /// The question back, unless a person has chosen before.
    pub(super) fn pieces_sold(&self, ask: &Ask) -> Step<Option<Ask>> {
        let sold = ask
            .conditions
            .iter()
            .enumerate()
            .find_map(|(at, condition)| {
                let Condition::Related(related) = condition else {
                    return None;
                };
                let (first, rest) = related.path.split_first().filter(|(hop, _)| hop.down)?;
                let (arrived, _) = self.relations.ends(*first)?;
                let quantity = self.quantity_of(arrived.table)?;
                Some((at, *first, nested(rest, &related.conditions), quantity))
            });
        let Some((at, first, sold, quantity)) = sold.filter(|_| self.draft.trades) else {
            return Ok(None);
        };
        let shown = self.catalog().shown(quantity);
        let ways = ["different ones".to_owned(), format!("total {shown}")];
        let question =
            "do you want the number of different ones, or the total number of pieces?".to_owned();
        let chosen = self.catalog().choose(question, &ways, Clone::clone)?;
        if !chosen.starts_with("total ") {
            return Ok(None);
        }
        let mut pieces = Ask::new(quantity.table);
        let name = aggregate_name(Aggregate::Sum, self.catalog().column_name(quantity));
        let sum = Expression::Aggregate(Aggregate::Sum, Vec::new(), quantity);
        pieces.select = vec![(sum, Some(name))];
        pieces.conditions = sold;
        let up = Hop {
            down: false,
            ..first
        };
        let others = ask
            .conditions
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != at);
        let others = others.map(|(_, condition)| along(vec![up], condition.clone()));
        pieces.conditions.extend(others);
        Ok(Some(pieces))
    }

    /// Adds the note that a row counts several times: in `average age of patients per doctor`, over
    /// visits, a patient counts once for each visit.
    pub(super) fn note_repeated(&self, ask: &mut Ask) {
        let between = ask.select.iter().find_map(|(selected, _)| {
            let Expression::Related(related, Some((Aggregate::Average | Aggregate::Sum, id))) =
                selected
            else {
                return None;
            };
            let last = related.path.iter().rfind(|hop| hop.down)?;
            let comes_up = related.path.last().is_some_and(|hop| !hop.down);
            let (arrived, _) = self.relations.ends(*last).filter(|_| comes_up)?;
            Some((arrived.table, id.table))
        });
        if let Some((between, measured)) = between {
            ask.notes.push(format!(
                "A row of {} counts once for each of its rows of {}.",
                self.catalog().table_name(measured),
                self.catalog().table_name(between)
            ));
        }
    }

    /// Removes and returns the conditions that another row of a table may meet than the one that
    /// meets the conditions before: `with a paid invoice and a payment by cash`.
    ///
    /// # Errors
    /// A question back, unless a person has chosen before.
    pub(super) fn apart(&self, placed: &mut Vec<Placed>) -> Step<Vec<Condition>> {
        let mut apart = Vec::new();
        let mut at = 1;
        while at < placed.len() {
            let (before, rest) = placed.split_at(at);
            let hop = rest.first().filter(|next| next.joiner == Joiner::And);
            let hop = hop.and_then(|next| {
                let mut before = before.iter();
                before.find_map(|one| part_below(&one.condition, &next.condition))
            });
            let Some((arrived, _)) = hop.and_then(|hop| self.relations.ends(hop)) else {
                at += 1;
                continue;
            };
            let table = self.catalog().table_name(arrived.table);
            let ways = [
                format!("one row of {table}"),
                format!("any rows of {table}"),
            ];
            let question =
                "must one and the same row meet both conditions, or may different rows meet them?"
                    .to_owned();
            let chosen = self.catalog().choose(question, &ways, Clone::clone)?;
            match chosen.starts_with("any ") {
                true => apart.push(placed.remove(at).condition),
                false => at += 1,
            }
        }
        Ok(apart)
    }
}

/// Joins a condition to a negated one before it, if both are about the same rows: `without a paid
/// invoice by cash`.
///
/// # Errors
/// A refusal if the words do not say that such a row is absent: `never paid by cash`.
pub(super) fn behind_negation(
    last: &Placed,
    next: &Placed,
    said: &Wish,
    wish: &Wish,
) -> Step<Option<Condition>> {
    let (Condition::Not(inner), false, Joiner::None) = (&last.condition, next.negated, next.joiner)
    else {
        return Ok(None);
    };
    let (Condition::Related(one), Condition::Related(other)) = (inner.as_ref(), &next.condition)
    else {
        return Ok(None);
    };
    if shared_children(one, other).is_none() {
        return Ok(None);
    }
    match join_related(inner, &next.condition).filter(|_| said.lacked) {
        Some(joined) => Ok(Some(Condition::Not(Box::new(joined)))),
        None => Err(Stop::cannot(format!(
            "I do not understand how {:?} and {:?} belong together: one must not be so, and the other must; ask one after the other",
            said.word, wish.word
        ))),
    }
}
