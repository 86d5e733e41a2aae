//! Relations between tables: declared foreign keys, columns that are named after the key of another
//! table, and columns in which a look-up found its values.

use crate::catalog::{Catalog, ColumnId, Holds};
use crate::limits::{LEAST_ASKED_JOIN_PERCENT, LEAST_JOIN_PERCENT, MAX_JOIN_STEPS, MAX_PATH_HOPS};
use crate::plan::Stop;

/// Names of columns with short codes that rows of any table may have.
const CODES: &[&str] = &["abbr", "abbreviation", "code", "initial", "short", "symbol"];

/// A foreign key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edge {
    /// The column that refers.
    pub(crate) child: ColumnId,
    /// The column that is referred to.
    pub(crate) parent: ColumnId,
    /// True if the column is named after the table that it refers to, as `customer_id` is after
    /// `customers`. False for a `director_id` that refers to `people`.
    pub(crate) plain: bool,
    /// The percentage of the child's different values that the parent contains; `None` for a
    /// declared foreign key.
    pub(crate) percent: Option<u8>,
}

/// A step along a foreign key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hop {
    /// The number of the edge.
    pub(crate) edge: usize,
    /// True if it goes from the parent to its children.
    pub(crate) down: bool,
}

/// All foreign keys of a schema, declared or found.
#[derive(Debug, Clone)]
pub(crate) struct Relations {
    pub(crate) edges: Vec<Edge>,
    /// Joins that only a person can confirm: the columns have too few values in common, or their
    /// equal values may be a coincidence.
    doubtful: Vec<Edge>,
    /// The relations with the keys by values, if `edges` leaves these out.
    whole: Option<Box<Relations>>,
}

/// The ways from one table to another.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Ways {
    None,
    One(Vec<Hop>),
    Several(Vec<Vec<Hop>>),
}

impl Edge {
    /// Returns true if one of two columns is this key and the other what it refers to.
    pub(crate) fn joins(&self, one: ColumnId, other: ColumnId) -> bool {
        let ends = (self.child, self.parent);
        ends == (one, other) || ends == (other, one)
    }
}

impl Ways {
    /// Returns all of the ways.
    pub(crate) fn paths(&self) -> &[Vec<Hop>] {
        match self {
            Self::None => &[],
            Self::One(path) => std::slice::from_ref(path),
            Self::Several(paths) => paths,
        }
    }
}

impl Relations {
    pub(crate) fn new(catalog: &Catalog<'_>) -> Self {
        let mut edges = declared(catalog);
        for (table, view) in catalog.tables.iter().enumerate() {
            for column in 0..view.columns.len() {
                let child = ColumnId { table, column };
                if edges.iter().any(|edge| edge.child == child) {
                    continue;
                }
                edges.extend(by_name(catalog, child));
            }
        }
        let mut doubtful = Vec::new();
        for edge in by_values(catalog) {
            let percent = edge.percent.unwrap_or_default();
            let chosen = catalog.is_chosen(&equal(catalog, &edge));
            let certain =
                percent >= LEAST_JOIN_PERCENT && !may_coincide(catalog, edge.child, edge.parent);
            match certain || chosen {
                true if edges.iter().any(|known| joins_same(known, &edge)) => {}
                true => edges.push(edge),
                false if percent >= LEAST_ASKED_JOIN_PERCENT => doubtful.push(edge),
                false => {}
            }
        }
        Self {
            edges,
            doubtful,
            whole: None,
        }
    }

