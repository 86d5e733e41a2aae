//! Decides which column a value of the question belongs to. The planner asks back if several
//! columns have the value, if a column of the same kind does not have it, or if a column was not
//! read to its end.

mod nothing;
mod qualified;

use super::Resolver;
use super::joining::Placed;
use super::together::EITHER;
use crate::ask::{Ask, Condition};
use crate::catalog::{ColumnId, Holds};
use crate::draft::{Comparison, Joiner, Test, Wish};
use crate::lexicon::Words;
use crate::links::ValueLink;
use crate::morphology::is_plural;
use crate::nationality::{holds_countries, is_country};
use crate::plan::{Step, Stop};
use crate::relations::Hop;
use crate::schema::SampleValue;
use crate::token::Token;
use crate::truths::truth;

/// Words that say nothing about the values of a column when its name contains them.
const GENERAL_WORDS: Words = Words(
    "
     name title label id code number key type description note text first last
    ",
);

/// Words in the names of amounts for which 0 means that there is none.
const EXTRAS: Words = Words(
    "
     allowance bonus commission debt discount donation fee fine precipitation rain rainfall
     rebate refund snow snowfall surcharge tax tip
    ",
);

/// Words in the names of columns in which 0 is a reading like any other.
const SCALES: Words = Words("altitude degree elevation latitude longitude temperature");

