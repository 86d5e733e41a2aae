//! Finds indexes that would help a statement. Each candidate is tried: the tables are copied
//! without rows, under other names, the index is made on a copy, and the engine shows whether its
//! plan uses it. SQLite has no statistics here, so its plan for an empty table is the same as for a
//! full one. All of this happens in a transaction that never commits.

use base::Result;
use database::{Cell, Cursor as _, Database, DatabaseExt as _, Statement};
use sql_gate::compose::{Part, compose, quote_identifier};
use sql_gate::{Bound, Parameters};
use sql_scope::tenant::{self, Tenant};

use crate::Session;
use crate::approved::{plan, rolled_back, rows_within};
use crate::inspect;
use crate::limits::{
    LEAST_INDEXED_ROWS, MAX_COPIED_DEFINITIONS, MAX_PLAN_SENTENCES, MAX_SUGGESTED_INDEXES,
    MAX_TRIED_COLUMNS,
};

const DEFINITIONS: &str = "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND type IN ('table', 'index', 'view') \
     ORDER BY type = 'view', rowid LIMIT ?";

/// The name of a tried index, among the copies.
const TRIED: &str = "tried";

/// An index that would help.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Suggestion {
    /// The name of the table.
    pub table: String,
    /// The names of the columns, in the order of the index.
    pub columns: Vec<String>,
    /// The name of the index.
    pub name: String,
    /// The plan of the statement with this index and the suggestions before it.
    pub plan: Vec<String>,
}

impl Suggestion {
    /// Returns the statement that makes the index.
    pub fn statement(&self) -> String {
        let columns: Vec<String> = self
            .columns
            .iter()
            .map(|name| quote_identifier(name))
            .collect();
        let (name, table) = (quote_identifier(&self.name), quote_identifier(&self.table));
        format!("CREATE INDEX {name} ON {table} ({})", columns.join(", "))
    }
}

/// Finds indexes that would help a statement. Returns none if its tables cannot be copied (for
/// example virtual tables), or while a stream reads the session, because a change of the schema
/// would end it.
///
/// # Errors
/// The engine's.
pub(crate) fn suggestions<D: Database>(
    session: &Session<'_, D>,
    bound: &Bound,
    parameters: &Parameters,
) -> Result<Vec<Suggestion>> {
    let columns = bound.compared_columns();
    if columns.is_empty() || session.db.open_cursors() > 0 {
        return Ok(Vec::new());
    }
    let tenant = Tenant::new("copies");
    let copy = tenant::review(bound.statement(), &session.policy(), &tenant);
    let Some(plan) = copy.and_then(|copy| copy.bind(parameters)).ok() else {
        return Ok(Vec::new());
    };
    let plan = plan.explained_plan();
    let trial = Trial {
        session,
        tenant: &tenant,
        statement: bound,
        plan: &plan,
        columns,
    };
    rolled_back(session.db, || {
        Ok(match trial.copy_tables()? {
            true => trial.suggestions(),
            false => Vec::new(),
        })
    })
}

/// Copies of the tables, and the statement on the copies.
struct Trial<'a, 'd, D: Database> {
    session: &'a Session<'d, D>,
    tenant: &'a Tenant,
    /// The statement on the original tables.
    statement: &'a Bound,
    /// The plan of the statement on the copies.
    plan: &'a Bound,
    /// The columns that it compares; those compared for equality come first.
    columns: Vec<&'a str>,
}

impl<D: Database> Trial<'_, '_, D> {
    /// Copies the tables, indexes and views. Returns false if there are too many.
    fn copy_tables(&self) -> Result<bool> {
        let limit = database::Bind::number(MAX_COPIED_DEFINITIONS + 1);
        let rows = self.session.db.rows(DEFINITIONS, &[limit])?;
        if rows.len() as u64 > MAX_COPIED_DEFINITIONS {
            return Ok(false);
        }
        for row in rows {
            let mut cells = row.into_iter().map(Cell::into_text);
            let (Some(name), Some(text)) = (cells.next(), cells.next()) else {
                continue;
            };
            if sql_gate::is_internal_name(&name) {
                continue;
            }
            // If a definition cannot be copied, a statement that reads it has no plan.
            let made = tenant::review(&text, &self.session.policy(), self.tenant);
            if let Ok(made) = made.and_then(|made| made.bind(&Parameters::None)) {
                self.run(&made);
            }
        }
        Ok(true)
    }

    /// Runs a statement on the copies. Returns true if the engine accepted it.
    fn run(&self, bound: &Bound) -> bool {
        self.session
            .db
            .open(Statement::Reviewed(bound.reviewed()))
            .is_ok()
    }

