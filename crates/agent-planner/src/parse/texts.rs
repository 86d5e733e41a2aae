//! Parts of texts whose column is not named before them: `with heliport in the name`, `towns
//! starting with Xi`; and names of rows: `named Luna`.

use super::Parser;
use crate::catalog::{ColumnId, Holds};
use crate::draft::{Demand, Test, TextMatch};
use crate::links::{ColumnLink, Found, ValueLink};
use crate::morphology::stems;
use crate::plan::{Step, Stop};
use crate::token::{Token, TokenKind};

/// The largest number of words of a text that stands before its column, as `heliport` does in
/// `with heliport in the name`.
const MAX_PART_WORDS: usize = 4;

impl Parser<'_> {
    /// Takes `spam` of `comments containing spam` as a part of a text, where it is a text of the rows
    /// themselves.
    pub(super) fn contained(&mut self, start: usize) -> Step<bool> {
        let verb = self.word_before(start + 1);
        if !["containing", "contains", "contain"].contains(&verb) {
            return Ok(false);
        }
        let Some(found) = self.links.value_at(self.at) else {
            return Ok(false);
        };
        let mut ids: Vec<ColumnId> = found.item.iter().map(|link| link.column).collect();
        ids.dedup();
        let own = self.table_of(self.scope);
        let [id] = ids.as_slice() else {
            return Ok(false);
        };
        if Some(id.table) != own {
            return Ok(false);
        }
        let id = *id;
        let mut tokens = found.tokens;
        loop {
            let word = self.links.shown(self.at, tokens);
            self.at += tokens;
            let link = ColumnLink::new(vec![id], word.clone(), 1.0);
            let test = Test::Text(TextMatch::Contains, word.clone());
            self.wish(self.scope, Demand::Column(link, test), word)?;
            // `containing spam or ads`
            let next = self.links.value_at(self.at + 1);
            let next = next.filter(|next| next.item.iter().any(|link| link.column == id));
            let Some(next) = next.filter(|_| ["and", "or"].contains(&self.word(0))) else {
                return Ok(true);
            };
            self.junction();
            tokens = next.tokens;
        }
    }

    /// Keeps names of the present rows behind `named`: `owners named Rose`, where an animal is called
    /// so as well, and `customers named Hull`, where Hull is a city.
    ///
    /// # Errors
    /// The value, if it is no name.
    pub(super) fn named(&self, links: &mut Vec<ValueLink>, before: &str, word: &str) -> Step<()> {
        if !["named", "called", "titled"].contains(&before) {
            return Ok(());
        }
        let catalog = self.links.catalog;
        let names = |link: &ValueLink| {
            catalog.is_label(link.column)
                || catalog.is_name(link.column)
                || catalog.names_rows(link.column)
        };
        let noun = self.noun_named();
        let table = noun.or(self.table_of(self.scope));
        let own = |link: &ValueLink| names(link) && Some(link.column.table) == table;
        if links.iter().any(own) {
            links.retain(own);
            return Ok(());
        }
        if noun.is_some() && noun != self.table_of(self.scope) {
            return Err(Stop::Unknown(word.to_owned()));
        }
        match self.named_row(before, links).is_some() || links.iter().any(names) {
            true => Ok(()),
            false => Err(Stop::Unknown(word.to_owned())),
        }
    }

    /// Refuses `medicines containing in`, where nothing that is known stands behind `containing`.
    ///
    /// # Errors
    /// The refusal.
    pub(super) fn require_contained(&self, start: usize) -> Step<()> {
        let verb = self.word_before(start + 1);
        let quoted = self
            .token(0)
            .is_some_and(|token| token.kind == TokenKind::Quoted);
        let known = quoted || self.number_ahead(0).is_some() || self.names_something(self.at);
        match ["containing", "contains", "contain"].contains(&verb) && !known {
            true => Err(Stop::cannot(
                "I do not see what is contained; put it between quotes, and name the column, as in `whose name contains '…'`",
            )),
            false => Ok(()),
        }
    }

    /// Returns the table whose noun stands in front of `named` and a name here.
    pub(super) fn noun_named(&self) -> Option<usize> {
        let the = usize::from(self.before() == "the");
        let noun = self
            .at
            .checked_sub(2 + the)
            .and_then(|at| self.links.table_at(at));
        noun.map(|found| found.item.table)
    }

    /// Takes a condition on a part of a text, or on the name of a row, in the table that the
    /// current conditions are about.
    ///
    /// # Errors
    /// A question back if several columns of the table may have the text.
    pub(super) fn part_of_text(&mut self) -> Step<bool> {
        if ["named", "called", "titled"].contains(&self.word(0)) {
            let word = self.links.shown(self.at, 2);
            let mut tables = self.tables_around();
            tables.retain(|table| !self.names(*table).is_empty());
            self.value_beside(&tables, &word)?;
        }
        let Some(table) = self.table_of(self.scope).or_else(|| self.table_of_values()) else {
            return Ok(false);
        };
        if self.is_named(table)? || self.is_rated(table)? || self.held_in(table)? {
            return Ok(true);
        }
        let start = self.at;
        self.skip(&["that", "which", "who", "do", "does", "did", "not"]);
        let negated = self
            .tokens()
            .get(start..self.at)
            .is_some_and(|skipped| skipped.iter().any(|token| token.lower == "not"));
        let begins = ["start", "begin", "end"];
        let is_verb = stems(self.word(0))
            .iter()
            .any(|stem| begins.contains(&stem.as_str()));
        if !is_verb || self.word(1) != "with" || self.number_ahead(2).is_some() {
            self.at = start;
            return Ok(false);
        }
        let Some(test) = self.text_test() else {
            self.at = start;
            return Ok(false);
        };
        let column = self.name_of_rows(table)?;
        let word = self.links.shown(start, self.at - start);
        self.negated ^= negated;
        self.wish(self.scope, Demand::Column(column, test), word)?;
        Ok(true)
    }

    /// Returns the only table that has the first value of the question: pets for `cats named Max`,
    /// where `cats` is a species.
    pub(super) fn table_of_values(&self) -> Option<usize> {
        let wishes = &self.scope_of(0).filter(|_| self.scope == 0)?.wishes;
        let value = wishes.iter().find_map(|wish| wish.demand.value())?;
        let mut tables = value.iter().map(|link| link.column.table);
        let table = tables.next()?;
        tables.all(|other| other == table).then_some(table)
    }

    /// Takes a text and the column that must contain it: `with heliport in the name`.
    fn held_in(&mut self, table: usize) -> Step<bool> {
        let has = [
            "with",
            "have",
            "has",
            "having",
            "containing",
            "contain",
            "contains",
            "includes",
            "including",
        ];
        if !has.contains(&self.word(0)) {
            return Ok(false);
        }
        let start = self.at;
        self.at += 1;
        self.skip(&["the", "a", "an", "word", "text", "string"]);
        let from = self.at;
        let ends =
            (1..=MAX_PART_WORDS).find(|length| matches!(self.word(*length), "in" | "within"));
        let words = ends.and_then(|length| self.tokens().get(from..from + length));
        let is_text = words.is_some_and(|words| {
            words
                .iter()
                .all(|token| token.is_word() || token.kind == TokenKind::Quoted)
        });
        // `with status active in city Madrid`: two columns, each with its value.
        let is_column = self.own_column_at(table).is_some();
        let (Some(length), true, false) = (ends, is_text, is_column) else {
            self.at = start;
            return Ok(false);
        };
        let joins =
            |token: &Token| token.is_word() && ["or", "and"].contains(&token.lower.as_str());
        let joined = words.unwrap_or_default().iter().any(joins);
        let text = match words {
            Some([only]) => only.text.clone(),
            _ => self.links.shown(from, length),
        };
        self.at += length + 1;
        self.skip(&["the", "their", "its", "his", "her"]);
        let Some(found) = self.text_column(table)? else {
            self.at = start;
            return Ok(false);
        };
        if joined {
            return Err(Stop::cannot(
                "I look for one text at a time; say for each part which column contains it",
            ));
        }
        self.at += found.tokens;
        let word = self.links.shown(start, self.at - start);
        let behind = self.links.value_at(self.at);
        let is_tested = behind.is_some_and(|value| {
            let mut values = value.item.iter();
            values.any(|value| found.item.ids.contains(&value.column))
        });
        if is_tested {
            return Err(Stop::cannot(format!(
                "I do not see whether {:?} is a part of {:?} or something else",
                text, found.item.word
            )));
        }
        let test = Test::Text(TextMatch::Contains, text);
        self.wish(self.scope, Demand::Column(found.item, test), word)?;
        Ok(true)
    }

    /// Takes the name of a row: `named Luna`.
    fn is_named(&mut self, table: usize) -> Step<bool> {
        let start = self.at;
        self.skip(&["that", "which", "who", "are", "is", "were", "was"]);
        if !self.eat(&["named", "called", "titled"]) {
            self.at = start;
            return Ok(false);
        }
        let Some(mut found) = self.links.value_at(self.at) else {
            self.at = start;
            return Ok(false);
        };
        // `animals of owners named Rose`: the noun in front of it has the name.
        let noun = start.checked_sub(1).and_then(|at| self.links.table_at(at));
        let noun = noun
            .map(|found| found.item.table)
            .filter(|noun| *noun != table);
        let word = self.links.shown(self.at, found.tokens);
        let names = self.names(noun.unwrap_or(table));
        let label = |link: &ValueLink| {
            Some(link.column.table) == noun && self.links.catalog.is_label(link.column)
        };
        found
            .item
            .retain(|link| names.contains(&link.column) || label(link));
        if found.item.is_empty() && noun.is_some() {
            return Err(Stop::Unknown(word));
        }
        if found.item.is_empty() {
            self.at = start;
            return Ok(false);
        }
        self.value(found)
    }

    /// Takes a verb and a value of the column that is named after the verb: `rated R`, `coloured
    /// red`.
    fn is_rated(&mut self, table: usize) -> Step<bool> {
        let word = self.word(0);
        if !word.ends_with("ed") {
            return Ok(false);
        }
        let Some(mut found) = self.links.value_at(self.at + 1) else {
            return Ok(false);
        };
        let nouns: Vec<String> = stems(word)
            .into_iter()
            .skip(1)
            .flat_map(|stem| [format!("{stem}ing"), stem])
            .collect();
        found.item.retain(|link| {
            let view = self.links.catalog.column(link.column);
            let last = view.and_then(|view| view.words.last());
            link.column.table == table && last.is_some_and(|last| nouns.contains(last))
        });
        if found.item.is_empty() {
            return Ok(false);
        }
        self.at += 1;
        self.value(found)
    }

    /// Returns the column of a table here, if it holds texts.
    fn text_column(&self, table: usize) -> Step<Option<Found<ColumnLink>>> {
        let holds_text = |id: &ColumnId| {
            id.table == table
                && matches!(self.links.catalog.holds(*id), Holds::Text | Holds::Unknown)
        };
        let named = matches!(self.word(0), "name" | "names" | "title" | "titles");
        let exact = self.own_column_at(table);
        if exact.is_none() && named {
            let item = self.name_of_rows(table)?;
            return Ok(Some(Found { item, tokens: 1 }));
        }
        let found = exact.or_else(|| self.links.column_like(self.at, Some(table)));
        Ok(found.filter(|found| found.item.ids.iter().all(holds_text)))
    }

    /// Returns the columns with the names of rows: the labels of the table or, if it has none, the
    /// columns whose last word is one for a name.
    fn names(&self, table: usize) -> Vec<ColumnId> {
        let view = self.links.catalog.table(table);
        let labels = view.map(|view| view.labels.as_slice()).unwrap_or_default();
        if !labels.is_empty() {
            let labels = labels.iter();
            return labels
                .map(|column| ColumnId {
                    table,
                    column: *column,
                })
                .collect();
        }
        let ids = self.links.catalog.ids(table);
        ids.filter(|id| self.links.catalog.is_name(*id)).collect()
    }

    /// Returns the column with the names of the rows of a table.
    ///
    /// # Errors
    /// A question back, with the names if there are several, else with all columns of text.
    fn name_of_rows(&self, table: usize) -> Step<ColumnLink> {
        let catalog = self.links.catalog;
        let mut ids = self.names(table);
        if ids.is_empty() || self.links.strict {
            let texts = catalog.ids(table);
            ids = texts
                .filter(|id| catalog.holds(*id) == Holds::Text)
                .collect();
        }
        let id = match ids.as_slice() {
            [only] if catalog.is_name(*only) => *only,
            [] => {
                let name = catalog.table_name(table);
                return Err(Stop::cannot(format!("{name} has no column of text")));
            }
            _ => catalog.choose("which column is meant?".to_owned(), &ids, |id| {
                catalog.shown(*id)
            })?,
        };
        Ok(ColumnLink::new(vec![id], catalog.column_name(id), 0.9))
    }
}
