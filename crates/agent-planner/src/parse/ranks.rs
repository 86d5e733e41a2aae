//! Rankings: `top 5 customers by revenue`, `the cheapest product`, `with the most orders`.

mod kinds;

use super::Parser;
use crate::accounted::PREPOSITIONS;
use crate::catalog::{ColumnId, Holds};
use crate::draft::{Aggregate, Intent, Measure, Rank, Scope};
use crate::lexicon::{ADJECTIVES, DATED, Direction, MONEY, Phrases, RANKS, RATED, Words, of};
use crate::limits::MAX_PHRASE_WORDS;
use crate::links::{ColumnLink, Found};
use crate::morphology::{is_participle, is_plural};
use crate::plan::{Step, Stop};
use crate::token::TokenKind;

/// Superlatives that rank by a measure, and not by a number of rows.
const EXTREMES: Words = Words("largest biggest smallest highest lowest greatest");

impl Parser<'_> {
    /// Takes a superlative with its measure.
    ///
    /// # Errors
    /// A second ranking, or one whose measure is not understood.
    pub(super) fn rank(&mut self) -> Step<bool> {
        let start = self.at;
        let judges = self.draft.most || self.draft.sized;
        if self.by_measure()? {
            return Ok(true);
        }
        let Some((direction, measure)) = self.superlative()? else {
            self.at = start;
            return Ok(false);
        };
        if let Some(first) = self.draft.rank.take() {
            // `top 3 customers with the most orders`: the first part only says how many.
            let waits = first.measure.is_none() && !first.is_by && !judges;
            let is_top = self.words_before(start).any(|word| word == "top");
            if !waits || !is_top {
                return Err(Stop::cannot("the question has two rankings"));
            }
            self.draft.rows = self.draft.rows.or(first.rows);
        }
        let mut rows = self.draft.rows.take();
        if rows.is_none() {
            rows = self.row_count();
        }
        self.draft.rank = Some(Rank {
            direction,
            measure,
            rows,
            is_by: false,
            scope: None,
        });
        if self
            .draft
            .rank
            .as_ref()
            .is_some_and(|rank| rank.measure.is_none())
        {
            self.subject_of_kind();
            self.ranked()?;
        } else {
            self.same_column()?;
        }
        Ok(true)
    }

    /// Takes the word of a superlative, and its measure if the word implies one.
    fn superlative(&mut self) -> Step<Option<(Direction, Option<Measure>)>> {
        let word = self.word(0);
        if let Some((direction, measure)) = measured(word) {
            self.at += 1;
            return Ok(Some((direction, Some(measure))));
        }
        let row = self.links.table_at(self.at + 1).is_some();
        let rows = self.number_ahead(1).is_some() && crate::calendar::unit(self.word(2)).is_none();
        if word == "last" && (row || rows) || word == "first" && row && self.draft.subject.is_none()
        {
            self.at += 1;
            let (direction, date) = match word {
                "last" => (Direction::Most, "latest"),
                _ => (Direction::Least, "earliest"),
            };
            return Ok(Some((
                direction,
                Some(Measure::Date(Some(date.to_owned()))),
            )));
        }
        let Some(direction) = of(RANKS, word)
            .or_else(|| (word == "best" || word == "worst").then_some(Direction::Most))
        else {
            return Ok(None);
        };
        if ["minimum", "min", "maximum", "max"].contains(&word)
            && self.draft.subject.is_none()
            && self.draft.heads.is_empty()
        {
            // `the maximum price` is an aggregate; `the product with the maximum price` ranks.
            return Ok(None);
        }
        let judges = word == "best" || word == "worst";
        let direction = if word == "worst" {
            direction.reverse()
        } else {
            direction
        };
        let (next, after) = (self.word(1), self.word(2));
        if next == "money" {
            self.at += 2;
            return Ok(Some((direction, Some(Measure::Meanings(MONEY)))));
        }
        if let Some(columns) = of(RATED, next) {
            self.at += 2;
            return Ok(Some((direction, Some(Measure::Meanings(columns)))));
        }
        if judges {
            return self.judged(word).map(Some);
        }
        if let Some((direction, measure, tokens)) = most_or_least(word, direction, next, after) {
            self.at += tokens;
            return Ok(Some((direction, Some(measure))));
        }
        self.draft.most = ["most", "least", "fewest"].contains(&word);
        self.draft.sized = ["largest", "biggest", "smallest"].contains(&word);
        // `top`, `bottom` and a number: what decides follows later. `top` with an adjective: the
        // adjective decides.
        self.at += 1;
        if word == "top" || word == "bottom" {
            let rows = self.row_count();
            self.draft.rows = rows.or(self.draft.rows);
            if let Some((inner, Some(measure))) = self.superlative_after_top() {
                return Ok(Some((inner, Some(measure))));
            }
        }
        Ok(Some((direction, None)))
    }

    /// Asks back for `worst flights` and `best score` which column is meant and which end of it is
    /// better, unless a person has chosen them.
    fn judged(&mut self, word: &str) -> Step<(Direction, Option<Measure>)> {
        let catalog = self.links.catalog;
        let ends = |column: &str| {
            [("highest", Direction::Most), ("lowest", Direction::Least)]
                .map(|(end, direction)| (format!("{end} {column}"), direction))
        };
        let which = format!("{word:?}: which end is meant?");
        if let Some(found) = self.links.column_at(self.at + 1, None) {
            let end = catalog.choose(which, &ends(&found.item.word), |end| end.0.clone())?;
            self.at += 1;
            return Ok((end.1, None));
        }
        // `best selling bread`: no column of the bread tells how well it sells.
        if self.word(1).ends_with("ing") || is_participle(self.word(1)) {
            self.at += 1;
            return Err(self.unknown());
        }
        let around = (1..MAX_PHRASE_WORDS).find_map(|ahead| self.links.table_at(self.at + ahead));
        let table = around.map(|found| found.item.table).or(self.table_of(0));
        let is_measure = |id: &ColumnId| self.is_measure(*id);
        let ids: Vec<ColumnId> = table
            .into_iter()
            .flat_map(|table| catalog.ids(table))
            .filter(is_measure)
            .collect();
        let by = format!("{word:?}: by which column?");
        let id = catalog.choose(by, &ids, |id| catalog.shown(*id))?;
        let column = catalog.column_name(id);
        let end = catalog.choose(which, &ends(column), |end| end.0.clone())?;
        self.at += 1;
        let link = ColumnLink::new(vec![id], column, 1.0);
        Ok((end.1, Some(Measure::Column(None, link))))
    }

    /// Takes `most expensive` of `top 3 most expensive products`.
    fn superlative_after_top(&mut self) -> Option<(Direction, Option<Measure>)> {
        let start = self.at;
        let word = self.word(0);
        let known = of(DATED, word).is_some()
            || ADJECTIVES
                .iter()
                .any(|adjective| adjective.superlative == word)
            || (word == "most" || word == "least")
                && ADJECTIVES
                    .iter()
                    .any(|adjective| adjective.positive == self.word(1));
        if known && let Ok(Some(found)) = self.superlative() {
            return Some(found);
        }
        self.at = start;
        None
    }

    /// Reads what a superlative without a measure ranks by: a column, an aggregate of one, or the
    /// number of rows of a table.
    fn ranked(&mut self) -> Step<()> {
        let measures = EXTREMES.contains(self.before());
        self.skip(&["the", "of"]);
        let counted = self.eat_phrase(&Phrases("number of, count of, amount of"));
        if self.named_total()? || self.rows_with_value()? {
            return Ok(());
        }
        let aggregate = match self.word(0) {
            "average" | "avg" | "mean" => Some(Aggregate::Average),
            "total" | "sum" => Some(Aggregate::Sum),
            _ => None,
        };
        self.at += usize::from(aggregate.is_some());
        self.skip(&["of", "the"]);
        let named = self.draft.subject.is_some() || !self.draft.heads.is_empty();
        let table = self.links.table_at(self.at);
        let column = self.measured_column();
        if let Some(column) = column {
            let longer = table
                .as_ref()
                .is_none_or(|table| column.tokens >= table.tokens);
            let guessed = table.is_some() && !measures && column.item.score < 1.0;
            let longer = longer && !guessed && !(table.is_some() && self.names_rows(&column.item));
            if longer || aggregate.is_some() {
                return self.rank_column(aggregate, column, named || aggregate.is_some());
            }
        }
        if let Some(found) = table.filter(|_| named && aggregate.is_none()) {
            self.at += found.tokens;
            // `the highest order total`: a column of the table; `the most films released` are
            // films.
            let column = self.owned_column(found.item.table);
            if let Some(column) = column.filter(|_| measures || !is_participle(self.word(0))) {
                self.at += column.tokens;
                return self.set_measure(Measure::Column(None, column.item));
            }
            if !measures || counted {
                let plural = is_plural(self.before()) || self.before().ends_with('s');
                let measure = match counted || plural {
                    true => Measure::Rows(found.item.table),
                    false => self.rows_or_total(found.item.table)?,
                };
                return self.set_measure(measure);
            }
            if self.draft.subject.is_some() {
                let table = self.links.catalog.table_name(found.item.table);
                return Err(Stop::cannot(format!(
                    "the question does not say which column or number decides when rows of {table} are compared"
                )));
            }
            // `name of the largest city`: the table is the subject.
            self.at -= found.tokens;
            return Ok(());
        }
        if let Some(found) = self.links.table_at(self.at)
            && !named
            && self.draft.rows.is_none()
            && self
                .draft
                .rank
                .as_ref()
                .is_some_and(|rank| rank.rows.is_none())
        {
            let start = self.at;
            self.at += found.tokens;
            if let Some(column) = self.owned_column(found.item.table) {
                self.draft.owner = Some(found.item.table);
                return self.rank_column(None, column, false);
            }
            self.at = start;
        }
        if (named || counted) && aggregate.is_none() && !self.is_at_end() {
            let like = self.links.table_like(self.at).filter(|_| named);
            if let Some(found) = like {
                self.at += found.tokens;
                self.draft.confidence = self.draft.confidence.min(found.item.score);
                return self.set_measure(Measure::Rows(found.item.table));
            }
        }
        Ok(())
    }

    /// Takes `total of invoices`, where `total` is a column of invoices, as the sum of this column.
    fn named_total(&mut self) -> Step<bool> {
        if self.word(0) != "total" || self.draft.subject.is_none() {
            return Ok(false);
        }
        let ahead = 1 + usize::from(self.word(1) == "of");
        let Some(table) = self
            .links
            .table_at(self.at + ahead)
            .map(|found| (found.item.table, found.tokens))
        else {
            return Ok(false);
        };
        let Some(column) = self
            .links
            .column_at(self.at, Some(table.0))
            .filter(|_| ahead == 2)
        else {
            return Ok(false);
        };
        self.at += ahead + table.1;
        self.set_measure(Measure::Column(Some(Aggregate::Sum), column.item))?;
        Ok(true)
    }

    /// Returns true if the word is the name of a table and not exactly that of the column: `most
    /// flights`, where `flights` is a table and `flight` a column.
    pub(super) fn names_rows(&self, column: &ColumnLink) -> bool {
        let word = self.word(0);
        let catalog = self.links.catalog;
        let tables = catalog.tables.iter();
        let is_table = tables
            .map(|view| &view.table.name)
            .any(|name| name.eq_ignore_ascii_case(word));
        is_table
            && !column
                .ids
                .iter()
                .any(|id| catalog.column_name(*id).eq_ignore_ascii_case(word))
    }

    fn is_at_end(&self) -> bool {
        self.at >= self.tokens().len()
    }

    fn owned_column(&self, table: usize) -> Option<Found<ColumnLink>> {
        self.links
            .column_at(self.at, Some(table))
            .or_else(|| self.links.column_like(self.at, Some(table)))
    }

    /// Returns the column here, if rows can be ranked by it.
    fn measured_column(&self) -> Option<Found<ColumnLink>> {
        let found = self.any_column()?;
        // `smallest outdoor venue`
        let catalog = self.links.catalog;
        let says_so = |id: &ColumnId| catalog.is_flag(*id) || catalog.may_be_flag(*id);
        let rows = self.links.table_at(self.at + found.tokens);
        if found.item.ids.iter().all(says_so) && rows.is_some() {
            return None;
        }
        let measured = found.item.ids.iter().any(|id| {
            matches!(
                self.links.catalog.holds(*id),
                Holds::Number | Holds::Date(_) | Holds::Unknown
            )
        });
        measured.then_some(found)
    }

    /// Takes a column after a superlative. It ranks the rows that were named before. If none were
    /// named, the question asks for the column itself.
    fn rank_column(
        &mut self,
        aggregate: Option<Aggregate>,
        column: Found<ColumnLink>,
        named: bool,
    ) -> Step<()> {
        self.at += column.tokens;
        self.draft.confidence = self.draft.confidence.min(column.item.score);
        if named || aggregate.is_some() {
            return self.set_measure(Measure::Column(aggregate, column.item));
        }
        let rank = self.draft.rank.take();
        let rows = rank.as_ref().and_then(|rank| rank.rows).or(self.draft.rows);
        let direction = rank.map_or(Direction::Most, |rank| rank.direction);
        if rows.is_none() {
            self.draft.aggregates.push(Aggregate::at_end(direction));
            return self.head(column.item);
        }
        self.draft.rank = Some(Rank {
            direction,
            measure: Some(Measure::Column(None, column.item.clone())),
            rows,
            is_by: false,
            scope: None,
        });
        self.head(column.item)
    }

    fn set_measure(&mut self, measure: Measure) -> Step<()> {
        let subject = self.draft.subject.map(|subject| subject.table);
        let measured = match &measure {
            Measure::Rows(table) => Some(*table),
            Measure::Column(_, link) => match link.ids.as_slice() {
                ids if ids.iter().any(|id| Some(id.table) == subject) => None,
                [id] => Some(id.table),
                _ => None,
            },
            Measure::Meanings(_) | Measure::Date(_) | Measure::Frequency => None,
        };
        // Conditions that follow are on what is measured: `with the most orders in 2024`.
        let scope = measured
            .filter(|table| Some(*table) != subject)
            .map(|table| {
                self.draft.scopes.push(Scope {
                    table: Some(table),
                    outer: Some(0),
                    demanded: true,
                    ..Scope::default()
                });
                self.draft.scopes.len() - 1
            });
        match &mut self.draft.rank {
            Some(rank) if rank.measure.is_none() => {
                rank.measure = Some(measure);
                rank.scope = scope;
            }
            _ => return Err(Stop::cannot("the question has two rankings")),
        }
        self.scope = scope.unwrap_or(self.scope);
        Ok(())
    }

    /// Takes the column that the adjective measures: `the cheapest price in Books`.
    fn same_column(&mut self) -> Step<()> {
        let Some(Rank {
            direction,
            measure: Some(Measure::Meanings(meanings)),
            rows: None,
            ..
        }) = &self.draft.rank
        else {
            return Ok(());
        };
        let (direction, meanings) = (*direction, *meanings);
        if self.draft.subject.is_some() || !self.draft.heads.is_empty() {
            return Ok(());
        }
        let Some(found) = self.column_in_scope(false) else {
            return Ok(());
        };
        let same = found
            .item
            .ids
            .iter()
            .any(|id| self.links.first_meaning(meanings, id.table) == Some(*id));
        if !same {
            return Ok(());
        }
        self.draft.rank = None;
        self.draft.aggregates.push(Aggregate::at_end(direction));
        self.at += found.tokens;
        self.head(found.item)
    }

    /// Takes `by revenue` or `by number of orders` of a ranking that has no measure yet.
    fn by_measure(&mut self) -> Step<bool> {
        let waits = self.draft.rank.as_ref().is_some_and(|rank| {
            rank.measure.is_none() || matches!(rank.measure, Some(Measure::Meanings(_)))
        });
        if !waits || !matches!(self.word(0), "by" | "according") || self.is_at_value() {
            return Ok(false);
        }
        if is_participle(self.before()) {
            return Ok(false);
        }
        self.at += 1;
        self.skip(&["to", "the", "their"]);
        // `shortest 2 books by pages`: the column decides, the adjective only the direction.
        if let Some(rank) = &mut self.draft.rank {
            rank.measure = None;
            rank.is_by = true;
        }
        let before = self.at;
        self.ranked()?;
        if self
            .draft
            .rank
            .as_ref()
            .is_some_and(|rank| rank.measure.is_none())
            || self.at == before
        {
            return Err(self.unknown());
        }
        Ok(true)
    }

    fn is_at_value(&self) -> bool {
        self.links.value_at(self.at + 1).is_some()
            || self
                .token(1)
                .is_some_and(|token| token.kind == TokenKind::Quoted)
    }

    /// Takes `different`.
    pub(super) fn distinct(&mut self) -> bool {
        let next = self.word(1);
        let before_noun = !next.is_empty() && !PREPOSITIONS.contains(next);
        let found = before_noun && self.eat(&["different", "distinct", "unique", "various"]);
        self.draft.distinct |= found;
        found
    }

    /// Takes `duplicate`, and `more than once` with its verb.
    pub(super) fn repeated(&mut self) -> bool {
        let verbs = [
            "occur", "occurs", "appear", "appears", "exist", "exists", "used", "are", "is",
        ];
        let start = self.at;
        self.skip(&verbs);
        let found = self.eat(&["duplicate", "duplicates", "duplicated", "repeated"])
            || self.eat_phrase(&Phrases("more than once, several times, multiple times"));
        if !found {
            self.at = start;
        }
        self.draft.repeated |= found;
        found
    }

    /// Returns true if the question counts.
    pub(super) fn counts(&self) -> bool {
        self.draft.intent == Intent::Count
    }
}

