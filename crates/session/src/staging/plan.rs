//! The plan for a result: its tables, and the column for the values at each place.

use std::collections::{HashSet, VecDeque};

use super::column_limit::{fit, places};
use super::shape::{Id, ROOT, Shape};
use super::{names, parts};
use crate::limits::MAX_STAGED_ANSWER_TABLES;
use crate::records::Kinds;

/// The number of a row in its table.
pub(super) const ROW_ID: &str = "row_id";
/// The number of the parent row, in the table of the parent.
pub(super) const PARENT_ROW_ID: &str = "parent_row_id";
/// The key that a record had in its object.
const KEY: &str = "key";
/// The value of a row that is not an object.
const VALUE: &str = "value";
/// The keys of a record for which there is no column, as JSON.
const OTHER: &str = "other";
/// The table of values around the lists of a result, if a list has taken the first name.
const REST: &str = "info";
/// The key under which search engines put the record of a hit.
const SOURCE: &str = "_source";
/// The key under which GraphQL puts the record of an edge, beside nothing but a cursor.
const NODE: &str = "node";
/// The key under which GraphQL and others wrap a result.
const DATA: &str = "data";

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) kinds: Kinds,
}

/// A planned table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Table {
    /// The part after the common beginning of the names; empty for the table whose name is this
    /// beginning.
    pub(super) suffix: String,
    /// The position of the table that has the parent rows.
    pub(super) parent: Option<usize>,
    /// All columns, in order.
    pub(super) columns: Vec<Column>,
    /// The position of the column for the key of a record.
    pub(super) key: Option<usize>,
    /// The position of the column for keys without a column.
    pub(super) other: Option<usize>,
}

/// The tables and columns for a result.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) shape: Shape,
    pub(super) tables: Vec<Table>,
    /// For each place, the column of its values.
    columns: Vec<Option<usize>>,
    /// For each place of rows, their table.
    of_rows: Vec<Option<usize>>,
}

impl Plan {
    /// Plans the tables for a shape.
    pub(super) fn new(shape: Shape) -> Self {
        let mut plan = Self {
            columns: vec![None; shape.len()],
            of_rows: vec![None; shape.len()],
            shape,
            tables: Vec::new(),
        };
        plan.decide();
        plan
    }

    /// Returns the column for the values of a place, in the table of its row.
    pub(super) fn column(&self, id: Id) -> Option<usize> {
        self.columns.get(id).copied().flatten()
    }

    /// Returns the table for the rows of a place.
    pub(super) fn table(&self, id: Id) -> Option<usize> {
        self.of_rows.get(id).copied().flatten()
    }

    /// Returns the total number of rows.
    pub(super) fn rows(&self) -> u64 {
        let rows = |id: Id| {
            self.table(id).map(|_| {
                if id == ROOT {
                    1
                } else {
                    self.shape.node(id).rows
                }
            })
        };
        (0..self.shape.len()).filter_map(rows).sum()
    }

    /// Returns the suffix for the table of long values, which no other table has.
    pub(super) fn parts_suffix(&self) -> String {
        let mut taken = self
            .tables
            .iter()
            .map(|table| table.suffix.to_ascii_lowercase())
            .collect();
        names::unique(parts::SUFFIX, &mut taken)
    }

    fn decide(&mut self) {
        let mut waiting = VecDeque::from([(ROOT, None)]);
        while let Some((row, parent)) = waiting.pop_front() {
            let room =
                MAX_STAGED_ANSWER_TABLES.saturating_sub(self.tables.len() + 1 + waiting.len());
            for list in self.lists(row).into_iter().skip(room) {
                self.shape.change(list, |node| node.folded = true);
            }
            fit(&mut self.shape, row);
            let table = self.add_table(row, parent);
            let elements = self
                .lists(row)
                .into_iter()
                .filter_map(|list| self.shape.node(list).element);
            // Rows directly in the result have no parent row.
            waiting.extend(elements.map(|element| (element, table.filter(|_| row != ROOT))));
        }
        self.name_tables();
    }

