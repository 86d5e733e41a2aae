//! Dates of a question, and the events that they belong to.

use super::Parser;
use crate::calendar::{self, Dated};
use crate::catalog::{ColumnId, DateForm, Holds};
use crate::day::{Day, Span, Unit};
use crate::draft::{Comparison, DateTest, Demand, Group, Measure, Test, Wish};
use crate::lexicon::{Phrases, Words};
use crate::links::ColumnLink;
use crate::moments;
use crate::morphology::is_participle;
use crate::plan::{Step, Stop};
use crate::relations::{Via, Ways};
use crate::token::{TokenKind, tokenize};

/// Prepositions in front of a date within which something happened.
const WITHIN: Words = Words("in during on from of for at within over throughout");

/// Prepositions after which a bare number is a year only if it is in [`RECENT_YEARS`]. After those
/// of [`BEFORE_YEARS`], any number from 1000 on is a year.
const BEFORE_RECENT_YEARS: &[&str] = &["of", "for"];
const BEFORE_YEARS: &[&str] = &["in", "during", "from", "throughout"];
/// The numbers that are read as years if they follow `of` or `for`.
const RECENT_YEARS: std::ops::Range<i32> = 1900..2100;

/// The words of a date at most.
const MAX_DATE_WORDS: usize = 4;

/// The meaning of the words in front of a date.
#[derive(Debug, Clone, Copy)]
enum Begin {
    /// From the date on.
    On,
    /// From the date on, or at the date only.
    Either,
}

