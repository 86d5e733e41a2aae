//! The walk over the syntax tree for [`super::check`]. It estimates the sizes of columns and the
//! numbers of rows, as far as the text shows them.

mod expressions;

use std::collections::HashMap;

use sqlite3_parser::ast::{
    As, Cmd, CreateTableBody, Expr, FromClause, FunctionTail, InsertBody, JoinConstraint,
    OneSelect, Over, QualifiedName, ResultColumn, Select, SelectTable, Stmt, UpsertDo, With,
};

use super::functions::{Value, sum};
use super::recursion::{counter, names_table};
use super::{Division, STORED_BYTES, Work};
use crate::collect::{is_aggregate, literal_limit};
use crate::limits::{MAX_CARRIED_BYTES, MAX_VALUE_WORK_NS};
use crate::operations::unquote;
use crate::tree::{column_name, folded};
use base::Result;
use base::limits::MAX_COLUMNS;
use database::limits::MAX_VALUE_BYTES;

/// The input of the whole walk.
pub(super) struct Context {
    pub parameters: Vec<Value>,
    /// The largest number of rows of a recursion that sets no LIMIT.
    pub max_rows: u64,
}

/// The result of a query, as a table.
#[derive(Debug, Clone, Default)]
struct Derived {
    columns: Vec<(String, Value)>,
    rows: u64,
    /// True if it includes a table of the schema, so that its rows are not known.
    is_stored: bool,
    /// Nanoseconds of computing it once.
    ns: u64,
    /// True if it is computed again for each row of another table, as `json_each(t.list)` is.
    varies: bool,
}

/// The meaning of names in one FROM.
#[derive(Default)]
struct Frame {
    columns: HashMap<String, Value>,
    tables: Vec<String>,
    is_stored: bool,
}

pub(super) struct Estimate<'c> {
    context: &'c Context,
    division: Division,
    scopes: Vec<HashMap<String, Derived>>,
    frames: Vec<Frame>,
    once_ns: u64,
    /// The most expensive function so far, with its cost.
    worst: (u64, Option<String>),
    /// The lowest position of a frame in which a name was found; `usize::MAX` if none was.
    reached_below: usize,
}

impl<'c> Estimate<'c> {
    pub fn new(context: &'c Context, division: Division) -> Self {
        Self {
            context,
            division,
            scopes: Vec::new(),
            frames: Vec::new(),
            once_ns: 0,
            worst: (0, None),
            reached_below: usize::MAX,
        }
    }

    pub fn command(mut self, command: &Cmd<'_>) -> Result<Work> {
        let (Cmd::Stmt(statement) | Cmd::Explain(statement) | Cmd::ExplainQueryPlan(statement)) =
            command;
        let row_ns = self.statement(statement)?;
        Ok(Work {
            once_ns: self.once_ns,
            row_ns,
            function: self.worst.1,
        })
    }

    /// Returns the work for each row of a stored table. Work that does not depend on tables is
    /// added to `once_ns`.
    fn statement(&mut self, statement: &Stmt<'_>) -> Result<u64> {
        let derived = match statement {
            Stmt::Select(select) => self.select(select)?,
            Stmt::CreateView { select, .. } => self.select(select)?,
            Stmt::CreateTable {
                body: CreateTableBody::AsSelect(select),
                ..
            } => self.select(select)?,
            Stmt::Insert {
                with,
                body,
                returning,
                ..
            } => {
                self.enter(with.as_ref())?;
                let mut derived = self.inserted(body)?;
                self.frames.push(Frame::stored());
                let (_, ns) = self.result(returning.unwrap_or_default())?;
                derived.ns = derived.ns.saturating_add(ns);
                derived
            }
            Stmt::Update {
                with,
                sets,
                from,
                where_clause,
                returning,
                ..
            } => {
                self.enter(with.as_ref())?;
                let from = match from {
                    Some(from) => self.from(from)?,
                    None => Derived {
                        rows: 1,
                        ..Derived::default()
                    },
                };
                self.frames.push(Frame::stored());
                let values = sets.iter().map(|set| &set.expr);
                let ns = self.all(values.chain(where_clause.as_ref()))?;
                let (_, returned) = self.result(returning.unwrap_or_default())?;
                let mut derived = Derived {
                    is_stored: true,
                    ..from
                };
                let rows = derived.rows;
                self.add(&mut derived, rows, ns.saturating_add(returned));
                derived
            }
            Stmt::Delete {
                with,
                where_clause,
                returning,
                ..
            } => {
                self.enter(with.as_ref())?;
                self.frames.push(Frame::stored());
                let ns = self.all(where_clause.as_ref())?;
                let (_, returned) = self.result(returning.unwrap_or_default())?;
                Derived {
                    ns: ns.saturating_add(returned),
                    is_stored: true,
                    ..Derived::default()
                }
            }
            _ => return Ok(0),
        };
        if derived.is_stored {
            return Ok(derived.ns);
        }
        self.once_ns = self.once_ns.saturating_add(derived.ns);
        Ok(0)
    }