    /// Returns the lists of records directly within a row.
    fn lists(&self, row: Id) -> Vec<Id> {
        let is_list = |id: &Id| {
            let node = self.shape.node(*id);
            node.element.is_some() && !node.folded
        };
        places(&self.shape, row)
            .into_iter()
            .map(|place| place.id)
            .filter(is_list)
            .collect()
    }

    fn add_table(&mut self, row: Id, parent: Option<usize>) -> Option<usize> {
        let filled: Vec<Id> = places(&self.shape, row)
            .into_iter()
            .map(|place| place.id)
            .filter(|id| self.shape.node(*id).has_column())
            .collect();
        let node = self.shape.node(row);
        let spills = node.more_keys || node.keys.iter().any(|key| self.shape.node(*key).spilled);
        if row == ROOT && filled.is_empty() && !spills {
            return None;
        }
        let mut taken = HashSet::new();
        let mut table = Table {
            suffix: String::new(),
            parent,
            columns: Vec::new(),
            key: None,
            other: None,
        };
        let mut add = |table: &mut Table, name: &str, kinds: Kinds| {
            let name = names::unique(name, &mut taken);
            table.columns.push(Column { name, kinds });
            table.columns.len() - 1
        };
        add(&mut table, ROW_ID, Kinds::INTEGER);
        if parent.is_some() {
            add(&mut table, PARENT_ROW_ID, Kinds::INTEGER);
        }
        table.key = node.keyed.then(|| add(&mut table, KEY, Kinds::TEXT));
        let named = self.column_names(row, &filled, &mut |name| names::unique(name, &mut taken));
        for (id, name) in filled.iter().zip(named) {
            let kinds = self.shape.node(*id).kinds();
            if let Some(column) = self.columns.get_mut(*id) {
                *column = Some(table.columns.len());
            }
            table.columns.push(Column { name, kinds });
        }
        if spills {
            let name = names::unique(OTHER, &mut taken);
            table.other = Some(table.columns.len());
            table.columns.push(Column {
                name,
                kinds: Kinds::TEXT,
            });
        }
        self.tables.push(table);
        let number = self.tables.len() - 1;
        if let Some(of_rows) = self.of_rows.get_mut(row) {
            *of_rows = Some(number);
        }
        Some(number)
    }

    /// Returns a name for each place. Keys of the record itself get theirs before keys of nested
    /// objects.
    fn column_names(
        &self,
        row: Id,
        filled: &[Id],
        unique: &mut dyn FnMut(&str) -> String,
    ) -> Vec<String> {
        let paths: Vec<Vec<&str>> = filled.iter().map(|id| self.path(row, *id)).collect();
        let mut order: Vec<usize> = (0..filled.len()).collect();
        order.sort_by_key(|index| paths.get(*index).map_or(0, Vec::len));
        let mut named = vec![String::new(); filled.len()];
        for index in order {
            let path = paths.get(index).map(Vec::as_slice).unwrap_or_default();
            let name = if path.is_empty() {
                VALUE.to_owned()
            } else {
                names::column(path)
            };
            if let Some(place) = named.get_mut(index) {
                *place = unique(&name);
            }
        }
        named
    }

    /// Returns the keys from a row to a place in it, without those of mere wrappers.
    fn path(&self, row: Id, id: Id) -> Vec<&str> {
        let mut ids = Vec::new();
        let mut at = id;
        while at != row {
            ids.push(at);
            match self.shape.node(at).parent {
                Some(parent) => at = parent,
                None => break,
            }
        }
        ids.reverse();
        let mut keys: Vec<&str> = ids
            .iter()
            .map(|id| self.shape.node(*id).key.as_str())
            .collect();
        let wraps = if row == ROOT {
            self.wrappers(&ids)
        } else {
            usize::from(
                keys.first()
                    .is_some_and(|key| self.wraps_a_record(row, key)),
            )
        };
        keys.drain(..wraps.min(keys.len().saturating_sub(1)));
        keys
    }

