//! Values of the tables that occur in a question: `Oslo` in `orders in Oslo`. A value may also be a
//! verb or a name, and the words around it decide: `paid` in `who never paid`, `Bob` in
//! `workers of Bob`.

use super::Parser;
use super::things::unclear;
use crate::catalog::ColumnId;
use crate::draft::{Demand, Joiner, Test};
use crate::lexicon::{RANKS, Words, is_structural, of};
use crate::links::{ColumnLink, Found, ValueLink};
use crate::lookup::is_common;
use crate::morphology::{is_participle, is_plural, lemma};
use crate::plan::{Step, Stop};
use crate::relations::{Via, Ways};
use crate::token::TokenKind;

/// Values that some words of the question are.
type FoundValues = Found<Vec<ValueLink>>;

/// Words in the names of columns that hold age ratings.
const RATINGS: Words = Words("mpaa certificate certification classification");

/// Words that begin the name of a thing or stand for one.
const DETERMINERS: &[&str] = &[
    "a", "all", "an", "any", "anything", "each", "every", "it", "its", "our", "the", "their",
    "them", "these", "they", "this", "those", "to", "what", "which", "your",
];

/// Words for all things, some or none. A value may be spelt like one of them.
const QUANTIFIERS: Words = Words(
    "anybody anyone anything everybody everyone everything nobody none nothing other others rest
     some someone something",
);

/// Words that may be written in capitals for emphasis.
const STRESSED: &[&str] = &[
    "a", "all", "an", "and", "any", "both", "each", "every", "no", "not", "or", "our", "the",
    "their", "these", "this", "those", "which", "your",
];

