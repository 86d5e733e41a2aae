//! The remaining words: verbs that stand for tables, dates and columns, and words that change no
//! result.

use super::Parser;
use crate::accounted::{PREPOSITIONS, is_silent, only_relates};
use crate::catalog::Holds;
use crate::draft::{Demand, Intent, Measure, Wish};
use crate::lexicon::{CONNECTORS, NEUTRAL, VERBS_OF_COLUMNS, Words, of};
use crate::links::ColumnLink;
use crate::moments::{self, is_of_people};
use crate::morphology::{doers, is_participle, stems};
use crate::plan::{Step, Stop};
use crate::relations::Hop;

/// The least number of letters of a verb's stem by which a noun is recognised, such as `direct` in
/// `director`.
const LEAST_STEM: usize = 4;

/// Verbs of [`NEUTRAL`] whose event may have a date of its own, besides the date of the row.
const OWN_EVENTS: Words = Words("enter give handle link offer operate own receive register");

impl Parser<'_> {
    /// Takes a verb.
    pub(super) fn doing(&mut self) -> Step<bool> {
        let word = self.word(0);
        if !self.token(0).is_some_and(crate::token::Token::is_word) {
            return Ok(false);
        }
        if self.title() {
            return Ok(true);
        }
        self.refuse_shared_object(word)?;
        if self.dated_verb(word) || self.verb_of_person(word)? {
            return Ok(true);
        }
        if self.verb_of_column(word)?
            || self.verb_of_table(word)?
            || self.leads(word)?
            || self.verb_of_role(word)
        {
            return Ok(true);
        }
        if self.happening(word)? {
            return Ok(true);
        }
        if ["upcoming", "future"].contains(&word) {
            return self.upcoming();
        }
        let neutral = self.is_neutral(word);
        // `took place in 2024`
        self.at += usize::from(neutral && self.word(1) == "place");
        let neutral = neutral && (self.negated || self.links.strict || self.joins(word));
        if neutral && self.links.strict && !only_relates(&stems(word), self.word(1)) {
            return Ok(false);
        }
        if neutral {
            if self.negated {
                return self.never_did(word);
            }
            self.at += 1;
        }
        Ok(neutral)
    }

    /// Returns true for a verb that only says that two things belong together. In
    /// `orders received in 2024` the verb says more: orders may have a date of receipt and other
    /// dates.
    fn is_neutral(&self, word: &str) -> bool {
        let stems = stems(word);
        let own = stems.iter().any(|stem| OWN_EVENTS.contains(stem));
        stems.iter().any(|stem| NEUTRAL.contains(stem)) && !(own && self.date_follows(1))
    }

    /// Takes `never placed an order`: the row must have none of the rows that the object names.
    fn never_did(&mut self, word: &str) -> Step<bool> {
        self.at += 1;
        self.skip(&["a", "an", "any", "the"]);
        let Some(found) = self
            .links
            .table_at(self.at)
            .filter(|_| self.draft.subject.is_some())
        else {
            return Err(Stop::Unknown(word.to_owned()));
        };
        let shown = self.links.shown(self.at, found.tokens);
        self.at += found.tokens;
        self.open(found.item.table, None, true, shown)?;
        Ok(true)
    }

    /// Takes a word that changes no result.
    pub(super) fn filler(&mut self) -> bool {
        let compares = matches!(self.draft.intent, Intent::Compare | Intent::Difference)
            && [
                "higher", "lower", "greater", "larger", "smaller", "than", "to", "and", "vs",
                "versus", "with", "number", "bigger", "count", "between",
            ]
            .contains(&self.word(0));
        if self.draft.intent == Intent::Share
            && self.draft.base.is_none()
            && (self.draft.subject.is_some()
                || self
                    .scope_of(0)
                    .is_some_and(|scope| !scope.wishes.is_empty()))
            && ["is", "are", "was", "were"].contains(&self.word(0))
        {
            // The words before it name the whole of the share.
            self.draft.base = self.scope_of(0).map(|scope| scope.wishes.len());
        }
        if self.word(0) == "all" && self.draft.subject.is_some() {
            // `who bought all albums` asks for more than one row after the other.
            return false;
        }
        let is_silent = !self.links.strict || is_silent(self.word(0)) && self.relates_rightly();
        let pairs = self.word(0) == "both" && self.says(&["and"]);
        let known = CONNECTORS.contains(self.word(0)) && is_silent
            || pairs && !self.links.strict
            || compares
            || self.is_at(&["please"])
            || self.is_at(&["total"]) && self.draft.intent == Intent::Amount;
        self.at += usize::from(known);
        known
    }

    /// Returns true if a word such as `who` refers to what stands before it, in a question that
    /// changes rows. In `delete which drinks` it asks instead.
    pub(super) fn relates_rightly(&self) -> bool {
        let before = self.before();
        let names = |at: usize| {
            self.links.column_at(at, None).is_some() || self.links.table_at(at).is_some()
        };
        let after = self.at + 1 + usize::from(self.word(1) == "the");
        match self.word(0) {
            _ if self.breaks_off() => false,
            "where" | "whose" => names(after),
            "did" | "do" | "does" => self.word(1) == "not",
            "that" | "which" | "who" | "whom" => {
                !before.is_empty()
                    && !["all", "every", "for", "in", "of", "the"].contains(&before)
                    && self.links.value_at(self.at + 1).is_none()
            }
            _ => true,
        }
    }

    fn table_here(&self) -> Option<usize> {
        self.table_of(self.scope)
    }

    /// Takes a participle with the date that follows: `born before 1970`, `hired each year`.
    fn dated_verb(&mut self, word: &str) -> bool {
        if !is_participle(word) {
            return false;
        }
        let up = usize::from(word == "signed" && self.word(1) == "up");
        let ahead = 1 + up + usize::from(matches!(self.word(1 + up), "in" | "on"));
        let group = matches!(self.word(ahead), "each" | "every")
            || matches!(self.word(1 + up), "per" | "by");
        if !self.date_follows(1 + up) && !group {
            return false;
        }
        let mut tables: Vec<usize> = self.tables_around();
        if tables.is_empty() {
            // `pigs treated in 2023`: the values say which rows these are.
            let wishes = self.scope_of(0).map(|scope| scope.wishes.as_slice());
            let values = wishes.unwrap_or_default().iter();
            tables = values.flat_map(|wish| wish.demand.tables()).collect();
            // `customers hired in 2023`: the column that is asked for says it, too.
            let heads = self.draft.heads.iter().flat_map(|head| &head.ids);
            tables.extend(heads.map(|id| id.table));
        }
        let has_date = tables
            .iter()
            .any(|table| self.date_of(word, *table).is_some());
        let neutral = self.is_neutral(word);
        let own = tables.iter().any(|table| self.is_name_of(word, *table));
        if !has_date && !neutral && !own && !tables.is_empty() {
            return false;
        }
        let counted = group && !has_date;
        if counted {
            return false;
        }
        self.verb = has_date.then(|| word.to_owned());
        self.at += 1 + up;
        true
    }

    /// Takes `directed` of `who directed Jaws`, where `director` is a column of text: the question
    /// asks for this column.
    fn verb_of_person(&mut self, word: &str) -> Step<bool> {
        let asks = self.draft.person && self.draft.heads.is_empty() && self.draft.subject.is_none();
        if !asks || !is_participle(word) || self.word(1) == "by" {
            return Ok(false);
        }
        let names = stems(word)
            .into_iter()
            .filter(|stem| stem.len() >= LEAST_STEM);
        let mut ids = names.flat_map(|stem| {
            doers(&stem)
                .into_iter()
                .flat_map(|noun| self.links.columns_named(&noun))
        });
        let found = ids.next().filter(|_| ids.next().is_none());
        let text = found.filter(|id| self.links.catalog.holds(*id) == Holds::Text);
        let Some(id) = text else {
            return Ok(false);
        };
        self.at += 1;
        self.draft.person = false;
        self.head(ColumnLink::new(
            vec![id],
            self.links.catalog.column_name(id),
            0.9,
        ))?;
        Ok(true)
    }

    fn is_name_of(&self, verb: &str, table: usize) -> bool {
        let view = self.links.catalog.table(table);
        view.is_some_and(|view| {
            view.words
                .last()
                .is_some_and(|last| stems(verb).iter().any(|stem| stem == last))
        })
    }

    /// Takes a verb that stands for a column: `cost more than 100`, `earns the most`.
    fn verb_of_column(&mut self, word: &str) -> Step<bool> {
        let start = self.at;
        let meanings = stems(word)
            .iter()
            .find_map(|stem| of(VERBS_OF_COLUMNS, stem));
        let Some(meanings) = meanings else {
            return Ok(false);
        };
        if self.draft.intent == Intent::Amount && self.spent(word)? {
            return Ok(true);
        }
        let most = self.word(1) == "the" && matches!(self.word(2), "most" | "least");
        self.at += 1;
        let found = match self.table_here() {
            Some(table) if !most => self.links.first_meaning(meanings, table).map(|id| vec![id]),
            Some(table) => {
                let own = self.links.first_meaning(meanings, table).map(|id| vec![id]);
                own.or_else(|| self.everywhere(meanings))
            }
            None => self.everywhere(meanings),
        };
        let Some(ids) = found else {
            self.at = start;
            return Ok(false);
        };
        let link = ColumnLink::new(ids, word, 0.9);
        self.draft.confidence = self.draft.confidence.min(link.score);
        if most && self.draft.rank.is_none() {
            let direction = match self.word(1) {
                "least" => crate::lexicon::Direction::Least,
                _ => crate::lexicon::Direction::Most,
            };
            self.at += 2;
            if self.draft.subject.is_none() && self.draft.heads.is_empty() {
                self.subject_of(&link)?;
            }
            self.draft.rank = Some(crate::draft::Rank {
                direction,
                measure: Some(Measure::Column(None, link)),
                rows: None,
                is_by: true,
                scope: None,
            });
            return Ok(true);
        }
        let Some((test, negated)) = self.test(&link)? else {
            self.at = start;
            return Ok(false);
        };
        self.negated ^= negated;
        if self.draft.subject.is_none() {
            self.subject_of(&link)?;
        }
        let scope = self.scope;
        let words = self.links.shown(start, self.at - start);
        self.wish(scope, Demand::Column(link, test), words)?;
        Ok(true)
    }

    /// Takes `spend` of `how much did Alice spend` as the sum of the column of totals, if only one
    /// table has such a column.
    fn spent(&mut self, word: &str) -> Step<bool> {
        if !stems(word)
            .iter()
            .any(|stem| stem == "spend" || stem == "pay")
            || !self.draft.heads.is_empty()
        {
            return Ok(false);
        }
        let Some(ids) = self.everywhere(&["total", "total amount", "amount", "total price"]) else {
            return Ok(false);
        };
        self.at += 1;
        self.draft.aggregates.push(crate::draft::Aggregate::Sum);
        self.head(ColumnLink::new(ids, word, 0.85))?;
        if self.is_at(&["in", "total"]) {
            self.at += 2;
        }
        Ok(true)
    }

    fn everywhere(&self, meanings: &[&str]) -> Option<Vec<crate::catalog::ColumnId>> {
        let ids: Vec<_> = (0..self.links.catalog.tables.len())
            .filter_map(|table| self.links.first_meaning(meanings, table))
            .collect();
        (ids.len() == 1).then_some(ids)
    }

    /// Makes the table of a column the subject: `who earns the most`.
    fn subject_of(&mut self, link: &ColumnLink) -> Step<()> {
        let Some(id) = link
            .ids
            .first()
            .filter(|_| link.ids.len() == 1 && self.draft.person)
        else {
            return Err(self.unknown());
        };
        self.draft.set_subject(id.table, 0.9);
        Ok(())
    }

    /// Takes a verb that stands for rows of a table: `customers who ordered a laptop`.
    fn verb_of_table(&mut self, word: &str) -> Step<bool> {
        let stems = stems(word);
        if stems.iter().any(|stem| {
            matches!(
                stem.as_str(),
                "be" | "do" | "have" | "show" | "list" | "return"
            )
        }) {
            return Ok(false);
        }
        let Some(table) = self.table_of_verb(word) else {
            return Ok(false);
        };
        let around: Vec<usize> = self.tables_around();
        if around.contains(&table)
            || self
                .draft
                .groups
                .contains(&crate::draft::Group::Table(table))
        {
            // `orders ordered by Bob`, `books written by authors`: the verb says no more than the
            // table.
            if self.negated || self.is_told_by_a_column(&stems) {
                return Err(Stop::Unknown(word.to_owned()));
            }
            self.at += 1;
            return Ok(true);
        }
        self.at += 1;
        let shown = word.to_owned();
        self.draft.trades |= stems
            .iter()
            .any(|stem| ["buy", "sell", "order", "purchase"].contains(&stem.as_str()));
        let unsaid = self
            .scope_of(self.scope)
            .is_some_and(|scope| self.scope != 0 && !scope.demanded && scope.wishes.is_empty());
        if unsaid {
            // `how many tracks did customers buy`: which customers?
            return Err(Stop::cannot(format!(
                "the question does not say who {word:?}"
            )));
        }
        if self.draft.subject.is_none() {
            return self.who_did(table, shown);
        }
        // The words before the verb may name the person who did it: `books that Jane borrowed` is
        // not read.
        self.passive(table, shown)
    }

    /// Returns true if a verb asks for the value of a column: `did Bob vote`, where `voters` have a
    /// column `voted`.
    pub(super) fn is_told_by_a_column(&self, verb: &[String]) -> bool {
        let mut tables = self.tables_around();
        if tables.is_empty() {
            tables.extend(0..self.links.catalog.tables.len());
        }
        let tells = |table: usize| {
            self.links.catalog.ids(table).any(|id| {
                let view = self.links.catalog.column(id);
                matches!(self.links.catalog.holds(id), Holds::Text | Holds::Flag)
                    && view.is_some_and(|view| match view.words.as_slice() {
                        [word] => stems(word).iter().any(|stem| verb.contains(stem)),
                        _ => false,
                    })
            })
        };
        self.draft.intent == Intent::Exists && tables.into_iter().any(tells)
    }

    /// Makes people the subject of `who borrowed The Trial`: those of the only table of people to
    /// which the rows of the verb refer.
    fn who_did(&mut self, table: usize, word: String) -> Step<bool> {
        let parents: Vec<usize> = self
            .relations
            .edges
            .iter()
            .filter(|edge| edge.child.table == table)
            .map(|edge| edge.parent.table)
            .filter(|parent| is_of_people(self.links, *parent))
            .collect();
        let [person] = parents.as_slice() else {
            return Err(Stop::Unknown(word));
        };
        self.refuse_unknown_doer(table)?;
        if !self.draft.person || !self.draft.heads.is_empty() {
            return Err(Stop::Unknown(word));
        }
        self.draft.set_subject(*person, 0.9);
        self.draft.plural = true;
        self.draft.confidence = self.draft.confidence.min(0.9);
        self.open(table, None, true, word)?;
        Ok(true)
    }

    fn passive(&mut self, table: usize, word: String) -> Step<bool> {
        let subject = self.draft.subject.map_or(table, |subject| subject.table);
        let parent = self
            .relations
            .edges
            .iter()
            .any(|edge| edge.child.table == subject && edge.parent.table == table);
        // `reviews that Ann wrote`, where only the books that they refer to have authors.
        let far = |path: &Vec<Hop>| path.len() > 1 && path.iter().all(|hop| !hop.down);
        if self.relations.paths(subject, table).iter().all(far) {
            return Err(Stop::Unknown(word));
        }
        if parent && !self.negated {
            // `books written by Jane Austen`, with a table of authors: the name that follows says
            // which.
            if let Some(scope) = self.draft.scopes.get_mut(self.scope) {
                scope.via.tables.push(table);
            }
            return Ok(true);
        }
        self.open(table, None, true, word)?;
        Ok(true)
    }

    /// Takes a verb whose foreign key or column is named after the person who acts: `directed by
    /// Nora`, `sponsored by X`.
    fn verb_of_role(&mut self, word: &str) -> bool {
        let found = stems(word);
        let tables: Vec<usize> = self.tables_around();
        let does = |name: &str| {
            found.iter().any(|stem| {
                stem == name
                    || stem.len() >= LEAST_STEM && doers(stem).iter().any(|noun| noun == name)
            })
        };
        let edge = self.relations.edges.iter().position(|edge| {
            let role = self
                .links
                .catalog
                .column(edge.child)
                .and_then(|view| view.role().map(<[String]>::to_vec));
            tables.contains(&edge.child.table)
                && role.is_some_and(|role| matches!(role.as_slice(), [only] if does(only)))
        });
        if let Some(edge) = edge {
            let parent = self.relations.edges.get(edge).map(|key| key.parent.table);
            let is_row = |wish: &Wish| {
                let mut tables = wish.demand.tables().into_iter();
                matches!(wish.demand, Demand::Value(_)) && tables.any(|table| Some(table) == parent)
            };
            // `jobs of Ann and inspected by Bob`: the verb says nothing of Ann.
            let said = self.scope_of(self.scope);
            let is_late =
                self.links.strict && said.is_some_and(|scope| scope.wishes.iter().any(is_row));
            if is_late || self.negated && self.word(1).is_empty() {
                return false;
            }
            if let Some(scope) = self.draft.scopes.get_mut(self.scope) {
                scope.via.edges.push(edge);
            }
            self.at += 1;
            return true;
        }
        let column = tables
            .iter()
            .flat_map(|table| self.links.catalog.ids(*table))
            .find(|id| {
                let view = self.links.catalog.column(*id);
                self.links.catalog.holds(*id) == Holds::Text
                    && view
                        .is_some_and(|view| matches!(view.words.as_slice(), [only] if does(only)))
            });
        if let Some(id) = column {
            self.draft.absorbed.push((vec![id], word.to_owned()));
            self.at += 1;
            return true;
        }
        false
    }

    /// Takes a participle whose date is in a column. Without a date after it, it means that the
    /// event happened, or it adds nothing to a name that follows.
    fn happening(&mut self, word: &str) -> Step<bool> {
        if !is_participle(word) {
            return Ok(false);
        }
        let scopes = self.scopes();
        let known = scopes.iter().copied().find(|scope| {
            let date = self
                .table_of(*scope)
                .and_then(|table| self.date_of(word, table));
            date.is_some_and(|id| moments::says_event(self.links, id))
        });
        if known.is_none() && self.table_of(0).is_some()
            || self.draft.intent != Intent::When && self.table_of(0).is_none()
        {
            return Ok(false);
        }
        let closes = self.ends_clause();
        self.at += 1;
        if self.draft.intent == Intent::When {
            self.verb = Some(word.to_owned());
            return Ok(true);
        }
        let ends = matches!(
            self.word(0),
            "" | "?" | "." | "," | "and" | "or" | "yet" | "!"
        );
        let predicate = self
            .at
            .checked_sub(2)
            .and_then(|at| self.tokens().get(at))
            .is_some_and(|token| {
                [
                    "been", "not", "never", "is", "are", "was", "were", "haven't", "hasn't",
                    "isn't", "aren't", "weren't", "wasn't",
                ]
                .contains(&token.lower.as_str())
            });
        if self.eat(&["yet"]) || ends && predicate || self.negated {
            self.happened(word.to_owned())?;
        } else if self.links.strict
            || !PREPOSITIONS.contains(self.word(0)) && !self.names_something(self.at) && !closes
        {
            return Err(Stop::Unknown(word.to_owned()));
        }
        Ok(true)
    }

    /// Takes `upcoming appointments`: those with a date from today on.
    fn upcoming(&mut self) -> Step<bool> {
        let word = self.word(0);
        self.at += 1;
        let Some(found) = self.links.table_at(self.at) else {
            return Err(Stop::Unknown(word.to_owned()));
        };
        if self.draft.subject.is_some() || !self.has_date(Some(found.item.table)) {
            return Err(Stop::Unknown(word.to_owned()));
        }
        let today = crate::day::Span::around(self.today, crate::day::Unit::Day, 0);
        let Some(today) = today else {
            return Ok(false);
        };
        let test = crate::draft::DateTest::From(today);
        self.wish(0, Demand::Date(None, test), word.to_owned())?;
        Ok(true)
    }
}
