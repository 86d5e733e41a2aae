//! Resolves a draft of a question to columns and tables of the schema.
//!
//! Every link must end in one column and one path between tables; if there are two, the planner
//! asks back. [`conditions`] places the conditions on columns, [`together`] finds the conditions
//! that belong together, [`contradiction`] those that exclude each other, [`events`] finds the
//! event that a date is about, [`evidence`] decides which column a value belongs to, [`subject`]
//! finds the table. [`results`] resolves the selected values, [`groups`] groups, [`amounts`] counts
//! and sums for each value, [`compared`] comparisons, [`inner`] conditions on rows of other tables,
//! [`rankings`] the order.

mod amounts;
mod compared;
mod conditions;
mod contradiction;
mod events;
mod evidence;
mod groups;
mod inner;
mod joining;
mod rankings;
mod results;
mod subject;
mod together;

use std::cell::RefCell;

use crate::ask::{Ask, Expression, Named};
use crate::catalog::{Catalog, ColumnId, Holds};
use crate::draft::{Draft, Intent};
use crate::links::{ColumnLink, Links};
use crate::moments::is_of_people;
use crate::plan::{Step, Stop};
use crate::relations::{Hop, Relations, Via, Ways};

pub(crate) use subject::{ABOUT_WHICH, subject_of};

/// Resolves a draft.
///
/// # Errors
/// A part of the draft has no meaning in this schema, or several.
pub(crate) fn resolve(links: &Links<'_>, relations: &Relations, draft: &Draft) -> Step<Ask> {
    let resolver = Resolver::new(links, relations, draft);
    let mut ask = resolver.ask()?;
    resolver.check_absorbed()?;
    resolver.note_repeated(&mut ask);
    Ok(ask)
}

/// Resolves the conditions on the subject of a draft, for statements that change rows.
///
/// # Errors
/// As [`resolve`].
pub(crate) fn conditions_of(
    links: &Links<'_>,
    relations: &Relations,
    draft: &Draft,
    table: usize,
) -> Step<Vec<crate::ask::Condition>> {
    let resolver = Resolver::new(links, relations, draft);
    let conditions = resolver.conditions(0, table)?;
    resolver.check_absorbed()?;
    Ok(conditions)
}

struct Resolver<'a> {
    links: &'a Links<'a>,
    relations: &'a Relations,
    draft: &'a Draft,
    /// Columns whose value is fixed by a condition.
    used: RefCell<Vec<ColumnId>>,
    /// Edges that conditions pass.
    passed: RefCell<Vec<Hop>>,
    /// True if the question changes rows. Then the likelier of two meanings is not chosen.
    strict: bool,
}

impl<'a> Resolver<'a> {
    fn new(links: &'a Links<'a>, relations: &'a Relations, draft: &'a Draft) -> Self {
        Self {
            links,
            relations,
            draft,
            used: RefCell::new(Vec::new()),
            passed: RefCell::new(Vec::new()),
            strict: links.strict,
        }
    }

    fn catalog(&self) -> &'a Catalog<'a> {
        self.links.catalog
    }

    fn ask(&self) -> Step<Ask> {
        if self.draft.intent == Intent::When {
            return self.moment();
        }
        let root = subject_of(self.links, self.relations, self.draft)?;
        if self.draft.person && !is_of_people(self.links, root) {
            return Err(Stop::cannot(format!(
                "`who` asks for people, and {} has none",
                self.catalog().table_name(root)
            )));
        }
        let lists = self.draft.intent == Intent::List
            && self.draft.rank.is_none()
            && self.draft.groups.is_empty();
        if self.draft.repeated && !lists {
            return Err(Stop::cannot(
                "repeated values are listed only, without counts, groups and rankings",
            ));
        }
        match self.draft.intent {
            Intent::Compare | Intent::Difference => self.comparison(root),
            Intent::Exists => self.existence(root),
            Intent::Share => self.share(root),
            _ if self.draft.rank.is_some() => self.ranking(root),
            _ if !self.draft.groups.is_empty() => self.grouped(root),
            Intent::Count => self.count(root),
            Intent::Amount | Intent::List | Intent::When => self.list(root),
        }
    }

    /// Returns the only path between two tables.
    fn way(&self, from: usize, to: usize, via: &Via) -> Step<Vec<Hop>> {
        match self.relations.ways(from, to, via) {
            Ways::One(path) => {
                self.passed.borrow_mut().extend(path.iter().copied());
                Ok(path)
            }
            Ways::None => Err(self.relations.unconnected(self.catalog(), from, to)),
            Ways::Several(paths) => {
                let question = format!(
                    "{} and {} belong together in several ways; which one is meant?",
                    self.catalog().table_name(from),
                    self.catalog().table_name(to)
                );
                let shown = |path: &Vec<Hop>| self.relations.shown(self.catalog(), path);
                let path = self.catalog().choose(question, &paths, shown)?;
                self.passed.borrow_mut().extend(path.iter().copied());
                Ok(path)
            }
        }
    }