impl Parser<'_> {
    /// Takes a date with its preposition.
    ///
    /// # Errors
    /// A month without a year, and a date that two tables may have.
    pub(super) fn date(&mut self) -> Step<bool> {
        let start = self.at;
        let Some(test) = self.date_test(self.verb.is_some())? else {
            self.at = start;
            return Ok(false);
        };
        let words = self.links.shown(start, self.at - start);
        self.push_date(test, words)?;
        Ok(true)
    }

    /// Takes a date with its preposition, and returns the test without a column. `happens` is true
    /// behind a word for what happened, such as `joined`.
    ///
    /// # Errors
    /// As [`Self::date`], and `joined from March 2026`, which may be in March or since then.
    pub(super) fn date_test(&mut self, happens: bool) -> Step<Option<DateTest>> {
        let start = self.at;
        if let Some(test) = self.date_range() {
            return Ok(Some(test));
        }
        self.at = start;
        let bound: Option<fn(Span) -> DateTest> = match self.word(0) {
            "before" | "until" | "till" => Some(match self.word(0) {
                "before" => DateTest::Before,
                _ => DateTest::UpTo,
            }),
            "after" => Some(DateTest::After),
            "since" => Some(DateTest::From),
            _ => None,
        };
        let longer: Option<fn(Span) -> DateTest> = match () {
            () if self.is_at(&["prior", "to"]) || self.is_at(&["earlier", "than"]) => {
                Some(DateTest::Before)
            }
            () if self.is_at(&["later", "than"]) => Some(DateTest::After),
            () if self.is_at(&["up", "to"]) => Some(DateTest::UpTo),
            () => None,
        };
        if let Some(make) = bound.or(longer) {
            self.at += if bound.is_some() { 1 } else { 2 };
            let Some(dated) = self.dated() else {
                let month = self.month_chosen()?;
                self.at += usize::from(month.is_some());
                return Ok(month.map(make));
            };
            self.at += dated.tokens;
            return self.bound_or_range(make(dated.span)).map(Some);
        }
        let from = self.begins_at(happens);
        let preposition = from.is_some() || WITHIN.contains(self.word(0));
        // `in the last 30 days` and `orders last month` alike.
        self.at += usize::from(preposition);
        let at = self.at;
        if let Some(test) = self.every_year() {
            return Ok(Some(test));
        }
        let Some(dated) = self.dated() else {
            let month = match preposition {
                true => self.month_chosen()?,
                false => None,
            };
            self.at += usize::from(month.is_some());
            return month
                .map(|span| self.open_ended(span, from, at))
                .transpose();
        };
        let before = match from {
            Some(_) => "from",
            None => self
                .tokens()
                .get(start)
                .map_or("", |token| token.lower.as_str()),
        };
        let year = BEFORE_YEARS.contains(&before)
            || BEFORE_RECENT_YEARS.contains(&before)
                && RECENT_YEARS.contains(&dated.span.from.year())
            || !preposition && (self.verb.is_some() || self.continues_dates());
        if dated.bare_year && !year {
            return Ok(None);
        }
        self.at += dated.tokens;
        if !preposition && self.word_before(start) == "by" {
            let words = self.links.shown(start, dated.tokens);
            let until = self.links.catalog.choose(
                format!("\"by {words}\": up to that time, or within it?"),
                &[true, false],
                |until| format!("{} {words}", if *until { "until" } else { "in" }),
            )?;
            return Ok(Some(match until {
                true => DateTest::UpTo(dated.span),
                false => DateTest::Within(dated.span),
            }));
        }
        self.open_ended(dated.span, from, at).map(Some)
    }

    /// Takes the words in front of a date that begin a time without an end, up to the one that
    /// [`Self::date_test`] takes: `as of`, `as from`, `from`.
    fn begins_at(&mut self, happens: bool) -> Option<Begin> {
        let begins = match () {
            () if self.is_at(&["as", "of"]) => Some(Begin::Either),
            () if self.is_at(&["as", "from"]) => Some(Begin::On),
            () => None,
        };
        self.at += usize::from(begins.is_some());
        // `joined from March 2026`
        begins.or((happens && self.word(0) == "from").then_some(Begin::Either))
    }

    /// Returns the test of a date with the end that follows it: `since 2020 until 2022`.
    ///
    /// # Errors
    /// An end behind another word than `since`.
    fn bound_or_range(&mut self, test: DateTest) -> Step<DateTest> {
        let start = self.at;
        let last = match self.eat(&["to", "until", "till", "through", "thru"]) {
            true => self.dated(),
            false => None,
        };
        match (test, last) {
            (test, None) => {
                self.at = start;
                Ok(test)
            }
            (DateTest::From(first), Some(last)) if first.from <= last.span.from => {
                self.at += last.tokens;
                Ok(DateTest::Within(Span {
                    from: first.from,
                    to: last.span.to,
                }))
            }
            _ => Err(Stop::cannot(
                "I do not see from when to when; say `from … to …`, with both dates",
            )),
        }
    }

    /// Returns true if a date continues a list of dates: `in 2024 or 2025`.
    fn continues_dates(&self) -> bool {
        let last = self
            .scope_of(self.scope)
            .and_then(|scope| scope.wishes.last());
        self.joiner != crate::draft::Joiner::None
            && last.is_some_and(|wish| matches!(wish.demand, Demand::Date(_, DateTest::Within(_))))
    }

    /// Takes `or later` and the like after a date: `in 2023 or later`, `from March on`.
    ///
    /// # Errors
    /// A question back for `joined from March 2026`, which may be in March or since then.
    fn open_ended(&mut self, span: Span, begin: Option<Begin>, start: usize) -> Step<DateTest> {
        let later = Phrases(
            "
             or later, or after, and later, and after, or newer, onwards, onward, and onwards,
             forward, forwards, and on
            ",
        );
        let earlier = Phrases("or earlier, or before, and earlier, or older");
        let ends = self.token(1).is_none_or(|next| {
            next.kind == TokenKind::Sign || ["and", "but", "or"].contains(&next.lower.as_str())
        });
        let behind = self.at;
        let bound = match () {
            () if self.eat_phrase(&later) || ends && self.eat(&["on"]) => {
                Some(DateTest::From(span))
            }
            () if self.eat_phrase(&earlier) => Some(DateTest::UpTo(span)),
            () => None,
        };
        match bound {
            // `in 2025 or after August 2026`
            Some(_) if self.dated().is_some() => self.at = behind,
            Some(bound) => return Ok(bound),
            None => {}
        }
        let since = match begin {
            Some(Begin::On) => true,
            None => false,
            Some(Begin::Either) => {
                let words = self.links.shown(start, self.at - start);
                self.links.catalog.choose(
                    format!("{words:?}: from then on, or only then?"),
                    &[true, false],
                    |since| match since {
                        true => format!("from {words} on"),
                        false => format!("only in {words}"),
                    },
                )?
            }
        };
        Ok(match since {
            true => DateTest::From(span),
            false => DateTest::Within(span),
        })
    }

    /// Takes a range of dates: `between A and B`, `from A to B`.
    fn date_range(&mut self) -> Option<DateTest> {
        let (begins, ends): (&[&str], &[&str]) = (
            &["between", "from"],
            &["and", "to", "until", "till", "through", "thru"],
        );
        self.eat(begins).then_some(())?;
        let begin = self.at;
        let joined = (1..=MAX_DATE_WORDS).find(|ahead| ends.contains(&self.word(*ahead)))?;
        self.at += joined + 1;
        let second = self.dated()?;
        let first = self.tokens().get(begin..begin + joined)?;
        let last = self.tokens().get(self.at..self.at + second.tokens)?;
        // `from January to March 2026` has the year only once.
        let first = (0..=last.len()).rev().find_map(|shared| {
            let whole = [first, last.get(shared..)?].concat();
            let dated = calendar::dated(&whole, self.today);
            dated.filter(|dated| dated.tokens == whole.len())
        })?;
        self.at += second.tokens;
        (first.span.from <= second.span.from).then_some(DateTest::Within(Span {
            from: first.span.from,
            to: second.span.to,
        }))
    }

    pub(super) fn dated(&self) -> Option<Dated> {
        calendar::dated(self.tokens().get(self.at..)?, self.today)
    }

    /// Returns the month here, of the year that a person chose.
    ///
    /// # Errors
    /// A question back for its year, with years that the tables have.
    fn month_chosen(&self) -> Step<Option<Span>> {
        let Some(token) = self.token(0).filter(|token| calendar::is_month(token)) else {
            return Ok(None);
        };
        let of_month = |choice: &String| {
            let is_year = choice.len() == 4 && choice.bytes().all(|digit| digit.is_ascii_digit());
            let choice = match is_year {
                true => &format!("{} {choice}", token.lower),
                false => choice,
            };
            let tokens = tokenize(choice).ok()?;
            let same = tokens
                .first()
                .is_some_and(|first| first.lower == token.lower);
            calendar::dated(&tokens, self.today).filter(|_| same)
        };
        if let Some(dated) = self.links.catalog.choices.iter().find_map(of_month) {
            return Ok(Some(dated.span));
        }
        let mut years = self.years();
        if years.is_empty() {
            let year = self.today.year();
            years = (year - 2..=year).rev().collect();
        }
        Err(Stop::ask(
            format!(
                "{0} of which year? Another year than these can be written, too; for all years ask `in {0} of any year`",
                token.shown()
            ),
            years
                .into_iter()
                .map(|year| format!("{} {year}", token.shown()))
                .collect(),
        ))
    }

    /// Takes `December of any year`.
    fn every_year(&mut self) -> Option<DateTest> {
        let number = calendar::month_number(self.word(0))?;
        let after = 1 + usize::from(self.word(1) == "of");
        let all = ["all", "any", "each", "every"].contains(&self.word(after));
        let found = all && matches!(self.word(after + 1), "year" | "years");
        let first = Day::new(self.today.year(), number, 1).filter(|_| found)?;
        let month = Span::around(first, Unit::Month, 0)?;
        self.at += after + 2;
        Some(DateTest::Yearly(month))
    }

    /// Takes `in July` if a table without dates has the number of the month in a column.
    ///
    /// # Errors
    /// More conditions than a question may have.
    pub(super) fn numbered_month(&mut self) -> Step<bool> {
        let catalog = self.links.catalog;
        let token = self.token(1).filter(|token| calendar::is_month(token));
        let number = token.and_then(|token| calendar::month_number(&token.lower));
        let table = self.table_of(self.scope).or_else(|| self.table_of_heads());
        let (Some(number), Some(table)) = (number, table) else {
            return Ok(false);
        };
        let next = self.tokens().get(self.at + 1..).unwrap_or_default();
        let is_month = |id: &ColumnId| {
            let view = catalog.column(*id);
            catalog.holds(*id) == Holds::Number
                && view.is_some_and(|view| view.words.as_slice() == ["month"])
        };
        let id = catalog.ids(table).find(is_month);
        let Some(id) = id.filter(|_| !self.has_date(Some(table))) else {
            return Ok(false);
        };
        if !["in", "during", "of", "for"].contains(&self.word(0))
            || calendar::dated(next, self.today).is_some()
        {
            return Ok(false);
        }
        let word = self.links.shown(self.at, 2);
        self.at += 2;
        let link = ColumnLink::new(vec![id], catalog.column_name(id), 1.0);
        let test = Test::Number(Comparison::Equal, f64::from(number));
        self.wish(self.scope, Demand::Column(link, test), word)?;
        Ok(true)
    }

    /// Returns the years of the dates that the tables are known to have, the last first.
    fn years(&self) -> Vec<i32> {
        let around = self.tables_around();
        let tables = self.links.catalog.tables.iter().enumerate();
        let views = tables.filter(|(table, _)| around.is_empty() || around.contains(table));
        let dated = views
            .flat_map(|(_, view)| &view.columns)
            .filter(|view| view.holds == Holds::Date(DateForm::Iso));
        let mut years: Vec<i32> = dated
            .flat_map(|view| &view.column.samples)
            .filter_map(|sample| Day::parse(sample.text()?.get(..10)?))
            .map(Day::year)
            .collect();
        years.sort_unstable_by(|one, other| other.cmp(one));
        years.dedup();
        years
    }

    /// Returns true if a date stands so many tokens ahead.
    pub(super) fn date_follows(&self, ahead: usize) -> bool {
        let words = [
            "before", "after", "since", "between", "until", "prior", "earlier", "later",
        ];
        // `as of March`
        let ahead = ahead + usize::from(self.word(ahead) == "as");
        let preposition = WITHIN.contains(self.word(ahead)) || words.contains(&self.word(ahead));
        let at = self.at
            + ahead
            + usize::from(preposition)
            + usize::from(matches!(self.word(ahead), "prior" | "earlier" | "later"));
        self.tokens().get(at..).is_some_and(|rest| {
            calendar::dated(rest, self.today).is_some()
                || preposition && rest.first().is_some_and(calendar::is_month)
        })
    }

    fn push_date(&mut self, test: DateTest, words: String) -> Step<()> {
        if self.dated_again(test, &words)? {
            return Ok(());
        }
        self.require_dated_rows(&words)?;
        let has_date = |table: &usize| match &self.verb {
            Some(verb) => self.date_of(verb, *table).is_some(),
            None => self.has_date(Some(*table)),
        };
        let tables: Vec<usize> = self.tables_around().into_iter().filter(has_date).collect();
        self.rows_beside(&tables, &words)?;
        let scopes = self.scopes();
        let mut dated = scopes
            .iter()
            .copied()
            .filter(|scope| self.has_date(self.table_of(*scope)));
        let scope = dated
            .next()
            .unwrap_or(self.clause.map_or(0, |clause| clause.scope));
        let outer = dated.next();
        let verb = self.verb.take().or_else(|| self.grouped_verb());
        let named = verb.as_deref().and_then(|verb| {
            scopes.iter().copied().find(|scope| {
                self.table_of(*scope)
                    .is_some_and(|table| self.date_of(verb, table).is_some())
            })
        });
        let scope = match (named, outer) {
            (Some(named), _) => named,
            (None, Some(outer)) => self.dated_scope(scope, outer, &words)?,
            (None, None) => scope,
        };
        self.wish(scope, Demand::Date(verb, test), words)
    }

    /// Takes the second date of `paid in 2025 or 2026` as one of the same column, or event.
    fn dated_again(&mut self, test: DateTest, words: &str) -> Step<bool> {
        let last = self
            .scope_of(self.scope)
            .and_then(|scope| scope.wishes.last());
        let joined = self.verb.is_none() && self.joiner != crate::draft::Joiner::None;
        match last.map(|wish| wish.demand.clone()).filter(|_| joined) {
            Some(Demand::Date(Some(verb), _)) => {
                self.verb = Some(verb);
                Ok(false)
            }
            Some(Demand::Column(link, Test::Date(_))) => {
                self.wish(
                    self.scope,
                    Demand::Column(link, Test::Date(test)),
                    words.to_owned(),
                )?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Finds which of two scopes a date is about: the rows that are demanded of others, and those
    /// that refer to a row that is named.
    ///
    /// # Errors
    /// A question back.
    fn dated_scope(&self, scope: usize, outer: usize, words: &str) -> Step<usize> {
        let catalog = self.links.catalog;
        let table = |scope: usize| self.table_of(scope).unwrap_or_default();
        let found = self.scope_of(scope);
        let refers = self.relations.leads_up(table(outer), table(scope));
        let is_row = |wish: &Wish| wish.demand.names_row(|id| catalog.is_label(id));
        if refers && found.is_some_and(|scope| scope.wishes.iter().any(is_row)) {
            return Ok(outer);
        }
        if found.is_some_and(|scope| scope.hop.is_some() || scope.demanded && !refers) {
            return Ok(scope);
        }
        catalog.choose(
            format!("{words:?}: the date of which table?"),
            &[scope, outer],
            |scope| catalog.table_name(table(*scope)).to_owned(),
        )
    }

    /// Refuses `employees without a payslip in March 2025`, where payslips have no date: a date of
    /// the employee would answer another question.
    fn require_dated_rows(&self, words: &str) -> Step<()> {
        let found = self.scope_of(self.scope).filter(|scope| scope.demanded);
        let outer = found.and_then(|scope| self.table_of(scope.outer?));
        let (Some(outer), Some(table), None) = (outer, self.table_of(self.scope), &self.verb)
        else {
            return Ok(());
        };
        let ways = self.relations.ways(outer, table, &Via::default());
        let below = matches!(ways, Ways::One(path) if path.iter().any(|hop| hop.down));
        match below && !self.has_date(Some(table)) {
            true => Err(Stop::cannot(format!(
                "{} has no column with a date for {words:?}",
                self.links.catalog.table_name(table)
            ))),
            false => Ok(()),
        }
    }

    /// Returns the verb of a group of dates, which is that of a date after it as well: `signed up
    /// each month in 2024`.
    fn grouped_verb(&self) -> Option<String> {
        self.draft.groups.iter().find_map(|group| match group {
            Group::Time(verb, _) => verb.clone(),
            Group::Column(_) | Group::Table(_) => None,
        })
    }

    /// Returns the column of a table that says when something happened: `hire_date` for `hired`,
    /// `pub_year` for `published`.
    pub(super) fn date_of(&self, verb: &str, table: usize) -> Option<ColumnId> {
        moments::date_column(self.links, verb, table)
    }

    /// Takes a participle as what happened to the rows that are ranked: `the most films released`.
    pub(super) fn ranked_happening(&mut self, link: &ColumnLink) -> Step<bool> {
        let rank = self.draft.rank.as_ref().map(|rank| &rank.measure);
        let counted = matches!(rank, Some(Some(Measure::Rows(_))));
        let dated = |id: &ColumnId| matches!(self.links.catalog.holds(*id), Holds::Date(_));
        let verb = link.word.to_lowercase();
        if !counted || !is_participle(&verb) || !link.ids.iter().any(dated) {
            return Ok(false);
        }
        let scope = self.column_scope(link);
        self.wish(scope, Demand::Happened(verb, None), link.word.clone())?;
        Ok(true)
    }

    /// Takes a value as what happened, if a column has its date: `completed before 2022`.
    ///
    /// # Errors
    /// A question back where none has.
    pub(super) fn value_happened(&mut self, tokens: usize) -> Step<bool> {
        let first = self.word(0);
        if tokens != 1 || !is_participle(first) || !self.date_follows(1) {
            return Ok(false);
        }
        let tables: Vec<usize> = self.tables_around();
        let mut known = tables.iter();
        if known.any(|table| self.date_of(first, *table).is_some()) {
            self.verb = Some(first.to_owned());
            self.at += 1;
            return Ok(true);
        }
        if tables.is_empty() {
            return Ok(false);
        }
        let catalog = self.links.catalog;
        let dated = |id: &ColumnId| matches!(catalog.holds(*id), Holds::Date(_));
        let own = tables
            .iter()
            .flat_map(|table| catalog.ids(*table))
            .filter(dated);
        let below = self.relations.edges.iter().filter_map(|edge| {
            let is_below =
                tables.contains(&edge.parent.table) && !tables.contains(&edge.child.table);
            self.date_of(first, edge.child.table).filter(|_| is_below)
        });
        let mut ids: Vec<ColumnId> = below.chain(own).collect();
        ids.dedup();
        let id = catalog.choose(
            format!("no column has the date on which something was {first}; which date is meant?"),
            &ids,
            |id| catalog.shown(*id),
        )?;
        let word = first.to_owned();
        self.at += 1;
        if tables.contains(&id.table) {
            let start = self.at;
            let Some(test) = self.date_test(false)? else {
                return Err(Stop::Unknown(word));
            };
            let link = ColumnLink::new(vec![id], catalog.column_name(id), 1.0);
            let shown = self.links.shown(start, self.at - start);
            let scope = self.column_scope(&link);
            self.wish(scope, Demand::Column(link, Test::Date(test)), shown)?;
            return Ok(true);
        }
        // `cars sold in 2026`, where sales have the day.
        self.verb = Some(word.clone());
        self.open(id.table, None, true, word)?;
        Ok(true)
    }
}
