//! Joins conditions that one and the same row must meet: `with a paid invoice by cash` is about one
//! invoice, and not about a paid one and another one by cash.

use crate::ask::{Condition, Related};
use crate::catalog::ColumnId;
use crate::draft::{DateTest, Demand, Joiner, Stand, Test, Wish};
use crate::relations::Hop;

/// A condition, with the facts that are needed to join it with the next.
pub(super) struct Placed {
    pub(super) condition: Condition,
    /// The path and column of a known value.
    pub(super) value: Option<(Vec<Hop>, ColumnId)>,
    pub(super) negated: bool,
    pub(super) joiner: Joiner,
    pub(super) located: bool,
    pub(super) mark: Mark,
}

impl Placed {
    /// Creates a condition without a known value.
    pub(super) fn new(condition: Condition, joiner: Joiner) -> Self {
        Self {
            condition,
            value: None,
            negated: false,
            joiner,
            located: false,
            mark: Mark::default(),
        }
    }
}

/// The relation of a condition to its neighbours, according to its words.
#[derive(Debug, Clone, Default)]
pub(super) struct Mark {
    /// True if it is a part of an exception.
    pub(super) excepted: bool,
    /// True if it is one of several that an exception lists.
    pub(super) listed: bool,
    /// True if it is a noun after `and` that may describe a separate group of rows: `women and
    /// children`.
    pub(super) noun: bool,
    /// True if it is a clause of its own after a joining word: `and whose price is 2`.
    pub(super) clause: bool,
    /// True if `not` denies it, outside of an exception.
    pub(super) denied: bool,
    /// The words of the condition.
    pub(super) word: String,
}

/// Returns true if the words of a condition contain the negation: `category is not Drinks`.
fn denies_itself(words: &str) -> bool {
    let denials = [
        "not", "isn't", "aren't", "wasn't", "weren't", "!=", "<>", "≠",
    ];
    let mut words = words.split(' ');
    words.any(|word| denials.contains(&word))
}

impl Mark {
    pub(super) fn of(wish: &Wish) -> Self {
        let is_noun = wish.stand == Stand::Noun;
        Self {
            excepted: wish.excepted,
            listed: is_noun,
            noun: is_noun && wish.joiner == Joiner::And && !wish.negated,
            clause: wish.stand == Stand::Clause,
            denied: wish.negated && !wish.excepted && !denies_itself(&wish.word),
            word: match matches!(wish.demand, Demand::Column(_, Test::Absent | Test::Missing)) {
                true => format!("no {}", wish.word),
                false => wish.word.clone(),
            },
        }
    }
}

/// Joins two dates by `or`, because a row has only one date: `in 2024 and 2025`.
pub(super) fn either_date(last: &Condition, next: &Placed) -> Option<Condition> {
    if next.joiner == Joiner::None {
        return None;
    }
    if let (Condition::Related(one), Condition::Related(other)) = (last, &next.condition) {
        let ([one_date], [other_date]) = (one.conditions.as_slice(), other.conditions.as_slice())
        else {
            return None;
        };
        let either = either_within(one_date, other_date)?;
        return (one.path == other.path).then(|| along(one.path.clone(), either));
    }
    either_within(last, &next.condition)
}

fn either_within(last: &Condition, next: &Condition) -> Option<Condition> {
    let Condition::Date(id, _, DateTest::Within(_)) = next else {
        return None;
    };
    let within = |one: &Condition| {
        matches!(one, Condition::Date(same, _, DateTest::Within(_))
            if same == id)
    };
    let before = if let Condition::Any(any) = last {
        any.as_slice()
    } else {
        std::slice::from_ref(last)
    };
    let joins = before.iter().all(within);
    joins.then(|| Condition::Any([before, std::slice::from_ref(next)].concat()))
}

pub(super) fn joined(one: &Condition, other: &Condition) -> Option<Condition> {
    match (one, other) {
        (Condition::In(column, first), Condition::In(same, second)) if column == same => {
            let mut values = first.clone();
            values.extend(
                second
                    .iter()
                    .filter(|value| !first.contains(value))
                    .cloned(),
            );
            Some(Condition::In(*column, values))
        }
        (Condition::In(column, _) | Condition::Same(column, _), Condition::Same(same, _))
        | (Condition::Same(column, _), Condition::In(same, _))
            if column == same =>
        {
            Some(Condition::Any(vec![one.clone(), other.clone()]))
        }
        (Condition::Any(any), Condition::In(column, _) | Condition::Same(column, _))
            if any.iter().all(|known| is_value_of(known, *column)) =>
        {
            let mut any = any.clone();
            any.push(other.clone());
            Some(Condition::Any(any))
        }
        (Condition::Not(first), second) => {
            joined(first, second.denied().unwrap_or(second)).map(Condition::negate)
        }
        (Condition::Related(first), Condition::Related(second)) if first.path == second.path => {
            let ([one], [other]) = (first.conditions.as_slice(), second.conditions.as_slice())
            else {
                return None;
            };
            let condition = joined(one, other)?;
            Some(along(first.path.clone(), condition))
        }
        _ => None,
    }
}

