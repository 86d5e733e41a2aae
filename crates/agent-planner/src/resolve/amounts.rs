//! Values whose rows are counted or added up: `towns with more than 3 sales`, `the town with the
//! most goals`.

use super::Resolver;
use super::joining::along;
use super::results::aggregate_name;
use crate::ask::{Ask, Condition, Expression};
use crate::catalog::{ColumnId, Holds};
use crate::draft::{Aggregate, Comparison, Demand, Joiner, Test, Wish};
use crate::lexicon::{Direction, ROW_WORDS};
use crate::links::ColumnLink;
use crate::morphology::lemma;
use crate::plan::{Step, Stop};

/// The measure of the rows that share a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Amount {
    Rows,
    Column(Aggregate, ColumnId),
    /// The condition is about each row by itself, so nothing is counted or added up.
    Row,
}

/// A condition on the measure of each group.
#[derive(Debug, Clone, Copy)]
struct Limit {
    /// Its place among the conditions.
    at: usize,
    column: ColumnId,
    limit: (Comparison, f64),
}

impl Resolver<'_> {
    /// Groups the rows by the only column that is asked for, if a condition is about the measure of
    /// each group.
    ///
    /// # Errors
    /// A question back if the condition may be about one row or about all rows of the group
    /// together.
    pub(super) fn values_with_many(&self) -> Step<Option<Ask>> {
        let ([head], None) = (self.draft.heads.as_slice(), self.draft.subject) else {
            return Ok(None);
        };
        let wishes = self.wishes();
        let counted = wishes.iter().enumerate().find_map(|(at, wish)| {
            let Demand::Inner(inner, Some(limit)) = wish.demand else {
                return None;
            };
            let table = self.draft.scopes.get(inner)?.table?;
            Some((at, inner, table, limit))
        });
        let (at, root, amount, limit, mut conditions) = match (counted, self.limited(head)?) {
            (Some((at, inner, table, limit)), _) => {
                let conditions = self.conditions(inner, table)?;
                (at, table, Amount::Rows, limit, conditions)
            }
            (None, Some(Limit { at, column, limit })) => {
                let shown = self.catalog().shown(column);
                let amount = self.amount(column, &shown, Some(Amount::Row), Aggregate::Sum)?;
                if amount == Amount::Row {
                    return Ok(None);
                }
                (at, column.table, amount, limit, Vec::new())
            }
            (None, None) => return Ok(None),
        };
        let (own, others): (Vec<_>, Vec<_>) = wishes
            .iter()
            .cloned()
            .enumerate()
            .partition(|(place, _)| *place == at);
        let others: Vec<Wish> = others.into_iter().map(|(_, wish)| wish).collect();
        let many = |wish: &Wish| {
            wish.joiner == Joiner::Or || matches!(wish.demand, Demand::Inner(_, Some(_)))
        };
        let joined = own
            .iter()
            .any(|(_, wish)| wish.negated || wish.joiner == Joiner::Or);
        let again = |wish: &Wish| wish.joiner != Joiner::None && many(wish);
        let inner = counted.and_then(|(_, inner, ..)| self.draft.scopes.get(inner));
        let again = inner.is_some_and(|scope| scope.wishes.iter().any(again));
        if joined || again || others.iter().any(many) {
            return Err(Stop::cannot(
                "the question joins an amount with another condition, or negates it; ask for one after the other",
            ));
        }
        conditions.extend(self.place_all(&others, 0, root)?);
        self.with_amount(head, root, conditions, amount, limit)
    }

    /// Refuses to count values by how much there is of each.
    ///
    /// # Errors
    /// The refusal.
    pub(super) fn refuse_amounts(&self) -> Step<()> {
        let ([head], None) = (self.draft.heads.as_slice(), self.draft.subject) else {
            return Ok(());
        };
        let names = |id: &ColumnId| self.is_label(*id) || self.is_key(*id);
        let counts = |wish: &Wish| matches!(wish.demand, Demand::Inner(_, Some(_)));
        let counted = self.wishes().iter().any(counts) && !head.ids.iter().any(names);
        match counted || self.limited(head)?.is_some() {
            true => Err(Stop::cannot(format!(
                "I can list the values of {:?} that have such an amount, but I cannot count them; ask which they are",
                head.word
            ))),
            false => Ok(()),
        }
    }

    /// Returns the condition with a number in front of its column, `more than 10 goals`, where rows
    /// with one value of the head have many of them.
    fn limited(&self, head: &ColumnLink) -> Step<Option<Limit>> {
        for (at, wish) in self.wishes().iter().enumerate() {
            let Demand::Column(link, Test::Number(comparison, number)) = &wish.demand else {
                continue;
            };
            let in_front = !wish.word.starts_with(&link.word);
            let id = self.column(link, link.ids.first().map_or(0, |id| id.table))?;
            let many = *comparison != Comparison::Equal && (in_front || self.is_size(id));
            if many && !wish.negated && self.is_shared(head, id) {
                let (column, limit) = (id, (*comparison, *number));
                return Ok(Some(Limit { at, column, limit }));
            }
        }
        Ok(None)
    }

    /// Returns true if several rows with a number may have one value of the column that is asked
    /// for.
    pub(super) fn is_shared(&self, head: &ColumnLink, number: ColumnId) -> bool {
        let tells = |id: &ColumnId| {
            let own = id.table == number.table;
            own && (self.is_label(*id) || self.catalog().key(id.table) == Some(*id))
        };
        !head.ids.iter().any(tells) && self.catalog().holds(number) == Holds::Number
    }

    /// Finds how groups are ranked by `the most` of a column: by the number of rows, or by their
    /// sum or average.
    ///
    /// # Errors
    /// The question back.
    pub(super) fn most_of(
        &self,
        id: ColumnId,
        head: &ColumnLink,
        fallback: Aggregate,
    ) -> Step<Option<(Aggregate, ColumnId)>> {
        if !self.is_shared(head, id) {
            return Ok(Some((fallback, id)));
        }
        Ok(
            match self.amount(id, self.catalog().column_name(id), None, fallback)? {
                Amount::Column(aggregate, id) => Some((aggregate, id)),
                Amount::Rows | Amount::Row => None,
            },
        )
    }

    /// Finds the amount that `most goals` or `more than 10 goals` is about, where all rows of a
    /// value are meant.
    fn amount(
        &self,
        id: ColumnId,
        shown: &str,
        row: Option<Amount>,
        highest: Aggregate,
    ) -> Step<Amount> {
        let catalog = self.catalog();
        let table = catalog.table_name(id.table);
        let is_rows = catalog.column(id).is_some_and(|view| {
            let name = view.words.join(" ");
            let tables = catalog
                .table(id.table)
                .map(|view| lemma(&view.words.join(" ")));
            ROW_WORDS.contains(&name.as_str()) || tables == Some(lemma(&name))
        });
        let is_key = self.is_key(id);
        if row.is_none() && !is_rows && self.adds(id) {
            return Ok(Amount::Column(Aggregate::Sum, id));
        }
        let mut ways = Vec::new();
        if is_rows {
            ways.push((format!("number of rows of {table}"), Amount::Rows));
        }
        if !is_key {
            ways.push((format!("total {shown}"), Amount::Column(Aggregate::Sum, id)));
            match row {
                Some(row) => ways.push((format!("{shown} in one row"), row)),
                None => {
                    let end = if highest == Aggregate::Most {
                        "highest"
                    } else {
                        "lowest"
                    };
                    ways.push((
                        format!("average {shown}"),
                        Amount::Column(Aggregate::Average, id),
                    ));
                    ways.push((format!("{end} {shown}"), Amount::Column(highest, id)));
                }
            }
        }
        match ways.as_slice() {
            [(_, only)] => Ok(*only),
            ways => {
                let question = format!(
                    "there are many values of {}; which of them decides?",
                    catalog.shown(id)
                );
                Ok(catalog.choose(question, ways, |way| way.0.clone())?.1)
            }
        }
    }

    /// Finds if the total or one value of each group decides: `which continent has the largest
    /// population`.
    ///
    /// # Errors
    /// The question back.
    pub(super) fn one_or_all(&self, id: ColumnId, end: Aggregate) -> Step<Aggregate> {
        let word = if end == Aggregate::Most {
            "highest"
        } else {
            "lowest"
        };
        self.which_decides(id, &[("total", Aggregate::Sum), (word, end)])
    }

    /// Asks back which of several aggregates of a column decides.
    pub(super) fn which_decides(
        &self,
        id: ColumnId,
        ways: &[(&str, Aggregate)],
    ) -> Step<Aggregate> {
        let name = self.catalog().column_name(id);
        let question = format!(
            "there are many values of {}; which of them decides?",
            self.catalog().shown(id)
        );
        let way = self
            .catalog()
            .choose(question, ways, |(word, _)| format!("{word} {name}"))?;
        Ok(way.1)
    }

    /// Asks back for `litres per animal`: the total or the average.
    ///
    /// # Errors
    /// The question back.
    pub(super) fn unsaid_aggregate(&self, root: usize) -> Step<Option<Aggregate>> {
        let [head] = self.draft.heads.as_slice() else {
            return Ok(None);
        };
        let id = self.column(head, root)?;
        if self.catalog().holds(id) != Holds::Number || self.is_key(id) {
            return Ok(None);
        }
        let ways = [("total", Aggregate::Sum), ("average", Aggregate::Average)];
        let question = format!(
            "there are many values of {}; which number is meant?",
            self.catalog().shown(id)
        );
        let name = self.catalog().column_name(id);
        let way = self
            .catalog()
            .choose(question, &ways, |(word, _)| format!("{word} {name}"))?;
        Ok(Some(way.1))
    }

    fn with_amount(
        &self,
        head: &ColumnLink,
        root: usize,
        conditions: Vec<Condition>,
        amount: Amount,
        limit: (Comparison, f64),
    ) -> Step<Option<Ask>> {
        let (path, id) = self.upward(root, head)?;
        let few = matches!(limit.0, Comparison::Less | Comparison::AtMost) || limit.1 < 1.0;
        if few && amount == Amount::Rows && (!path.is_empty() || !conditions.is_empty()) {
            return Err(none_of(&head.word));
        }
        let mut ask = Ask::new(root);
        ask.conditions = conditions;
        ask.conditions
            .push(along(path.clone(), Condition::Present(id)));
        let key = Expression::Column(path, id);
        let measured = match amount {
            Amount::Column(aggregate, id) => {
                self.require_measure(aggregate, id)?;
                let name = aggregate_name(aggregate, self.catalog().column_name(id));
                (Expression::Aggregate(aggregate, Vec::new(), id), Some(name))
            }
            Amount::Rows | Amount::Row => (Expression::Rows, Some("count".to_owned())),
        };
        ask.select = vec![(key.clone(), None), measured];
        ask.group = vec![key.clone()];
        ask.having = Some(limit);
        ask.order = vec![(key, Direction::Least)];
        Ok(Some(ask))
    }
}

/// Refuses to list values by how few rows they have where those without any are in no group.
pub(super) fn none_of(word: &str) -> Stop {
    Stop::cannot(format!(
        "values of {word:?} that have none would be left out; ask for the number per value"
    ))
}