    /// Returns the other tables that the rows of a table refer to.
    pub(crate) fn owners(&self, table: usize) -> impl Iterator<Item = usize> + '_ {
        let edges = self.edges.iter();
        let edges = edges.filter(move |edge| edge.child.table == table);
        let parents = edges.map(|edge| edge.parent.table);
        parents.filter(move |parent| *parent != table)
    }

    /// Returns the number of the foreign key that a column is. Keys that are only known from equal
    /// values do not count.
    pub(crate) fn key_of(&self, child: ColumnId) -> Option<usize> {
        let mut edges = self.edges.iter();
        edges.position(|edge| edge.child == child && edge.percent.is_none())
    }

    /// Returns the number of the key by which a column refers to another row of the same table, as
    /// its values show.
    pub(crate) fn own_key_of(&self, child: ColumnId) -> Option<usize> {
        let mut edges = self.edges.iter();
        edges.position(|edge| edge.child == child && edge.parent.table == child.table)
    }

    /// Returns the role that a key has, without the ending of a key or the words of the column that
    /// it refers to: `mother` of `mother_tag`.
    pub(crate) fn role(&self, catalog: &Catalog<'_>, edge: usize) -> String {
        let edge = self.edges.get(edge);
        let columns =
            edge.and_then(|edge| Some((catalog.column(edge.child)?, catalog.column(edge.parent)?)));
        let Some((child, parent)) = columns else {
            return String::new();
        };
        let of_parent = child.words.strip_suffix(parent.words.as_slice());
        let role = child.role().or(of_parent.filter(|role| !role.is_empty()));
        role.unwrap_or(&child.words).join(" ")
    }

    /// Returns only the keys that the schema declares or names. Changes of rows use no others.
    pub(crate) fn declared(&self) -> Self {
        let edges = self.edges.iter().filter(|edge| edge.percent.is_none());
        Self {
            edges: edges.cloned().collect(),
            doubtful: Vec::new(),
            whole: Some(Box::new(self.clone())),
        }
    }

    /// Returns why two tables cannot be joined. It is a question back if columns of the same name
    /// have many values in common.
    pub(crate) fn unconnected(&self, catalog: &Catalog<'_>, from: usize, to: usize) -> Stop {
        let tables = (catalog.table_name(from), catalog.table_name(to));
        let reason = format!("no foreign key leads from {} to {}", tables.0, tables.1);
        let between = |edge: &&Edge| {
            let ends = (edge.child.table, edge.parent.table);
            ends == (from, to) || ends == (to, from)
        };
        let edges: Vec<&Edge> = self.doubtful.iter().filter(between).collect();
        let Some(edge) = edges.first() else {
            return Stop::cannot(reason);
        };
        let question = format!(
            "{reason}, but {} of 100 values of {} are also in {}; do you want to join the rows whose values are equal?",
            edge.percent.unwrap_or_default(),
            catalog.shown(edge.child),
            catalog.shown(edge.parent)
        );
        let choices = edges.iter().map(|edge| equal(catalog, edge));
        Stop::ask(question, choices.collect())
    }

    /// Returns the table and columns of a hop: where it arrives, the column there, and the column
    /// that it leaves from.
    pub(crate) fn ends(&self, hop: Hop) -> Option<(ColumnId, ColumnId)> {
        let edge = self.edges.get(hop.edge)?;
        Some(match hop.down {
            true => (edge.child, edge.parent),
            false => (edge.parent, edge.child),
        })
    }

    /// Returns the ways from a table to another. A way goes first down to children and then up to
    /// parents, because rows on any other way only have a parent in common. A way through the
    /// tables or columns that `via` names is preferred.
    pub(crate) fn ways(&self, from: usize, to: usize, via: &Via) -> Ways {
        let mut found = Vec::new();
        let mut steps = 0;
        self.search(&mut vec![], &mut vec![from], to, &mut found, &mut steps);
        if steps >= MAX_JOIN_STEPS {
            return Ways::Several(found);
        }
        let named: Vec<Vec<Hop>> = found
            .iter()
            .filter(|path| self.passes(path, via))
            .cloned()
            .collect();
        let narrowed = !named.is_empty() && !via.is_empty();
        let mut paths = if narrowed { named } else { found };
        paths.sort_by_key(Vec::len);
        if let [first, ..] = paths.as_slice() {
            let direct: Vec<&Vec<Hop>> = paths.iter().filter(|path| path.len() == 1).collect();
            let plain = direct.len() == 1
                && first
                    .first()
                    .and_then(|hop| self.edges.get(hop.edge))
                    .is_some_and(|edge| edge.plain);
            let shortest = paths
                .iter()
                .filter(|path| path.len() == first.len())
                .count()
                == 1;
            if paths.len() == 1 || plain || narrowed && shortest {
                return Ways::One(first.clone());
            }
            return Ways::Several(paths);
        }
        Ways::None
    }

    fn search(
        &self,
        path: &mut Vec<Hop>,
        tables: &mut Vec<usize>,
        to: usize,
        found: &mut Vec<Vec<Hop>>,
        steps: &mut usize,
    ) {
        let Some(&here) = tables.last() else { return };
        if here == to && !path.is_empty() {
            found.push(path.clone());
            return;
        }
        if path.len() == MAX_PATH_HOPS {
            return;
        }
        let went_up = path.last().is_some_and(|hop| !hop.down);
        for (edge, key) in self.edges.iter().enumerate() {
            if *steps >= MAX_JOIN_STEPS {
                return;
            }
            *steps += 1;
            for down in [false, true] {
                let (start, end) = match down {
                    true => (key.parent.table, key.child.table),
                    false => (key.child.table, key.parent.table),
                };
                if start != here || tables.contains(&end) || (down && went_up) {
                    continue;
                }
                path.push(Hop { edge, down });
                tables.push(end);
                self.search(path, tables, to, found, steps);
                tables.pop();
                path.pop();
            }
        }
    }

    fn passes(&self, path: &[Hop], via: &Via) -> bool {
        let edges = via
            .edges
            .iter()
            .all(|edge| path.iter().any(|hop| hop.edge == *edge));
        let tables = via.tables.iter().all(|table| {
            path.iter().any(|hop| {
                self.ends(*hop)
                    .is_some_and(|(arrived, left)| arrived.table == *table || left.table == *table)
            })
        });
        edges && tables
    }

    /// Returns true if only equal values join the two columns of a step, and no foreign key.
    pub(crate) fn is_by_values(&self, hop: Hop) -> bool {
        let edge = self.edges.get(hop.edge);
        edge.is_some_and(|edge| edge.percent.is_some())
    }

    /// Returns all ways between two tables.
    pub(crate) fn paths(&self, from: usize, to: usize) -> Vec<Vec<Hop>> {
        self.ways(from, to, &Via::default()).paths().to_vec()
    }

    /// Returns true if two tables are one, or rows of one belong to rows of the other.
    pub(crate) fn connects(&self, from: usize, to: usize) -> bool {
        from == to || self.ways(from, to, &Via::default()) != Ways::None
    }

    /// Returns true if a row with one column may belong to a row with the other, along keys by
    /// values that are not followed here, and the two columns are no key and its row.
    pub(crate) fn may_lead(&self, from: ColumnId, to: ColumnId) -> bool {
        let Some(whole) = &self.whole else {
            return false;
        };
        let joins = whole.edges.iter().any(|edge| edge.joins(from, to));
        whole.leads_up(from.table, to.table) && !joins
    }

    /// Returns true if the only way from a table to another one leads each row to one row at most.
    pub(crate) fn leads_up(&self, from: usize, to: usize) -> bool {
        let ways = self.ways(from, to, &Via::default());
        matches!(ways, Ways::One(path) if path.iter().all(|hop| !hop.down))
    }

    /// Returns a way in words for people: the tables and columns that it passes.
    pub(crate) fn shown(&self, catalog: &Catalog<'_>, path: &[Hop]) -> String {
        let steps: Vec<String> = path
            .iter()
            .filter_map(|hop| self.edges.get(hop.edge))
            .map(|edge| match edge.percent {
                None => catalog.shown(edge.child),
                Some(percent) => {
                    let found = match percent {
                        100 => "all values".to_owned(),
                        percent => format!("{percent} of 100 values"),
                    };
                    let equal = equal(catalog, edge);
                    format!("{equal}, which no foreign key says: {found} are found there")
                }
            })
            .collect();
        format!("through {}", steps.join(", "))
    }
}

