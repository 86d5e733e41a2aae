//! The test behind a column that a question names: `price over 5`, `status is open`, `name starts
//! with A`, `email is missing`.

use super::Parser;
use super::conditions::ARTICLES;
use crate::catalog::{ColumnId, Holds};
use crate::draft::{Comparison, Demand, Joiner, Test, TextMatch, Written};
use crate::lexicon::{CONNECTORS, Phrases};
use crate::links::{ColumnLink, ValueLink};
use crate::morphology::is_participle;
use crate::plan::{Step, Stop};
use crate::token::{Token, TokenKind};
use crate::truths::truth;

/// Phrases before a part of a text.
const STARTS: Phrases =
    Phrases("starts with, start with, starting with, begins with, begin with, beginning with");
const ENDS: Phrases = Phrases("ends with, end with, ending with, ends in, ending in");
const CONTAINS: Phrases = Phrases("contains, contain, containing, includes, including, like");

impl Parser<'_> {
    /// Takes the test of a column that was just named. The flag is true if the test is negated.
    pub(super) fn test(&mut self, link: &ColumnLink) -> Step<Option<(Test, bool)>> {
        let start = self.at;
        let mut negated = false;
        let mut said = false;
        // `state IS`: in capitals it is a value.
        while !(self.links.in_capitals(self.at)
            && (self.word(0) != "not" || self.links.value_at(self.at).is_some()))
        {
            match self.word(0) {
                "not" | "isn't" | "aren't" | "wasn't" | "!=" | "<>" | "≠" => negated = !negated,
                "as" if ["from", "of"].contains(&self.word(1)) => break,
                "is" | "are" | "was" | "were" | "be" | "of" | "as" | ":" | "being" | "equals"
                | "called" | "named" | "that" | "which" | "has" | "have" | "been" | "=" | "==" => {}
                _ => break,
            }
            said |= self.word(0) != "of";
            self.at += 1;
        }
        let copula = self.at > start;
        if copula && !said && self.is_of_a_row(link) {
            let words = ["with", "whose", "having", "have", "has", "and"];
            let mut before = self.words_before(self.at).take(5);
            let introduces = before.find(|word| words.contains(word));
            self.at = start;
            return match introduces.is_some_and(|word| word != "and") {
                true => Err(Stop::cannot(format!(
                    "I cannot compare {:?} with the value of another row; ask for that value first, and then use it in a second question",
                    link.word
                ))),
                // `job and salary of Ivy`
                false => Ok(None),
            };
        }
        if let Some(test) = self.bare_test(link, copula, said)? {
            return Ok(Some((test, negated)));
        }
        if let Some(test) = self.literal(link, start, said) {
            return Ok(Some((test, negated)));
        }
        if let Some(test) = self.common_value(link, start, said) {
            let before = self
                .tokens()
                .get(start..self.at.saturating_sub(1))
                .unwrap_or_default();
            let denials = ["not", "isn't", "aren't", "wasn't", "!=", "<>", "≠"];
            let denied = before
                .iter()
                .filter(|token| denials.contains(&token.lower.as_str()));
            return Ok(Some((test, denied.count() % 2 == 1)));
        }
        if said && self.is_compared(start) {
            return Err(self.unknown());
        }
        self.at = start;
        Ok(None)
    }

    /// Takes one test for all columns of a list: `whose amount or method is missing`.
    ///
    /// # Errors
    /// A test that is not shared: `with revenue or rating above 5` would say nothing about the
    /// first column.
    pub(super) fn shared_test(&mut self, first: &ColumnLink) -> Step<bool> {
        let start = self.at;
        let mut columns = vec![first.clone()];
        let mut joiners = Vec::new();
        loop {
            let here = self.at;
            let listed = self.eat(&[","]);
            let joiner = match self.word(0) {
                "or" => Some(Joiner::Or),
                "and" => Some(Joiner::And),
                _ => None,
            };
            self.at += usize::from(joiner.is_some());
            self.skip(ARTICLES);
            let own = self.table_of(self.scope);
            let next = own.and_then(|table| self.own_column_at(table));
            let Some(next) = next.filter(|_| listed || joiner.is_some()) else {
                self.at = here;
                break;
            };
            joiners.extend(joiner);
            self.at += next.tokens;
            columns.push(next.item);
        }
        let unclear = || {
            Stop::cannot(format!(
                "the question does not say what is asked of {:?}",
                first.word
            ))
        };
        let (Some(last), Some(joiner)) = (columns.last().cloned(), joiners.first().copied()) else {
            let named = base::words::split(&first.word).len().max(1);
            let mut before = self.words_before(start).skip(named);
            let introduced = before.find(|word| !ARTICLES.contains(word));
            // `whose total or whose state is missing`
            let breaks_off = ["and", "or", ","].contains(&self.word(0))
                && introduced.is_some_and(|word| ["whose", "where"].contains(&word));
            let joined = self.is_at(&["and"]) || columns.len() > 1 || breaks_off;
            self.at = start;
            return if joined { Err(unclear()) } else { Ok(false) };
        };
        let tested = self.test(&last)?;
        if tested.is_none() && joiner == Joiner::Or {
            // `with an amount or a method`
            self.at = start;
            return Ok(false);
        }
        let plain = joiners.iter().all(|other| *other == joiner) && self.joiner == Joiner::None;
        let Some((test @ (Test::Missing | Test::Present), false)) = tested else {
            return Err(unclear());
        };
        if !plain || self.negated || self.lacked {
            return Err(unclear());
        }
        for (place, column) in columns.into_iter().enumerate() {
            self.joiner = if place > 0 { joiner } else { Joiner::None };
            let scope = self.column_scope(&column);
            let word = column.word.clone();
            self.wish(scope, Demand::Column(column, test.clone()), word)?;
        }
        Ok(true)
    }

    /// Returns true if a row of the table of the column stands here, by its name or number: `city
    /// of Bob`.
    fn is_of_a_row(&self, link: &ColumnLink) -> bool {
        let own = |table: usize| link.ids.iter().any(|id| id.table == table);
        let names = |value: &ValueLink| {
            own(value.column.table)
                && !link.ids.contains(&value.column)
                && self.links.catalog.is_label(value.column)
        };
        let value = self.links.value_at(self.at);
        let table = self.links.table_at(self.at);
        let numbered = table.is_some_and(|found| {
            let next = self.number_ahead(found.tokens);
            own(found.item.table) && next.is_some()
        });
        numbered || value.is_some_and(|found| found.item.iter().any(names))
    }

    /// Takes a value that is spelt like a common word: `whose state is as`. It is the last such
    /// word, and the column must hold it.
    fn common_value(&mut self, link: &ColumnLink, start: usize, said: bool) -> Option<Test> {
        if !said && !self.is_introduced(link, start) {
            return None;
        }
        let own = |at: usize| -> Vec<ValueLink> {
            let links = self.links.common_at(at).into_iter();
            links
                .filter(|value| link.ids.contains(&value.column))
                .collect()
        };
        let end = self.at + usize::from(self.ends_a_thing(1));
        let at = (start..end).rev().find(|at| !own(*at).is_empty())?;
        // `whose state is` has no value; the sentence is incomplete.
        if at == start && said {
            return None;
        }
        let values = own(at);
        self.at = at + 1;
        Some(Test::Known(values))
    }

    /// Returns true if the words behind a column begin a comparison with a value: `whose state is`.
    fn is_compared(&self, start: usize) -> bool {
        let compares = [
            "is", "are", "was", "were", "equals", "=", "==", "!=", "<>", "≠",
        ];
        let first = self.tokens().get(start);
        let mut before = self.words_before(start);
        first.is_some_and(|token| compares.contains(&token.lower.as_str()))
            && before.any(|word| ["whose", "where", "with", "having", "delete"].contains(&word))
    }

    pub(super) fn bare_test(
        &mut self,
        link: &ColumnLink,
        copula: bool,
        said: bool,
    ) -> Step<Option<Test>> {
        let start = self.at;
        let own = self.links.value_at(self.at).is_some_and(|found| {
            let mut values = found.item.iter();
            values.any(|value| link.ids.contains(&value.column))
        });
        if !own && (copula || self.draft.subject.is_some()) {
            if self.eat(&[
                "missing",
                "null",
                "empty",
                "blank",
                "unknown",
                "unset",
                "unspecified",
            ]) {
                return Ok(Some(Test::Missing));
            }
            if said && self.eat(&["known", "set", "recorded", "present", "given"]) {
                return Ok(Some(Test::Present));
            }
        }
        let dated = link
            .ids
            .iter()
            .any(|id| matches!(self.links.catalog.holds(*id), Holds::Date(_)));
        let happens = dated && is_participle(&link.word.to_lowercase());
        if dated && let Some(test) = self.date_test(happens)? {
            return Ok(Some(Test::Date(test)));
        }
        self.at = start;
        if let Some(test) = self.number_test(link)? {
            return Ok(Some(test));
        }
        self.at = start;
        if let Some(test) = self.text_test() {
            return Ok(Some(test));
        }
        self.at = start;
        if self.links.value_at(self.at).is_none() {
            self.skip(&["the", "a", "an"]);
        }
        let known = self.known_value(link, said);
        if known.is_none() {
            self.at = start;
        }
        Ok(known)
    }

    pub(super) fn number_test(&mut self, link: &ColumnLink) -> Step<Option<Test>> {
        if self.eat(&["between"]) {
            let Some(mut low) = self.quantity() else {
                return Ok(None);
            };
            if !self.eat(&["and", "to"]) {
                return Err(self.unknown());
            }
            let Some(high) = self.quantity() else {
                return Err(self.unknown());
            };
            // `between 10 and 20%`
            if low.written == Written::Plain {
                low.written = high.written;
            }
            let (low, high) = (self.measured(link, low)?, self.measured(link, high)?);
            if low > high {
                return Err(Stop::cannot(
                    "the first number of `between` is the larger one",
                ));
            }
            return Ok(Some(Test::Between(low, high)));
        }
        let comparison = self.comparator();
        if comparison.is_some() {
            self.skip(&["the", "their", "its"]);
            let after = self.at;
            if let Some(column) = self.column_in_scope(false)
                && column.item.ids.iter().any(|id| {
                    matches!(
                        self.links.catalog.holds(*id),
                        Holds::Number | Holds::Date(_)
                    )
                })
            {
                self.at += column.tokens;
                let op = comparison.unwrap_or(Comparison::Equal);
                return Ok(Some(Test::Column(op, column.item)));
            }
            self.at = after;
        }
        let Some(quantity) = self.quantity() else {
            return Ok(None);
        };
        let comparison = self.or_more().or(comparison);
        if comparison.is_some() && self.is_of_another(link, quantity.value)? {
            return Ok(None);
        }
        let value = self.measured(link, quantity)?;
        let text = link
            .ids
            .iter()
            .all(|id| self.links.catalog.holds(*id) == Holds::Text);
        if text && comparison.is_some() {
            // `cities that have more than one customer`: the number counts something else.
            let counts = self.links.table_like(self.at).is_some() || self.any_column().is_some();
            if counts || self.names_something(self.at) {
                return Ok(None);
            }
            return Err(Stop::cannot(format!(
                "{:?} holds texts, and no numbers to compare with",
                link.word
            )));
        }
        if text && comparison.is_none() {
            let written = self.links.shown(self.at.saturating_sub(1), 1);
            return Ok(Some(Test::Exactly(written)));
        }
        Ok(Some(Test::Number(
            comparison.unwrap_or(Comparison::Equal),
            value,
        )))
    }

    /// Returns true if a number behind a column of yes and no is compared with another column:
    /// `rooms with a balcony under 100`.
    ///
    /// # Errors
    /// A refusal where the column may hold numbers.
    fn is_of_another(&self, link: &ColumnLink, value: f64) -> Step<bool> {
        let catalog = self.links.catalog;
        let all = |tells: &dyn Fn(ColumnId) -> bool| link.ids.iter().all(|id| tells(*id));
        let may_say_so = [0.0, 1.0].contains(&value) && !self.names_something(self.at);
        match may_say_so {
            false if all(&|id| catalog.is_flag(id)) => Ok(true),
            false if all(&|id| catalog.may_be_flag(id)) => Err(Stop::cannot(format!(
                "I do not see whether {value} is compared with {:?} or with another column; name the column in front of the number",
                link.word
            ))),
            _ => Ok(false),
        }
    }

    pub(super) fn text_test(&mut self) -> Option<Test> {
        let kinds = [
            (STARTS, TextMatch::StartsWith),
            (ENDS, TextMatch::EndsWith),
            (CONTAINS, TextMatch::Contains),
        ];
        let mut kinds = kinds.into_iter();
        let (_, kind) = kinds.find(|(phrases, _)| self.eat_phrase(phrases))?;
        self.skip(&["the", "word", "letter", "text", "string"]);
        let token = self.token(0)?;
        if token.kind == TokenKind::Sign {
            return None;
        }
        self.at += 1;
        Some(Test::Text(kind, token.text.clone()))
    }

    /// Takes a value of the column or of the table that it refers to, or a text between quotes.
    pub(super) fn known_value(&mut self, link: &ColumnLink, said: bool) -> Option<Test> {
        let token = self.token(0)?;
        if let Some(found) = self.links.value_at(self.at) {
            let own = found
                .item
                .iter()
                .any(|value| link.ids.contains(&value.column));
            let referred = link.ids.iter().any(|id| {
                self.relations.edges.iter().any(|edge| {
                    edge.child == *id
                        && found
                            .item
                            .iter()
                            .any(|value| value.column.table == edge.parent.table)
                })
            });
            // Without `is`, a value of something else is a condition of its own: `email of Bob
            // Stone`.
            let apart = self.before() == "of";
            let plain = self.draft.subject.is_some() || self.draft.heads.is_empty() || !apart;
            if own && (said || plain) || referred && said {
                let written = self.word_of_columns(link) && !own;
                if written {
                    return None;
                }
                self.at += found.tokens;
                return Some(Test::Known(found.item));
            }
        }
        if token.kind == TokenKind::Quoted {
            self.at += 1;
            return Some(Test::Exactly(token.text.clone()));
        }
        None
    }

    /// Takes the word after a column of text as its value, even if no row has it: `whose country is
    /// Norway`.
    fn literal(&mut self, link: &ColumnLink, column_end: usize, said: bool) -> Option<Test> {
        let holds_text = |id: &ColumnId| self.links.catalog.holds(*id) == Holds::Text;
        if !self.is_introduced(link, column_end) || !link.ids.iter().all(holds_text) {
            return None;
        }
        let first = self.token(0).filter(|token| token.is_word())?;
        // `with vaccinated dogs`: the dogs are no value of a column of yes and no.
        let tells = |id: &ColumnId| self.links.catalog.truths(*id).is_some();
        if link.ids.iter().any(tells) && truth(&first.lower).is_none() {
            return None;
        }
        let elsewhere = self.links.value_at(self.at).map(|found| found.tokens);
        let name = |token: &Token| token.is_word() && token.is_capital();
        let tokens = match elsewhere {
            Some(tokens) => tokens,
            None if first.is_capital() => {
                let rest = self.tokens().get(self.at..).unwrap_or_default();
                rest.iter().take_while(|token| name(token)).count()
            }
            None if said && self.links.may_be_literal(self.at) => 1,
            None => return None,
        };
        let ends = self.token(tokens).is_none_or(|token| {
            let word = token.lower.as_str();
            token.kind == TokenKind::Sign
                || ["and", "or", "but"].contains(&word)
                || CONNECTORS.contains(word)
        });
        let text = self.links.shown(self.at, tokens);
        self.at += if ends { tokens } else { 0 };
        ends.then_some(Test::Exactly(text))
    }

    /// Returns true if the words before a column say that a value of it follows.
    fn is_introduced(&self, link: &ColumnLink, column_end: usize) -> bool {
        let column = base::words::split(&link.word).len().max(1);
        let introduces = [
            "whose", "where", "with", "having", "have", "has", "and", "or",
        ];
        let before = self
            .tokens()
            .iter()
            .take(column_end.saturating_sub(column))
            .rev();
        before
            .map(|token| token.lower.as_str())
            .find(|word| !["the", "their", "its", "a"].contains(word))
            .is_some_and(|word| introduces.contains(&word))
    }

    /// Returns true if the columns hold text of their own rather than keys of others.
    pub(super) fn word_of_columns(&self, link: &ColumnLink) -> bool {
        !link.ids.iter().any(|id| {
            self.relations
                .key_of(*id)
                .or(self.relations.own_key_of(*id))
                .is_some()
        })
    }
}
