//! Tables, columns and values that words name.

use super::Parser;
use crate::calendar;
use crate::catalog::{ColumnId, Holds};
use crate::draft::{Comparison, Demand, Intent, Joiner, Test};
use crate::lexicon::TITLES;
use crate::lexicon::of;
use crate::links::{ColumnLink, Found, TableLink, ValueLink};
use crate::morphology::{is_participle, is_plural};
use crate::plan::{Step, Stop};
use crate::relations::{Via, Ways};
use crate::token::TokenKind;

impl Parser<'_> {
    /// Takes a name of the schema or a known value, whichever has more words.
    pub(super) fn thing(&mut self) -> Step<bool> {
        if self.both_names()? || self.stock()? {
            return Ok(true);
        }
        let value = self.links.value_at(self.at);
        let table = self.links.table_at(self.at);
        let column = self.column_in_scope(false);
        let length = |tokens: Option<usize>| tokens.unwrap_or(0);
        let (values, tables, columns) = (
            length(value.as_ref().map(|found| found.tokens)),
            length(table.as_ref().map(|found| found.tokens)),
            length(column.as_ref().map(|found| found.tokens)),
        );
        let names = tables.max(columns);
        if let Some(found) = value
            && (values > names || values == names && self.is_capital())
        {
            return self.value(found);
        }
        if let Some(found) = table
            && tables >= columns
        {
            return self.table(found);
        }
        if let Some(found) = column {
            return self.column(found);
        }
        if self
            .token(0)
            .is_some_and(|token| token.kind == TokenKind::Quoted)
        {
            return self.loose_text();
        }
        Ok(false)
    }

    /// Whether the word here begins with a capital within the question, so that it is a name.
    fn is_capital(&self) -> bool {
        self.at > 0
            && self
                .token(0)
                .is_some_and(|token| token.text.starts_with(|letter: char| letter.is_uppercase()))
    }

    /// Takes a name by meaning, or misspelt.
    pub(super) fn alike(&mut self) -> Step<bool> {
        if let Some(found) = self.links.table_like(self.at) {
            let closer = self
                .column_in_scope(true)
                .filter(|column| column.tokens > 1 || column.item.score > found.item.score);
            if closer.is_none() {
                self.draft.confidence = self.draft.confidence.min(found.item.score);
                return self.table(found);
            }
        }
        if let Some(found) = self.column_in_scope(true) {
            return self.column(found);
        }
        Ok(false)
    }

    /// The column here: of the scopes from the inside, else of any table. By meaning only where `meaning` says so.
    pub(super) fn column_in_scope(&self, meaning: bool) -> Option<Found<ColumnLink>> {
        // The name of a table is no guess for a column.
        if meaning && self.links.table_at(self.at).is_some() {
            return None;
        }
        let near = self
            .scopes()
            .into_iter()
            .filter_map(|scope| self.table_of(scope));
        let near: Vec<usize> = near.chain(self.draft.owner).collect();
        let find = |table: Option<usize>| match meaning {
            true => self.links.column_like(self.at, table),
            false => self.links.column_at(self.at, table),
        };
        let found = near
            .into_iter()
            .find_map(|table| find(Some(table)))
            .or_else(|| find(None))?;
        match meaning {
            true => Some(found),
            false => self.links.column_longer(self.at, &found).or(Some(found)),
        }
    }

    /// Adds a column that is asked for.
    pub(super) fn head(&mut self, column: ColumnLink) -> Step<()> {
        self.draft.confidence = self.draft.confidence.min(column.score);
        self.joiner = Joiner::None;
        if self.negated {
            return Err(self.unknown());
        }
        self.draft.heads.push(column);
        Ok(())
    }

    fn table(&mut self, found: Found<TableLink>) -> Step<bool> {
        let table = found.item.table;
        let word = self.links.shown(self.at, found.tokens);
        let plural = self
            .tokens()
            .get(self.at + found.tokens - 1)
            .is_some_and(|token| is_plural(&token.lower));
        if self.narrows_the_value(table) {
            self.at += found.tokens;
            return Ok(true);
        }
        let start = self.at;
        self.at += found.tokens;
        if self.owns(table, plural)? {
            return Ok(true);
        }
        self.note(
            &word,
            format!("the table {}", self.links.catalog.table_name(table)),
        );
        let Some(subject) = self.draft.subject else {
            self.draft.subject = Some(found.item);
            self.draft.plural = plural;
            if let Some(scope) = self.draft.scopes.first_mut() {
                scope.table = Some(table);
            }
            self.joiner = Joiner::None;
            self.apposition(table, &word)?;
            return Ok(true);
        };
        if self.apposition(table, &word)? {
            return Ok(true);
        }
        if table == subject.table || self.table_of(self.scope) == Some(table) {
            return match self.joiner {
                Joiner::None => Ok(true),
                _ => Err(Stop::cannot(format!("{word:?} comes twice"))),
            };
        }
        if self.negated && self.joiner == Joiner::None && !plural && self.is_after_not(start) {
            // `customers who did not order`: the table is a verb.
            self.open(table, None, true, word)?;
            return Ok(true);
        }
        if self.joiner == Joiner::And && self.continues_demands()? {
            self.open(table, None, true, word)?;
            return Ok(true);
        }
        if self.joiner != Joiner::None || self.negated {
            self.at = start;
            return Err(Stop::cannot(format!(
                "it asks for {word:?} beside {:?}; ask one after the other",
                self.links.catalog.table_name(subject.table)
            )));
        }
        // `who never borrowed a book`: the object of a verb is demanded as the verb is.
        let object = self
            .scope_of(self.scope)
            .is_some_and(|scope| scope.demanded);
        self.open(table, None, object, word)?;
        Ok(true)
    }

    fn is_after_not(&self, start: usize) -> bool {
        let before = start.checked_sub(1).and_then(|at| self.tokens().get(at));
        before.is_some_and(|token| {
            token.lower == "not" || token.lower == "never" || token.lower.ends_with("n't")
        })
    }

    /// `with orders and reviews`: back to the scope of the first of them.
    fn continues_demands(&mut self) -> Step<bool> {
        let Some(scope) = self.scope_of(self.scope) else {
            return Ok(false);
        };
        let (Some(outer), true, true) = (scope.outer, scope.demanded, scope.wishes.is_empty())
        else {
            return Ok(false);
        };
        let last = self.scope_of(outer).and_then(|scope| scope.wishes.last());
        let Some((Demand::Inner(_, count), negated)) =
            last.map(|wish| (&wish.demand, wish.negated))
        else {
            return Ok(false);
        };
        if negated || count.is_some() {
            return Err(Stop::ask(
                "does the condition before `and` hold for both?",
                Vec::new(),
            ));
        }
        self.scope = outer;
        Ok(true)
    }

    /// `first and last name`, and `names` of people whose table has both.
    fn both_names(&mut self) -> Step<bool> {
        let phrase =
            self.is_at(&["first", "and", "last"]) && matches!(self.word(3), "name" | "names");
        if phrase {
            for name in ["first name", "last name"] {
                let ids = self.links.columns_named(name);
                if ids.is_empty() {
                    return Err(self.unknown());
                }
                self.head(ColumnLink {
                    ids,
                    word: name.to_owned(),
                    score: 1.0,
                })?;
            }
            self.at += 4;
            return Ok(true);
        }
        let names = matches!(self.word(0), "name" | "names") && self.word(1) == "of";
        let after = 2 + usize::from(matches!(self.word(2), "the" | "all"));
        let Some(table) = self.links.table_at(self.at + after).filter(|_| names) else {
            return Ok(false);
        };
        if !self.labels(table.item.table)? {
            return Ok(false);
        }
        self.at += 1;
        Ok(true)
    }

    /// Asks for the names of the rows of a table, if they have two.
    fn labels(&mut self, table: usize) -> Step<bool> {
        let labels = self
            .links
            .catalog
            .table(table)
            .map(|view| view.labels.clone())
            .unwrap_or_default();
        if labels.len() < 2 {
            return Ok(false);
        }
        for column in labels {
            let link = ColumnLink {
                ids: vec![ColumnId { table, column }],
                word: "name".to_owned(),
                score: 1.0,
            };
            self.head(link)?;
        }
        Ok(true)
    }

    /// `out of stock`, `in stock`.
    fn stock(&mut self) -> Step<bool> {
        let comparison = match () {
            () if self.is_at(&["out", "of", "stock"]) => Comparison::Equal,
            () if self.is_at(&["in", "stock"]) => Comparison::Greater,
            () => return Ok(false),
        };
        let Some(id) = self
            .table_of(self.scope)
            .and_then(|table| self.links.first_meaning(&["stock"], table))
        else {
            return Ok(false);
        };
        self.at += if comparison == Comparison::Equal {
            3
        } else {
            2
        };
        let link = ColumnLink {
            ids: vec![id],
            word: "stock".to_owned(),
            score: 0.9,
        };
        self.draft.confidence = self.draft.confidence.min(link.score);
        self.wish(
            self.scope,
            Demand::Column(link, Test::Number(comparison, 0.0)),
            "stock".to_owned(),
        )?;
        Ok(true)
    }

    /// `products from the Books category`, `the KRAS gene`: the name of what the value before is.
    fn narrows_the_value(&mut self, table: usize) -> bool {
        let Some(wish) = self
            .draft
            .scopes
            .iter_mut()
            .filter_map(|scope| scope.wishes.last_mut())
            .last()
        else {
            return false;
        };
        let Demand::Value(links) = &mut wish.demand else {
            return false;
        };
        let before = self
            .at
            .checked_sub(1)
            .and_then(|at| self.links.tokens.get(at))
            .map(|token| token.lower.clone())
            .unwrap_or_default();
        let adjacent = wish.word.to_lowercase().ends_with(&before) && !before.is_empty();
        let own: Vec<ValueLink> = links
            .iter()
            .filter(|link| link.column.table == table)
            .cloned()
            .collect();
        let subject = self
            .draft
            .subject
            .is_none_or(|subject| subject.table == table);
        if !adjacent || own.is_empty() || subject {
            return false;
        }
        *links = own;
        true
    }

    /// `order totals`, `patient names`: a table in front of its own column. The column is asked for, unless a condition follows.
    fn owns(&mut self, table: usize, plural: bool) -> Step<bool> {
        let exact = self.links.column_at(self.at, Some(table));
        if exact.is_none()
            && matches!(self.word(0), "name" | "names")
            && self.draft.subject.is_none()
            && self.labels(table)?
        {
            self.at += 1;
            self.draft.owner = Some(table);
            return Ok(true);
        }
        let Some(column) = exact.or_else(|| self.links.column_like(self.at, Some(table))) else {
            return Ok(false);
        };
        let plural_noun = plural
            && self.draft.subject.is_none()
            && !is_possessive(self.links.tokens.get(self.at.saturating_sub(1)));
        let here = self.at;
        self.at += column.tokens;
        let tested = self.test(&column.item)?.is_some();
        self.at = here;
        if tested
            || plural_noun
            || self.draft.subject.is_some()
            || self.draft.intent == Intent::Exists
        {
            return Ok(false);
        }
        self.at += column.tokens;
        self.draft.owner = Some(table);
        if self.counts() && self.draft.heads.is_empty() && self.draft.aggregates.is_empty() {
            self.draft.distinct = true;
        }
        self.head(column.item)?;
        Ok(true)
    }

    /// `patient Klein`, `appointment 7`, `customer 'Zed'`: a table in front of the name or key of a row.
    fn apposition(&mut self, table: usize, word: &str) -> Step<bool> {
        let start = self.at;
        self.skip(&["named", "called", "number", "no", "id", "#"]);
        let said = self.at > start;
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
        if self.numbered_row(table, word, said)?
            || self.row_of_text_key(table, word)?
            || self.quoted_row(table, word)?
        {
            return Ok(true);
        }
        self.at = start;
        Ok(false)
    }

    /// `appointment 7`, where the key holds numbers.
    fn numbered_row(&mut self, table: usize, word: &str, said: bool) -> Step<bool> {
        let key = self
            .links
            .catalog
            .key(table)
            .filter(|id| self.links.catalog.holds(*id) == Holds::Number);
        let written = self.token(0).map(|token| token.kind);
        if let (Some(TokenKind::Number(value)), Some(_)) = (written, key)
            && value.fract() == 0.0
            && (self.dated().is_none() || said)
            && calendar::unit(self.word(1)).is_none()
        {
            self.at += 1;
            let scope = if self.table_of(0) == Some(table) {
                0
            } else {
                self.scope
            };
            let words = format!("{word} {value}");
            if self.table_of(scope) == Some(table) {
                self.wish(scope, Demand::Key(table, value), words)?;
            } else {
                self.open(table, None, true, words.clone())?;
                self.wish(self.scope, Demand::Key(table, value), words)?;
            }
            return Ok(true);
        }
        Ok(false)
    }

    /// `product 4711`, where the key holds texts and this is one of them.
    fn row_of_text_key(&mut self, table: usize, word: &str) -> Step<bool> {
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
            let link = ColumnLink {
                ids: vec![id],
                word: word.to_owned(),
                score: 1.0,
            };
            self.wish(
                self.scope,
                Demand::Column(link, Test::Exactly(token.text.clone())),
                token.text.clone(),
            )?;
            return Ok(true);
        }
        Ok(false)
    }

    /// `customer 'Zed'`, where one column has the names of the rows.
    fn quoted_row(&mut self, table: usize, word: &str) -> Step<bool> {
        let quoted = self
            .token(0)
            .filter(|token| token.kind == TokenKind::Quoted)
            .map(|token| token.text.clone());
        let labels = self
            .links
            .catalog
            .table(table)
            .map(|view| view.labels.clone())
            .unwrap_or_default();
        if let (Some(text), [label]) = (quoted, labels.as_slice()) {
            self.at += 1;
            let id = ColumnId {
                table,
                column: *label,
            };
            let link = ColumnLink {
                ids: vec![id],
                word: word.to_owned(),
                score: 1.0,
            };
            let scope = self.scope;
            if self.table_of(scope) != Some(table) {
                self.open(table, None, true, word.to_owned())?;
            }
            self.wish(
                self.scope,
                Demand::Column(link, Test::Exactly(text.clone())),
                text,
            )?;
            return Ok(true);
        }
        Ok(false)
    }

    /// A known value. `completed before 2022` is what happened, if a column has its date.
    pub(super) fn value(&mut self, found: Found<Vec<ValueLink>>) -> Step<bool> {
        let first = self.word(0);
        if found.tokens == 1 && is_participle(first) && self.date_follows(1) {
            let tables: Vec<usize> = self
                .scopes()
                .into_iter()
                .filter_map(|scope| self.table_of(scope))
                .collect();
            if tables
                .iter()
                .any(|table| self.date_of(first, *table).is_some())
            {
                self.verb = Some(first.to_owned());
                self.at += 1;
                return Ok(true);
            }
            if !tables.is_empty() {
                return Err(Stop::ask(
                    format!(
                        "no column has the date on which something was {first}; which date is meant?"
                    ),
                    tables.iter().flat_map(|table| self.dates(*table)).collect(),
                ));
            }
        }
        let word = self.links.shown(self.at, found.tokens);
        let before = self.tokens().iter().take(self.at).rev();
        let located = before
            .map(|token| token.lower.as_str())
            .find(|word| *word != "the")
            .is_some_and(|word| ["in", "from", "at"].contains(&word));
        self.at += found.tokens;
        let mut links = found.item;
        if let Some(table) = self.title.take() {
            links.retain(|link| link.column.table == table);
            if links.is_empty() {
                return Err(Stop::Unknown(word));
            }
        }
        if let Some(column) = self.column_follows(&links) {
            links.retain(|link| column.item.ids.contains(&link.column));
            self.at += column.tokens;
        }
        let shown: Vec<String> = links
            .iter()
            .take(3)
            .map(|link| self.links.catalog.shown(link.column))
            .collect();
        self.note(&word, format!("a value of {}", shown.join(" or ")));
        let scope = self.value_scope(&links);
        self.located = located;
        self.wish(scope, Demand::Value(links), word)?;
        Ok(true)
    }

    /// `the Books category`: the column of the value right behind it.
    fn column_follows(&self, links: &[ValueLink]) -> Option<Found<ColumnLink>> {
        let found = self.links.column_at(self.at, None)?;
        let own: Vec<ColumnId> = found
            .item
            .ids
            .iter()
            .copied()
            .filter(|id| links.iter().any(|link| link.column == *id))
            .collect();
        (!own.is_empty()).then_some(Found {
            item: ColumnLink {
                ids: own,
                ..found.item
            },
            tokens: found.tokens,
        })
    }

    fn dates(&self, table: usize) -> Vec<String> {
        self.links
            .catalog
            .ids(table)
            .filter(|id| matches!(self.links.catalog.holds(*id), Holds::Date(_)))
            .map(|id| self.links.catalog.shown(id))
            .collect()
    }

    /// The innermost scope whose own table has the value; else the innermost from which its table is reached.
    fn value_scope(&self, links: &[ValueLink]) -> usize {
        let scopes = self.scopes();
        let own = |scope: &&usize| {
            let table = self.table_of(**scope);
            links.iter().any(|link| Some(link.column.table) == table)
        };
        let reached = |scope: &&usize| {
            self.table_of(**scope).is_none_or(|from| {
                links.iter().any(|link| {
                    self.relations
                        .ways(from, link.column.table, &Via::default())
                        != Ways::None
                })
            })
        };
        let found = scopes
            .iter()
            .find(own)
            .or_else(|| scopes.iter().find(reached));
        found.copied().unwrap_or(self.scope)
    }

    /// A column: a condition if one follows, else it is asked for.
    fn column(&mut self, found: Found<ColumnLink>) -> Step<bool> {
        let link = found.item;
        let continues = self.continues_a_list();
        self.draft.confidence = self.draft.confidence.min(link.score);
        self.at += found.tokens;
        let shown: Vec<String> = link
            .ids
            .iter()
            .take(3)
            .map(|id| self.links.catalog.shown(*id))
            .collect();
        self.note(&link.word, format!("the column {}", shown.join(" or ")));
        // Groups that are compared: `a higher average price than`.
        let start = self.at;
        if let Some((test, negated)) = self.test(&link)? {
            self.negated ^= negated;
            let scope = self.column_scope(&link);
            let word = format!("{} {}", link.word, self.links.shown(start, self.at - start));
            self.wish(scope, Demand::Column(link, test), word)?;
            return Ok(true);
        }
        let flag = link
            .ids
            .iter()
            .any(|id| self.links.catalog.holds(*id) == Holds::Flag);
        if flag {
            let scope = self.column_scope(&link);
            let word = link.word.clone();
            self.wish(scope, Demand::Column(link, Test::Flag), word)?;
            return Ok(true);
        }
        let listing = self
            .draft
            .scopes
            .iter()
            .all(|scope| scope.wishes.is_empty())
            && self.draft.groups.is_empty()
            && !self.negated
            && (self.draft.heads.is_empty() || continues)
            && (self.draft.subject.is_none() || !self.draft.heads.is_empty() || self.is_which());
        if listing || self.draft.subject.is_none() && self.draft.heads.is_empty() {
            if self.counts() && self.draft.heads.is_empty() {
                self.draft.distinct |= !self.is_number(&link);
            }
            // `discontinued products` says something of the rows, and not which column is wanted.
            let in_front = self
                .links
                .table_at(self.at)
                .is_some_and(|found| link.ids.iter().any(|id| id.table == found.item.table));
            if in_front {
                return Err(unclear(&link));
            }
            self.head(link)?;
            return Ok(true);
        }
        Err(unclear(&link))
    }

    /// Whether `and` or a comma stands before, articles aside.
    fn continues_a_list(&self) -> bool {
        let before = self.tokens().iter().take(self.at).rev();
        let articles = ["the", "their", "its", "also", "his", "her"];
        before
            .map(|token| token.lower.as_str())
            .find(|word| !articles.contains(word))
            .is_some_and(|word| ["and", ",", "&", "plus"].contains(&word))
    }

    /// A column of a table by its name.
    pub(super) fn own_column_at(&self, table: usize) -> Option<Found<ColumnLink>> {
        let found = self.links.column_at(self.at, Some(table))?;
        self.links.column_longer(self.at, &found).or(Some(found))
    }

    /// `How many different cities do customers …`: the column may come in front of its table, and behind it with `and`.
    fn is_which(&self) -> bool {
        self.joiner == Joiner::And && self.draft.rank.is_none() && self.scope == 0
    }

    fn is_number(&self, link: &ColumnLink) -> bool {
        link.ids
            .iter()
            .all(|id| matches!(self.links.catalog.holds(*id), Holds::Number))
    }

    /// The innermost scope that has the column.
    pub(super) fn column_scope(&self, link: &ColumnLink) -> usize {
        self.scopes()
            .into_iter()
            .find(|scope| {
                let table = self.table_of(*scope);
                link.ids.iter().any(|id| Some(id.table) == table)
            })
            .unwrap_or(self.scope)
    }

    /// `'Wood' in the title`: a text between quotes in front of its column.
    fn loose_text(&mut self) -> Step<bool> {
        let Some(token) = self.token(0) else {
            return Ok(false);
        };
        let text = token.text.clone();
        let start = self.at;
        self.at += 1;
        if self.eat(&["in", "within"]) {
            self.skip(&["the", "their", "its", "his", "her"]);
            let exact = self.column_in_scope(false);
            if let Some(found) = exact.or_else(|| self.column_in_scope(true)) {
                self.at += found.tokens;
                let scope = self.column_scope(&found.item);
                let test = Test::Text(crate::draft::TextMatch::Contains, text.clone());
                self.wish(scope, Demand::Column(found.item, test), text)?;
                return Ok(true);
            }
        }
        self.at = start;
        Err(Stop::ask(
            format!("in which column is {text:?}?"),
            Vec::new(),
        ))
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
}

fn unclear(link: &ColumnLink) -> Stop {
    Stop::cannot(format!(
        "the question does not say what is asked of {:?}",
        link.word
    ))
}

/// Whether the word is written with a possessive ending.
fn is_possessive(token: Option<&crate::token::Token>) -> bool {
    token.is_some_and(|token| token.text.ends_with("'s") || token.text.ends_with("’s"))
}