    /// Returns the rows of an INSERT, including the changes of DO UPDATE for each of them.
    fn inserted(&mut self, body: &InsertBody<'_>) -> Result<Derived> {
        match body {
            InsertBody::Select(select, upsert) => {
                let mut derived = self.select(select)?;
                self.frames.push(Frame::stored());
                let mut next = *upsert;
                while let Some(clause) = next {
                    if let UpsertDo::Set { sets, where_clause } = &clause.do_clause {
                        let values = sets.iter().map(|set| &set.expr);
                        let ns = self.all(values.chain(where_clause.as_ref()))?;
                        derived.ns = derived.ns.saturating_add(ns);
                    }
                    next = clause.next;
                }
                Ok(derived)
            }
            InsertBody::DefaultValues => Ok(Derived::default()),
        }
    }

    fn enter(&mut self, with: Option<&With<'_>>) -> Result<bool> {
        let Some(with) = with else { return Ok(false) };
        self.scopes.push(HashMap::new());
        for cte in with.ctes {
            let name = folded(cte.tbl_name.0);
            let names = cte.columns.map(|columns| {
                columns
                    .iter()
                    .map(|column| folded(column.col_name.0))
                    .collect::<Vec<_>>()
            });
            let mut derived = self.body(&name, cte.select, names.as_deref())?;
            rename(&mut derived, names.as_deref());
            if let Some(scope) = self.scopes.last_mut() {
                scope.insert(name, derived);
            }
        }
        Ok(true)
    }

