//! Decides which conditions belong together: values that `and` joins, the conditions of an
//! exception, the conditions that `not` negates, and groups of rows.

use super::Resolver;
use super::contradiction::{refuse_contradiction, texts};
use super::inner::behind_negation;
use super::joining::{Mark, Placed, either_date, joined, merge, part_below};
use crate::ask::{Condition, Related};
use crate::catalog::ColumnId;
use crate::draft::{Demand, Joiner, Wish};
use crate::plan::{Step, Stop};

/// The choices of a question back about two things that are joined.
pub(super) const EITHER: &str = "either of them";
const BOTH: &str = "both of them";

/// The meanings of `and` between two things.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Reading {
    Both,
    Either,
}

/// The meanings of several conditions behind an exception or a `not`.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Extent {
    /// Rows that meet all of them are left out.
    Together,
    /// Rows that meet any of them are left out.
    Each,
    /// Only the first condition decides which rows are left out.
    First,
}

impl Resolver<'_> {
    pub(super) fn place_all(
        &self,
        wishes: &[Wish],
        scope: usize,
        table: usize,
    ) -> Step<Vec<Condition>> {
        let mut placed: Vec<Placed> = Vec::new();
        let many = self.is_many(scope, table) || self.is_below_many(scope);
        let shared = many || self.lists_shared_values(scope);
        let mut before = None;
        for (wish, next) in self.place_alone(wishes, scope, table)? {
            if many {
                self.require_one_row(wish, &next)?;
            }
            let Some(last) = placed.last_mut() else {
                placed.push(next);
                before = Some(wish);
                continue;
            };
            let said = before.replace(wish).unwrap_or(wish);
            self.require_no_verb(last, &next, said)?;
            if let Some(joined) = behind_negation(last, &next, said, wish)? {
                last.condition = joined;
                continue;
            }
            if self.is_lacked_too(last, &next, wish)? {
                continue;
            }
            let same = last.value.is_some() && last.value == next.value;
            if same {
                if shared && next.joiner == Joiner::And && !next.negated {
                    self.require_either()?;
                }
                let word = last.mark.word.clone();
                self.require_of_both(&placed, &word, &next)?;
                let Some(last) = placed.last_mut() else {
                    continue;
                };
                if let Some(merged) = self.join_values(last, &next, scope)? {
                    last.condition = merged;
                    last.mark.word = format!("{}, {}", last.mark.word, next.mark.word);
                    if next.joiner != Joiner::None {
                        last.joiner = next.joiner;
                    }
                    continue;
                }
                placed.push(next);
            } else if let Some(either) = either_date(&last.condition, &next) {
                if many && next.joiner == Joiner::And {
                    self.require_either()?;
                }
                last.condition = either;
            } else if is_of_another_row(last, &next) {
                last.condition = either_name(last, &next)?;
                last.mark.word = format!("{}, {}", last.mark.word, next.mark.word);
            } else if next.joiner == Joiner::Or {
                self.require_last_two(&placed, &next)?;
                let Some(first) = placed.pop() else { continue };
                let either = Condition::Any(vec![first.condition, next.condition]);
                placed.push(Placed {
                    mark: next.mark,
                    ..Placed::new(either, Joiner::Or)
                });
            } else {
                self.require_of_all(last, &next)?;
                if last.joiner == Joiner::Or && matches!(last.condition, Condition::Any(_)) {
                    self.catalog().choose(
                        "does the `or` join only two of the conditions, so that a row must also meet the others?".to_owned(),
                        &[()],
                        |()| format!("only between the two before {:?}", wish.word),
                    )?;
                }
                placed.push(next);
            }
        }
        let placed = self.except(placed, scope)?;
        let mut placed = self.groups(self.denials(placed)?)?;
        let apart = self.apart(&mut placed)?;
        let together = placed.into_iter().map(|placed| self.with_missing(placed));
        let mut conditions = merge(together.collect());
        conditions.extend(apart);
        refuse_contradiction(&conditions)?;
        Ok(conditions)
    }

    /// Places each wish beside those before it, and joins none of them.
    fn place_alone<'w>(
        &self,
        wishes: &'w [Wish],
        scope: usize,
        table: usize,
    ) -> Step<Vec<(&'w Wish, Placed)>> {
        let mut nexts: Vec<(&Wish, Placed)> = Vec::new();
        for wish in wishes {
            let found = match self.date_beside(&nexts, wish, table)? {
                Some(dated) => vec![dated],
                None => self.place_each(wish, scope, table)?,
            };
            for mut next in found {
                next.mark = Mark::of(wish);
                self.said_of_either(&nexts, &mut next, table)?;
                nexts.push((wish, next));
            }
        }
        Ok(nexts)
    }

    /// Asks back, in a question that changes rows, if a condition after two values applies to both:
    /// `drinks or food with price 2`.
    fn require_of_all(&self, last: &Placed, next: &Placed) -> Step<()> {
        let joins = last.value.is_some() && last.joiner != Joiner::None;
        if !self.strict || !joins || next.joiner != Joiner::None {
            return Ok(());
        }
        let (before, word) = (&last.mark.word, &next.mark.word);
        self.catalog().choose(
            format!("is {word:?} said of each of {before:?}? Else ask for one after the other"),
            &[()],
            |()| format!("{word} is said of each of {before}"),
        )
    }

    /// Asks back, in a question that changes rows, if the word directly before the first of two
    /// values applies to both: `male pigs or cows`.
    fn require_of_both(&self, placed: &[Placed], first: &str, next: &Placed) -> Step<()> {
        let before = placed.len().checked_sub(2).and_then(|at| placed.get(at));
        let Some(before) = before.filter(|_| self.strict && next.joiner != Joiner::None) else {
            return Ok(());
        };
        let tokens = self.links.tokens;
        let words: Vec<&str> = tokens.iter().map(|token| token.text.as_str()).collect();
        let (word, second) = (&before.mark.word, &next.mark.word);
        if !words.join(" ").contains(&format!("{word} {first}")) {
            return Ok(());
        }
        self.catalog().choose(
            format!("is {word:?} said of {second:?} as well? Else ask for one after the other"),
            &[()],
            |()| format!("{word} is said of {first} and of {second}"),
        )
    }

    /// Adds a condition to what must be absent, if a person has chosen this reading: `owners with
    /// no female cats`.
    fn is_lacked_too(&self, last: &mut Placed, next: &Placed, wish: &Wish) -> Step<bool> {
        let (Condition::Lacks(_, lacked), false) = (&mut last.condition, wish.negated) else {
            return Ok(false);
        };
        let before = last.mark.word.as_str();
        self.catalog().choose(
            format!(
                "does {:?} describe the rows that must be absent?",
                wish.word
            ),
            &[()],
            |()| format!("none has all of this: {before}, {}", wish.word),
        )?;
        lacked.push(next.condition.clone());
        Ok(true)
    }

    /// Asks back for `who bought Tea and not Milk`, where each has many rows.
    fn require_one_row(&self, wish: &Wish, next: &Placed) -> Step<()> {
        if !wish.negated || wish.excepted || next.joiner != Joiner::And {
            return Ok(());
        }
        self.catalog().choose(
            format!(
                "{:?}: must one and the same row meet the conditions with and without `not`? For two different rows, ask one after the other",
                wish.word
            ),
            &[()],
            |()| "one row that is so and not so".to_owned(),
        )
    }

    /// Places a wish. It becomes several conditions if other rows must have one thing each: `owners
    /// who have cats and dogs`.
    fn place_each(&self, wish: &Wish, scope: usize, table: usize) -> Step<Vec<Placed>> {
        let Demand::Inner(inner, None) = wish.demand else {
            let rows = self.require_column(wish, table)?;
            return Ok(vec![match rows {
                Some(rows) => rows,
                None => self.place(wish, scope, table)?,
            }]);
        };
        let found = self.draft.scopes.get(inner);
        let wishes = found.map_or(&[][..], |scope| scope.wishes.as_slice());
        let many = found
            .and_then(|scope| scope.table)
            .is_some_and(|target| self.is_many(inner, target));
        let (begin, end) = joined_run(wishes).unwrap_or_default();
        if begin < end && !many && !wish.negated && self.is_below_many(inner) {
            self.require_either()?;
        }
        if begin == end || !many || wish.negated || self.reading()? == Reading::Either {
            return Ok(vec![self.place(wish, scope, table)?]);
        }
        let mut placed = Vec::new();
        for one in begin..end {
            let own = |(at, _): &(usize, &Wish)| !(begin..end).contains(at) || *at == one;
            let kept: Vec<Wish> = wishes
                .iter()
                .enumerate()
                .filter(own)
                .map(|(_, wish)| wish.clone())
                .collect();
            let joiner = if one == begin {
                wish.joiner
            } else {
                Joiner::And
            };
            let condition = self.place_inner(inner, Some(&kept), None, table, wish, scope)?;
            placed.push(Placed::new(condition, joiner));
        }
        Ok(placed)
    }

    fn reading(&self) -> Step<Reading> {
        self.catalog().choose(
            "are rows meant that have both, or that have either of them?".to_owned(),
            &[Reading::Both, Reading::Either],
            |reading| match reading {
                Reading::Both => BOTH.to_owned(),
                Reading::Either => EITHER.to_owned(),
            },
        )
    }

    /// Asks whether `and` means both or either, where only either is possible.
    fn require_either(&self) -> Step<()> {
        match self.reading()? {
            Reading::Either => Ok(()),
            Reading::Both => Err(Stop::cannot(
                "no row has both of them; ask for one after the other",
            )),
        }
    }

    /// Asks back about an `or` behind several conditions.
    fn require_last_two(&self, placed: &[Placed], next: &Placed) -> Step<()> {
        let last = placed.last();
        let differs = last.is_some_and(|last| last.mark.denied != next.mark.denied);
        if self.strict && differs && !next.mark.clause {
            return Err(Stop::cannot(
                "I do not see whether `not` applies to everything that `or` joins; say for each part what it must be or must not be",
            ));
        }
        if placed.len() < 2 {
            return Ok(());
        }
        let last = last.map_or("", |last| last.mark.word.as_str());
        self.catalog().choose(
            format!(
                "does the `or` before {:?} stand only between the last two? Else ask for one after the other",
                next.mark.word
            ),
            &[()],
            |()| format!("only between {last:?} and {:?}", next.mark.word),
        )
    }

    /// Joins two values of one column: by `or` if a row has one value, by `and` if it has many.
    fn join_values(&self, last: &Placed, next: &Placed, scope: usize) -> Step<Option<Condition>> {
        let both = next.joiner == Joiner::And || next.joiner == Joiner::None;
        self.refuse_two_names(last, next)?;
        if last.negated && !next.negated && next.joiner == Joiner::And {
            let second = &next.mark.word;
            let excluded = self.catalog().choose(
                format!("is {second:?} excluded as well?"),
                &[true, false],
                |excluded| match excluded {
                    true => format!("{second} is excluded as well"),
                    false => format!("{second} is meant"),
                },
            )?;
            return Ok(joined(&last.condition, &next.condition).filter(|_| excluded));
        }
        if next.negated && !last.negated {
            return Ok(None);
        }
        let far = next
            .value
            .as_ref()
            .is_some_and(|(path, _)| path.iter().any(|hop| hop.down));
        let asks = self.strict || last.mark.excepted;
        if far && asks && last.negated && next.joiner == Joiner::And {
            self.catalog().choose(
                "are rows left out that have either of them? For rows with both ask one after the other".to_owned(),
                &[()],
                |()| "left out are rows with either of them".to_owned(),
            )?;
        }
        if far && both && !last.negated {
            let plain = scope == 0 && !last.located && !next.located && !self.strict;
            if plain || self.reading()? == Reading::Both {
                return Ok(None);
            }
        }
        Ok(joined(&last.condition, &next.condition))
    }

    /// Decides what an exception with several conditions leaves out: `except Tea and drinks` either
    /// of them, and of `except open orders in Oslo` it is asked back.
    fn except(&self, placed: Vec<Placed>, scope: usize) -> Step<Vec<Placed>> {
        let (mut rest, parts): (Vec<Placed>, Vec<Placed>) =
            placed.into_iter().partition(|one| !one.mark.excepted);
        if self.strict && scope != 0 && !parts.is_empty() {
            return Err(Stop::cannot(
                "the exception is about other rows than those that are changed",
            ));
        }
        let extent = match parts.iter().skip(1).all(|part| part.mark.listed) {
            true => Extent::Each,
            false => self.extent(&parts)?,
        };
        rest.extend(self.left_out(parts, extent));
        Ok(rest)
    }

    /// Asks back what `not` denies, where rows are changed: `not drinks with price 2`.
    fn denials(&self, placed: Vec<Placed>) -> Step<Vec<Placed>> {
        let denies = |pair: &[Placed]| {
            matches!(pair, [first, second] if first.mark.denied && !second.mark.denied
                && !second.mark.excepted && !second.mark.clause)
        };
        let is_asked = |pair: &[Placed]| denies(pair) && (self.strict || self.is_full_name(pair));
        let Some(at) = placed.windows(2).position(is_asked) else {
            return Ok(placed);
        };
        let (mut before, mut parts, mut behind) = (Vec::new(), Vec::new(), Vec::new());
        for (place, mut one) in placed.into_iter().enumerate() {
            match place {
                place if place < at => before.push(one),
                place if place < at + 2 => {
                    if place > at {
                        one.condition = one.condition.negate();
                        one.negated = true;
                    }
                    parts.push(one);
                }
                _ => behind.push(one),
            }
        }
        let extent = self.extent(&parts)?;
        before.extend(self.left_out(parts, extent));
        before.extend(behind);
        Ok(before)
    }

    /// Returns true if two values are the parts of one name: `not Ann Lee`.
    fn is_full_name(&self, pair: &[Placed]) -> bool {
        let [first, second] = pair else { return false };
        let named = |one: &Placed| {
            let value = one.value.clone();
            value.filter(|(_, id)| self.catalog().is_name(*id) || self.is_label(*id))
        };
        let alike = named(first).zip(named(second));
        second.joiner == Joiner::None
            && alike.is_some_and(|((path, one), (other_path, other))| {
                path == other_path && one.table == other.table && one != other
            })
    }

    /// Asks back what is left out.
    fn extent(&self, parts: &[Placed]) -> Step<Extent> {
        let words: Vec<&str> = parts.iter().map(|part| part.mark.word.as_str()).collect();
        let (first, rest) = words.split_first().unwrap_or((&"", &[]));
        let rest = rest.join(", ");
        let joined = parts.iter().any(|part| part.joiner == Joiner::And);
        let each = joined.then_some(Extent::Each);
        let extents: Vec<Extent> = [Extent::Together, Extent::First]
            .into_iter()
            .chain(each)
            .collect();
        self.catalog().choose(
            format!("which rows are left out: all rows with {first:?}, or only those that also have {rest:?}?"),
            &extents,
            |extent| match extent {
                Extent::Together => format!("left out are rows with all of this: {first}, {rest}"),
                Extent::Each => format!("left out are rows with any of this: {first}, {rest}"),
                Extent::First => format!("left out are rows with {first}, and {rest} is required"),
            },
        )
    }

    /// Returns negated conditions in the form that leaves out the rows of an extent.
    fn left_out(&self, parts: Vec<Placed>, extent: Extent) -> Vec<Placed> {
        match extent {
            Extent::Each => parts,
            Extent::First => {
                let required = |(at, mut part): (usize, Placed)| {
                    if at > 0 {
                        part.condition = part.condition.negate();
                        part.negated = false;
                    }
                    part
                };
                parts.into_iter().enumerate().map(required).collect()
            }
            Extent::Together => {
                // Conditions on the rows of one child are on one row.
                let plain = parts.into_iter().map(|part| part.condition.negate());
                let mut any: Vec<Condition> = merge(plain.collect())
                    .into_iter()
                    .map(|condition| self.with_missing(Placed::denying(condition)))
                    .collect();
                let condition = match any.len() {
                    1 => any.pop(),
                    _ => Some(Condition::Any(any)),
                };
                condition.into_iter().map(Placed::plain).collect()
            }
        }
    }

    /// Asks back whether `women and children` are rows that are both or either, if both stand in
    /// columns of their own.
    fn groups(&self, mut placed: Vec<Placed>) -> Step<Vec<Placed>> {
        let begins = |pair: &[Placed]| {
            matches!(pair, [one, other] if other.mark.noun
                && (other.value.is_none() || one.value != other.value)
                // Rows of one chain are another question.
                && part_below(&one.condition, &other.condition).is_none())
        };
        let Some(at) = placed.windows(2).position(begins) else {
            return Ok(placed);
        };
        if placed.iter().any(|one| one.negated) {
            return Ok(placed);
        }
        let words: Vec<&str> = placed.iter().map(|one| one.mark.word.as_str()).collect();
        let either = match words.as_slice() {
            [first, second] => Some(format!("either {first} or {second}")),
            [first, second, rest @ ..] if at == 0 => Some(format!(
                "either {first} or {second}, and besides {}",
                rest.join(", ")
            )),
            _ => None,
        };
        let readings: &[Reading] = match either {
            Some(_) => &[Reading::Both, Reading::Either],
            None => &[Reading::Both],
        };
        let reading = self.catalog().choose(
            "must each row meet all these conditions, or is the question about several groups of rows? If each group has its own conditions, ask for one group after the other".to_owned(),
            readings,
            |reading| match (reading, &either) {
                (Reading::Either, Some(either)) => either.clone(),
                _ => match words.as_slice() {
                    [first, second] => format!("both {first} and {second}"),
                    _ => format!("each row is all of this: {}", words.join(", ")),
                },
            },
        )?;
        if reading == Reading::Either {
            let rest = placed.split_off(2);
            let any = placed.drain(..).map(|one| self.with_missing(one));
            placed = vec![Placed::plain(Condition::Any(any.collect()))];
            placed.extend(rest);
        }
        Ok(placed)
    }
}