impl Resolver<'_> {
    /// Asks back if a value may also belong to another column: one that was not read to its end,
    /// one of the same kind in the table itself, or, in a question that changes rows, any other
    /// column.
    pub(super) fn require_evidence(
        &self,
        links: &[&ValueLink],
        table: usize,
        word: &str,
    ) -> Step<Option<ValueLink>> {
        if let Some(link) = self.said_of_others(links, table, word) {
            return Err(self.unreachable(&[link], table, word));
        }
        let own: Vec<ColumnId> = self
            .catalog()
            .ids(table)
            .filter(|id| self.catalog().holds(*id) == Holds::Text)
            .collect();
        let stands = |id: &ColumnId| links.iter().any(|link| link.column == *id);
        let unread = |id: &ColumnId| {
            self.catalog()
                .column(*id)
                .is_some_and(|view| view.column.unread)
        };
        let is_own = own.iter().any(stands);
        let mut others: Vec<ColumnId> = own
            .iter()
            .copied()
            .filter(|id| !stands(id) && unread(id))
            .collect();
        let mut reason = "I did not search all of them, because there are too many rows";
        if others.is_empty() && !is_own {
            let same = |id: &ColumnId| links.iter().any(|link| self.same_kind(*id, link.column));
            // A key of another table has no values of its own.
            others = own
                .iter()
                .copied()
                .filter(|id| same(id) && !self.is_key(*id))
                .collect();
            reason = "the first of them does not have it";
        }
        let reached = |link: &&&ValueLink| self.relations.connects(table, link.column.table);
        if others.is_empty() && self.strict && links.iter().filter(reached).count() > 1 {
            reason = "all of them have it, and a change of rows must be certain";
        } else if others.is_empty() && self.strict && self.may_be_above(links, table, word) {
            reason = "rows that equal values join to these have it as well";
        } else if others.is_empty() {
            return Ok(None);
        }
        others.extend(links.iter().filter(reached).map(|link| link.column));
        let question =
            format!("{word:?} may be a value of several columns ({reason}); which one is meant?");
        let column = self
            .catalog()
            .choose(question, &others, |id| self.catalog().shown(*id))?;
        let known = links.iter().find(|link| link.column == column);
        Ok(Some(known.map_or_else(
            || ValueLink {
                column,
                stored: word.to_owned(),
            },
            |link| (*link).clone(),
        )))
    }

    /// Returns the value of another table whose name stands behind it, if no key leads there:
    /// `orders with open returns`.
    fn said_of_others<'l>(
        &self,
        links: &[&'l ValueLink],
        table: usize,
        word: &str,
    ) -> Option<&'l ValueLink> {
        let named = word.split(' ').count();
        self.starts(word).find_map(|start| {
            let other = self.links.table_at(start + named)?.item.table;
            let mut of_it = links.iter().filter(|link| link.column.table == other);
            let link = of_it.next()?;
            (other != table && !self.relations.connects(table, other)).then_some(*link)
        })
    }

    /// Returns true if a value of the table itself may be said of rows that it only belongs to by
    /// equal values: `delete orders from Austin`, where orders have a `ship_city`, and customers,
    /// which no foreign key names, a `city`.
    fn may_be_above(&self, links: &[&ValueLink], table: usize, word: &str) -> bool {
        let owns = ["of", "for", "from", "in", "at", "on", "by", "to"];
        let words = |id: ColumnId| self.catalog().column(id).map(|view| &view.words);
        let mut own = links.iter().filter(|link| link.column.table == table);
        let above = |own: &&&ValueLink| {
            links.iter().any(|link| {
                words(link.column) != words(own.column)
                    && self.relations.may_lead(own.column, link.column)
            })
        };
        let named = word.split(' ').count();
        // `Ann's orders`
        let owns_rows = |start: usize| {
            let capital = self.links.tokens.get(start).is_some_and(Token::is_capital);
            let rows = self.links.table_at(start + named);
            capital && rows.is_some_and(|rows| rows.item.table == table)
        };
        let is_of = self
            .words_before(word)
            .any(|(_, before)| owns.contains(&before));
        (is_of || self.starts(word).any(owns_rows)) && own.any(|link| above(&link))
    }

    /// Asks back for `countries in Asia`, where Asia is the name of a city: a country does not lie
    /// in its own cities. Also asks back for `airports in Norway`, where only a city is called so
    /// because countries are stored as codes.
    pub(super) fn require_place(&self, path: &[Hop], link: &ValueLink, word: &str) -> Step<()> {
        let is_name =
            self.is_label(link.column) && (path.is_empty() || path.iter().any(|hop| hop.down));
        let shown = |id: &ColumnId| self.catalog().shown(*id);
        let of_countries = |id: &ColumnId| {
            let view = self.catalog().column(*id);
            view.is_some_and(|view| holds_countries(&view.words))
        };
        let mut around = self.catalog().ids(link.column.table).filter(of_countries);
        if let (true, false, Some(country)) = (
            is_country(word),
            of_countries(&link.column),
            around.find(|id| self.catalog().holds(*id) == Holds::Text),
        ) {
            let question = format!(
                "{word:?} is a country, but it is not a value of {}; do you mean {}?",
                shown(&country),
                shown(&link.column)
            );
            return self
                .catalog()
                .choose(question, &[link.column], shown)
                .map(drop);
        }
        if !is_name {
            return Ok(());
        }
        let question = format!("{word:?} is a name; are the rows of this name meant?");
        self.catalog()
            .choose(question, &[link.column], shown)
            .map(drop)
    }

    /// Returns true if a preposition makes rows belong to a value, and no word names the table of
    /// the value: `events for Ann`, where only bookings of the events have Ann.
    fn belongs_to(&self, word: &str, table: usize) -> bool {
        let owns = ["of", "for", "from", "in", "at", "on"];
        let named = word.split(' ').count();
        self.words_before(word).any(|(start, before)| {
            let behind = self.links.table_at(start + named);
            owns.contains(&before) && behind.is_none_or(|found| found.item.table != table)
        })
    }

    /// Returns the position of each place where the question has this word.
    fn starts(&self, word: &str) -> impl Iterator<Item = usize> {
        let named = word.split(' ').count();
        let places = 0..self.links.tokens.len();
        places.filter(move |at| {
            let shown = self.links.shown(*at, named);
            shown == word || shown.trim_end_matches("'s").trim_end_matches("’s") == word
        })
    }

    /// Returns the position of each such place, and the word before it, `the` aside.
    fn words_before(&self, word: &str) -> impl Iterator<Item = (usize, &str)> {
        self.starts(word).filter_map(|start| {
            let mut before = self.links.tokens.get(..start)?.iter().rev();
            let before = before.find(|token| token.lower != "the")?;
            Some((start, before.lower.as_str()))
        })
    }

    /// Asks back for `open orders`, where only invoices of them have the state `open` and, where
    /// rows are changed, for `sold authors`: only their books are sold.
    ///
    /// # Errors
    /// The question back.
    pub(super) fn require_own(
        &self,
        path: &[Hop],
        link: &ValueLink,
        wish: &Wish,
        table: usize,
    ) -> Step<()> {
        let below = path.iter().any(|hop| hop.down);
        let end = path.last().and_then(|hop| self.relations.ends(*hop));
        let Some((end, _)) = end else {
            return Ok(());
        };
        let is_change = self.strict && below;
        let is_said = is_change && (wish.bare || self.belongs_to(&wish.word, end.table));
        if !is_said && !self.is_state(link, wish) {
            return Ok(());
        }
        let (rows, others) = (
            self.catalog().table_name(table),
            self.catalog().table_name(end.table),
        );
        let (with, such) = match wish.negated {
            true => ("without", "no such"),
            false => ("with", "such a"),
        };
        self.catalog().choose(
            format!(
                "{:?} is said of {others}; are all {rows} meant that have {such} row?",
                wish.word
            ),
            &[()],
            |()| format!("{rows} {with} {others} that are {}", wish.word),
        )
    }

    /// Returns true if a value says in which state its row is, and nothing names these rows.
    fn is_state(&self, link: &ValueLink, wish: &Wish) -> bool {
        let view = self.catalog().column(link.column);
        let mut last = view.into_iter().filter_map(|view| view.words.last());
        let of_state = last.any(|last| ["stage", "state", "status"].contains(&last.as_str()));
        let names_rows = (0..self.links.tokens.len()).any(|at| {
            let named = self
                .links
                .table_at(at)
                .or_else(|| self.links.table_like(at));
            named.is_some_and(|found| found.item.table == link.column.table)
        });
        let is_chosen = self.catalog().is_chosen(&self.catalog().shown(link.column));
        of_state && !wish.located && !names_rows && !is_chosen
    }

    /// Returns true if one of two columns is a key that refers to the other, and has its values.
    pub(super) fn is_key_of(&self, one: ColumnId, other: ColumnId) -> bool {
        let mut edges = self.relations.edges.iter();
        edges.any(|edge| edge.joins(one, other))
    }

    /// Returns true if the names of two columns share a word that says what they hold: `country`
    /// and `billing_country`.
    pub(super) fn same_kind(&self, one: ColumnId, other: ColumnId) -> bool {
        if self.is_key_of(one, other) {
            return false;
        }
        let words = |id: ColumnId| {
            self.catalog()
                .column(id)
                .map(|view| view.words.clone())
                .unwrap_or_default()
        };
        let (first, second) = (words(one), words(other));
        first
            .iter()
            .any(|word| second.contains(word) && !GENERAL_WORDS.contains(word))
    }

    /// Asks in which of several columns a value is meant: of those that have it, and of others that
    /// it may be said of as well.
    ///
    /// # Errors
    /// The question back.
    pub(super) fn one_value(
        &self,
        links: &[&ValueLink],
        others: &[ValueLink],
        word: &str,
    ) -> Step<ValueLink> {
        let mut all: Vec<&ValueLink> = links.iter().copied().chain(others).collect();
        let mut seen = Vec::new();
        all.retain(|link| {
            let is_new = !seen.contains(&link.column);
            seen.push(link.column);
            is_new
        });
        let question = match others {
            [] => format!("{word:?} stands in several columns; which one is meant?"),
            _ => format!("{word:?} may be a value of several columns; which one is meant?"),
        };
        let shown = |link: &&ValueLink| self.catalog().shown(link.column);
        self.catalog().choose(question, &all, shown).cloned()
    }

    /// Returns the condition on a value in all of its spellings. If the column was not looked up,
    /// the condition ignores the case.
    pub(super) fn spelt(&self, links: &[ValueLink], link: ValueLink) -> Condition {
        match links.contains(&link) {
            true => Condition::In(link.column, spellings(links, link)),
            false => Condition::Same(link.column, link.stored),
        }
    }

    /// Returns the column whose values a negated condition is said of, and not its rows: `customers
    /// who did not order Tea`.
    ///
    /// # Errors
    /// The question back which of both is meant.
    pub(super) fn lacked_by(
        &self,
        condition: &Condition,
        wish: &Wish,
        scope: usize,
        table: usize,
    ) -> Step<Option<ColumnId>> {
        let is_listed = self.draft.rank.is_none()
            && self.draft.groups.is_empty()
            && self.asks_for_values()
            && matches!(condition, Condition::In(..) | Condition::Same(..));
        match wish.negated && scope == 0 && (wish.lacked || is_listed) {
            true => self.lacking(table, wish),
            false => Ok(None),
        }
    }

    /// Returns the column whose values must lack something, if the question asks for it: `species
    /// with no lazy villagers`.
    ///
    /// # Errors
    /// A question back if the question asks for rows as well, or only says `not`: `species that are
    /// not lazy`.
    pub(super) fn lacking(&self, table: usize, wish: &Wish) -> Step<Option<ColumnId>> {
        let word = wish.word.as_str();
        let [head] = self.draft.heads.as_slice() else {
            return Ok(None);
        };
        // `total fee without Folk`: of the rows that are added up.
        if self.strict || !self.draft.aggregates.is_empty() {
            return Ok(None);
        }
        let own = |id: &&ColumnId| id.table == table;
        let Some(id) = head.ids.iter().find(own).copied() else {
            return Ok(None);
        };
        let is_number = self.catalog().holds(id) == Holds::Number;
        if self.is_label(id) || self.is_key(id) || is_number {
            return Ok(None);
        }
        let lacks = wish.lacked || !wish.negated;
        if !lacks || self.draft.subject.is_some() && !self.draft.headed {
            let catalog = self.catalog();
            let shown = catalog.shown(id);
            let of_no_row = catalog.choose(
                format!("{word:?}: do you mean a row that does not meet this condition, or a value of {shown} for which no row meets it?"),
                &[false, true],
                |of_no_row| match of_no_row {
                    true => format!("a value of {shown} of which no row is so"),
                    false => "a row that is not so".to_owned(),
                },
            )?;
            return Ok(of_no_row.then_some(id));
        }
        Ok(Some(id))
    }

    /// Asks back for `owners who have cats and dogs`, where no row is both and some values of the
    /// column that is asked for have rows of each.
    pub(super) fn refuse_both(&self, root: usize) -> Step<()> {
        let [head] = self.draft.heads.as_slice() else {
            return Ok(());
        };
        let own = head
            .ids
            .iter()
            .any(|id| id.table == root && self.lists_values(*id));
        match own && self.names_both() && self.asks_for_values() {
            true => self.catalog().choose(
                "are rows meant that have either of them? Those that have both are not found in one question".to_owned(),
                &[()],
                |()| EITHER.to_owned(),
            ),
            false => Ok(()),
        }
    }

    /// Asks back whether rows are counted that only their values join to a table, where it has a
    /// column with their number.
    pub(super) fn require_rows(&self, entity: usize, path: &[Hop]) -> Step<()> {
        let by_values = |hop: &Hop| self.relations.is_by_values(*hop);
        let end = path.last().and_then(|hop| self.relations.ends(*hop));
        let Some((end, _)) = end.filter(|_| path.iter().any(by_values)) else {
            return Ok(());
        };
        let table = self.catalog().table(end.table);
        let Some(word) = table.and_then(|view| view.words.last()) else {
            return Ok(());
        };
        let tells = |id: &ColumnId| {
            self.catalog().column(*id).is_some_and(|view| {
                let mut ends = view.words.iter();
                view.words.contains(word)
                    && ends.any(|word| ["count", "number"].contains(&word.as_str()))
            })
        };
        let Some(id) = self.catalog().ids(entity).find(tells) else {
            return Ok(());
        };
        let (column, rows) = (
            self.catalog().shown(id),
            format!("rows of {}", self.catalog().table_name(end.table)),
        );
        let question = format!("is {column} meant, or how many rows there are?");
        let chosen = self
            .catalog()
            .choose(question, &[column, rows], Clone::clone)?;
        match chosen.starts_with("rows of ") {
            true => Ok(()),
            false => Err(Stop::cannot(format!(
                "ask for {chosen} by its name, as a column"
            ))),
        }
    }

    /// Adds the note that `average weight of cats and dogs` is one number for both.
    pub(super) fn note_together(&self, ask: &mut Ask) {
        if self.names_both() {
            let note = "It is one number over all of them together; `versus` gives one for each.";
            ask.notes.push(note.to_owned());
        }
    }

    /// Returns why a value of another table is no condition on the rows of this one.
    pub(super) fn unreachable(&self, links: &[&ValueLink], table: usize, word: &str) -> Stop {
        let Some(to) = links.first() else {
            return Stop::Unknown(word.to_owned());
        };
        let reason = self
            .relations
            .unconnected(self.catalog(), table, to.column.table);
        match reason {
            Stop::Cannot(reason) => Stop::Cannot(format!(
                "{word:?} is a value of {}, and {reason}",
                self.catalog().shown(to.column)
            )),
            asked @ (Stop::Unknown(_) | Stop::Ask { .. }) => asked,
        }
    }

    /// Returns the keys that are asked for in the plural, so that each row that they refer to is
    /// shown once: `which bosses do testers have`.
    pub(super) fn roles(&self) -> Vec<ColumnId> {
        let [head] = self.draft.heads.as_slice() else {
            return Vec::new();
        };
        let last = head.word.rsplit(' ').next().unwrap_or_default();
        let many = is_plural(&last.to_lowercase()) && self.draft.subject.is_none();
        let refers = |id: &ColumnId| {
            self.relations
                .own_key_of(*id)
                .or(self.relations.key_of(*id))
        };
        let ids = head.ids.iter().copied().filter(|_| many);
        ids.filter(|id| refers(id).is_some()).collect()
    }

    /// Returns true if the question names two values of one column that `and` joins.
    pub(super) fn names_both(&self) -> bool {
        let column = |wish: &Wish| {
            let stands = !wish.negated && !wish.located;
            let links = wish.demand.value().filter(|_| stands)?;
            links.first().map(|link| link.column)
        };
        self.wishes().windows(2).any(|pair| match pair {
            [one, other] => {
                let same = column(one).is_some() && column(one) == column(other);
                same && other.joiner == Joiner::And
            }
            _ => false,
        })
    }

    /// Asks back, where rows are changed, whether those without a date are meant by `not paid this
    /// month` as well.
    pub(super) fn require_dated(&self, condition: Condition, word: &str) -> Step<Condition> {
        let Some(&Condition::Date(id, ..)) = condition.denied() else {
            return Ok(condition);
        };
        if !self.strict || self.catalog().is_filled(id) {
            return Ok(condition);
        }
        let column = self.catalog().shown(id);
        let undated = self.catalog().choose(
            format!("not {word:?}: are rows without a value for {column} meant as well?"),
            &[true, false],
            |undated| match undated {
                true => format!("also rows without a value for {column}"),
                false => format!("only rows with a value for {column}"),
            },
        )?;
        Ok(match undated {
            true => Condition::Any(vec![condition, Condition::Missing(id)]),
            false => condition,
        })
    }

    /// Adds the rows without a value to a negated condition: a row without a status is `not closed`
    /// either. Places are left as they are, because `not from Canada` says nothing of rows whose
    /// country is unknown, and so are conditions of changes.
    pub(super) fn with_missing(&self, placed: Placed) -> Condition {
        let denied = placed.condition.denied();
        // `not shipped this month`
        let is_date = matches!(denied, Some(Condition::Date(..)));
        if let Some(&(Condition::In(id, _) | Condition::Same(id, _) | Condition::Date(id, ..))) =
            denied
            && (is_date || !placed.located)
            && !self.strict
            && !self.catalog().is_filled(id)
        {
            return Condition::Any(vec![placed.condition, Condition::Missing(id)]);
        }
        placed.condition
    }
}

/// Returns a value with its other spellings in the same column.
pub(super) fn spellings(links: &[ValueLink], link: ValueLink) -> Vec<String> {
    let same = links
        .iter()
        .filter(|other| other.column == link.column && other.stored != link.stored);
    let others = same.map(|other| other.stored.clone());
    let mut found: Vec<String> = others.collect();
    found.insert(0, link.stored);
    found
}
