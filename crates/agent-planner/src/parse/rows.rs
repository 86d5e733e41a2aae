//! Phrases that name a table and then one of its rows by number, text key or name:
//! `appointment 7`, `patient Klein`. Also the number of rows that a question asks for.

use super::Parser;
use crate::calendar;
use crate::catalog::{ColumnId, Holds};
use crate::draft::{Aggregate, Demand, Joiner, Measure, Rank, Test};
use crate::lexicon::{Direction, TITLES, of};
use crate::limits::MAX_ASKED_ROWS;
use crate::links::{ColumnLink, Found, ValueLink};
use crate::moments::is_of_people;
use crate::morphology::is_plural;
use crate::plan::{Step, Stop};
use crate::token::TokenKind;

impl Parser<'_> {
    /// Takes the name or key of one row after its table: `patient Klein`, `appointment 7`,
    /// `customer 'Zed'`.
    pub(super) fn apposition(&mut self, table: usize, word: &str) -> Step<bool> {
        let start = self.at;
        self.skip(&["named", "called", "number", "no", "id", "#"]);
        let said = self.at > start;
        if self.row_by_number(table, word, start)? {
            return Ok(true);
        }
        if let Some(found) = self.links.value_at(self.at) {
            let own: Vec<ValueLink> = found
                .item
                .iter()
                .filter(|link| link.column.table == table)
                .cloned()
                .collect();
            let capital = self.is_capital()
                || self.token(0).is_some_and(|token| {
                    token.kind == TokenKind::Quoted
                        || token.text.contains(|letter: char| letter.is_ascii_digit())
                });
            if !own.is_empty() && (capital || said) {
                return self.value(Found {
                    item: own,
                    tokens: found.tokens,
                });
            }
        }
        if self.numbered_row(table, word, said)? || self.row_of_text_key(table, word)? {
            return Ok(true);
        }
        self.at = start;
        Ok(false)
    }

    /// Takes `player number 4` if a column other than the key holds such numbers.
    ///
    /// # Errors
    /// A question back for `player 4`, which may mean that column or the key.
    fn row_by_number(&mut self, table: usize, word: &str, start: usize) -> Step<bool> {
        let catalog = self.links.catalog;
        let said = self.tokens().get(start..self.at).unwrap_or_default();
        let mut said = said.iter().map(|token| token.lower.as_str());
        let is_number = said.clone().next().is_some();
        let ids = match said.any(|word| ["id", "named", "called"].contains(&word)) {
            true => Vec::new(),
            false => self.numbers_of(table, is_number),
        };
        let (Some(token), false) = (self.token(0), ids.is_empty()) else {
            return Ok(false);
        };
        let TokenKind::Number(value) = token.kind else {
            return Ok(false);
        };
        let is_dated = !is_number && self.dated().is_some();
        if value.fract() != 0.0 || is_dated || self.counts_on() {
            return Ok(false);
        }
        let shown = format!("{word} {}", token.text);
        let id = match ids.as_slice() {
            [only] => *only,
            _ => catalog.choose(format!("{shown:?}: by which column?"), &ids, |id| {
                catalog.shown(*id)
            })?,
        };
        let text = token.text.clone();
        self.at += 1;
        let link = ColumnLink::new(vec![id], word, 1.0);
        self.named_row_of(table, Demand::Column(link, Test::Exactly(text)), shown)?;
        Ok(true)
    }

    /// Adds a condition that names a row of a table: of the subject or, if that is another table,
    /// of the innermost rows.
    fn named_row_of(&mut self, table: usize, demand: Demand, shown: String) -> Step<()> {
        if self.table_of(0) == Some(table) {
            return self.wish(0, demand, shown);
        }
        if self.table_of(self.scope) != Some(table) {
            self.open(table, None, true, shown.clone())?;
        }
        self.wish(self.scope, demand, shown)
    }

    /// Returns true if a unit of time or a percent sign stands behind a number, so that it names no
    /// row.
    fn counts_on(&self) -> bool {
        calendar::unit(self.word(1)).is_some() || ["%", "percent"].contains(&self.word(1))
    }

    /// Returns the columns by whose number a row may be named, if there are any besides the key:
    /// `number` and `room_number` of rooms, together with the key. After the word `number`, the key
    /// is left out, unless the columns number something else, such as `tag_number` of animals.
    fn numbers_of(&self, table: usize, is_number: bool) -> Vec<ColumnId> {
        let catalog = self.links.catalog;
        let key = catalog.key(table);
        let names = catalog.table(table).map(|view| view.words.as_slice());
        let is_of = |id: &ColumnId, own: bool| {
            let words = catalog.column(*id).map(|view| view.words.as_slice());
            let Some((last, rest)) = words.and_then(<[String]>::split_last) else {
                return false;
            };
            let mut rest = rest.iter();
            let is_own = rest.all(|word| names.is_some_and(|names| names.contains(word)));
            ["number", "no", "nr", "num"].contains(&last.as_str())
                && (is_own || !own && catalog.holds(*id) == Holds::Number)
                && Some(*id) != key
                && self.relations.key_of(*id).is_none()
        };
        let mut ids: Vec<ColumnId> = catalog.ids(table).filter(|id| is_of(id, true)).collect();
        let is_alone = is_number && !ids.is_empty();
        if ids.is_empty() && is_number {
            ids.extend(catalog.ids(table).filter(|id| is_of(id, false)));
        }
        if !ids.is_empty() && !is_alone {
            ids.extend(key.filter(|id| catalog.holds(*id) == Holds::Number));
        }
        ids
    }

    /// Takes `appointment 7`, where the key holds numbers.
    pub(super) fn numbered_row(&mut self, table: usize, word: &str, said: bool) -> Step<bool> {
        let key = self
            .links
            .catalog
            .key(table)
            .filter(|id| self.links.catalog.holds(*id) == Holds::Number);
        let written = self.token(0).map(|token| token.kind);
        if let (Some(TokenKind::Number(value)), Some(_)) = (written, key)
            && value.fract() == 0.0
            && (self.dated().is_none() || said)
            && !self.counts_on()
        {
            self.at += 1;
            let words = format!("{word} {value}");
            self.named_row_of(table, Demand::Key(table, value), words)?;
            return Ok(true);
        }
        Ok(false)
    }

    /// Takes `product 4711`, where the key holds texts and this is one of them.
    pub(super) fn row_of_text_key(&mut self, table: usize, word: &str) -> Step<bool> {
        if let Some(id) = self.links.catalog.key(table)
            && self.links.catalog.holds(id) == Holds::Text
            && let Some(token) = self.token(0)
            && matches!(token.kind, TokenKind::Number(_))
            && !self.links.stored(&token.text, id).is_empty()
        {
            self.at += 1;
            if self.table_of(self.scope) != Some(table) {
                self.open(table, None, true, word.to_owned())?;
            }
            let link = ColumnLink::new(vec![id], word, 1.0);
            self.wish(
                self.scope,
                Demand::Column(link, Test::Exactly(token.text.clone())),
                token.text.clone(),
            )?;
            return Ok(true);
        }
        Ok(false)
    }

    /// Takes the number of rows of `top 5`.
    pub(super) fn row_count(&mut self) -> Option<u64> {
        let value = self.number_here()?;
        let whole = value.fract() == 0.0 && value >= 1.0;
        #[expect(clippy::cast_precision_loss, reason = "a limit far below 2^53")]
        let most = MAX_ASKED_ROWS as f64;
        if !whole || value > most || self.dated().is_some_and(|dated| !dated.bare_year) {
            return None;
        }
        self.at += 1;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a whole number between 1 and MAX_ASKED_ROWS"
        )]
        let rows = value as u64;
        Some(rows)
    }

    /// Takes `5` of `5 newest movies` or `the first 10 customers`.
    ///
    /// # Errors
    /// A number that may as well be one of the column behind it: `8 cylinders`.
    pub(super) fn rows(&mut self) -> Step<bool> {
        let first = self.word(0) == "first" && self.number_ahead(1).is_some();
        self.at += usize::from(first);
        let joined = self.joiner != Joiner::None;
        if joined || self.draft.rows.is_some() || self.draft.subject.is_some() {
            return Ok(false);
        }
        let number = self.token(0);
        self.draft.rows = self.row_count();
        let holds_numbers = |found: &Found<ColumnLink>| {
            let mut ids = found.item.ids.iter();
            ids.any(|id| self.links.catalog.holds(*id) == Holds::Number)
        };
        let is_row = self.links.table_at(self.at).is_some();
        let column = self.links.column_at(self.at, None).filter(holds_numbers);
        if let (Some(number), Some(column), false) = (number, column, first || is_row)
            && self.draft.rows.is_some()
        {
            let (number, column) = (number.shown(), column.item.word);
            return Err(Stop::cannot(format!(
                "`{number} {column}` may be a value or a number of rows; say `with {number} {column}`, or `first {number} {column}`"
            )));
        }
        Ok(self.draft.rows.is_some())
    }

    /// Asks back for `the most milk`, where `milk` is a table: its rows may be counted, or a column
    /// of them added up.
    ///
    /// # Errors
    /// The question back.
    pub(super) fn rows_or_total(&self, table: usize) -> Step<Measure> {
        let catalog = self.links.catalog;
        let number = |id: &ColumnId| self.is_measure(*id);
        let rows = (
            format!("number of rows of {}", catalog.table_name(table)),
            Measure::Rows(table),
        );
        let total = |id: ColumnId| {
            let column = catalog.column_name(id);
            let link = ColumnLink::new(vec![id], column, 1.0);
            (
                format!("total {column}"),
                Measure::Column(Some(Aggregate::Sum), link),
            )
        };
        let mut ways = vec![rows];
        ways.extend(catalog.ids(table).filter(number).map(total));
        let question = "are rows counted, or is a column added up?".to_owned();
        match ways.as_slice() {
            [(_, only)] => Ok(only.clone()),
            ways => Ok(catalog.choose(question, ways, |way| way.0.clone())?.1),
        }
    }

    /// Returns true for a column of numbers that is no key.
    pub(super) fn is_measure(&self, id: ColumnId) -> bool {
        let catalog = self.links.catalog;
        catalog.holds(id) == Holds::Number
            && catalog.key(id.table) != Some(id)
            && self.relations.key_of(id).is_none()
            && !catalog.is_called_id(id)
    }

    /// Shows the names of rows beside what is asked for: `workers and their bosses`.
    pub(super) fn shown_with_names(&mut self) -> Step<()> {
        let rows = self.draft.subject.filter(|_| self.draft.heads.is_empty());
        let Some(table) = rows.map(|subject| subject.table).filter(|_| !self.counts()) else {
            return Ok(());
        };
        let names = self
            .links
            .catalog
            .table(table)
            .map(|view| view.labels.clone());
        for column in names.unwrap_or_default() {
            self.head(ColumnLink::new(
                vec![ColumnId { table, column }],
                "name",
                1.0,
            ))?;
        }
        Ok(())
    }

    /// Takes `their prices` of `products with their prices`, and `their artists` of `albums with
    /// their artists`: they are shown, and add no condition.
    ///
    /// # Errors
    /// Rows of which each of these has many: `artists with their albums`.
    pub(super) fn shown_beside(&mut self) -> Step<bool> {
        let start = self.at;
        if !self.eat(&["their", "its", "his", "her"]) {
            return Ok(false);
        }
        let own = self.table_of(0).filter(|_| self.scope == 0);
        if let Some(found) = own.and_then(|table| self.own_column_at(table)) {
            self.at += found.tokens;
            if !self.draft.heads.is_empty() {
                self.head(found.item)?;
            }
            return Ok(true);
        }
        let other = self.links.table_at(self.at);
        let ends = other.as_ref().is_some_and(|found| {
            let next = self.token(found.tokens);
            next.is_none_or(|next| next.kind == TokenKind::Sign)
        });
        let (Some(own), Some(found), true) = (own, other.filter(|_| ends), !self.links.strict)
        else {
            self.at = start;
            return Ok(false);
        };
        let catalog = self.links.catalog;
        let table = found.item.table;
        let names = catalog.table(table).map(|view| view.labels.clone());
        let names = names.unwrap_or_default();
        if !self.relations.leads_up(own, table) || names.is_empty() {
            return Err(Stop::cannot(format!(
                "I do not see what of {} is shown for each row of {}; name the columns, as in `… of {0}`",
                catalog.table_name(table),
                catalog.table_name(own)
            )));
        }
        self.at += found.tokens;
        self.shown_with_names()?;
        if let Some(key) = catalog.key(own).filter(|_| self.draft.heads.is_empty()) {
            self.head(ColumnLink::new(vec![key], catalog.shown(key), 1.0))?;
        }
        for column in names {
            let id = ColumnId { table, column };
            self.head(ColumnLink::new(vec![id], catalog.shown(id), 1.0))?;
        }
        Ok(true)
    }

    /// Takes the title in front of a name.
    pub(super) fn title(&mut self) -> bool {
        let Some(table) = of(TITLES, self.word(0)).and_then(|name| self.links.table_named(name))
        else {
            return false;
        };
        self.at += 1;
        self.skip(&["."]);
        self.title = Some(table);
        true
    }

    /// Makes the only table of people whose rows these are the subject: `who has the most orders`.
    fn person_with_most_rows(&mut self) {
        let plain = self.draft.person
            && self.draft.heads.is_empty()
            && self.draft.groups.is_empty()
            && self
                .draft
                .scopes
                .iter()
                .all(|scope| scope.wishes.is_empty());
        let (Some(subject), Some(rank), true) = (self.draft.subject, &self.draft.rank, plain)
        else {
            return;
        };
        let table = subject.table;
        if rank.measure.is_some() || is_of_people(self.links, table) {
            return;
        }
        let has = |people: &usize| {
            is_of_people(self.links, *people) && self.relations.leads_up(table, *people)
        };
        let mut people = (0..self.links.catalog.tables.len()).filter(has);
        let (Some(people), None) = (people.next(), people.next()) else {
            return;
        };
        self.draft.set_subject(people, subject.score);
        self.draft.plural = false;
        if let Some(rank) = &mut self.draft.rank {
            rank.measure = Some(Measure::Rows(table));
        }
    }

    /// Asks for the person, and not for the number: `who has the highest salary`.
    pub(super) fn person_with_the_most(&mut self) {
        self.person_with_most_rows();
        let direction = match self.draft.aggregates.as_slice() {
            [Aggregate::Most] => Direction::Most,
            [Aggregate::Least] => Direction::Least,
            _ => return,
        };
        let draft = &mut self.draft;
        let plain = draft.person
            && draft.subject.is_none()
            && draft.groups.is_empty()
            && draft.rank.is_none();
        let ([head], true) = (draft.heads.as_slice(), plain) else {
            return;
        };
        let [id] = head.ids.as_slice() else {
            return;
        };
        let (table, head) = (id.table, head.clone());
        draft.set_subject(table, head.score);
        draft.rank = Some(Rank {
            direction,
            measure: Some(Measure::Column(None, head)),
            rows: None,
            is_by: true,
            scope: None,
        });
        draft.heads.clear();
        draft.aggregates.clear();
    }

    /// Returns true if a preposition stands between a value and what stands here: `cats of owners`,
    /// and not `number of thriller movies`.
    pub(super) fn follows_a_value(&self, start: usize) -> bool {
        let near = self.tokens().iter().enumerate().take(start).rev().take(3);
        let mut prepositions =
            near.filter(|(_, token)| ["of", "by", "from", "with"].contains(&token.lower.as_str()));
        let value = |at: usize| self.links.value_at(at).is_some();
        prepositions.any(|(at, _)| (0..at).any(value))
    }

    /// Makes a kind of rows the subject where what stands here belongs to them: `cats whose owner
    /// has a dog`, `how many cats of owners in Rome`.
    pub(super) fn subject_of_values(&mut self, at: usize) {
        let table = match at == self.at {
            true => self.possessed_table(self.any_column().as_ref()),
            false => self.links.table_at(at).map(|found| found.item.table),
        };
        let other = table.or_else(|| {
            let values = self.links.value_at(at)?.item;
            let table = values.first()?.column.table;
            let mut values = values.iter();
            values
                .all(|value| value.column.table == table)
                .then_some(table)
        });
        let first = self.scope_of(0).and_then(|scope| scope.wishes.first());
        let Some((demand, word)) = first.map(|wish| (&wish.demand, &wish.word)) else {
            return;
        };
        // `how many members have a dog`, where a column says who is a member.
        let mut tables = demand.tables();
        tables.dedup();
        let many = is_plural(&word.to_lowercase()) || self.counts();
        let nothing = self.draft.subject.is_none() && self.draft.heads.is_empty();
        let ([table], true) = (tables.as_slice(), demand.names_kind() && nothing && many) else {
            return;
        };
        let table = *table;
        let column = self.own_column_at(table);
        let role = column.is_some_and(|found| self.own_key(&found.item).is_some());
        let belongs = |other| self.relations.connects(table, other);
        if !role && !other.is_some_and(|other| other != table && belongs(other)) {
            return;
        }
        self.draft.set_subject(table, 1.0);
        self.draft.plural = true;
    }
}
