//! Writes a resolved question as SQL: [`statement`] writes the clauses, [`conditions`] the
//! conditions on rows, [`literal`] names and values.
//!
//! Names come from the schema and are quoted where SQLite asks for it; values come from the
//! question or the schema and are escaped or printed as numbers. Nothing else becomes text of the
//! statement.

mod conditions;
mod literal;
mod statement;

use crate::catalog::{Catalog, ColumnId};
use crate::plan::{Step, Stop};
use crate::relations::{Hop, Relations};

pub(crate) use literal::{name, number, text};
pub(crate) use statement::{render, where_clause};

/// One FROM clause while it is written: its table, and the tables joined so far.
pub(crate) struct Frame<'a> {
    catalog: &'a Catalog<'a>,
    relations: &'a Relations,
    /// The name of the table that the clause begins with. It serves as the alias of the table, too.
    alias: String,
    /// True if columns need the name of their table in front.
    qualified: bool,
    /// True if rows without a parent stay in the result: parents are then joined with LEFT JOIN.
    outer: bool,
    /// True if rows of other tables are counted for each row. Then rows without any are part of the
    /// result, too.
    counted: bool,
    /// The joined tables: the path to each, and its alias.
    joined: Vec<(Vec<Hop>, String)>,
    joins: String,
    /// The number of sub-queries joined so far, from which the next one gets its name.
    measures: usize,
}

impl<'a> Frame<'a> {
    fn new(catalog: &'a Catalog<'a>, relations: &'a Relations, table: usize) -> Self {
        Self {
            catalog,
            relations,
            alias: name(catalog.table_name(table)),
            qualified: false,
            outer: false,
            counted: false,
            joined: Vec::new(),
            joins: String::new(),
            measures: 0,
        }
    }

    /// Renders the column of the row at the end of the path.
    fn column(&mut self, path: &[Hop], id: ColumnId) -> Step<String> {
        let alias = self.alias_of(path)?;
        Ok(self.written(&alias, id))
    }

    fn written(&self, alias: &str, id: ColumnId) -> String {
        let column = name(self.catalog.column_name(id));
        match self.qualified {
            true => format!("{alias}.{column}"),
            false => column,
        }
    }

    /// Joins what the path passes, each table once.
    fn alias_of(&mut self, path: &[Hop]) -> Step<String> {
        let mut alias = self.alias.clone();
        for length in 1..=path.len() {
            let way = path.get(..length).unwrap_or_default();
            if let Some((_, known)) = self.joined.iter().find(|(known, _)| known == way) {
                alias.clone_from(known);
                continue;
            }
            let Some((arrived, left)) = way.last().and_then(|hop| self.relations.ends(*hop)) else {
                return Err(Stop::cannot("a foreign key of the schema leads nowhere"));
            };
            let table = self.catalog.table_name(arrived.table);
            let taken = |wanted: &str| {
                self.alias == wanted || self.joined.iter().any(|(_, known)| known == wanted)
            };
            let mut next = name(table);
            let mut number = 1;
            while taken(&next) {
                number += 1;
                next = name(&format!("{table}_{number}"));
            }
            let renamed = if next == name(table) {
                String::new()
            } else {
                format!(" AS {next}")
            };
            let kind = if self.outer { " LEFT JOIN " } else { " JOIN " };
            self.joins.push_str(&format!(
                "{kind}{}{renamed} ON {next}.{} = {alias}.{}",
                name(table),
                name(self.catalog.column_name(arrived)),
                name(self.catalog.column_name(left))
            ));
            self.joined.push((way.to_vec(), next.clone()));
            alias = next;
        }
        Ok(alias)
    }
}