    fn wraps_a_record(&self, row: Id, key: &str) -> bool {
        let keys = &self.shape.node(row).keys;
        let mut keys = keys.iter().map(|id| self.shape.node(*id).key.as_str());
        key == SOURCE || (key == NODE && keys.all(|key| key == NODE || names::is_page_key(key)))
    }

    /// Counts the leading keys of mere wrappers: the only key of an object, or the key `data` of
    /// the result.
    fn wrappers(&self, ids: &[Id]) -> usize {
        let mut around = ROOT;
        let mut wraps = 0;
        for id in ids {
            let only = self.shape.node(around).keys.len() == 1
                && self.shape.node(around).element.is_none();
            let data = around == ROOT && self.shape.node(*id).key == DATA;
            if !only && !data {
                break;
            }
            wraps += 1;
            around = *id;
        }
        wraps
    }

    /// Names each table after the keys that lead to its rows. The main list of the result, if there
    /// is one, gets the name of the result.
    fn name_tables(&mut self) {
        let main = self.main_list();
        let mut taken = HashSet::new();
        let rows: Vec<(usize, Id)> = {
            let mut rows: Vec<_> = (0..self.shape.len())
                .filter_map(|id| Some((self.table(id)?, id)))
                .collect();
            rows.sort_unstable();
            rows
        };
        for (table, row) in rows {
            let parent = self.tables.get(table).and_then(|table| table.parent);
            let parent = parent
                .and_then(|parent| self.tables.get(parent))
                .map_or("", |parent| parent.suffix.as_str());
            let own = if main == Some(row) || (row == ROOT && main.is_none()) {
                String::new()
            } else if row == ROOT {
                REST.to_owned()
            } else {
                self.list_name(row)
            };
            let parts: Vec<&str> = [parent, own.as_str()]
                .into_iter()
                .filter(|part| !part.is_empty())
                .collect();
            let suffix = parts.join("_");
            // Only one table has the name of the result.
            let suffix = if suffix.is_empty() {
                suffix
            } else {
                names::unique(&suffix, &mut taken)
            };
            if let Some(table) = self.tables.get_mut(table) {
                table.suffix = suffix;
            }
        }
    }

    /// Returns the row that contains the list of an element, and the list.
    fn list_of(&self, element: Id) -> (Id, Id) {
        let list = self.shape.node(element).parent.unwrap_or(ROOT);
        let mut row = list;
        while !self.shape.node(row).row {
            match self.shape.node(row).parent {
                Some(parent) => row = parent,
                None => break,
            }
        }
        (row, list)
    }

    fn list_name(&self, element: Id) -> String {
        let (row, list) = self.list_of(element);
        let mut path = self.path(row, list);
        while path.len() > 1 && path.last().is_some_and(|key| names::is_list_key(key)) {
            path.pop();
        }
        let parts: Vec<String> = path
            .iter()
            .map(|key| names::table_part(key))
            .filter(|part| !part.is_empty())
            .collect();
        if parts.is_empty() {
            "items".to_owned()
        } else {
            parts.join("_")
        }
    }

    /// Returns the main list of the result: the result itself, or its only list if the rest is
    /// paging details, or the only list under a usual key.
    fn main_list(&self) -> Option<Id> {
        let lists = self.lists(ROOT);
        let element = |list: &Id| self.shape.node(*list).element;
        if let [list] = lists.as_slice() {
            let rest = places(&self.shape, ROOT)
                .into_iter()
                .map(|place| self.shape.node(place.id))
                .filter(|node| node.has_column());
            let usual = *list == ROOT || names::is_list_key(&self.shape.node(*list).key);
            if usual || rest.into_iter().all(|node| names::is_page_key(&node.key)) {
                return element(list);
            }
            return None;
        }
        let usual = |list: &&Id| {
            let path = self.path(ROOT, **list);
            path.len() <= 1 && path.iter().all(|key| names::is_list_key(key))
        };
        let mut found = lists.iter().filter(usual);
        match (found.next(), found.next()) {
            (Some(list), None) => element(list),
            _ => None,
        }
    }
}