impl Placed {
    fn plain(condition: Condition) -> Self {
        Self::new(condition, Joiner::None)
    }

    fn denying(condition: Condition) -> Self {
        Self::plain(condition.negate())
    }
}

/// Finds the wishes that `and` joins although no row can meet all of them: values of one column, or
/// dates.
fn joined_run(wishes: &[Wish]) -> Option<(usize, usize)> {
    let is_alike = |one: &Wish, other: &Wish| {
        let plain = !one.negated && !other.negated;
        plain
            && match (&one.demand, &other.demand) {
                (Demand::Value(one), Demand::Value(other)) => {
                    let first = one.first().map(|link| link.column);
                    first.is_some() && first == other.first().map(|link| link.column)
                }
                (Demand::Date(one, _), Demand::Date(other, _)) => one == other,
                _ => false,
            }
    };
    let pair = |pair: &[Wish]| matches!(pair, [one, other] if is_alike(one, other));
    let begin = wishes.windows(2).position(pair)?;
    let alike = wishes
        .windows(2)
        .skip(begin)
        .take_while(|found| pair(found));
    let end = begin + 1 + alike.count();
    let rest = wishes.get(begin + 1..end)?;
    rest.iter()
        .any(|wish| wish.joiner == Joiner::And)
        .then_some((begin, end))
}

