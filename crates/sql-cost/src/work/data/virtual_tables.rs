//! The kinds of virtual tables and views that a statement may use.

use super::derived::View;
use super::statistics::Statistics;
use base::limits::MAX_COLUMNS;
use database::{Cell, Database};
use sql_gate::policy::TABLE_FUNCTIONS;
use sql_gate::{collect, parse};
use sqlite3_parser::Bump;

/// Rows of a table-valued function that lists parts of the schema, if it is not known which
/// function it is.
const SCHEMA_ROWS: f64 = 10_000.0;

/// The largest lists that pragma functions return: tables and views, indexes of one table, and
/// bytes of a definition with foreign keys.
const SCHEMA_SIZES: &str = "SELECT (SELECT count(*) FROM sqlite_schema WHERE type IN ('table', 'view')), \
    (SELECT max(n) FROM (SELECT count(*) AS n FROM sqlite_schema WHERE type = 'index' GROUP BY tbl_name)), \
    (SELECT max(octet_length(sql)) FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%references%')";

/// Tables of the engine that `pragma_table_list` lists in addition to those of the schema, and the
/// hidden columns that fts5 adds.
const OF_THE_ENGINE: usize = 2;

/// The least bytes of a definition for each column of a foreign key: a name and a comma.
const BYTES_OF_A_KEY_COLUMN: f64 = 2.0;