/// The parts of the way between two tables that a question names.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Via {
    pub(crate) edges: Vec<usize>,
    pub(crate) tables: Vec<usize>,
}

impl Via {
    pub(crate) fn is_empty(&self) -> bool {
        self.edges.is_empty() && self.tables.is_empty()
    }
}

fn declared(catalog: &Catalog<'_>) -> Vec<Edge> {
    let mut edges = Vec::new();
    for (table, view) in catalog.tables.iter().enumerate() {
        for (column, column_view) in view.columns.iter().enumerate() {
            let Some((to_table, to_column)) = &column_view.column.references else {
                continue;
            };
            if let Some(parent) = catalog.place(to_table, to_column) {
                let child = ColumnId { table, column };
                edges.push(Edge {
                    child,
                    parent,
                    plain: is_plain(catalog, child, parent),
                    percent: None,
                });
            }
        }
    }
    edges
}

/// Finds columns in which a look-up found nearly all values of another column.
fn by_values(catalog: &Catalog<'_>) -> Vec<Edge> {
    let mut edges = Vec::new();
    for (table, view) in catalog.tables.iter().enumerate() {
        for (column, column_view) in view.columns.iter().enumerate() {
            let child = ColumnId { table, column };
            let found = column_view.column.found_in.iter();
            edges.extend(found.filter_map(|reference| {
                let parent = catalog.place(&reference.table, &reference.column)?;
                Some(Edge {
                    child,
                    parent,
                    plain: is_plain(catalog, child, parent),
                    percent: Some(reference.percent),
                })
            }));
        }
    }
    // Where both columns are unique, the one that stands first in its table is referred to.
    edges.sort_by_key(|edge| (std::cmp::Reverse(edge.percent), edge.parent.column != 0));
    edges
}