    /// Returns the body of a common table expression. In a recursive arm, its name means the rows
    /// before.
    fn body(
        &mut self,
        name: &str,
        select: &Select<'_>,
        names: Option<&[String]>,
    ) -> Result<Derived> {
        let compounds = select.body.compounds.as_deref().unwrap_or_default();
        let recursive = compounds
            .iter()
            .any(|compound| names_table(&compound.select, name));
        if !recursive {
            return self.select(select);
        }
        let scoped = self.enter(select.with.as_ref())?;
        let mut seeds = self.one_select(&select.body.select)?;
        rename(&mut seeds, names);
        let seed_numbers: Vec<Option<u64>> = seeds
            .columns
            .iter()
            .map(|(_, value)| value.number)
            .collect();
        let limit = literal_limit(select)
            .unwrap_or(self.context.max_rows)
            .min(self.context.max_rows);
        // The engine checks the lengths of the values that a recursion passes on, so that their sum
        // is bounded.
        let carried = (MAX_CARRIED_BYTES / limit.max(1)).min(MAX_VALUE_BYTES as u64);
        for (_, value) in &mut seeds.columns {
            *value = Value {
                varies: true,
                carried,
                ..Value::of(STORED_BYTES)
            };
        }
        let counted = compounds
            .iter()
            .find_map(|compound| counter(&compound.select, &seeds.columns, &seed_numbers, name));
        seeds.rows = limit.min(counted.unwrap_or(u64::MAX));
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(
                name.to_owned(),
                Derived {
                    ns: 0,
                    ..seeds.clone()
                },
            );
        }
        for compound in compounds {
            let arm = self.one_select(&compound.select)?;
            seeds.ns = seeds.ns.saturating_add(arm.ns);
            seeds.is_stored |= arm.is_stored;
        }
        // The number of its rows is known, so the rows of the tables that it reads do not multiply
        // them.
        self.once_ns = self.once_ns.saturating_add(std::mem::take(&mut seeds.ns));
        seeds.is_stored = false;
        if scoped {
            self.scopes.pop();
        }
        Ok(seeds)
    }

    fn select(&mut self, select: &Select<'_>) -> Result<Derived> {
        let scoped = self.enter(select.with.as_ref())?;
        let frames = self.frames.len();
        let mut derived = self.one_select(&select.body.select)?;
        for compound in select.body.compounds.iter().flatten() {
            let arm = self.one_select(&compound.select)?;
            derived.ns = derived.ns.saturating_add(arm.ns);
            derived.rows = derived.rows.saturating_add(arm.rows);
            derived.is_stored |= arm.is_stored;
            for ((_, value), (_, other)) in derived.columns.iter_mut().zip(&arm.columns) {
                value.bytes = value.bytes.max(other.bytes);
                value.ns = value.ns.max(other.ns);
                value.varies |= other.varies;
            }
        }
        let ordered = select.order_by.unwrap_or_default().iter();
        let ns = self.all(ordered.map(|term| &term.expr))?;
        let rows = derived.rows.max(1);
        self.add(&mut derived, rows, ns);
        if let Some(limit) = literal_limit(select) {
            derived.rows = derived.rows.min(limit);
        }
        self.frames.truncate(frames);
        if scoped {
            self.scopes.pop();
        }
        Ok(derived)
    }

    fn one_select(&mut self, select: &OneSelect<'_>) -> Result<Derived> {
        match select {
            OneSelect::Values(rows) => {
                let mut derived = Derived {
                    rows: rows.len() as u64,
                    ..Derived::default()
                };
                for row in rows {
                    for (position, expression) in row.iter().enumerate() {
                        let value = self.expression(expression)?;
                        derived.ns = derived.ns.saturating_add(value.ns);
                        match derived.columns.get_mut(position) {
                            Some((_, known)) => known.bytes = known.bytes.max(value.bytes),
                            None => derived
                                .columns
                                .push((format!("column{}", position + 1), value)),
                        }
                    }
                }
                Ok(derived)
            }
            OneSelect::Select {
                columns,
                from,
                where_clause,
                group_by,
                having,
                ..
            } => {
                let mut derived = match from {
                    Some(from) => self.from(from)?,
                    None => {
                        self.frames.push(Frame::default());
                        Derived {
                            rows: 1,
                            ..Derived::default()
                        }
                    }
                };
                let rows = derived.rows.max(1);
                let clauses = where_clause
                    .iter()
                    .copied()
                    .chain(group_by.unwrap_or_default())
                    .chain(having.iter().copied());
                let mut ns = self.all(clauses)?;
                let (columns_found, result_ns) = self.result_over(columns, rows)?;
                ns = ns.saturating_add(result_ns);
                self.add(&mut derived, rows, ns);
                derived.columns = columns_found;
                self.frames.pop();
                if group_by.is_none() && columns.iter().any(is_aggregate) {
                    derived.rows = 1;
                }
                Ok(derived)
            }
        }
    }

    /// Adds the work for each row. A table of unknown length that is joined with a list of known
    /// length is assumed to be joined on a key, with as many rows as the longer of the two has.
    fn add(&mut self, derived: &mut Derived, rows: u64, ns: u64) {
        let all = rows.saturating_mul(ns);
        if derived.is_stored {
            derived.ns = derived.ns.saturating_add(ns);
            if rows > 1 {
                self.once_ns = self.once_ns.saturating_add(all);
            }
        } else {
            derived.ns = derived.ns.saturating_add(all);
        }
    }

    fn result(&mut self, columns: &[ResultColumn<'_>]) -> Result<(Vec<(String, Value)>, u64)> {
        self.result_over(columns, 1)
    }

    fn result_over(
        &mut self,
        columns: &[ResultColumn<'_>],
        rows: u64,
    ) -> Result<(Vec<(String, Value)>, u64)> {
        let mut found = Vec::new();
        let mut ns = 0_u64;
        for column in columns {
            match column {
                ResultColumn::Expr(expression, alias) => {
                    let value = self.windowed(expression, rows)?;
                    ns = ns.saturating_add(self.for_each_row(value));
                    found.push((column_name(expression, alias.as_ref()), value));
                }
                ResultColumn::Star | ResultColumn::TableStar(_) => {
                    if let Some(frame) = self.frames.last() {
                        found.extend(
                            frame
                                .columns
                                .iter()
                                .map(|(name, value)| (name.clone(), *value)),
                        );
                    }
                }
            }
        }
        found.truncate(MAX_COLUMNS);
        Ok((found, ns))
    }

    /// Returns the value of an expression, which may be a window function: a running aggregate of
    /// texts gives each row everything before it.
    fn windowed(&mut self, expression: &Expr<'_>, rows: u64) -> Result<Value> {
        let mut value = self.expression(expression)?;
        if let Expr::FunctionCall {
            name,
            filter_over:
                Some(FunctionTail {
                    over_clause: Some(Over::Window(window)),
                    ..
                }),
            ..
        } = expression
            && window.order_by.is_some()
            && window.partition_by.is_none()
            && window.frame_clause.is_none()
        {
            let name = unquote(name.0).to_ascii_lowercase();
            if crate::functions::is(&name, crate::functions::COLLECTS) {
                let row = (value.bytes / 4).clamp(1, STORED_BYTES);
                let longest = rows.saturating_mul(row).min(MAX_VALUE_BYTES as u64);
                value.ns = value.ns.saturating_add(longest / 2);
                self.blame(&name, value.ns);
            }
        }
        Ok(value)
    }

    /// Returns the work that a value adds for each row. A value that does not vary is computed
    /// once.
    fn for_each_row(&mut self, value: Value) -> u64 {
        if value.varies {
            return value.ns;
        }
        self.once_ns = self.once_ns.saturating_add(value.ns);
        0
    }

    fn all<'e>(&mut self, expressions: impl IntoIterator<Item = &'e Expr<'e>>) -> Result<u64> {
        let mut ns = 0_u64;
        for expression in expressions {
            let value = self.expression(expression)?;
            ns = ns.saturating_add(self.for_each_row(value));
        }
        Ok(ns)
    }

    /// Opens a frame for the FROM; the caller closes it.
    fn from(&mut self, from: &FromClause<'_>) -> Result<Derived> {
        let mut all = Derived {
            rows: 1,
            ..Derived::default()
        };
        self.frames.push(Frame::default());
        self.join(from, &mut all)?;
        Ok(all)
    }

    fn join(&mut self, from: &FromClause<'_>, all: &mut Derived) -> Result<()> {
        let tables = from
            .select
            .into_iter()
            .chain(from.joins.iter().flatten().map(|joined| &joined.table));
        for table in tables {
            let (name, derived) = match table {
                SelectTable::Table(name, alias, _) => {
                    let known_as = alias_or(alias.as_ref(), name);
                    (known_as, self.named(name))
                }
                SelectTable::TableCall(name, arguments, alias) => (
                    alias_or(alias.as_ref(), name),
                    self.list(arguments.unwrap_or_default())?,
                ),
                SelectTable::Select(select, alias) => {
                    let name = match alias {
                        Some(As::As(name) | As::Elided(name)) => folded(name.0),
                        None => String::new(),
                    };
                    (name, self.select(select)?)
                }
                SelectTable::Sub(inner, _) => {
                    self.join(inner, all)?;
                    continue;
                }
            };
            all.rows = all.rows.saturating_mul(derived.rows.max(1));
            if derived.is_stored || derived.varies {
                all.ns = all.ns.saturating_add(derived.ns);
            } else {
                self.once_ns = self.once_ns.saturating_add(derived.ns);
            }
            all.is_stored |= derived.is_stored;
            if let Some(frame) = self.frames.last_mut() {
                frame.is_stored |= derived.is_stored;
                frame.tables.push(name);
                for (column, mut value) in derived.columns {
                    value.varies = true;
                    value.number = None;
                    let known = frame.columns.entry(column).or_insert(value);
                    known.bytes = known.bytes.max(value.bytes);
                    known.ns = known.ns.max(value.ns);
                }
            }
        }
        for joined in from.joins.iter().flatten() {
            if let Some(JoinConstraint::On(expression)) = &joined.constraint {
                let ns = self.all([expression])?;
                let rows = all.rows;
                self.add(all, rows, ns);
            }
        }
        Ok(())
    }

    fn named(&self, name: &QualifiedName<'_>) -> Derived {
        let plain = folded(name.name.0);
        let known = self
            .scopes
            .iter()
            .rev()
            .find_map(|scope| scope.get(&plain))
            .filter(|_| name.db_name.is_none());
        known.cloned().unwrap_or_else(|| Derived {
            rows: 1,
            is_stored: true,
            ..Derived::default()
        })
    }

    /// Returns the rows of `json_each` and similar functions over a value.
    fn list(&mut self, arguments: &[Expr<'_>]) -> Result<Derived> {
        let mut values = Vec::new();
        for argument in arguments {
            values.push(self.expression(argument)?);
        }
        let bytes = values.first().map_or(STORED_BYTES, |value| value.bytes);
        let (rows, element) = match self.division {
            Division::ManyShort => ((bytes / 2).max(1), bytes.min(STORED_BYTES)),
            Division::OneLong => (1, bytes),
        };
        let column = |name: &str, bytes: u64| (name.to_owned(), Value::of(bytes));
        let ns = sum(values.iter().map(|value| value.ns));
        Ok(Derived {
            columns: vec![
                column("key", element),
                column("value", element),
                column("atom", element),
                column("fullkey", element),
                column("path", element),
                column("json", bytes),
            ],
            rows,
            ns: ns.saturating_add(bytes.saturating_mul(10)),
            varies: values.iter().any(|value| value.varies),
            ..Derived::default()
        })
    }

    fn blame(&mut self, name: &str, ns: u64) {
        if ns.min(MAX_VALUE_WORK_NS) > self.worst.0 {
            self.worst = (ns.min(MAX_VALUE_WORK_NS), Some(name.to_owned()));
        }
    }
}

impl Frame {
    fn stored() -> Self {
        Self {
            is_stored: true,
            ..Self::default()
        }
    }
}

fn rename(derived: &mut Derived, names: Option<&[String]>) {
    for ((known, _), name) in derived.columns.iter_mut().zip(names.unwrap_or_default()) {
        known.clone_from(name);
    }
}

fn alias_or(alias: Option<&As<'_>>, name: &QualifiedName<'_>) -> String {
    match alias {
        Some(As::As(name) | As::Elided(name)) => folded(name.0),
        None => folded(name.name.0),
    }
}