impl<D: Database> Statistics<'_, D> {
    /// Returns true if a virtual table of the statement may turn one value into many rows, as
    /// `json_each` does.
    pub fn unfolds(&self) -> bool {
        self.virtual_tables()
            .is_none_or(|tables| tables.unfold || tables.given)
    }

    /// Returns true if the virtual tables of the statement show nothing but the schema.
    pub fn tells_the_schema(&self) -> bool {
        self.virtual_tables()
            .is_some_and(|tables| !tables.unfold && !tables.given && !tables.stored)
    }

    /// Returns true if a virtual table may unfold a value level by level, so that an inner text is
    /// part of every text around it.
    pub fn unfolds_levels(&self) -> bool {
        let mut relations = self.facts.relations.iter();
        self.reads_a_view() || relations.any(|one| one.name.to_ascii_lowercase().ends_with("_tree"))
    }

    /// Returns true if the statement reads a view, and so uses names that its text does not show.
    pub fn reads_a_view(&self) -> bool {
        let views = self.of_schema("SELECT name FROM sqlite_schema WHERE type = 'view'", &[]);
        let Some(views) = views else {
            return true;
        };
        let mut names = views
            .iter()
            .filter_map(|row| row.first().and_then(Cell::as_text));
        names.any(|view| {
            let mut relations = self.facts.relations.iter();
            relations.any(|relation| relation.name.eq_ignore_ascii_case(view))
        })
    }

    /// Returns the views that the statement may read, directly or through others, the outermost
    /// last. Returns `None` if they cannot be found out.
    pub fn views(&self) -> Option<Vec<View>> {
        let rows = self.of_schema(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'view'",
            &[],
        )?;
        let cell = |row: &[Cell], at: usize| row.get(at).cloned().unwrap_or(Cell::Null).into_text();
        let mut named: Vec<String> = self
            .facts
            .relations
            .iter()
            .map(|one| one.name.clone())
            .collect();
        let mut found: Vec<View> = Vec::new();
        while let Some(name) = named.pop() {
            let is_it = |other: &str| other.eq_ignore_ascii_case(&name);
            let row = rows.iter().find(|row| is_it(&cell(row, 0)));
            let Some(row) = row.filter(|_| !found.iter().any(|view| is_it(&view.name))) else {
                continue;
            };
            let sql = cell(row, 1);
            self.meter.takes(sql.len() / 2);
            let arena = Bump::new();
            let facts = collect::collect(&parse::parse(&arena, &sql).ok()?);
            named.extend(facts.relations.into_iter().map(|one| one.name));
            found.push(View {
                name,
                functions: facts.functions,
                sql,
            });
        }
        found.reverse();
        Some(found)
    }

    /// Returns the kinds of virtual tables that the statement may use. Behind a view it may be any
    /// kind.
    pub fn virtual_tables(&self) -> Option<VirtualTables> {
        let listed = self.of_schema(
            "SELECT name, type FROM sqlite_schema WHERE rootpage = 0 AND type IN ('table', 'view')",
            &[],
        )?;
        let named = |wanted: &str| {
            let mut relations = self.facts.relations.iter();
            let written = self.facts.written_table.as_deref();
            relations.any(|relation| relation.name.eq_ignore_ascii_case(wanted))
                || written.is_some_and(|name| name.eq_ignore_ascii_case(wanted))
        };
        let mut names: Vec<(String, bool)> = Vec::new();
        for row in listed.iter() {
            let name = row.first()?.clone().into_text();
            names.push((name, row.get(1)?.as_text() == Some("view")));
        }
        let any = names.iter().any(|(name, is_view)| *is_view && named(name));
        self.meter
            .takes(names.len() * (1 + self.facts.relations.len()));
        let mut found = VirtualTables {
            unfold: any,
            given: false,
            stored: any,
            rows: if any { SCHEMA_ROWS } else { 0.0 },
        };
        for (name, is_view) in &names {
            if !is_view && (any || named(name)) {
                found.stored = true;
                found.rows = found.rows.max(self.rows_of(name));
            }
        }
        for relation in &self.facts.relations {
            let is_listed = names
                .iter()
                .any(|(name, _)| name.eq_ignore_ascii_case(&relation.name));
            if unfolds(&relation.name) && relation.given && !self.names_an_argument() {
                found.given = true;
                found.rows = found.rows.max((self.text_bytes / 2 + 1) as f64);
            } else if unfolds(&relation.name) {
                found.unfold = true;
            } else if !is_listed && (relation.called || is_function(&relation.name)) {
                found.rows = found.rows.max(self.listed_rows(&relation.name));
            }
        }
        Some(found)
    }

    /// Returns true if the text may name an argument of `json_each` as a column, which can replace
    /// the argument in the brackets.
    fn names_an_argument(&self) -> bool {
        let text = self.bound.sql().to_ascii_lowercase();
        self.meter.takes(text.len() / 16);
        let is_part = |letter: char| !(letter.is_alphanumeric() || letter == '_');
        text.split(is_part)
            .any(|word| matches!(word, "json" | "root"))
    }

    /// Returns the largest number of rows that a pragma function returns for one table or index.
    fn listed_rows(&self, function: &str) -> f64 {
        let columns = (MAX_COLUMNS + OF_THE_ENGINE) as f64;
        let size = |at: usize| {
            let rows = self.of_schema(SCHEMA_SIZES, &[])?;
            Some(rows.first()?.get(at)?.as_count() as f64)
        };
        let rows = match function.to_ascii_lowercase().as_str() {
            "pragma_table_info" | "pragma_table_xinfo" | "pragma_index_info" => Some(columns),
            "pragma_table_list" => size(0).map(|tables| tables + OF_THE_ENGINE as f64),
            "pragma_index_list" => size(1),
            "pragma_foreign_key_list" => size(2).map(|bytes| bytes / BYTES_OF_A_KEY_COLUMN),
            _ => None,
        };
        rows.unwrap_or(SCHEMA_ROWS)
    }
}

/// The kinds of virtual tables that a statement may use.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VirtualTables {
    /// True if one may unfold a value that the statement reads or computes, as `json_each` does.
    pub unfold: bool,
    /// True if one unfolds a literal or a parameter.
    pub given: bool,
    /// True if one may be stored, as a full-text index is.
    pub stored: bool,
    /// The largest number of rows of any other.
    pub rows: f64,
}

fn is_function(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    TABLE_FUNCTIONS.contains(&name.as_str())
}

fn unfolds(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.starts_with("json") && (name.ends_with("_each") || name.ends_with("_tree"))
}
