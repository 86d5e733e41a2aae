//! Refuses conditions that exclude each other: `active and inactive staff` are two groups of rows,
//! and no row is in both. Refuses answers that would only repeat the question.

use super::Resolver;
use super::joining::Placed;
use crate::ask::{Ask, Condition, Expression};
use crate::catalog::ColumnId;
use crate::draft::{DateTest, Joiner};
use crate::morphology::is_plural;
use crate::plan::{Step, Stop};

/// Refuses what no row can be, such as two values of one column at once.
pub(super) fn refuse_contradiction(conditions: &[Condition]) -> Step<()> {
    for (at, one) in conditions.iter().enumerate() {
        for other in conditions.iter().skip(at + 1) {
            let texts = texts(one).zip(texts(other));
            if let Some(((id, first), (same, second))) = texts
                && id == same
                && !first.iter().any(|value| second.contains(value))
            {
                return Err(Stop::cannot(format!(
                    "no row is both {:?} and {:?}; ask for one group of rows after the other",
                    first.first().map_or("", String::as_str),
                    second.first().map_or("", String::as_str)
                )));
            }
            if excludes(one, other) || excludes(other, one) {
                return Err(Stop::cannot(
                    "no row meets all these conditions, because two of them exclude each other; ask for one group of rows after the other",
                ));
            }
        }
    }
    Ok(())
}

/// Returns the column of known values, and the values.
pub(super) fn texts(condition: &Condition) -> Option<(ColumnId, &[String])> {
    if let Condition::In(id, values) = condition {
        return Some((*id, values));
    }
    let Condition::Same(id, value) = condition else {
        return None;
    };
    Some((*id, std::slice::from_ref(value)))
}

/// Returns true if no row meets two conditions, whatever its values are.
fn excludes(one: &Condition, other: &Condition) -> bool {
    if let (Condition::Missing(id), Condition::Present(same)) = (one, other) {
        return id == same;
    }
    if let (Condition::Date(id, _, one), Condition::Date(same, _, other)) = (one, other) {
        return id == same && ends_before(*one, *other);
    }
    one.denied() == Some(other)
}

/// Returns true if all dates of a test are before all dates of another one.
fn ends_before(one: DateTest, other: DateTest) -> bool {
    let end = match one {
        DateTest::Within(span) | DateTest::UpTo(span) => Some(span.to),
        DateTest::Before(span) => Some(span.from),
        DateTest::After(_) | DateTest::From(_) | DateTest::Yearly(_) => None,
    };
    let first = match other {
        DateTest::Within(span) | DateTest::From(span) => Some(span.from),
        DateTest::After(span) => Some(span.to),
        DateTest::Before(_) | DateTest::UpTo(_) | DateTest::Yearly(_) => None,
    };
    end.zip(first).is_some_and(|(end, first)| end <= first)
}

impl Resolver<'_> {
    /// Refuses two names of one column that nothing joins: `books by Ann Lee edited by Bob Fox`,
    /// where both are editors of some book.
    pub(super) fn refuse_two_names(&self, last: &Placed, next: &Placed) -> Step<()> {
        let names = next
            .value
            .as_ref()
            .is_some_and(|(_, id)| self.catalog().names_people(*id) || self.is_label(*id));
        let joined = next.joiner != Joiner::None || next.mark.excepted || next.mark.listed;
        match names && !joined {
            true => Err(Stop::cannot(format!(
                "I do not see how {:?} and {:?} belong together; name the column of each, or join them with `or`",
                last.mark.word, next.mark.word
            ))),
            false => Ok(()),
        }
    }
}

impl Resolver<'_> {
    /// Refuses `floors without suites`, where each floor has many rooms, and those that are no suites
    /// would be listed.
    pub(super) fn refuse_rows_of_others(&self, ask: &Ask) -> Step<()> {
        let [(Expression::Column(path, id), _)] = ask.select.as_slice() else {
            return Ok(());
        };
        let last = self.draft.heads.last();
        let last = last.and_then(|head| head.word.rsplit(' ').next());
        if !last.is_some_and(|last| is_plural(&last.to_lowercase())) {
            return Ok(());
        }
        let lacks = self.wishes().iter().any(|wish| wish.lacked && wish.negated);
        let told = |condition: &Condition| matches!(condition, Condition::Lacks(..));
        let names = self.is_label(*id) || self.is_key(*id);
        match lacks && path.is_empty() && !names && !ask.conditions.iter().any(told) {
            true => Err(Stop::cannot(format!(
                "I do not see whether a value of {} counts that has other rows as well; ask for the rows, or for the number of rows per value",
                self.catalog().shown(*id)
            ))),
            false => Ok(()),
        }
    }

    /// Refuses `what does Ann teach` if all that the answer would say is `Ann`.
    pub(super) fn refuse_repeating(&self, ask: &Ask) -> Step<()> {
        let mut tokens = self.links.tokens.iter().map(|token| token.lower.as_str());
        let asks =
            tokens.next() == Some("what") && matches!(tokens.next(), Some("do" | "does" | "did"));
        let [(Expression::Column(path, id), _)] = ask.select.as_slice() else {
            return Ok(());
        };
        let says =
            |condition: &Condition| matches!(condition, Condition::In(known, _) if known == id);
        match asks && path.is_empty() && ask.conditions.iter().any(says) {
            true => Err(Stop::cannot(format!(
                "the answer would only repeat {}; name the column that is asked for",
                self.catalog().shown(*id)
            ))),
            false => Ok(()),
        }
    }
}