/// Returns true if equal values of two columns may be a coincidence, so that a person must say that
/// they belong together: short codes of any two tables, and the numbers 1 to n in a column whose
/// name only says what it is about.
fn may_coincide(catalog: &Catalog<'_>, from: ColumnId, to: ColumnId) -> bool {
    let (Some(child), Some(table)) = (catalog.column(from), catalog.table(to.table)) else {
        return false;
    };
    let is_code = matches!(child.words.as_slice(), [only] if CODES.contains(&only.as_str()));
    let last = table.words.last().into_iter();
    let bare = child.words == table.words || child.words.iter().eq(last);
    // `room` of exams and `room` of teachers
    let parent = catalog.column(to);
    let is_like = parent.is_some_and(|view| view.words == child.words);
    let is_text = child.holds == Holds::Text && is_like && !catalog.identifies(to);
    is_code || child.holds == Holds::Number && bare || is_text && !bare
}

/// Returns true if a key that was found by its values is the reverse of another key: each row of
/// both tables has one of the other.
fn joins_same(known: &Edge, edge: &Edge) -> bool {
    known.percent.is_some() && (known.child, known.parent) == (edge.parent, edge.child)
}

/// Returns the equality of two columns as a question back names it.
fn equal(catalog: &Catalog<'_>, edge: &Edge) -> String {
    format!(
        "{} = {}",
        catalog.shown(edge.child),
        catalog.shown(edge.parent)
    )
}

/// Returns true if the column is called after the table or column that it refers to.
fn is_plain(catalog: &Catalog<'_>, child: ColumnId, parent: ColumnId) -> bool {
    let (Some(from), Some(to), Some(table)) = (
        catalog.column(child),
        catalog.column(parent),
        catalog.table(parent.table),
    ) else {
        return false;
    };
    let role = from.role().unwrap_or(&from.words);
    let last = table.words.last().into_iter().eq(role);
    role == table.words
        || last
        || from.words == to.words
        || role.ends_with(&to.words) && role.starts_with(&table.words)
}

/// Finds the key that a column refers to by its name: `customer_id` refers to `id` of the only
/// table of customers, `sensor_id` to the key of the same name.
fn by_name(catalog: &Catalog<'_>, child: ColumnId) -> Option<Edge> {
    let view = catalog.column(child)?;
    let role = view.role()?;
    let mut parents = catalog.tables.iter().enumerate().filter_map(|(table, other)| {
        let column = other.key.filter(|_| table != child.table)?;
        let key = other.columns.get(column)?;
        let own_key = catalog.key(child.table) == Some(child);
        let named = role == other.words
            && (key.words == view.words
                || matches!(key.words.as_slice(), [only] if only == "id" || only == "key" || only == "code"));
        let same = key.words == view.words && role.last() == other.words.last();
        ((named || same) && !own_key).then_some(ColumnId { table, column })
    });
    let parent = parents.next()?;
    if parents.next().is_some() {
        return None;
    }
    Some(Edge {
        child,
        parent,
        plain: true,
        percent: None,
    })
}
