//! Parses the words of a question into a draft of its meaning.
//!
//! The words are read once from the left. Each step takes the longest phrase that it can account
//! for: a date, a grouping, a ranking, a condition, a name of the schema, a known value, or a word
//! that changes no result. A word that no step takes ends the reading, and the question is refused.
//! [`opening`] reads the kind of result, [`things`] names and values, [`joints`] words that join
//! and deny, [`conditions`] what rows must have, [`absence`] what they must not have, [`clauses`]
//! the clauses that say which rows a condition is about, [`directions`] the words `from` and `to`,
//! [`numbers`] numbers and comparisons, [`bounds`] numbers whose column is not named before them,
//! [`times`] dates, [`ranks`] rankings and aggregates, [`groups`] groups, [`roles`] references
//! within a table, [`texts`] parts of texts, [`happenings`] verbs for events, [`verbs`] everything
//! that is left.

mod absence;
mod bounds;
mod clauses;
mod conditions;
mod directions;
mod groups;
mod happenings;
mod joints;
mod numbers;
mod opening;
mod ranks;
mod roles;
mod rows;
mod strictly;
mod tested;
mod texts;
mod things;
mod times;
mod values;
mod verbs;

use crate::accounted::require_referents;
use crate::catalog::Holds;
use crate::day::Day;
use crate::draft::{Demand, Draft, Joiner, Scope, Stand, Wish};
use crate::lexicon::Phrases;
use crate::limits::MAX_QUESTION_CONDITIONS;
use crate::links::Links;
use crate::plan::{Step, Stop};
use crate::relations::{Relations, Via, Ways};
use crate::token::{Token, TokenKind};
use clauses::Clause;
use joints::Exception;

pub(crate) use directions::has_direction;
pub(crate) use joints::CLAUSES;

/// Reads a question.
///
/// # Errors
/// A word that nothing accounts for, or one with several meanings.
pub(crate) fn parse(links: &Links<'_>, relations: &Relations, today: Day) -> Step<Draft> {
    let mut parser = Parser {
        links,
        relations,
        today,
        at: 0,
        draft: Draft::new(),
        scope: 0,
        negated: false,
        exception: Exception::None,
        joiner: Joiner::None,
        joined_at: 0,
        regrouped: false,
        stand: None,
        copular: false,
        verb: None,
        title: None,
        located: false,
        lacked: false,
        clause: None,
        opened_at: 0,
    };
    require_referents(links)?;
    parser.refuse_ranges()?;
    parser.refuse_with_and_without()?;
    parser.opening()?;
    while parser.at < parser.tokens().len() {
        let before = parser.at;
        parser.step()?;
        // Each step takes a token, or ends the reading.
        if parser.at <= before {
            return Err(parser.unknown());
        }
    }
    parser.finish()
}

struct Parser<'a> {
    links: &'a Links<'a>,
    relations: &'a Relations,
    today: Day,
    at: usize,
    draft: Draft,
    /// The scope that the next condition belongs to.
    scope: usize,
    /// True if `not` or `never` waits for what it negates.
    negated: bool,
    exception: Exception,
    joiner: Joiner,
    /// The position behind the word that joins.
    joined_at: usize,
    /// True if a noun for all rows stands behind the word that joins, so that a second group of
    /// rows begins: `drinks and products with price 2`.
    regrouped: bool,
    /// The form in which the next condition is joined, if it is known before it is added.
    stand: Option<Stand>,
    /// True if the last value says what something is: `that are male`.
    copular: bool,
    /// An event that waits for its date.
    verb: Option<String>,
    /// The table whose row a title such as `Dr.` announces.
    title: Option<usize>,
    /// True if the next condition stands behind `in` or `from`.
    located: bool,
    /// True if the next condition is something that rows do not have.
    lacked: bool,
    /// The clause about the rows to which `whose` or `who` refers.
    clause: Option<Clause>,
    /// The position behind the noun of the last scope that was opened.
    opened_at: usize,
}

