//! Conditions on rows: `with more than 3 orders`, `without email`, `price between 20 and 200`,
//! `name starts with 'A'`.

use super::Parser;
use super::numbers::Quantity;
use crate::catalog::{ColumnId, Holds};
use crate::draft::{Comparison, Demand, Test};
use crate::lexicon::Phrases;
use crate::links::{ColumnLink, Found, TableLink};
use crate::moments::measures;
use crate::plan::{Step, Stop};
use crate::resolve::ABOUT_WHICH;
use crate::token::TokenKind;

/// Articles in front of a thing.
pub(super) const ARTICLES: &[&str] = &["a", "an", "any", "the", "their", "its", "some", "known"];

impl Parser<'_> {
    /// Takes `with`, `without`, `have` and the like with what follows.
    pub(super) fn possession(&mut self) -> Step<bool> {
        let start = self.at;
        let has = self.eat(&[
            "with",
            "have",
            "has",
            "having",
            "had",
            "whose",
            "where",
            "containing",
            "contain",
            "contains",
        ]);
        if has {
            self.begin_clause(start);
        }
        let has = has || self.is_quantity_of_a_column();
        let negative = match has {
            // `with zero mileage` is a number.
            true if self.word(0) == "zero" && self.number_of_column(1) => false,
            true => self.eat_phrase(&Phrases("not any, no, not a, zero")),
            false => {
                let word = self.word(0);
                let lacks = ["without", "lacking", "missing", "no"].contains(&word);
                if lacks {
                    self.require_whole(word)?;
                }
                lacks && self.eat(&[word])
            }
        };
        if !has && !negative {
            return Ok(false);
        }
        let ends = self
            .token(0)
            .is_none_or(|token| token.kind == TokenKind::Sign);
        if has && ends && ["had", "has", "have", "having"].contains(&self.before()) {
            // Refuses `concerts had`, but leaves `how many concerts has Ann had` to another step.
            self.at = start;
            return match self.ends_clause() {
                true => Ok(false),
                false => Err(self.unknown()),
            };
        }
        if has && !negative && self.shown_beside()? {
            return Ok(true);
        }
        if has && !negative && self.contained(start)? {
            return Ok(true);
        }
        self.lacked = has && !negative && self.negated;
        if self.says(&["and"]) {
            self.skip(&["both"]);
        }
        self.skip(ARTICLES);
        let missing = self.eat(&["unknown", "missing", "empty", "unspecified", "blank"]);
        self.skip(ARTICLES);
        let valueless = (negative || missing)
            && matches!(self.word(0), "value" | "values")
            && matches!(self.word(1), "for" | "of" | "in");
        if valueless {
            self.at += 2;
            self.skip(ARTICLES);
            return self.absence(true);
        }
        self.column_beside()?;
        self.counted_rows()?;
        if negative || missing {
            return self.absence(missing && !negative);
        }
        if self.more_of_one()? || self.possessed()? {
            self.continue_clause(start)?;
            return Ok(true);
        }
        self.require_contained(start)?;
        // The word alone changes nothing; what follows it is read by itself.
        self.at = start;
        if self.links.strict && !self.relates_rightly() {
            return Err(self.unknown());
        }
        self.at += 1;
        Ok(true)
    }

    /// Returns true if a column of numbers of the rows stands so many tokens ahead.
    fn number_of_column(&self, ahead: usize) -> bool {
        let own = self.table_of(self.scope);
        let found = own.and_then(|table| self.links.column_at(self.at + ahead, Some(table)));
        found.is_some_and(|found| {
            let mut ids = found.item.ids.iter();
            ids.all(|id| self.links.catalog.holds(*id) == Holds::Number)
        })
    }

    /// Makes the table of a column the subject: `how many have a name` counts its rows.
    fn counted_rows(&mut self) -> Step<()> {
        let nothing = self.draft.subject.is_none()
            && self.draft.heads.is_empty()
            && self.draft.aggregates.is_empty()
            && self
                .scope_of(0)
                .is_some_and(|scope| scope.wishes.is_empty());
        if !self.counts() || !nothing {
            return Ok(());
        }
        let value = self.links.value_at(self.at);
        let mut tables: Vec<usize> = match (value, self.any_column()) {
            // `how many have a review`, `how many have an injured player`
            (_, column) if let Some(table) = self.possessed_table(column.as_ref()) => {
                let owners: Vec<usize> = self.relations.owners(table).collect();
                if owners.is_empty() {
                    return Ok(());
                }
                owners.into_iter().chain([table]).collect()
            }
            (Some(found), column) => {
                let is_column = column.is_some_and(|column| column.tokens >= found.tokens);
                if is_column && !self.has_its_kind(&found) {
                    return Ok(());
                }
                let own = found.item.iter().map(|link| link.column.table);
                let owners = own.clone().flat_map(|table| self.relations.owners(table));
                let owners: Vec<usize> = owners.collect();
                if owners.is_empty() {
                    return Ok(());
                }
                // `how many have a dog`: the rows that have the dog are its owners.
                own.chain(owners).collect()
            }
            (None, Some(found)) => found.item.ids.iter().map(|id| id.table).collect(),
            (None, None) => return Ok(()),
        };
        tables.sort_unstable();
        tables.dedup();
        let table = self.links.catalog.choose_table(ABOUT_WHICH, &tables)?;
        self.draft.set_subject(table, 1.0);
        self.draft.plural = true;
        Ok(())
    }

    /// Returns the table whose rows somebody has. A column of yes and no may stand before it.
    pub(super) fn possessed_table(&self, column: Option<&Found<ColumnLink>>) -> Option<usize> {
        let catalog = self.links.catalog;
        let here = self.links.table_at(self.at);
        let behind = || {
            let says_so = |id: &ColumnId| catalog.is_flag(*id);
            let found = column.filter(|found| found.item.ids.iter().any(says_so))?;
            self.links.table_at(self.at + found.tokens)
        };
        here.or_else(behind).map(|found| found.item.table)
    }

    /// Takes the `for` of `average horsepower for 4 cylinders`.
    fn is_quantity_of_a_column(&mut self) -> bool {
        let start = self.at;
        let number = self.number_ahead(1).filter(|_| self.eat(&["for", "of"]));
        let Some(number) = number else {
            self.at = start;
            return false;
        };
        let table = self.table_of(self.scope).or_else(|| self.table_of_heads());
        let column = table.and_then(|table| self.links.column_at(self.at + 1, Some(table)));
        let numbers = |id: &ColumnId| self.links.catalog.holds(*id) == Holds::Number;
        let found = column.is_some_and(|found| {
            let texts = self.links.numbers_as_texts(number, &found.item);
            found.item.ids.iter().all(numbers) || !texts.is_empty()
        });
        self.at = if found { self.at } else { start };
        found
    }

    /// Returns the table of the columns that are asked for, if all are of one table.
    pub(super) fn table_of_heads(&self) -> Option<usize> {
        let mut ids = self.draft.heads.iter().flat_map(|head| &head.ids);
        let table = ids.next()?.table;
        ids.all(|id| id.table == table).then_some(table)
    }

    /// Takes what rows must have. Rankings and unknown words are not taken.
    fn possessed(&mut self) -> Step<bool> {
        let start = self.at;
        if self.counted_here()? {
            return Ok(true);
        }
        self.at = start;
        if self
            .token(0)
            .is_some_and(|token| token.kind == TokenKind::Quoted)
        {
            return Ok(false);
        }
        self.subject_of_values(self.at);
        // `condos with a sale date`, where a value says what the rows are.
        let own = self.table_of(self.scope).or_else(|| self.table_of_values());
        let column = own.and_then(|table| self.own_column_at(table));
        let table = self
            .links
            .table_at(self.at)
            .filter(|found| Some(found.item.table) != own);
        if let Some(found) = table
            && column
                .as_ref()
                .is_none_or(|column| column.tokens < found.tokens)
            && self.draft.subject.is_some()
        {
            let word = self.links.shown(self.at, found.tokens);
            // `with patient Klein`: the row is named.
            self.at += found.tokens;
            self.open(found.item.table, None, true, word)?;
            return Ok(true);
        }
        if self.possessed_kind()? || self.described_kind()? {
            return Ok(true);
        }
        let Some(found) = self.possessed_column(own, column) else {
            return Ok(false);
        };
        self.at += found.tokens;
        self.draft.confidence = self.draft.confidence.min(found.item.score);
        let after = self.at;
        let (test, negated) = match self.referred(&found.item) {
            Some(test) => (test, false),
            None => self.tested_or_role(&found.item)?,
        };
        self.negated ^= negated;
        // A column of yes and no needs no value after it.
        let catalog = self.links.catalog;
        let says_so = found.item.ids.iter().all(|id| catalog.is_flag(*id));
        if test == Test::Has && !says_so && self.shared_test(&found.item)? {
            return Ok(true);
        }
        if test == Test::Has && !self.negated && self.role(&found.item)? {
            return Ok(true);
        }
        if test == Test::Has {
            self.refuse_unreferred(&found.item)?;
            self.require_end_of(&found.item)?;
        }
        self.require_one_enough(start, &found.item)?;
        let scope = self.column_scope(&found.item);
        let word = format!(
            "{} {}",
            found.item.word,
            self.links.shown(after, self.at - after)
        );
        self.wish(
            scope,
            Demand::Column(found.item, test),
            word.trim_end().to_owned(),
        )?;
        Ok(true)
    }

    /// Returns the column here that rows have, unless the words are a value: `the sauna plan`.
    fn possessed_column(
        &self,
        own: Option<usize>,
        column: Option<Found<ColumnLink>>,
    ) -> Option<Found<ColumnLink>> {
        let value = self.links.value_at(self.at);
        match (column, value) {
            (Some(column), None) => Some(column),
            (Some(column), Some(value)) => {
                let is_value = value.tokens > column.tokens
                    || value.tokens == column.tokens && self.has_its_kind(&value);
                (!is_value).then_some(column)
            }
            (None, Some(_)) => None,
            (None, None) => {
                let own = own?;
                let is_own = |found: &Found<ColumnLink>| {
                    let mut ids = found.item.ids.iter();
                    ids.any(|id| id.table == own)
                };
                self.any_column().filter(is_own)
            }
        }
    }

    /// Takes `more than 3 orders`, `at least 50 in stock`, `5 pages`.
    fn counted_here(&mut self) -> Step<bool> {
        let start = self.at;
        let comparison = self.comparator();
        if self.dated().is_some_and(|dated| !dated.bare_year) {
            self.at = start;
            return Ok(false);
        }
        let Some(quantity) = self.quantity() else {
            self.at = start;
            return Ok(false);
        };
        let comparison = self.or_more().or(comparison);
        self.skip(&["of"]);
        if quantity.unit.is_none() && self.counts_instead(comparison, quantity.value) {
            return Ok(true);
        }
        self.after_number(comparison, quantity, start)
    }

    /// Takes a comparison without a verb: `over 1000`, `cheaper than 50`, `more than 300 pages`.
    pub(super) fn comparison(&mut self) -> Step<bool> {
        let start = self.at;
        if let Some((comparison, meanings)) = self.comparative() {
            let Some(quantity) = self.quantity() else {
                return Err(self.unknown());
            };
            let tables: Vec<usize> = self.tables_around();
            let measured = |table: &usize| !measures(self.links, meanings, *table).is_empty();
            let tables: Vec<usize> = tables.into_iter().filter(measured).collect();
            let word = self.links.shown(start, self.at - start);
            self.rows_beside(&tables, &word)?;
            let found = self.scopes().iter().find_map(|scope| {
                let ids = measures(self.links, meanings, self.table_of(*scope)?);
                (!ids.is_empty()).then_some((*scope, ids))
            });
            let Some((scope, ids)) = found else {
                self.at = start;
                return Err(self.unknown());
            };
            let named = ids.iter().copied().find(|id| {
                let column = self.links.column_at(self.at, Some(id.table));
                column.is_some_and(|found| found.item.ids == [*id])
            });
            let fits = |id: &ColumnId| quantity.unit.is_some_and(|unit| self.has_unit(*id, unit));
            let in_unit: Vec<ColumnId> = ids.iter().copied().filter(fits).collect();
            let catalog = self.links.catalog;
            let id = match (named.as_slice(), ids.as_slice(), in_unit.as_slice()) {
                ([id], ..) | (_, [id], _) | (_, _, [id]) => *id,
                _ => catalog.choose(
                    format!(
                        "{:?}: of which column?",
                        self.links.shown(start, self.at - start)
                    ),
                    &ids,
                    |id| catalog.shown(*id),
                )?,
            };
            let link = ColumnLink::new(vec![id], self.links.shown(start, 1), 0.9);
            // `longer than 2 days`, where `days` is the column.
            if let Some(found) = self.links.column_at(self.at, Some(id.table))
                && found.item.ids == link.ids
            {
                self.at += found.tokens;
            }
            self.draft.confidence = self.draft.confidence.min(link.score);
            let value = self.measured(&link, quantity)?;
            let word = self.links.shown(start, self.at - start);
            self.wish(
                scope,
                Demand::Column(link, Test::Number(comparison, value)),
                word,
            )?;
            return Ok(true);
        }
        if self.more_of_one()? {
            return Ok(true);
        }
        if self.between_alone()? {
            return Ok(true);
        }
        let Some(comparison) = self.comparator() else {
            return Ok(false);
        };
        let Some(quantity) = self.quantity() else {
            self.at = start;
            return Ok(false);
        };
        if quantity.unit.is_none() && self.counts_instead(Some(comparison), quantity.value) {
            return Ok(true);
        }
        self.after_number(Some(comparison), quantity, start)
    }

    /// Takes `more wins than losses`, which compares two columns of numbers.
    fn more_of_one(&mut self) -> Step<bool> {
        let comparison = match self.word(0) {
            "more" | "higher" | "greater" => Comparison::Greater,
            "fewer" | "less" | "lower" => Comparison::Less,
            _ => return Ok(false),
        };
        let Some(table) = self.table_of(self.scope) else {
            return Ok(false);
        };
        let start = self.at;
        let number = |found: &Found<ColumnLink>| {
            let mut ids = found.item.ids.iter();
            ids.all(|id| self.links.catalog.holds(*id) == Holds::Number)
        };
        let one = self.links.column_at(start + 1, Some(table)).filter(number);
        let Some((one, than)) = one.map(|one| (one.item, start + 1 + one.tokens)) else {
            return Ok(false);
        };
        let other = self.links.column_at(than + 1, Some(table)).filter(number);
        let (Some(other), Some("than")) = (
            other,
            self.tokens().get(than).map(|token| token.lower.as_str()),
        ) else {
            return Ok(false);
        };
        self.at = than + 1 + other.tokens;
        let word = self.links.shown(start, self.at - start);
        self.wish(
            self.scope,
            Demand::Column(one, Test::Column(comparison, other.item)),
            word,
        )?;
        Ok(true)
    }

    /// Reads what a number counts: a column, rows of a table, or nothing that is named.
    fn after_number(
        &mut self,
        comparison: Option<Comparison>,
        quantity: Quantity,
        start: usize,
    ) -> Step<bool> {
        let op = comparison.unwrap_or(Comparison::Equal);
        if self.scope == 0 && self.table_of(0).is_none() {
            self.counted_rows()?;
            self.subject_of_values(self.at);
        }
        let before = self.at;
        let stock = self.word(1) != "total" && self.eat(&["in"]);
        self.skip(&["the"]);
        self.column_beside()?;
        let own = self
            .table_of(self.scope)
            .or_else(|| self.table_of_heads())
            .or_else(|| self.table_of_values());
        let column = own
            .and_then(|table| self.own_column_at(table))
            .or_else(|| {
                own.and_then(|table| self.links.column_like(self.at, Some(table)))
                    .filter(|_| self.links.table_at(self.at).is_none())
            })
            .filter(|found| {
                found
                    .item
                    .ids
                    .iter()
                    .any(|id| self.links.catalog.holds(*id) == Holds::Number)
            });
        let table = self.links.table_at(self.at).filter(|_| !stock);
        if op == Comparison::Equal && self.number_as_text(own, quantity, start)? {
            return Ok(true);
        }
        let longer = |found: &Found<ColumnLink>| {
            let is_longer = |table: &Found<TableLink>| {
                found.tokens >= table.tokens && !self.names_rows(&found.item)
            };
            table.as_ref().is_none_or(is_longer)
        };
        if let Some(found) = column.filter(longer) {
            self.at += found.tokens;
            self.draft.confidence = self.draft.confidence.min(found.item.score);
            let value = self.measured(&found.item, quantity)?;
            let scope = self.column_scope(&found.item);
            let word = self.links.shown(start, self.at - start);
            self.wish(
                scope,
                Demand::Column(found.item, Test::Number(op, value)),
                word,
            )?;
            return Ok(true);
        }
        let like = || self.links.table_like(self.at).filter(|_| !stock);
        if let Some(found) = table.or_else(like)
            && (own.is_some() || !self.draft.heads.is_empty())
            && quantity.unit.is_none()
        {
            self.at += found.tokens;
            self.draft.confidence = self.draft.confidence.min(found.item.score);
            let word = self.links.shown(start, self.at - start);
            self.counted_together(found.item.table, &word, start)?;
            self.open(found.item.table, Some((op, quantity.value)), true, word)?;
            return Ok(true);
        }
        self.at = before;
        if quantity.unit.is_none() && self.counted_values(comparison, quantity.value, start)? {
            return Ok(true);
        }
        if comparison.is_none() {
            self.at = start;
            return Ok(false);
        }
        self.number_alone(op, quantity, start)
    }

    /// Takes a number of rows that have a value: `clubs with at least two women`.
    fn counted_values(
        &mut self,
        comparison: Option<Comparison>,
        number: f64,
        start: usize,
    ) -> Step<bool> {
        let Some(found) = self.links.value_at(self.at) else {
            return Ok(false);
        };
        let word = self.links.shown(start, self.at + found.tokens - start);
        let own = self.table_of(self.scope);
        let mut tables: Vec<usize> = found.item.iter().map(|link| link.column.table).collect();
        tables.dedup();
        if tables.iter().any(|table| Some(*table) == own) {
            if comparison.is_none() {
                return Ok(false);
            }
            return Err(Stop::cannot(format!("I do not see what {word:?} counts")));
        }
        let question = format!("{word:?}: rows of which table?");
        let table = self.links.catalog.choose_table(question, &tables)?;
        let mut columns = found.item.iter().map(|link| link.column);
        let catalog = self.links.catalog;
        if columns.all(|id| id.table != table || catalog.is_label(id) || catalog.is_name(id)) {
            let rows = catalog.table_name(table);
            return Err(Stop::cannot(format!(
                "{word:?} names one row of {rows}, so I do not see what is counted; name the column of the quantity, as in `quantity over 20`"
            )));
        }
        let op = comparison.unwrap_or(Comparison::Equal);
        self.counted_together(table, &word, start)?;
        self.open(table, Some((op, number)), true, word)?;
        self.value(found)?;
        // `two paid orders`
        let noun = self
            .links
            .table_at(self.at)
            .or_else(|| self.links.table_like(self.at));
        let noun = noun.filter(|noun| noun.item.table == table);
        self.at += noun.map_or(0, |noun| noun.tokens);
        Ok(true)
    }

    /// Takes `4 cylinders`, where a column of text has the value 4.
    fn number_as_text(
        &mut self,
        table: Option<usize>,
        quantity: Quantity,
        start: usize,
    ) -> Step<bool> {
        let found = table.and_then(|table| {
            let exact = self.own_column_at(table);
            exact.or_else(|| self.links.column_like(self.at, Some(table)))
        });
        let Some(found) = found else {
            return Ok(false);
        };
        let links = self.links.numbers_as_texts(quantity.value, &found.item);
        if links.is_empty() {
            return Ok(false);
        }
        self.at += found.tokens;
        self.draft.confidence = self.draft.confidence.min(found.item.score);
        let word = self.links.shown(start, self.at - start);
        self.wish(self.scope, Demand::Value(links), word)?;
        Ok(true)
    }
}