/// Returns true if a name is joined with the name of the row that these rows refer to: `whose boss
/// is Ann or Bob`.
fn is_of_another_row(last: &Placed, next: &Placed) -> bool {
    let own = next.value.as_ref().filter(|(path, _)| path.is_empty());
    own.is_some_and(|(_, id)| names_another_row(&last.condition, *id)) && !next.mark.clause
}

/// Returns true if a condition demands a related row by this column.
fn names_another_row(condition: &Condition, id: ColumnId) -> bool {
    if let Some(denied) = condition.denied() {
        return names_another_row(denied, id);
    }
    let related = condition.related();
    let mut inner = related.into_iter().flat_map(|related| &related.conditions);
    inner.any(|one| texts(one).is_some_and(|(column, _)| column == id))
}

/// Returns the condition that the row that these rows refer to has one of two names: `whose boss is
/// Ann or Bob`.
///
/// # Errors
/// The words may say something else.
fn either_name(last: &Placed, next: &Placed) -> Step<Condition> {
    let plain = next.joiner == Joiner::Or && !last.negated && !next.negated;
    if let Some(related) = last.condition.related()
        && let [name] = related.conditions.as_slice()
        && let Some(either) = joined(name, &next.condition)
        && plain
        && related.count.is_none()
    {
        return Ok(Condition::Related(Related {
            conditions: vec![either],
            ..related.clone()
        }));
    }
    Err(Stop::cannot(format!(
        "I do not see whether {:?} names these rows or those that they refer to; say it for each name, as in `whose … is Ann or whose … is Bob`",
        next.mark.word
    )))
}