    /// Returns the lines of the plan on the copies; none if the statement does not compile there.
    fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let Ok(mut cursor) = self
            .session
            .db
            .open(Statement::Reviewed(self.plan.reviewed()))
        else {
            return lines;
        };
        while lines.len() < MAX_PLAN_SENTENCES
            && let Ok(Some(row)) = cursor.next()
        {
            lines.extend(row.into_iter().nth(3).map(Cell::into_text));
        }
        lines
    }

    /// Tries indexes for one table of the plan after the other. An index that helps is kept for the
    /// next table.
    fn suggestions(&self) -> Vec<Suggestion> {
        let mut found: Vec<Suggestion> = Vec::new();
        let mut done: Vec<String> = Vec::new();
        while found.len() < MAX_SUGGESTED_INDEXES {
            let lines = self.lines();
            let mut next = lines.iter().filter_map(|line| self.read_whole(line));
            let Some(table) = next.find(|table| !done.contains(table)) else {
                break;
            };
            done.push(table.clone());
            let is_small =
                rows_within(self.session.db, &table).is_some_and(|rows| rows < LEAST_INDEXED_ROWS);
            if !is_small && let Some(columns) = self.helpful_columns(&table) {
                found.extend(self.keep(table, columns));
            }
        }
        found
    }

    /// Returns the table that a line of the plan reads completely, or for which it makes an
    /// automatic index in each run.
    fn read_whole(&self, line: &str) -> Option<String> {
        if !line.starts_with("SCAN ") && !line.contains(" USING AUTOMATIC ") {
            return None;
        }
        let name = plan::scanned(line)?;
        match self.tenant.logical(name) {
            Some(table) => Some(table.to_owned()),
            // The table that the statement writes keeps its original name.
            None => self.statement.relation_named(name),
        }
    }

    /// Returns the columns of a table for which an index would be used.
    fn helpful_columns(&self, table: &str) -> Option<Vec<String>> {
        let known = inspect::load_table(self.session.db, table)
            .ok()?
            .visible_names();
        let compared = self.columns.iter().filter_map(|column| {
            known
                .iter()
                .find(|known| known.eq_ignore_ascii_case(column))
        });
        let mut alone: Vec<&str> = Vec::new();
        for column in compared.take(MAX_TRIED_COLUMNS) {
            let column = column.as_str();
            if !alone.contains(&column) && self.used(table, &[column]).is_some() {
                alone.push(column);
            }
        }
        let together = self.used(table, &alone);
        together.or_else(|| alone.first().map(|first| vec![(*first).to_owned()]))
    }

    /// Tries an index. Returns those of its columns by which the plan finds rows.
    fn used(&self, table: &str, columns: &[&str]) -> Option<Vec<String>> {
        if columns.is_empty() || !self.run(&self.index(table, TRIED, columns)) {
            return None;
        }
        let name = self.tenant.physical(TRIED);
        let lines = self.lines();
        self.run(&compose(
            &[Part::Sql("DROP INDEX "), Part::Identifier(&name)],
            Vec::new(),
        ));
        let marked = format!("INDEX {name} (");
        let (_, terms) = lines.iter().find_map(|line| line.split_once(&marked))?;
        let mut rest = terms;
        let mut used = Vec::new();
        for column in columns {
            let Some(behind) = rest
                .strip_prefix(column)
                .filter(|behind| behind.starts_with(['=', '<', '>']))
            else {
                break;
            };
            used.push((*column).to_owned());
            rest = behind.split_once(" AND ").map_or("", |(_, rest)| rest);
        }
        (!used.is_empty()).then_some(used)
    }

    /// Makes a helpful index, under a free name.
    fn keep(&self, table: String, columns: Vec<String>) -> Option<Suggestion> {
        let wanted = format!("{table}_{}", columns.join("_"));
        let mut names = std::iter::once(wanted.clone())
            .chain((2_u32..100).map(|number| format!("{wanted}_{number}")));
        let name =
            names.find(|name| matches!(inspect::stored_name(self.session.db, name), Ok(None)))?;
        let parts: Vec<&str> = columns.iter().map(String::as_str).collect();
        if !self.run(&self.index(&table, &name, &parts)) {
            return None;
        }
        let lines = self.lines();
        let lines = lines
            .iter()
            .map(|line| self.tenant.readable(line))
            .collect();
        let plan = plan::plain(lines, |name| Some(name.to_owned()));
        Some(Suggestion {
            table,
            columns,
            name,
            plan,
        })
    }

    fn index(&self, table: &str, name: &str, columns: &[&str]) -> Bound {
        let (name, table) = (self.tenant.physical(name), self.tenant.physical(table));
        let mut parts = vec![
            Part::Sql("CREATE INDEX "),
            Part::Identifier(&name),
            Part::Sql(" ON "),
            Part::Identifier(&table),
        ];
        for (position, column) in columns.iter().enumerate() {
            parts.push(Part::Sql(if position == 0 { " (" } else { ", " }));
            parts.push(Part::Identifier(column));
        }
        parts.push(Part::Sql(")"));
        compose(&parts, Vec::new())
    }
}