/// Returns the direction and the measure of a superlative of one word: `newest`, `cheapest`.
fn measured(word: &str) -> Option<(Direction, Measure)> {
    if let Some(direction) = of(DATED, word) {
        return Some((direction, Measure::Date(Some(word.to_owned()))));
    }
    let adjective = ADJECTIVES
        .iter()
        .find(|adjective| adjective.superlative == word)?;
    Some((adjective.direction, Measure::Meanings(adjective.columns)))
}

/// Returns the ranking of `most expensive`, `least common`, `most recent` or `most recently
/// ordered`, with the number of its tokens.
fn most_or_least(
    word: &str,
    direction: Direction,
    next: &str,
    after: &str,
) -> Option<(Direction, Measure, usize)> {
    if word != "most" && word != "least" {
        return None;
    }
    let adjective = ADJECTIVES
        .iter()
        .find(|adjective| adjective.positive == next);
    if let Some(adjective) = adjective {
        let direction = if word == "least" {
            adjective.direction.reverse()
        } else {
            adjective.direction
        };
        return Some((direction, Measure::Meanings(adjective.columns), 2));
    }
    match next {
        "common" | "frequent" | "frequently" | "commonly" | "often" => {
            Some((direction, Measure::Frequency, 2))
        }
        "recent" => Some((direction, Measure::Date(None), 2)),
        "recently" if is_participle(after) => {
            Some((direction, Measure::Date(Some(after.to_owned())), 3))
        }
        _ => None,
    }
}