impl<'a> Parser<'a> {
    fn tokens(&self) -> &'a [Token] {
        self.links.tokens
    }

    fn token(&self, ahead: usize) -> Option<&'a Token> {
        self.tokens().get(self.at + ahead)
    }

    /// Returns the word so many tokens ahead, in lower case; empty at the end and for texts between
    /// quotes.
    fn word(&self, ahead: usize) -> &'a str {
        self.token(ahead)
            .filter(|token| token.kind != TokenKind::Quoted)
            .map_or("", |token| token.lower.as_str())
    }

    /// Returns the word before this position; empty at the beginning.
    fn before(&self) -> &'a str {
        self.word_before(self.at)
    }

    /// Returns the word before a position; empty at the beginning.
    fn word_before(&self, at: usize) -> &'a str {
        self.words_before(at).next().unwrap_or_default()
    }

    /// Returns the words before a position, the last first.
    fn words_before(&self, at: usize) -> impl Iterator<Item = &'a str> + use<'a> {
        let before = self.tokens().iter().take(at).rev();
        before.map(|token| token.lower.as_str())
    }

    fn is_at(&self, phrase: &[&str]) -> bool {
        phrase
            .iter()
            .enumerate()
            .all(|(ahead, word)| self.word(ahead) == *word)
    }

    /// Takes one of these words.
    fn eat(&mut self, words: &[&str]) -> bool {
        let found = words.contains(&self.word(0)) && !self.word(0).is_empty();
        self.at += usize::from(found);
        found
    }

    /// Takes the first of these phrases that stands here.
    fn eat_phrase(&mut self, phrases: &Phrases) -> bool {
        let found = phrases.iter().find(|phrase| self.is_at(phrase));
        self.at += found.as_ref().map_or(0, Vec::len);
        found.is_some()
    }

    fn skip(&mut self, words: &[&str]) {
        while self.eat(words) {}
    }

    fn unknown(&self) -> Stop {
        self.token(0).map_or_else(
            || Stop::cannot("the question ends before it says what it asks for"),
            |token| Stop::Unknown(token.shown()),
        )
    }

    fn step(&mut self) -> Step<()> {
        self.end_exception();
        let _ = self.written_value()?
            || self.junction()
            || self.sign()?
            || self.number_again()?
            || self.negation()?
            || self.numbered_month()?
            || self.date()?
            || self.group()?
            || self.sort()?
            || self.first_groups()
            || self.percent()
            || self.rank()?
            || self.aggregate()?
            || self.part_of_text()?
            || self.possession()?
            || self.comparison()?
            || self.thing()?
            || self.denied()?
            || self.alike()?
            || self.distinct()
            || self.repeated()
            || self.rows()?
            || self.doing()?
            || self.filler();
        Ok(())
    }

    fn sign(&mut self) -> Step<bool> {
        if self.links.strict && matches!(self.word(0), "(" | ")") {
            return Err(Stop::cannot(
                "I do not change rows if brackets in the question group its words",
            ));
        }
        Ok(self.eat(&[",", ".", "?", "!", ":", "(", ")"]))
    }

    /// Returns the scope at a position of the list.
    fn scope_of(&self, scope: usize) -> Option<&Scope> {
        self.draft.scopes.get(scope)
    }

    fn table_of(&self, scope: usize) -> Option<usize> {
        self.scope_of(scope)?.table
    }

    /// Returns the present scope and those around it, the innermost first.
    fn scopes(&self) -> Vec<usize> {
        let mut found = vec![self.scope];
        if self.clause.is_some_and(|clause| clause.scope == self.scope) {
            return found;
        }
        while let Some(outer) = found
            .last()
            .and_then(|scope| self.scope_of(*scope))
            .and_then(|scope| scope.outer)
        {
            if found.contains(&outer) {
                break;
            }
            found.push(outer);
        }
        found
    }

    /// Returns the tables of the present scope and those around it.
    fn tables_around(&self) -> Vec<usize> {
        let scopes = self.scopes().into_iter();
        scopes.filter_map(|scope| self.table_of(scope)).collect()
    }

    fn has_date(&self, table: Option<usize>) -> bool {
        table.is_some_and(|table| {
            self.links
                .catalog
                .ids(table)
                .any(|id| matches!(self.links.catalog.holds(id), Holds::Date(_)))
        })
    }

    /// Adds a condition to a scope, and applies the negation and the `and` or `or` that were read
    /// before it.
    fn wish(&mut self, scope: usize, demand: Demand, word: String) -> Step<()> {
        let wishes: usize = self
            .draft
            .scopes
            .iter()
            .map(|scope| scope.wishes.len())
            .sum();
        if wishes == MAX_QUESTION_CONDITIONS {
            return Err(Stop::cannot(format!(
                "the question has more than {MAX_QUESTION_CONDITIONS} conditions"
            )));
        }
        self.require_own_rows(scope, &demand, &word)?;
        self.require_named_column(scope, &demand, &word)?;
        self.require_said_again(scope, &demand, &word)?;
        let scope = self.said_of(scope, &word)?;
        self.refuse_way_back(scope, &demand.tables(), &word)?;
        let stand = self.stand.take();
        let stand = stand.unwrap_or_else(|| self.stand(self.joined_at, false));
        self.regrouped = false;
        let excepted = self.excepts(scope)?;
        let wish = Wish {
            demand,
            stand,
            excepted,
            negated: std::mem::take(&mut self.negated),
            joiner: std::mem::replace(&mut self.joiner, Joiner::None),
            located: std::mem::take(&mut self.located),
            lacked: std::mem::take(&mut self.lacked),
            bare: self.draft.subject.is_none(),
            word,
        };
        if let Some(scope) = self.draft.scopes.get_mut(scope) {
            scope.wishes.push(wish);
        }
        Ok(())
    }

    /// Begins conditions on the rows of another table, which belong to a row of the present one or
    /// of one around it.
    fn open(
        &mut self,
        table: usize,
        count: Option<(crate::draft::Comparison, f64)>,
        demanded: bool,
        word: String,
    ) -> Step<()> {
        let around = match self.demands_again() {
            true => self.said_beside(table, &word)?,
            false => self.scopes(),
        };
        let reachable = |scope: &usize| {
            self.table_of(*scope)
                .is_none_or(|from| self.relations.ways(from, table, &Via::default()) != Ways::None)
        };
        // If the subject is not named yet, the tables are compared later.
        let Some(outer) = around.iter().copied().find(reachable) else {
            let same = around
                .iter()
                .copied()
                .find(|scope| self.table_of(*scope) == Some(table));
            if let (Some(outer), Some(hop)) = (same, self.step_down(table)) {
                return self.open_along(hop, outer, count, word);
            }
            let from = around.iter().find_map(|scope| self.table_of(*scope));
            let catalog = self.links.catalog;
            return Err(self
                .relations
                .unconnected(catalog, from.unwrap_or(table), table));
        };
        self.refuse_way_back(outer, &[table], &word)?;
        let outer = self.said_of(outer, &word)?;
        let opened = Scope {
            table: Some(table),
            outer: Some(outer),
            demanded,
            ..Scope::default()
        };
        self.enter(opened, outer, count, word)
    }

    /// Enters a new scope of rows that those of an outer one must have.
    fn enter(
        &mut self,
        opened: Scope,
        outer: usize,
        count: Option<(crate::draft::Comparison, f64)>,
        word: String,
    ) -> Step<()> {
        let inner = self.draft.scopes.len();
        self.draft.scopes.push(opened);
        self.wish(outer, Demand::Inner(inner, count), word)?;
        self.scope = inner;
        self.opened_at = self.at;
        Ok(())
    }

    fn note(&mut self, word: &str, meaning: String) {
        if self.draft.understood.len() < MAX_QUESTION_CONDITIONS {
            self.draft.understood.push(format!("{word}: {meaning}"));
        }
    }

    fn finish(mut self) -> Step<Draft> {
        self.person_with_the_most();
        if let Some(verb) = self.verb.take() {
            self.happened(verb)?;
        }
        if self.negated {
            return Err(Stop::cannot(
                "the question does not say what its `not` is about",
            ));
        }
        let signs = |token: &&Token| token.kind != TokenKind::Sign;
        let last = self.tokens().iter().rev().find(signs);
        if self.joiner != Joiner::None
            && last.is_some_and(|token| ["and", "or", "but"].contains(&token.lower.as_str()))
        {
            return Err(Stop::cannot(
                "the question ends with a joining word (`and`, `or`, `but`), and nothing comes after it",
            ));
        }
        let first = self.tokens().first().map(|token| token.lower.as_str());
        let plain = self.draft.heads.is_empty() && self.draft.aggregates.is_empty();
        if matches!(first, Some("where" | "where's")) && !(plain && self.draft.subject.is_some()) {
            return Err(Stop::cannot(
                "`where` asks for a place, and I do not see of which column; name it, as in `city of …`",
            ));
        }
        if self.regrouped || self.exception == Exception::Announced {
            return Err(Stop::cannot(
                "the question names a second group of rows, and I do not see which rows it has",
            ));
        }
        if self.title.is_some() {
            return Err(Stop::cannot(
                "a title stands before a name that no table has",
            ));
        }
        Ok(self.draft)
    }
}