    /// Returns the way from a table up to the parents of its rows: each row has one at most.
    fn way_up(&self, from: usize, to: usize) -> Step<Option<Vec<Hop>>> {
        if from == to {
            return Ok(Some(Vec::new()));
        }
        let path = self.way(from, to, &Via::default())?;
        Ok(path.iter().all(|hop| !hop.down).then_some(path))
    }

    /// Returns the column of a table that a link means; if the table has none of them, the one
    /// column that it means elsewhere.
    fn column(&self, link: &ColumnLink, table: usize) -> Step<ColumnId> {
        let own: Vec<ColumnId> = link
            .ids
            .iter()
            .copied()
            .filter(|id| id.table == table)
            .collect();
        let candidates = if own.is_empty() {
            link.ids.clone()
        } else {
            own
        };
        match candidates.as_slice() {
            [one] if one.table != table => self.unqualified(*one, table, &link.word),
            [one] => self.beside_value(*one, &link.word),
            [] => Err(Stop::Unknown(link.word.clone())),
            _ => self.which_column(&candidates, &link.word),
        }
    }

    /// Asks back which of several columns a word means.
    fn which_column(&self, columns: &[ColumnId], word: &str) -> Step<ColumnId> {
        let question = format!("{word:?} may be one of several columns; which one is meant?");
        let shown = |id: &ColumnId| self.catalog().shown(*id);
        self.catalog().choose(question, columns, shown)
    }

    /// Returns true if the column is a key: of its own table, or of another one.
    fn is_key(&self, id: ColumnId) -> bool {
        self.catalog().key(id.table) == Some(id) || self.relations.key_of(id).is_some()
    }

    fn is_label(&self, id: ColumnId) -> bool {
        self.catalog().names_rows(id)
    }

    /// Returns the columns that tell the rows of a table apart: the key, and the name.
    fn entity_columns(&self, entity: usize) -> Vec<Named> {
        let Some(view) = self.catalog().table(entity) else {
            return Vec::new();
        };
        let mut columns: Vec<usize> = view.key.into_iter().collect();
        columns.extend(view.labels.iter().filter(|label| Some(**label) != view.key));
        if columns.is_empty() {
            columns = (0..view.columns.len()).collect();
        }
        columns
            .into_iter()
            .map(|column| {
                let id = ColumnId {
                    table: entity,
                    column,
                };
                (Expression::Column(Vec::new(), id), None)
            })
            .collect()
    }

    /// Returns the columns that tell the rows of a table apart. If the table declares no key, the
    /// column by which other rows refer to it comes first.
    fn told_apart(&self, entity: usize, path: &[Hop]) -> Vec<Named> {
        let mut columns = self.entity_columns(entity);
        let referred = path.first().and_then(|hop| self.relations.ends(*hop));
        if let (None, Some((_, id))) = (self.catalog().key(entity), referred) {
            let key = Expression::Column(Vec::new(), id);
            if id.table == entity && !columns.iter().any(|(known, _)| *known == key) {
                columns.insert(0, (key, None));
            }
        }
        columns
    }

    fn require_number(&self, id: ColumnId, what: &str) -> Step<()> {
        let number = matches!(
            self.catalog().holds(id),
            Holds::Number | Holds::Unknown | Holds::Flag
        );
        if !number || self.is_key(id) {
            return Err(Stop::cannot(format!(
                "{} has no numbers of which there is {what}",
                self.catalog().shown(id)
            )));
        }
        Ok(())
    }

    /// Verbs and roles that say how tables belong together must have been of use.
    fn check_absorbed(&self) -> Step<()> {
        let used = self.used.borrow();
        for (ids, word) in &self.draft.absorbed {
            if !ids.is_empty() && !ids.iter().any(|id| used.contains(id)) {
                return Err(Stop::Unknown(word.clone()));
            }
        }
        let passed = self.passed.borrow();
        for scope in &self.draft.scopes {
            let edges = scope
                .via
                .edges
                .iter()
                .all(|edge| passed.iter().any(|hop| hop.edge == *edge));
            let tables = scope.via.tables.iter().all(|table| {
                passed.iter().any(|hop| {
                    self.relations.ends(*hop).is_some_and(|(arrived, left)| {
                        arrived.table == *table || left.table == *table
                    })
                })
            });
            if !edges || !tables {
                return Err(Stop::cannot(
                    "the question does not say who or what its verb is about",
                ));
            }
        }
        Ok(())
    }
}