fn is_value_of(condition: &Condition, column: ColumnId) -> bool {
    matches!(condition, Condition::In(id, _) | Condition::Same(id, _) if *id == column)
}

/// Merges conditions on the rows of one child table into conditions on one and the same row, unless
/// two of them are on one column: `borrowed by Lena Fox in 2024` is one loan. The same holds along
/// a chain of children: `a paid invoice by cash` is one invoice with its payment.
pub(super) fn merge(conditions: Vec<Condition>) -> Vec<Condition> {
    let mut merged: Vec<Condition> = Vec::new();
    for condition in conditions {
        let together = merged
            .iter()
            .enumerate()
            .find_map(|(place, known)| Some((place, join_related(known, &condition)?)));
        match together {
            Some((place, joined)) => {
                if let Some(known) = merged.get_mut(place) {
                    *known = joined;
                }
            }
            None => merged.push(condition),
        }
    }
    merged
}

/// Joins two conditions on the rows of the same children to one.
pub(super) fn join_related(one: &Condition, other: &Condition) -> Option<Condition> {
    let (Condition::Related(one), Condition::Related(other)) = (one, other) else {
        return None;
    };
    let shared = shared_children(one, other)?;
    if overlap(&one.conditions, &other.conditions) {
        return None;
    }
    let (path, first_rest) = one.path.split_at_checked(shared)?;
    let mut conditions = nested(first_rest, &one.conditions);
    conditions.extend(nested(other.path.get(shared..)?, &other.conditions));
    Some(Condition::Related(Related {
        path: path.to_vec(),
        conditions: merge(conditions),
        count: None,
    }))
}

/// Returns the number of hops down that two ways have in common, if there are any.
pub(super) fn shared_children(one: &Related, other: &Related) -> Option<usize> {
    let both = one.path.iter().zip(&other.path);
    let shared = both
        .take_while(|(one, other)| one == other && one.down)
        .count();
    (shared > 0 && one.count.is_none() && other.count.is_none()).then_some(shared)
}

/// Returns the last hop to children that two ways share, if they part behind it: it could be
/// another child for each.
pub(super) fn part_below(one: &Condition, other: &Condition) -> Option<Hop> {
    let (Condition::Related(one), Condition::Related(other)) = (one, other) else {
        return None;
    };
    let shared = shared_children(one, other)?;
    let down = |related: &Related| related.path.iter().take_while(|hop| hop.down).count();
    let parts = down(one) != shared || down(other) != shared;
    one.path
        .get(shared.checked_sub(1)?)
        .copied()
        .filter(|_| parts)
}

pub(super) fn nested(path: &[Hop], conditions: &[Condition]) -> Vec<Condition> {
    if path.is_empty() {
        return conditions.to_vec();
    }
    vec![Condition::Related(Related {
        path: path.to_vec(),
        conditions: conditions.to_vec(),
        count: None,
    })]
}

pub(super) fn overlap(one: &[Condition], other: &[Condition]) -> bool {
    let columns =
        |conditions: &[Condition]| conditions.iter().filter_map(column_of).collect::<Vec<_>>();
    let first = columns(one);
    columns(other).iter().any(|column| first.contains(column))
}

pub(super) fn column_of(condition: &Condition) -> Option<ColumnId> {
    match condition {
        Condition::Number(id, ..)
        | Condition::Between(id, ..)
        | Condition::In(id, _)
        | Condition::Same(id, _)
        | Condition::Text(id, ..)
        | Condition::Missing(id)
        | Condition::Present(id)
        | Condition::Date(id, ..)
        | Condition::Columns(id, ..)
        | Condition::Lacks(id, _)
        | Condition::Flag(id) => Some(*id),
        Condition::Not(inner) => column_of(inner),
        Condition::Related(related) => related.conditions.first().and_then(column_of),
        Condition::Any(any) => any.first().and_then(column_of),
    }
}

/// Returns a condition on the rows at the end of a path.
pub(super) fn along(path: Vec<Hop>, condition: Condition) -> Condition {
    if path.is_empty() {
        return condition;
    }
    Condition::Related(Related {
        path,
        conditions: vec![condition],
        count: None,
    })
}
