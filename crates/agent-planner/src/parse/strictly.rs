//! Checks of words that may belong together in two ways. A question that changes rows is then asked
//! back or refused. One that reads takes the likelier reading, if there is one.

use super::Parser;
use super::joints::{CLAUSES, PLACING};
use crate::draft::{Demand, Joiner, Test, Wish};
use crate::lexicon::Words;
use crate::links::{ColumnLink, ValueLink};
use crate::plan::{Step, Stop};
use crate::relations::Edge;
use crate::token::TokenKind;

/// Words behind which something must follow, besides prepositions and the words of [`CLAUSES`].
const LEADING: Words = Words("after as before between than until whom whose");

/// Words that begin a condition of its own behind `or`.
const AGAIN: Words = Words("be being has having no not");

impl Parser<'_> {
    /// Returns true if nothing follows a word here behind which something must follow: `in Bath to`,
    /// `with a manager in and`.
    pub(super) fn breaks_off(&self) -> bool {
        let word = self.word(0);
        let leads = PLACING.contains(word) || CLAUSES.contains(word) || LEADING.contains(word);
        let ends = self.token(1).is_none_or(|next| {
            let joins = ["and", "but", "or"].contains(&next.lower.as_str());
            // `in OR`: in capitals it is a value.
            next.kind == TokenKind::Sign || joins && !self.links.in_capitals(self.at + 1)
        });
        leads && ends
    }

    /// Asks back about words behind a column of which the question only says that it has a value:
    /// in `visits with a rating done in 2024`, they may be said of the rating.
    ///
    /// # Errors
    /// The question back, and a refusal of a value that directly follows the column.
    pub(super) fn require_end_of(&self, link: &ColumnLink) -> Step<()> {
        let catalog = self.links.catalog;
        let is_flag = link.ids.iter().all(|id| catalog.is_flag(*id));
        let word = self.word(0);
        let places = PLACING.contains(word) && !is_flag;
        let is_value = self.links.value_at(self.at).is_some() || self.number_ahead(0).is_some();
        let joins = CLAUSES.contains(word) || ["and", "but", "or"].contains(&word);
        let follows = is_value || places || self.names_something(self.at) || self.date_follows(0);
        if !self.links.strict || joins || !follows {
            return Ok(());
        }
        let rest = self.tokens().len().saturating_sub(self.at);
        let next = self.links.shown(self.at, rest.min(3));
        if is_value {
            return Err(Stop::cannot(format!(
                "{next:?} stands behind {0:?}, and is no value of it; say `whose {0} is …`, or join the two with `and`",
                link.word
            )));
        }
        let table = link.ids.first().map(|id| catalog.table_name(id.table));
        catalog.choose(
            format!(
                "{next:?}: I see only how it is said of the rows, and not of {:?}; is that meant?",
                link.word
            ),
            &[()],
            |()| format!("{next} is said of {}", table.unwrap_or_default()),
        )
    }

    /// Asks back about `clients whose premium is over 800`, where a client has many policies with a
    /// premium.
    ///
    /// # Errors
    /// The question back.
    pub(super) fn require_one_enough(&self, start: usize, link: &ColumnLink) -> Step<()> {
        let mut before = self.words_before(start);
        let whose = before.find(|word| !["the", "a", "an"].contains(word)) == Some("whose");
        let own = self
            .table_of(self.scope)
            .filter(|_| whose && self.links.strict);
        let far = own.and_then(|own| {
            let other = link.ids.first()?.table;
            let elsewhere = link.ids.iter().all(|id| id.table != own);
            (elsewhere && !self.relations.leads_up(own, other)).then_some(other)
        });
        let Some(far) = far else { return Ok(()) };
        let name = self.links.catalog.table_name(far);
        self.links.catalog.choose(
            format!(
                "{:?} is said of {name}; is it enough that one of these rows meets the condition?",
                link.word
            ),
            &[()],
            |()| format!("one of {name} is enough"),
        )
    }

    /// Asks back about the first condition behind rows that are demanded, if it is said of the rows
    /// around them: `students with a tutor born before 2005`, where only students have a birthday.
    ///
    /// # Errors
    /// The question back.
    pub(super) fn require_own_rows(&self, scope: usize, demand: &Demand, word: &str) -> Step<()> {
        let open = self.scope_of(self.scope);
        let begins = open.is_some_and(|open| open.outer.is_some() && open.wishes.is_empty());
        let joined = self.joiner != Joiner::None || matches!(demand, Demand::Inner(..));
        if !self.links.strict || scope == self.scope || !begins || joined {
            return Ok(());
        }
        let catalog = self.links.catalog;
        let rows = |scope: usize| {
            self.table_of(scope)
                .map_or("", |table| catalog.table_name(table))
        };
        let (inner, outer) = (rows(self.scope), rows(scope));
        catalog.choose(
            format!("{word:?} is not known of {inner}; is it said of {outer}?"),
            &[()],
            |()| format!("{word} is said of {outer}"),
        )
    }

    /// Returns true if a thing stands behind the word that joins, and no preposition or clause that
    /// begins a condition of its own: `or Chris`, and not `or in Rome`.
    fn joins_directly(&self) -> bool {
        let first = self.tokens().get(self.joined_at);
        first.is_some_and(|token| {
            let lists = [PLACING, CLAUSES, AGAIN];
            !lists.iter().any(|list| list.contains(&token.lower))
        })
    }

    /// Refuses `reported by Ada or Chris`, where Ada reports, and Chris stands in another column.
    ///
    /// # Errors
    /// The refusal.
    fn require_same_role(&self, last: Option<&Wish>, links: &[ValueLink], word: &str) -> Step<()> {
        let Some((last, known)) = last.and_then(|last| Some((last, last.demand.value()?))) else {
            return Ok(());
        };
        let tokens = last.word.split(' ').count();
        let start = self.joined_at.saturating_sub(tokens + 1);
        let mut before = self.words_before(start);
        let before = before.find(|word| *word != "the").unwrap_or_default();
        let introduces = PLACING.contains(before) || ["named", "called"].contains(&before);
        // `reported by` has named the column.
        let role = self
            .draft
            .absorbed
            .last()
            .map_or(&[][..], |(ids, _)| ids.as_slice());
        let is_role = known.iter().any(|other| role.contains(&other.column));
        let same = links.iter().any(|link| match is_role {
            true => role.contains(&link.column),
            false => known.iter().any(|other| other.column == link.column),
        });
        match introduces && self.joins_directly() && !same {
            true => Err(Stop::cannot(format!(
                "{word:?} stands in another column than {:?}; name the column of each",
                last.word
            ))),
            false => Ok(()),
        }
    }

    /// Refuses something behind `or` that may be absent as well: `without breakfast or parking`,
    /// `with no retired or red cars`.
    ///
    /// # Errors
    /// The refusal.
    pub(super) fn require_said_again(&self, scope: usize, demand: &Demand, word: &str) -> Step<()> {
        let columns = match demand {
            Demand::Value(links) => links.iter().map(|link| link.column).collect(),
            Demand::Column(link, Test::Flag) => link.ids.clone(),
            _ => return Ok(()),
        };
        let direct = self.joiner == Joiner::Or && !self.negated && self.joins_directly();
        let last = self.scope_of(scope).and_then(|scope| scope.wishes.last());
        let Some(last) = last.filter(|_| direct) else {
            return Ok(());
        };
        let (absent, same) = match &last.demand {
            Demand::Column(_, Test::Absent) => (true, false),
            Demand::Value(links) => (
                last.lacked && last.negated,
                links.iter().any(|link| columns.contains(&link.column)),
            ),
            _ => (last.lacked && last.negated, false),
        };
        match absent && !same {
            true => Err(Stop::cannot(format!(
                "I do not see whether {word:?} must be absent as well; say `without` or `with` again in front of it"
            ))),
            false => Ok(()),
        }
    }

    /// Refuses a value behind `or` that is of another column than the one that the words before it
    /// name: `with code LHR or done`.
    ///
    /// # Errors
    /// The refusal.
    pub(super) fn require_named_column(
        &self,
        scope: usize,
        demand: &Demand,
        word: &str,
    ) -> Step<()> {
        let (Demand::Value(links), Joiner::Or, true) = (demand, self.joiner, self.links.strict)
        else {
            return Ok(());
        };
        let last = self.scope_of(scope).and_then(|scope| scope.wishes.last());
        self.require_same_role(last, links, word)?;
        let Some(Demand::Column(named, Test::Known(_) | Test::Exactly(_))) =
            last.map(|wish| &wish.demand)
        else {
            return Ok(());
        };
        let behind = |edge: &Edge| named.ids.contains(&edge.child);
        let parents = self.relations.edges.iter().filter(|edge| behind(edge));
        let parents: Vec<usize> = parents.map(|edge| edge.parent.table).collect();
        let mut columns = links.iter().map(|link| link.column);
        let fits =
            columns.any(|column| named.ids.contains(&column) || parents.contains(&column.table));
        match self.joins_directly() && !fits {
            true => Err(Stop::cannot(format!(
                "{word:?} is no value of {:?}, which is named before `or`; name the column of {word:?} as well",
                named.word
            ))),
            false => Ok(()),
        }
    }
}