impl Parser<'_> {
    /// Refuses to count the different values of a column if the question may mean its rows: several
    /// animals may have the same `animal_name`.
    pub(super) fn counted(&self, link: &ColumnLink, start: usize) -> Step<()> {
        let last = link
            .word
            .rsplit(' ')
            .next()
            .map(|word| lemma(&word.to_lowercase()));
        let says_name =
            last.is_some_and(|last| ["name", "title", "label"].contains(&last.as_str()));
        let names = link.ids.iter().any(|id| self.links.catalog.is_name(*id));
        if names && !says_name && !self.draft.distinct {
            return Err(Stop::Unknown(link.word.clone()));
        }
        if !self.draft.distinct && self.is_said_of_rows(link, start) {
            return Err(unclear(link));
        }
        Ok(())
    }

    /// Takes a common English word as a value if it is written like one, as in `orders in OR`, or
    /// if nothing but a value can stand in its place.
    ///
    /// # Errors
    /// A question back if the word may also be an ordinary one.
    pub(super) fn written_value(&mut self) -> Step<bool> {
        if !self.token(0).is_some_and(is_common) {
            return match self.named_in_capitals() {
                Some(found) => self.value(found),
                None => Ok(false),
            };
        }
        let written = self.links.value_at(self.at).filter(|found| {
            (0..found.tokens).all(|ahead| self.token(ahead).is_some_and(is_common))
        });
        if let Some(found) = written {
            return self.value(found);
        }
        let mut before = self.tokens().iter().take(self.at).rev();
        let before = before
            .find(|token| token.lower != "the")
            .filter(|token| !token.is_capital())
            .map_or("", |token| token.lower.as_str());
        let item = self.links.common_at(self.at);
        let announces = ["in", "from", "of", "at", "by", "to"].contains(&before);
        let stresses = STRESSED.contains(&self.word(0));
        if announces && !stresses && item.is_empty() && self.links.in_capitals(self.at) {
            // `in US`, where no row has it: a name, and no word of the sentence.
            return Err(self.unknown());
        }
        if !["in", "from", "of"].contains(&before) || item.is_empty() {
            return Ok(false);
        }
        if before == "of" || DETERMINERS.contains(&self.word(0)) {
            let follows = self.links.common_at(self.at + 1);
            return match self.ends_a_thing(1) && follows.is_empty() {
                true => {
                    self.either_reading(&item)?;
                    self.value(Found { item, tokens: 1 })
                }
                false => Ok(false),
            };
        }
        self.value(Found { item, tokens: 1 })
    }

    /// Returns a value that begins with a word for ranking, counting or comparing, if it is written
    /// in capitals or as it is stored: `MAX`, `Top Gun`.
    fn named_in_capitals(&self) -> Option<Found<Vec<ValueLink>>> {
        let token = self.token(0).filter(|token| token.is_capital())?;
        let says = is_structural(&token.lower) || of(RANKS, &token.lower).is_some();
        let found = self.links.value_at(self.at)?;
        let stored = self.links.shown(self.at, found.tokens);
        let is_same = found.item.iter().any(|link| link.stored == stored);
        let written = self.links.in_capitals(self.at) || says && self.at > 0 && is_same;
        let named = self.links.table_at(self.at).is_some()
            || self.column_in_scope(false).is_some()
            || self.dated().is_some();
        (written && !named).then_some(found)
    }

    /// Returns true if the word so many tokens ahead cannot belong to the name of a thing that has
    /// begun.
    pub(super) fn ends_a_thing(&self, ahead: usize) -> bool {
        self.token(ahead)
            .is_none_or(|token| token.kind == TokenKind::Sign || is_common(token))
    }

    fn either_reading(&self, links: &[ValueLink]) -> Step<()> {
        let (word, catalog) = (self.word(0), self.links.catalog);
        let column = links
            .first()
            .map_or_else(String::new, |link| catalog.shown(link.column));
        catalog.choose(
            format!("is {word:?} a value of {column}, or only a word of the sentence?"),
            &[()],
            |()| format!("a value of {column}"),
        )
    }

    /// Takes a known value. In `completed before 2022` it is an event, if a column has its date.
    pub(super) fn value(&mut self, found: Found<Vec<ValueLink>>) -> Step<bool> {
        let first = self.word(0);
        if self.value_happened(found.tokens)? {
            return Ok(true);
        }
        if self.links.strict && is_participle(first) && self.date_follows(found.tokens + 2) {
            self.refuse_shared_object(first)?;
        }
        if self.event(&found)? {
            return Ok(true);
        }
        let is_small = self.token(0).is_some_and(|token| token.text == first);
        if self.links.strict && is_small && found.tokens == 1 && QUANTIFIERS.contains(first) {
            return Err(Stop::cannot(format!(
                "{first:?} may be a value or stand for all rows; put a value between quotes"
            )));
        }
        let found = self.full_name(found)?;
        let start = self.at;
        let word = self.links.shown(start, found.tokens);
        let mut before = self.words_before(self.at);
        let before = before.find(|word| *word != "the").unwrap_or_default();
        let located = ["in", "from", "at"].contains(&before);
        if self.followers(&found, before)? {
            return Ok(true);
        }
        let mut links = found.item;
        self.named(&mut links, before, &word)?;
        if self.directed(&mut links, found.tokens)? {
            return Ok(true);
        }
        let tables: Vec<usize> = links.iter().map(|link| link.column.table).collect();
        self.refuse_far_doer(before, &tables)?;
        self.value_beside(&tables, &word)?;
        // `pets that are male`: in small letters the value is a kind of pet, and nobody's name.
        let is_kind = is_kind_of(before) && word == word.to_lowercase();
        if is_kind
            && links
                .iter()
                .all(|link| self.links.catalog.is_name(link.column))
        {
            return Err(Stop::Unknown(word));
        }
        let lies = located || before == "of" && self.draft.heads.is_empty();
        if lies && !self.links.strict {
            self.places(&mut links, located);
        }
        if let Some(label) = self.named_row(before, &links) {
            self.at += found.tokens;
            let link = ColumnLink::new(vec![label], word.clone(), 1.0);
            let test = Test::Exactly(word.clone());
            self.wish(self.scope, Demand::Column(link, test), word)?;
            return Ok(true);
        }
        self.at += found.tokens;
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
        let columns: Vec<ColumnId> = links.iter().map(|link| link.column).collect();
        self.require_said(&columns, &word)?;
        let scope = self.value_scope(&links);
        let is_many = is_plural(&word) && word == word.to_lowercase();
        self.copular = is_kind_of(before) || self.joiner != Joiner::None && self.copular;
        let is_noun = !located && (is_many || !self.copular);
        self.stand = Some(self.stand(start, is_noun));
        self.located = located;
        self.wish(scope, Demand::Value(links), word)?;
        Ok(true)
    }

    /// Decides between a value such as a manager's name and the same name in two columns of other
    /// rows, and keeps the last name of the row whose first name stands in front of it.
    ///
    /// # Errors
    /// A question back.
    fn full_name(&self, mut found: FoundValues) -> Step<FoundValues> {
        let first = self.links.first_names_at(self.at);
        let catalog = self.links.catalog;
        if let (Some(name), 2) = (first.first(), found.tokens) {
            let word = self.links.shown(self.at, 2);
            let rows = catalog.table_name(name.column.table);
            let column = found.item.first().map(|link| catalog.shown(link.column));
            let as_name = catalog.choose(
                format!("{word:?} stands in several columns; which one is meant?"),
                &[true, false],
                |as_name| match as_name {
                    true => format!("first and last name of {rows}"),
                    false => column.clone().unwrap_or_default(),
                },
            )?;
            if as_name {
                found = Found {
                    item: first,
                    tokens: 1,
                };
            }
            return Ok(found);
        }
        let Some(before) = self.at.checked_sub(1).filter(|_| found.tokens == 1) else {
            return Ok(found);
        };
        let firsts = self.links.first_names_at(before);
        let is_first = |link: &ValueLink| firsts.contains(link);
        let taken = self.draft.scopes.iter().flat_map(|scope| &scope.wishes);
        let mut taken = taken.filter(|wish| wish.word == self.links.shown(before, 1));
        let table = taken.find_map(|wish| {
            let links = wish.demand.value()?;
            let table = links.first()?.column.table;
            let one = links.iter().all(|link| link.column.table == table);
            (one && links.iter().any(is_first)).then_some(table)
        });
        if let Some(table) = table {
            let last =
                |link: &ValueLink| link.column.table == table && catalog.is_label(link.column);
            if found.item.iter().any(last) {
                found.item.retain(last);
            }
        }
        Ok(found)
    }

    /// Takes a value as what happened, by its table or its day.
    ///
    /// # Errors
    /// A value that says how, by whom or whether at all something happened.
    fn event(&mut self, found: &Found<Vec<ValueLink>>) -> Step<bool> {
        let columns: Vec<ColumnId> = found.item.iter().map(|link| link.column).collect();
        if found.tokens == 1 && self.is_event(&columns)? {
            return Ok(true);
        }
        self.refuse_verb(found)?;
        self.refuse_denied_pair(found)?;
        self.refuse_manner(found)?;
        self.state_or_day(found)
    }

    /// Refuses `who never paid`, where only another table has the value `paid`: it is what somebody
    /// did.
    fn refuse_verb(&self, found: &Found<Vec<ValueLink>>) -> Step<()> {
        let verbs = [
            "who", "never", "have", "has", "had", "haven't", "hasn't", "did", "didn't",
        ];
        let before = self.words_before(self.at).find(|word| *word != "not");
        let does = before.is_some_and(|word| verbs.contains(&word));
        let word = self.links.shown(self.at, found.tokens);
        let own = self.table_of(self.scope);
        let mut links = found.item.iter();
        let is_own = own.is_none() || links.any(|link| Some(link.column.table) == own);
        let behind = self.at + found.tokens;
        let is_quality = self.links.table_at(behind).is_some();
        let matters = self.negated || self.links.strict;
        // `how many missed a shift`, `who cancelled more than one appointment`
        let article = self.word(found.tokens);
        let tables: Vec<usize> = found.item.iter().map(|link| link.column.table).collect();
        let acts = self.acts_on(&tables, behind);
        if is_participle(&word) {
            self.refuse_doer(&word, &tables, behind)?;
        }
        if acts && is_participle(&word) {
            return Err(Stop::cannot(format!(
                "{word:?} may be what somebody did; name the rows that are asked for, and the column that has {word:?}"
            )));
        }
        // `flats to let`
        if is_participle(&word) && self.before() == "to" {
            return Err(Stop::Unknown(word));
        }
        // `flights cancelled by Ann`: no column says who did it.
        let does_by = article == "by"
            && self.links.value_at(behind + 1).is_some_and(|who| {
                let mut who = who.item.iter();
                !who.any(|link| Some(link.column.table) == own)
            });
        if does_by && own.is_some() && is_own && is_participle(&word) {
            return Err(Stop::cannot(format!(
                "I do not see which column says by whom something was {word:?}"
            )));
        }
        match does && matters && is_participle(&word) && !is_own && !is_quality {
            true => Err(Stop::cannot(format!(
                "{word:?} may be what somebody did, or a value of another table; name the column that has it"
            ))),
            false => Ok(()),
        }
    }

    /// Refuses `not paid by cash`: it may deny both values, or only the second.
    ///
    /// # Errors
    /// The refusal.
    fn refuse_denied_pair(&self, found: &Found<Vec<ValueLink>>) -> Step<()> {
        let behind = self.at + found.tokens;
        let article = usize::from(self.word(found.tokens + 1) == "the");
        let word = self.links.shown(self.at, found.tokens);
        let joins = ["at", "by", "from", "in", "on", "to", "via", "with"];
        let pair = joins.contains(&self.word(found.tokens))
            && self.links.value_at(behind + 1 + article).is_some();
        match pair && self.negated && is_participle(&word) {
            true => Err(Stop::cannot(format!(
                "I do not see whether {:?} applies to both conditions, or only to the one after {word:?}; say `that are not {word}`, or ask only for the condition after it",
                "not"
            ))),
            false => Ok(()),
        }
    }

    /// Refuses `orders shipped late`, where only another table has `late`: it says how something
    /// happened.
    ///
    /// # Errors
    /// The refusal.
    fn refuse_manner(&self, found: &Found<Vec<ValueLink>>) -> Step<()> {
        let Some(own) = self.table_of(self.scope) else {
            return Ok(());
        };
        let token = self.token(0);
        let is_small = token.is_some_and(|token| token.text == token.lower);
        let is_own = found.item.iter().any(|link| link.column.table == own);
        let before = self.tokens().iter().take(self.at).next_back();
        let event = self
            .scope_of(self.scope)
            .and_then(|scope| scope.wishes.last())
            .is_some_and(|wish| {
                let mut links = wish.demand.value().unwrap_or_default().iter();
                let of_rows = links.any(|link| link.column.table == own);
                let stands = before.is_some_and(|token| token.text == wish.word);
                of_rows && stands && is_participle(&wish.word)
            });
        let is_quality = self.links.table_at(self.at + found.tokens).is_some();
        match event && is_small && !is_own && !is_quality {
            true => Err(Stop::Unknown(self.links.shown(self.at, found.tokens))),
            false => Ok(()),
        }
    }

    /// Takes `not shipped` and `were shipped` by the day, where a column has the state and another
    /// one the day: a later state has the day as well. Where rows are changed, also `shipped` if the
    /// day is called so.
    ///
    /// # Errors
    /// A question back.
    fn state_or_day(&mut self, found: &Found<Vec<ValueLink>>) -> Step<bool> {
        let word = self.links.shown(self.at, found.tokens);
        let happens =
            self.negated || ["was", "were", "been", "have", "has", "had"].contains(&self.before());
        // `delete sold houses`: the noun follows.
        let only = found.item.first().filter(|_| self.links.strict);
        let own = self.table_of(self.scope);
        let own = own.or(only.map(|link| link.column.table));
        let (Some(table), true) = (own, (happens || self.links.strict) && found.tokens == 1) else {
            return Ok(false);
        };
        let state = found.item.iter().find(|link| link.column.table == table);
        let day = self.date_of(&word.to_lowercase(), table);
        let (Some(state), Some(day)) = (state, day.filter(|_| is_participle(&word))) else {
            return Ok(false);
        };
        let catalog = self.links.catalog;
        let called = catalog
            .column(day)
            .is_some_and(|view| view.words == [word.to_lowercase()]);
        if !happens && !called {
            return Ok(false);
        }
        let (is, day_is) = match self.negated {
            true => ("is not", "missing"),
            false => ("is", "present"),
        };
        let is_state = format!("{} {is} {:?}", catalog.shown(state.column), state.stored);
        let has_day = format!("{} is {day_is}", catalog.shown(day));
        let question = format!(
            "{word:?}: which column decides, the one with the state or the one with the day?"
        );
        let ways = [(is_state, false), (has_day, true)];
        let (_, by_day) = catalog.choose(question, &ways, |way| way.0.clone())?;
        if by_day {
            self.at += 1;
            let verb = word.to_lowercase();
            self.wish(self.scope, Demand::Happened(verb, None), word)?;
        }
        Ok(by_day)
    }

    /// Returns the column with the names of the current rows for `a country named Atlantis`, where
    /// only rows of other tables have this name.
    pub(super) fn named_row(&self, before: &str, links: &[ValueLink]) -> Option<ColumnId> {
        let table = self.table_of(self.scope)?;
        let noun = self.noun_named();
        if noun.is_some() && noun != Some(table) {
            return None;
        }
        let view = self.links.catalog.table(table)?;
        let is_own = links
            .iter()
            .any(|link| link.column.table == table && self.links.catalog.names_rows(link.column));
        match view.labels.as_slice() {
            [column] if !is_own && ["named", "called", "titled"].contains(&before) => {
                Some(ColumnId {
                    table,
                    column: *column,
                })
            }
            _ => None,
        }
    }

    /// Keeps the values in which a row may lie, if there are any: `towns in Norway` lie neither in
    /// the town nor in a street of this name, and what they lie in is meant by its own name.
    fn places(&self, links: &mut Vec<ValueLink>, located: bool) {
        let Some(table) = self.table_of(self.value_scope(links)) else {
            return;
        };
        let catalog = self.links.catalog;
        let is_label = |link: &ValueLink| catalog.names_rows(link.column);
        let lies = |link: &ValueLink| {
            let other = link.column.table;
            match self.relations.ways(table, other, &Via::default()) {
                _ if other == table => !is_label(link),
                Ways::One(path) => !located || path.iter().all(|hop| !hop.down),
                Ways::Several(_) => true,
                Ways::None => false,
            }
        };
        if links.iter().any(lies) {
            links.retain(lies);
        }
        let named: Vec<usize> = links
            .iter()
            .filter(|link| link.column.table != table && is_label(link))
            .map(|link| link.column.table)
            .collect();
        if located {
            links.retain(|link| !named.contains(&link.column.table) || is_label(link));
        }
    }

    /// Returns the column of a value if it stands directly after it: `the Books category`.
    pub(super) fn column_follows(&self, links: &[ValueLink]) -> Option<Found<ColumnLink>> {
        let Some(found) = self.links.column_at(self.at, None) else {
            return self.kind_follows(links);
        };
        // `Spanish countries`: the noun for the rows, and no column.
        let rows = self.links.table_at(self.at);
        let is_rows = rows.is_some_and(|rows| {
            let own = found.item.ids.iter().all(|id| id.table == rows.item.table);
            own && rows.tokens >= found.tokens
        });
        if is_rows && is_plural(self.word(found.tokens - 1)) {
            return None;
        }
        let stands = |id: &ColumnId| links.iter().any(|link| link.column == *id);
        let own: Vec<ColumnId> = found.item.ids.iter().copied().filter(stands).collect();
        if own.is_empty() {
            return self.kind_follows(links);
        }
        Some(Found {
            item: ColumnLink {
                ids: own,
                ..found.item
            },
            tokens: found.tokens,
        })
    }

    /// Returns true if the column or table of a value stands after it: `the sauna plan`. Then the
    /// words of the value are not the name of a column.
    pub(super) fn has_its_kind(&self, found: &Found<Vec<ValueLink>>) -> bool {
        let behind = self.at + found.tokens;
        let columns = self.links.column_at(behind, None);
        let columns = columns.map(|found| found.item.ids).unwrap_or_default();
        let table = self.links.table_at(behind).map(|found| found.item.table);
        let is_kind =
            |link: &ValueLink| columns.contains(&link.column) || table == Some(link.column.table);
        found.item.iter().any(is_kind)
    }

    /// Returns the column of a value if the last word of its name, or a word for it, stands after
    /// the value: `a PG-13 rating` for the column `mpaa_rating` or `certificate`.
    fn kind_follows(&self, links: &[ValueLink]) -> Option<Found<ColumnLink>> {
        let word = lemma(self.word(0));
        let ends = |id: &ColumnId| {
            let view = self.links.catalog.column(*id);
            view.is_some_and(|view| {
                let rates = word == "rating" && RATINGS.has_one_of(&view.words);
                rates || view.words.last() == Some(&word)
            })
        };
        let ids: Vec<ColumnId> = links.iter().map(|link| link.column).filter(ends).collect();
        (!ids.is_empty()).then_some(Found {
            item: ColumnLink::new(ids, word, 0.9),
            tokens: 1,
        })
    }

    /// Returns the innermost scope whose own table has the value, otherwise the innermost from
    /// which the table of the value is reached.
    pub(super) fn value_scope(&self, links: &[ValueLink]) -> usize {
        let scopes = self.scopes();
        let own = |scope: &&usize| {
            let table = self.table_of(**scope);
            links.iter().any(|link| Some(link.column.table) == table)
        };
        let reached = |scope: &&usize| {
            self.table_of(**scope).is_none_or(|from| {
                let mut tables = links.iter().map(|link| link.column.table);
                tables.any(|table| self.relations.connects(from, table))
            })
        };
        let found = scopes
            .iter()
            .find(own)
            .or_else(|| scopes.iter().find(reached));
        found.copied().unwrap_or(self.scope)
    }
}

/// Returns true if a word says that something is of a kind.
fn is_kind_of(word: &str) -> bool {
    ["is", "are", "was", "were"].contains(&word)
}
