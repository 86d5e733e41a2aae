//! Values and rows that must be absent: `without email`, `with no orders`.

use super::Parser;
use super::conditions::ARTICLES;
use crate::catalog::ColumnId;
use crate::draft::{Demand, Test};
use crate::links::{ColumnLink, Found, ValueLink};
use crate::morphology::{is_plural, lemma};
use crate::plan::{Step, Stop};

/// Prefixes that negate the rest of their word.
const DENYING: &[&str] = &["un", "in", "non-", "non"];

/// Values that some words of the question are.
type FoundValues = Found<Vec<ValueLink>>;

impl Parser<'_> {
    /// Refuses `with and without a balcony`, which are all rows, or two groups of them.
    pub(super) fn refuse_with_and_without(&self) -> Step<()> {
        let places = |word: &str| ["with", "without"].contains(&word);
        let mut words = self.tokens().windows(3);
        let found = words.find(|words| {
            matches!(words, [one, joiner, other] if places(&one.lower) && places(&other.lower)
                && ["and", "or", "&", "/"].contains(&joiner.lower.as_str()))
        });
        match found {
            Some([one, joiner, other]) => Err(Stop::cannot(format!(
                "\"{} {} {}\" are two groups of rows; ask for one after the other",
                one.text, joiner.text, other.text
            ))),
            Some(_) | None => Ok(()),
        }
    }

    /// Takes a word with such a prefix, such as `unpaid`, `inactive` or `non-smokers`, if the rest
    /// of it names a column of yes and no.
    pub(super) fn denied(&mut self) -> Step<bool> {
        let word = self.word(0);
        let catalog = self.links.catalog;
        let column = |beginning: &&str| {
            let rest = lemma(word.strip_prefix(*beginning)?);
            let mut ids = self.links.columns_named(&rest);
            ids.retain(|id| catalog.is_flag(*id));
            (!ids.is_empty()).then(|| ColumnLink::new(ids, word, 1.0))
        };
        let Some(link) = DENYING
            .iter()
            .find_map(column)
            .filter(|_| !self.links.strict)
        else {
            return Ok(false);
        };
        self.negated = !self.negated;
        self.stand = Some(self.stand(self.at, true));
        self.at += 1;
        let scope = self.column_scope(&link);
        self.wish(scope, Demand::Column(link, Test::Flag), word.to_owned())?;
        Ok(true)
    }

    /// Takes a condition that a value or a row must be absent.
    pub(super) fn absence(&mut self, column_only: bool) -> Step<bool> {
        let negated = self.negated;
        if column_only {
            self.negated = false;
        }
        let scope_table = self.table_of(self.scope);
        let exact = scope_table.and_then(|table| self.own_column_at(table));
        let table = self.links.table_at(self.at);
        let longer = |found: &Found<ColumnLink>| {
            table
                .as_ref()
                .is_none_or(|table| found.tokens >= table.tokens)
        };
        if let Some(found) = exact.filter(longer) {
            return self.absent_column(found, column_only, negated);
        }
        if let Some(found) = table.filter(|_| !column_only) {
            self.refuse_undone()?;
            let word = self.links.shown(self.at, found.tokens);
            self.at += found.tokens;
            self.absent_table(found.item.table, word)?;
            return Ok(true);
        }
        if let Some((table, state, kind)) = self.described().filter(|_| !column_only) {
            let word = self.links.shown(self.at, state.tokens + kind.tokens);
            self.absent_table(table, word)?;
            self.value(state)?;
            self.value(kind)?;
            return Ok(true);
        }
        if let Some((table, state, tokens)) = self.described_rows_at().filter(|_| !column_only) {
            let word = self.links.shown(self.at, state.tokens + tokens);
            self.absent_table(table, word)?;
            self.value(state)?;
            self.at += tokens;
            return Ok(true);
        }
        if let Some(found) = self.links.value_at(self.at).filter(|_| !column_only) {
            self.require_owner()?;
            self.negated = !self.negated;
            self.lacked = true;
            return self.value_after(found);
        }
        let own = scope_table.and_then(|table| self.links.column_like(self.at, Some(table)));
        if let Some(found) = own.or_else(|| self.any_column()) {
            return self.absent_column(found, column_only, negated);
        }
        if let Some(found) = self.links.table_like(self.at).filter(|_| !column_only) {
            let word = self.links.shown(self.at, found.tokens);
            self.draft.confidence = self.draft.confidence.min(found.item.score);
            self.at += found.tokens;
            self.absent_table(found.item.table, word)?;
            return Ok(true);
        }
        Err(self.unknown())
    }

    /// Refuses `no drinks` and `missing drinks` if nothing in the question can have or lack the
    /// drinks. These words do not ask for the rows with another value.
    fn require_owner(&self) -> Step<()> {
        let before = self.words_before(self.at);
        let mut before = before.skip_while(|word| ARTICLES.contains(word));
        let word = before.next().unwrap_or_default();
        let owner = before.next().unwrap_or_default();
        let has = |word: &str| ["with", "have", "has", "having", "had"].contains(&word);
        let continues = ["and", "or", "but", ",", "nor"].contains(&owner) && before.any(has);
        let owns = has(owner) || continues;
        let lacks = ["without", "lacking"].contains(&word);
        match lacks || owns && word != "missing" {
            true => Ok(()),
            false => Err(Stop::cannot(format!(
                "I do not see which words {word:?} negates here; name the condition that the rows must not meet, as in `that are not …`"
            ))),
        }
    }

    /// Refuses `members who borrowed no books`, where the verb stands for rows of another table:
    /// the question does not ask for loans without a book.
    ///
    /// # Errors
    /// The refusal.
    fn refuse_undone(&self) -> Step<()> {
        let mut before = self.words_before(self.at);
        let no = before.next() == Some("no");
        let word = before.next().unwrap_or_default();
        let owns = [
            "with", "have", "has", "having", "had", "and", "or", "but", ",",
        ];
        match no && self.scope != 0 && !owns.contains(&word) {
            true => Err(Stop::cannot(format!(
                "I do not see whether {word:?} with `no` after it means that nothing happened; say `without`, and name the rows that must not exist"
            ))),
            false => Ok(()),
        }
    }

    fn value_after(&mut self, found: Found<Vec<crate::links::ValueLink>>) -> Step<bool> {
        let word = self.links.shown(self.at, found.tokens);
        self.at += found.tokens;
        self.wish(self.scope, Demand::Value(found.item), word)?;
        Ok(true)
    }

    fn absent_table(&mut self, table: usize, word: String) -> Step<()> {
        self.negated = !self.negated;
        self.lacked = true;
        // `customers without orders in 2024`: what follows says which orders.
        self.open(table, None, true, word)
    }

    /// Takes `active employees` of `locations with active employees`.
    pub(super) fn possessed_kind(&mut self) -> Step<bool> {
        let start = self.at;
        let column = self.any_column();
        let Some(found) = column.filter(|_| self.draft.subject.is_some()) else {
            return Ok(false);
        };
        self.at += found.tokens;
        let taken = self.rows_that_are(&found.item, false)?;
        self.at = if taken { self.at } else { start };
        Ok(taken)
    }

    /// Takes `active strikers` of `teams with active strikers`, where both are values of players:
    /// the state is that of the players, although teams have it as well.
    pub(super) fn described_kind(&mut self) -> Step<bool> {
        let Some((table, state, kind)) = self.described() else {
            return Ok(false);
        };
        let word = self.links.shown(self.at, state.tokens + kind.tokens);
        self.open(table, None, true, word)?;
        self.value(state)?;
        self.value(kind)?;
        Ok(true)
    }

    /// Returns the other table of which a value and the kind behind it are, with both.
    fn described(&self) -> Option<(usize, FoundValues, FoundValues)> {
        let own = self.table_of(self.scope)?;
        let state = self.links.value_at(self.at)?;
        let behind = self.at + state.tokens;
        let kind = self.links.value_at(behind)?;
        let table = kind.item.first()?.column.table;
        let last = self.tokens().get(behind + kind.tokens - 1)?;
        let is_one = ["a", "an", "any", "one"].contains(&self.word_before(self.at));
        let is_noun = !last.is_capital() && (is_plural(&last.lower) || is_one);
        let all = kind.item.iter().all(|link| link.column.table == table);
        let has = state.item.iter().any(|link| link.column.table == table);
        let is_table = self.links.table_at(behind).is_some();
        (is_noun && all && has && table != own && !is_table).then_some((table, state, kind))
    }

    /// Returns the other table that is named behind one of its values, the value, and the number of
    /// tokens of the table: `sick absences` of `departments with no sick absences`.
    fn described_rows_at(&self) -> Option<(usize, FoundValues, usize)> {
        let mut state = self.links.value_at(self.at)?;
        let noun = self.links.table_at(self.at + state.tokens)?;
        let table = noun.item.table;
        state.item.retain(|link| link.column.table == table);
        let around = self.table_of(self.scope).or_else(|| self.table_of_heads());
        let other = around != Some(table);
        (other && !state.item.is_empty()).then_some((table, state, noun.tokens))
    }

    /// Takes rows of another table together with the column of yes and no that describes them:
    /// `locations with part time employees`, `locations without part time employees`.
    fn rows_that_are(&mut self, link: &ColumnLink, is_absent: bool) -> Step<bool> {
        let catalog = self.links.catalog;
        let named = self
            .links
            .table_at(self.at)
            .or_else(|| self.links.table_like(self.at));
        let Some(found) = named.filter(|found| Some(found.item.table) != self.table_of(self.scope))
        else {
            return Ok(false);
        };
        let table = found.item.table;
        let of_table =
            |id: &ColumnId| id.table == table && (catalog.is_flag(*id) || catalog.may_be_flag(*id));
        let elsewhere = self
            .draft
            .heads
            .iter()
            .all(|head| head.ids.iter().all(|id| id.table != table));
        let Some(id) = link
            .ids
            .iter()
            .copied()
            .find(of_table)
            .filter(|_| elsewhere)
        else {
            return Ok(false);
        };
        if catalog.may_be_flag(id) {
            self.require_one(link, id)?;
        }
        let word = self.links.shown(self.at, found.tokens);
        self.at += found.tokens;
        match is_absent {
            true => self.absent_table(table, word)?,
            false => self.open(table, None, true, word)?,
        }
        let link = ColumnLink::new(vec![id], link.word.clone(), link.score);
        let word = link.word.clone();
        self.wish(self.scope, Demand::Column(link, Test::Flag), word)?;
        Ok(true)
    }

    fn absent_column(
        &mut self,
        found: Found<ColumnLink>,
        column_only: bool,
        negated: bool,
    ) -> Step<bool> {
        let start = self.at;
        self.at += found.tokens;
        self.draft.confidence = self.draft.confidence.min(found.item.score);
        if !column_only
            && (self.is_no_bearer(&found.item, start)? || self.rows_that_are(&found.item, true)?)
        {
            return Ok(true);
        }
        let continues =
            ["in", "from", "at", "with", "who", "that", "whose"].contains(&self.word(0));
        if !column_only && continues && self.key(&found.item).is_some() {
            return Err(Stop::cannot(format!(
                "I do not see whether the words after {:?} describe it, or the rows that have none",
                found.item.word
            )));
        }
        let scope = self.column_scope(&found.item);
        let word = found.item.word.clone();
        if !column_only && self.absent_value(&found.item, scope)? {
            return Ok(true);
        }
        if !column_only {
            self.refuse_unreferred(&found.item)?;
        }
        let test = match (column_only, negated) {
            (true, true) => Test::Present,
            (true, false) => Test::Missing,
            (false, _) => Test::Absent,
        };
        self.wish(scope, Demand::Column(found.item, test), word)?;
        Ok(true)
    }

    /// Takes `without grade A`: the value is absent, and not the column.
    fn absent_value(&mut self, link: &ColumnLink, scope: usize) -> Step<bool> {
        let start = self.at;
        let Some((test, negated)) = self.test(link)? else {
            return Ok(false);
        };
        let is_value = matches!(test, Test::Known(_) | Test::Exactly(_));
        if !is_value || negated {
            self.at = start;
            return Err(self.unknown());
        }
        let word = format!("{} {}", link.word, self.links.shown(start, self.at - start));
        self.negated = !self.negated;
        self.lacked = true;
        self.wish(scope, Demand::Column(link.clone(), test), word)?;
        Ok(true)
    }
}
