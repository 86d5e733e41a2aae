//! Roles: columns that refer to another row of the same table, such as `boss_id` of workers. In the
//! plural, as in `bosses`, the name of such a column means the rows that it refers to.
//!
//! `workers whose boss earns over 7` is about two rows of one table. The first condition after the
//! role applies to the boss. For each further condition the planner asks back to whom it applies.

use super::Parser;
use crate::catalog::ColumnId;
use crate::draft::{Comparison, Demand, Scope, Test};
use crate::joins::{names_a_row, superior};
use crate::lexicon::Words;
use crate::links::{ColumnLink, Found, ValueLink};
use crate::morphology::{doers, is_participle, is_plural, stems};
use crate::plan::{Step, Stop};
use crate::relations::Hop;

/// Roles of a person to whom other rows belong: `employees of Henry`.
const LEADERS: Words = Words("boss chief head lead leader manager superior supervisor");

/// Words after a role in the plural. They show that the question asks for the roles themselves:
/// `how many managers do engineers have`, `managers and salaries`.
const ASKING: &[&str] = &["do", "does", "did", "and", ",", "&"];

impl Parser<'_> {
    /// Returns the foreign key to another row of the same table, if the link is one.
    pub(super) fn own_key(&self, link: &ColumnLink) -> Option<usize> {
        match link.ids.as_slice() {
            [only] => self.relations.own_key_of(*only),
            _ => None,
        }
    }

    /// Returns the foreign key to a row of this or another table, if the link is one.
    pub(super) fn key(&self, link: &ColumnLink) -> Option<usize> {
        match link.ids.as_slice() {
            [only] => self.own_key(link).or(self.relations.key_of(*only)),
            _ => None,
        }
    }

    /// Returns the keys of a table to another row of itself.
    fn own_keys(&self, table: usize) -> Vec<usize> {
        let edges = self.relations.edges.iter().enumerate();
        let own = edges.filter(|(_, edge)| edge.parent.table == table && edge.child.table == table);
        own.map(|(at, _)| at).collect()
    }

    /// Returns the step from the rows of a table to the rows of the same table that refer to them,
    /// as from a boss to the workers; `None` unless there is exactly one.
    pub(super) fn step_down(&self, table: usize) -> Option<Hop> {
        match self.own_keys(table).as_slice() {
            [edge] => Some(Hop {
                edge: *edge,
                down: true,
            }),
            _ => None,
        }
    }

    /// Takes the test of a column. If a role is followed by anything except a name, the test is
    /// that the row of the role exists: `whose boss is in Oslo`.
    pub(super) fn tested_or_role(&mut self, link: &ColumnLink) -> Step<(Test, bool)> {
        let start = self.at;
        match self.test(link) {
            Err(_) if self.key(link).is_some() => {
                self.at = start;
                Ok((Test::Has, false))
            }
            tested => Ok(tested?.unwrap_or((Test::Has, false))),
        }
    }

    /// Begins conditions on the row that a role refers to: `whose boss`, `with a boss`.
    pub(super) fn role(&mut self, link: &ColumnLink) -> Step<bool> {
        let Some(edge) = self.key(link) else {
            let mut ids = link.ids.iter();
            return match ids.any(|id| self.is_superior(*id)) && !self.word(0).is_empty() {
                true => Err(self.unreferred(&link.word)),
                false => Ok(false),
            };
        };
        let scope = self.column_scope(link);
        let hop = Hop { edge, down: false };
        self.open_along(hop, scope, None, link.word.clone())?;
        Ok(true)
    }

    /// Returns true if a column says by its name that it refers to another row of its table,
    /// whatever the keys are.
    fn is_superior(&self, id: ColumnId) -> bool {
        let named = self.links.catalog.table(id.table);
        named.is_some_and(|view| !view.labels.is_empty())
            && superior(self.links.catalog, id).is_some()
    }

    /// Refuses words that say something of the row behind a column, where the column only says that
    /// there is one: `with instructor Ann`, where no key says who instructor 2 is, and `without
    /// translator Ann`.
    pub(super) fn refuse_unreferred(&self, link: &ColumnLink) -> Step<()> {
        let catalog = self.links.catalog;
        let value = self.links.value_at(self.at);
        let says = value.as_ref().is_some_and(|found| {
            let mut columns = found.item.iter().map(|value| value.column);
            !columns.any(|column| link.ids.contains(&column))
        });
        let names = value.is_some_and(|found| {
            let mut columns = found.item.iter().map(|value| value.column);
            columns.any(|column| catalog.names_rows(column) || catalog.is_name(column))
        });
        if says && self.key(link).is_some() {
            return Err(Stop::cannot(format!(
                "I do not see what is denied of {0:?}; say `whose {0} is not …`",
                link.word
            )));
        }
        let behind = [
            "from", "in", "at", "of", "who", "whose", "that", "which", "named", "called", "with",
            "without", "not", "born", "over", "under", "having",
        ];
        let refers = |id: &ColumnId| names_a_row(catalog, *id) || catalog.names_people(*id);
        let refers = link.ids.iter().any(refers);
        match says && (names || refers) || refers && behind.contains(&self.word(0)) {
            true => Err(Stop::cannot(format!(
                "no foreign key says to which row {0:?} refers; say which value it has, as in `whose {0} is …`",
                link.word
            ))),
            false => Ok(()),
        }
    }

    /// Takes `manage` of `employees who manage Ann`, where `manager_id` refers to another employee:
    /// the rows that hers refers to.
    ///
    /// # Errors
    /// The verb is denied, or nobody follows it.
    pub(super) fn leads(&mut self, word: &str) -> Step<bool> {
        let said = ["who", "that", "which"].contains(&self.before());
        if self.word(1) == "by" || is_participle(word) && !said && !word.ends_with("ing") {
            return Ok(false);
        }
        let stems = stems(word);
        let Some(table) = self.table_of(self.scope) else {
            return Ok(false);
        };
        let does = |edge: usize| {
            let role = self.relations.role(self.links.catalog, edge);
            let named = |stem: &String| role == *stem || doers(stem).contains(&role);
            stems.iter().any(named)
        };
        let Some(edge) = self.own_keys(table).into_iter().find(|edge| does(*edge)) else {
            return Ok(false);
        };
        if self.negated || self.links.value_at(self.at + 1).is_none() {
            return Err(Stop::cannot(format!(
                "I do not see who is meant by {word:?}; say `whose {} is …`",
                self.relations.role(self.links.catalog, edge)
            )));
        }
        self.at += 1;
        self.open_along(Hop { edge, down: true }, self.scope, None, word.to_owned())?;
        Ok(true)
    }

    fn unreferred(&self, word: &str) -> Stop {
        let reason = match self.links.strict {
            true => ", and I do not change rows that are connected only by equal values",
            false => "",
        };
        Stop::cannot(format!(
            "no foreign key says to which row {word:?} refers{reason}"
        ))
    }

    /// Begins conditions on the rows at the end of one step.
    pub(super) fn open_along(
        &mut self,
        hop: Hop,
        outer: usize,
        count: Option<(Comparison, f64)>,
        word: String,
    ) -> Step<()> {
        let outer = self.said_of(outer, &word)?;
        let table = self.relations.ends(hop).map(|(arrived, _)| arrived.table);
        let opened = Scope {
            table,
            outer: Some(outer),
            demanded: true,
            hop: Some(hop),
            ..Scope::default()
        };
        self.enter(opened, outer, count, word)
    }

    /// Finds the scope that a condition is about, and asks back behind a role that has one already:
    /// `whose boss earns over 7 in Oslo`.
    pub(super) fn said_of(&self, scope: usize, word: &str) -> Step<usize> {
        let found = self.scope_of(scope);
        let Some((hop, outer)) = found.and_then(|scope| Some((scope.hop?, scope.outer?))) else {
            return Ok(scope);
        };
        if hop.down
            || self.table_of(scope) != self.table_of(outer)
            || found.is_some_and(|scope| scope.wishes.is_empty())
        {
            return Ok(scope);
        }
        let catalog = self.links.catalog;
        let role = self.relations.role(catalog, hop.edge);
        let table = self.table_of(outer);
        let rows = table.map_or("", |table| catalog.table_name(table));
        catalog.choose(
            format!("{word:?}: is it said of the {role}, or of the {rows} themselves?"),
            &[scope, outer],
            |one| match *one == scope {
                true => format!("{word} is said of the {role}"),
                false => format!("{word} is said of the {rows}"),
            },
        )
    }

    /// Takes a role as the rows that others refer to, each once: `bosses in Oslo`, `reporters of
    /// critical bugs`.
    pub(super) fn bearers(&mut self, link: &ColumnLink, start: usize) -> Step<bool> {
        let [id] = link.ids.as_slice() else {
            return Ok(false);
        };
        let own = self.relations.own_key_of(*id);
        let edge = own.or_else(|| self.relations.key_of(*id));
        let parent = edge.and_then(|edge| Some((edge, self.relations.edges.get(edge)?.parent)));
        let Some((edge, parent)) = parent else {
            return Ok(false);
        };
        let kind = self.links.value_at(start).and_then(|found| {
            let mut links = found.item.into_iter();
            links.find(|link| link.column.table == parent.table)
        });
        if let Some(kind) = kind {
            let catalog = self.links.catalog;
            let (column, key) = (catalog.shown(kind.column), catalog.shown(*id));
            let question = format!(
                "{:?}: are rows meant that {key} refers to? Else say `whose {column} is {}`",
                link.word, kind.stored
            );
            catalog.choose(question, &[()], |()| format!("rows that {key} refers to"))?;
        }
        if self.is_predicate(start) && self.table_of(self.scope) == Some(parent.table) {
            if let Some(found) = self.kind_of(link, start, parent.table)? {
                self.at = start;
                return self.value(found);
            }
            let scope = self.scope;
            // `who are managers of Bob`
            let of = self.eat(&["of", "for"]);
            self.open_along(Hop { edge, down: true }, scope, None, link.word.clone())?;
            self.scope = if of { self.scope } else { scope };
            return Ok(true);
        }
        let before = self.word_before(start);
        let last = link.word.rsplit(' ').next().unwrap_or_default();
        let many = is_plural(&last.to_lowercase());
        let nothing = self
            .scope_of(0)
            .is_some_and(|scope| scope.wishes.is_empty());
        let behind = self.at + 1 + usize::from(self.word(1) == "the");
        let asked = ["which", "what"].contains(&before)
            || ["in", "from", "at", "who", "that", "with"].contains(&self.word(0))
            || self.word(0) == "of" && self.links.table_at(behind).is_some();
        let names = self.links.catalog.table(parent.table);
        let fits = self.draft.subject.is_none()
            && !self.draft.distinct
            && (many || asked && nothing && own.is_some())
            && (self.draft.heads.is_empty() || ["of", "the"].contains(&before))
            && !super::things::is_possessive(
                start.checked_sub(1).and_then(|at| self.tokens().get(at)),
            )
            && !ASKING.contains(&self.word(0))
            && !self.ranks_ahead()
            && names.is_some_and(|view| !view.labels.is_empty());
        if !fits {
            return Ok(false);
        }
        if let Some(found) = self.kind_of(link, start, parent.table)? {
            self.at = start;
            return self.value(found);
        }
        let of = self.eat(&["of", "for"]);
        self.draft.set_subject(parent.table, link.score);
        self.draft.plural = many;
        self.open_along(Hop { edge, down: true }, 0, None, link.word.clone())?;
        self.scope = if of { self.scope } else { 0 };
        Ok(true)
    }

    /// Returns the value that the name of a role is as well: `drivers`, where `driver` is a job of
    /// workers and a key of machines.
    ///
    /// # Errors
    /// A question back which of both is meant.
    fn kind_of(
        &self,
        link: &ColumnLink,
        start: usize,
        table: usize,
    ) -> Step<Option<Found<Vec<ValueLink>>>> {
        let catalog = self.links.catalog;
        let Some(mut found) = self.links.value_at(start) else {
            return Ok(None);
        };
        found.item.retain(|value| value.column.table == table);
        let (Some(value), Some(role)) = (found.item.first(), link.ids.first()) else {
            return Ok(None);
        };
        let (kind, role) = (
            format!(
                "rows whose {} is {}",
                catalog.shown(value.column),
                value.stored
            ),
            format!("rows that {} refers to", catalog.shown(*role)),
        );
        let is_kind = catalog.choose(
            format!("{:?}: which rows are meant?", link.word),
            &[true, false],
            |is_kind| if *is_kind { kind.clone() } else { role.clone() },
        )?;
        Ok(is_kind.then_some(found))
    }

    /// Returns the value of another table that a number of rows is called after as well:
    /// `mechanics`, where `mechanic` is a job of workers, and `mechanic_id` a column of cars.
    ///
    /// # Errors
    /// A question back which of both is meant.
    pub(super) fn kind_elsewhere(
        &self,
        link: &ColumnLink,
        start: usize,
    ) -> Step<Option<Found<Vec<ValueLink>>>> {
        let view = link
            .ids
            .first()
            .and_then(|id| self.links.catalog.column(*id));
        let is_id = view.is_some_and(|view| view.words.last().is_some_and(|word| word == "id"));
        let last = link.word.rsplit(' ').next().unwrap_or_default();
        let many = is_plural(&last.to_lowercase());
        let value = self.links.value_at(start).filter(|_| is_id && many);
        let table = value.and_then(|found| Some(found.item.first()?.column.table));
        match table {
            Some(table) => self.kind_of(link, start, table),
            None => Ok(None),
        }
    }

    /// Takes a role that rows are not said to have: `that are no mothers`.
    pub(super) fn is_no_bearer(&mut self, link: &ColumnLink, start: usize) -> Step<bool> {
        if !self.is_predicate(start) || self.own_key(link).is_none() {
            return Ok(false);
        }
        self.negated = !self.negated;
        self.bearers(link, start)
    }

    /// Returns true if the words before say what rows are: `animals that are no mothers`.
    fn is_predicate(&self, start: usize) -> bool {
        let mut before = self.words_before(start);
        let before = before.find(|word| !["a", "an", "the", "not", "no"].contains(word));
        before.is_some_and(|word| ["is", "are", "was", "were", "be"].contains(&word))
    }

    /// Asks a person to confirm that the rows with 1 are meant.
    pub(super) fn require_one(&self, link: &ColumnLink, id: ColumnId) -> Step<()> {
        let catalog = self.links.catalog;
        let shown = catalog.shown(id);
        catalog.choose(
            format!("{:?}: are rows meant whose {shown} is 1?", link.word),
            &[()],
            |()| format!("rows whose {shown} is 1"),
        )
    }

    /// Asks back whether the rows with 1 are meant where a column may hold 0 and 1: `captains`,
    /// `who is captain`.
    pub(super) fn may_be_so(&mut self, link: &ColumnLink, start: usize) -> Step<bool> {
        let catalog = self.links.catalog;
        let &[id] = link.ids.as_slice() else {
            return Ok(false);
        };
        let before = self.word_before(start);
        let many = is_plural(&link.word.to_lowercase());
        let listed = ["and", ",", "per", "by"];
        let own = |link: &ValueLink| link.column.table == id.table;
        let behind = self.at + 1 + usize::from(self.word(1) == "the");
        let value = self.links.value_at(behind);
        let of = ["of", "for"].contains(&self.word(0));
        let of_other = of && value.is_some_and(|found| !found.item.iter().any(own));
        let behind_it = self.links.table_at(self.at);
        let kind = self.links.value_at(self.at);
        let is_kind =
            |link: &ValueLink| link.column.table == id.table && !catalog.names_rows(link.column);
        // `vip guests`, `vegetarian desserts`
        let in_front = behind_it.is_some_and(|found| found.item.table == id.table)
            || kind.is_some_and(|found| found.item.iter().all(is_kind));
        let said = many
            || self.is_predicate(start)
            || of_other
            || ["a", "an"].contains(&before)
            || ["in", "from", "who", "that", "with"].contains(&self.word(0));
        let plain = self.draft.aggregates.is_empty() || before == "of";
        if catalog.may_be_flag(id) && in_front && !many {
            // `vip guests`
            if self.links.strict {
                self.require_one(link, id)?;
            }
            return Ok(true);
        }
        if !catalog.may_be_flag(id)
            || !said
            || !plain
            || listed.contains(&before)
            || listed.contains(&self.word(0))
        {
            return Ok(false);
        }
        let shown = catalog.shown(id);
        let question = format!(
            "{:?}: are rows meant whose {shown} is 1, or is the column asked for?",
            link.word
        );
        let so = catalog.choose(question, &[true, false], |so| match so {
            true => format!("rows whose {shown} is 1"),
            false => format!("the column {shown}"),
        })?;
        if so && self.draft.subject.is_none() {
            self.draft.set_subject(id.table, link.score);
            self.draft.plural = many;
        }
        Ok(so)
    }

    /// Returns true if what follows ranks, as in `boss with the most workers`.
    fn ranks_ahead(&self) -> bool {
        let mut rest = self.tokens().iter().skip(self.at);
        rest.any(|token| {
            ["most", "fewest", "least", "more", "fewer", "less"].contains(&token.lower.as_str())
        })
    }

    /// Takes a name as that of the row that others refer to: `workers of Bob`, `Bob's workers`,
    /// `how many workers does Bob have`.
    pub(super) fn followers(&mut self, found: &Found<Vec<ValueLink>>, before: &str) -> Step<bool> {
        let catalog = self.links.catalog;
        let own = |link: &&ValueLink| {
            catalog.is_label(link.column)
                && (!self.own_keys(link.column.table).is_empty()
                    || catalog
                        .ids(link.column.table)
                        .any(|id| self.is_superior(id)))
        };
        let own: Vec<ValueLink> = found.item.iter().filter(own).cloned().collect();
        let Some(table) = own.first().map(|link| link.column.table) else {
            return Ok(false);
        };
        // `staff of the Art team`: the word behind it says what it is.
        let kind = self.links.table_at(self.at + found.tokens);
        let kind = kind
            .map(|found| found.item.table)
            .filter(|kind| *kind != table);
        if kind.is_some_and(|kind| found.item.iter().any(|link| link.column.table == kind)) {
            return Ok(false);
        }
        if !self.has_rows(table, before, found.tokens) {
            return Ok(false);
        }
        let word = own
            .first()
            .map_or_else(String::new, |link| link.stored.clone());
        let keys = self.own_keys(table);
        let role = |edge: &usize| self.relations.role(catalog, *edge);
        let leads = |edge: &usize| LEADERS.contains(&role(edge));
        let key = match keys.as_slice() {
            [] => return Err(self.unreferred(&word)),
            [only] if leads(only) && !self.links.strict => Some(*only),
            _ => {
                let itself: Vec<Option<usize>> =
                    keys.iter().copied().map(Some).chain([None]).collect();
                catalog.choose(
                    format!("{word:?}: are rows meant that refer to it, or the row itself?"),
                    &itself,
                    |key| match key {
                        Some(edge) => format!("those whose {} is {word}", role(edge)),
                        None => format!("{word} itself"),
                    },
                )?
            }
        };
        let Some(edge) = key.and_then(|key| self.relations.edges.get(key)) else {
            return Ok(false);
        };
        let child = edge.child;
        let scope = self.value_scope(&own);
        self.at += found.tokens;
        let link = ColumnLink::new(vec![child], word.clone(), 1.0);
        self.wish(scope, Demand::Column(link, Test::Known(own)), word)?;
        Ok(true)
    }

    /// Returns true if the words around a name say that rows of its table belong to it.
    fn has_rows(&self, table: usize, before: &str, tokens: usize) -> bool {
        let behind = self.at + tokens;
        let word = |at: usize| {
            let token = self.tokens().get(at);
            token.map_or("", |token| token.lower.as_str())
        };
        // A name of the table, or a kind of its rows: `engineers`.
        let is_kind = |at: usize| {
            let value = self.links.value_at(at);
            is_plural(word(at))
                && value.is_some_and(|found| {
                    let mut links = found.item.iter();
                    links.any(|link| link.column.table == table)
                })
        };
        let is_rows = |at: usize| {
            let named = self
                .links
                .table_at(at)
                .or_else(|| self.links.table_like(at));
            named.is_some_and(|found| found.item.table == table) || is_kind(at)
        };
        let the = usize::from(word(self.at.saturating_sub(1)) == "the");
        let of = self.at.checked_sub(2 + the);
        let ends_rows = |at: usize| (at.saturating_sub(2)..=at).any(is_rows);
        let owned = before == "of" && of.is_some_and(ends_rows);
        let last = self.tokens().get(behind.saturating_sub(1));
        let possessive = super::things::is_possessive(last) && is_rows(behind);
        let subject = self
            .draft
            .subject
            .is_some_and(|subject| subject.table == table);
        let article = usize::from(["a", "an", "any"].contains(&word(behind + 1)));
        let has = ["has", "have", "had"].contains(&word(behind))
            && !["named", "called"].contains(&before)
            && (subject || is_rows(behind + 1 + article));
        owned || possessive || has
    }

    /// Takes the name behind a key as that of the row that it refers to: `with home team Lions`.
    pub(super) fn referred(&mut self, link: &ColumnLink) -> Option<Test> {
        let parents: Vec<usize> = {
            let edges = self.relations.edges.iter();
            let own = edges.filter(|edge| link.ids.contains(&edge.child));
            own.map(|edge| edge.parent.table).collect()
        };
        let found = self.links.value_at(self.at)?;
        let named = |link: &ValueLink| {
            parents.contains(&link.column.table) && self.links.catalog.is_label(link.column)
        };
        let values: Vec<ValueLink> = found.item.into_iter().filter(named).collect();
        if values.is_empty() {
            return None;
        }
        self.at += found.tokens;
        Some(Test::Known(values))
    }
}
