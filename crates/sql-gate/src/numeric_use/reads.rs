//! Walks through the queries of a statement, and resolves the names in them.

use sqlite3_parser::Bump;
use sqlite3_parser::ast::{
    As, Cmd, CreateTableBody, Expr, FromClause, InsertBody, JoinConstraint, Literal, OneSelect,
    QualifiedName, ResultColumn, Select, SelectTable, SortedColumn, Stmt, With,
};

use super::{NumericReading, NumericUse, NumericUses, Origin, Source, Sources};
use crate::operations::unquote;
use crate::parse::parse;
use crate::tree::{Child, children, folded, window};

/// The largest number of expressions that are examined. The rest of a longer statement is ignored.
const MAX_STEPS: u32 = 50_000;

/// The largest depth of views within views that are examined.
const MAX_VIEWS: u32 = 8;

/// The columns of a query or table: each name in lower case, and the column of a table that its
/// texts come from.
pub(super) type Outputs = Vec<(String, Option<Origin>)>;

/// A table in FROM.
struct Table {
    /// Its alias or name, in lower case.
    name: String,
    outputs: Outputs,
}

/// One query: its tables, and the columns in its list so far.
#[derive(Default)]
struct Scope {
    tables: Vec<Table>,
    named: Outputs,
}

/// The walk through a statement.
pub(super) struct Reads<'s> {
    sources: &'s dyn Sources,
    ctes: Vec<(String, Outputs)>,
    scopes: Vec<Scope>,
    views: u32,
    steps: u32,
    pub(super) found: NumericUses,
}

impl<'s> Reads<'s> {
    pub(super) fn new(sources: &'s dyn Sources) -> Self {
        Self {
            sources,
            ctes: Vec::new(),
            scopes: Vec::new(),
            views: 0,
            steps: 0,
            found: NumericUses::default(),
        }
    }

    pub(super) fn statement(&mut self, statement: &Stmt<'_>) {
        match statement {
            Stmt::Select(select) => {
                self.select(select);
            }
            Stmt::CreateTable {
                body: CreateTableBody::AsSelect(select),
                ..
            }
            | Stmt::CreateView { select, .. } => {
                self.select(select);
            }
            Stmt::Insert {
                with,
                body: InsertBody::Select(select, _),
                ..
            } => {
                self.with(with.as_ref());
                self.select(select);
            }
            Stmt::Update {
                with,
                tbl_name,
                sets,
                from,
                where_clause,
                ..
            } => {
                self.with(with.as_ref());
                self.changed(tbl_name, from.as_ref(), |reads| {
                    sets.iter().for_each(|set| reads.read(&set.expr));
                    reads.optional(where_clause.as_ref());
                });
            }
            Stmt::Delete {
                with,
                tbl_name,
                where_clause,
                ..
            } => {
                self.with(with.as_ref());
                self.changed(tbl_name, None, |reads| {
                    reads.optional(where_clause.as_ref());
                });
            }
            _ => {}
        }
    }

    /// Walks through the expressions of a statement that changes a table.
    fn changed(
        &mut self,
        name: &QualifiedName<'_>,
        from: Option<&FromClause<'_>>,
        read: impl FnOnce(&mut Self),
    ) {
        let mut scope = Scope::default();
        let outputs = self.outputs_of(name);
        scope.tables.push(Table {
            name: folded(name.alias.as_ref().unwrap_or(&name.name).0),
            outputs,
        });
        if let Some(from) = from {
            self.from(from, &mut scope);
        }
        self.scopes.push(scope);
        read(self);
        self.scopes.pop();
    }

    fn with(&mut self, with: Option<&With<'_>>) {
        for cte in with.map(|with| with.ctes).unwrap_or_default() {
            let mut outputs = self.select(cte.select);
            if let Some(columns) = cte.columns {
                let names = columns.iter().map(|column| folded(column.col_name.0));
                rename(&mut outputs, names);
            }
            self.ctes.push((folded(cte.tbl_name.0), outputs));
        }
    }

    /// Walks through a query, and returns its columns.
    pub(super) fn select(&mut self, select: &Select<'_>) -> Outputs {
        let known = self.ctes.len();
        self.with(select.with.as_ref());
        let order = select.order_by.unwrap_or_default();
        let mut outputs = self.one_select(&select.body.select, order);
        for compound in select.body.compounds.iter().flatten() {
            let others = self.one_select(&compound.select, &[]);
            for (output, (_, other)) in outputs.iter_mut().zip(others) {
                output.1 = output.1.take().or(other);
            }
        }
        self.ctes.truncate(known);
        outputs
    }

    fn one_select(&mut self, select: &OneSelect<'_>, order: &[SortedColumn<'_>]) -> Outputs {
        match select {
            OneSelect::Values(rows) => {
                let mut outputs = Outputs::new();
                for (position, row) in rows.iter().enumerate() {
                    for (column, value) in row.iter().enumerate() {
                        self.read(value);
                        if position == 0 {
                            outputs.push((format!("column{}", column + 1), self.origin(value)));
                        }
                    }
                }
                outputs
            }
            OneSelect::Select {
                columns,
                from,
                where_clause,
                group_by,
                having,
                window_clause,
                ..
            } => {
                let mut scope = Scope::default();
                let joined = from.as_ref().map(|from| self.from(from, &mut scope));
                self.scopes.push(scope);
                joined.into_iter().flatten().for_each(|on| self.read(on));
                let outputs = self.columns(columns);
                if let Some(scope) = self.scopes.last_mut() {
                    scope.named.clone_from(&outputs);
                }
                self.optional(*where_clause);
                group_by
                    .unwrap_or_default()
                    .iter()
                    .for_each(|part| self.read(part));
                self.optional(*having);
                for definition in window_clause.unwrap_or_default() {
                    self.window(&definition.window);
                    window(&definition.window, &mut |child| self.child(child));
                }
                self.ordered(order, &outputs);
                self.scopes.pop();
                outputs
            }
        }
    }

    fn columns(&mut self, columns: &[ResultColumn<'_>]) -> Outputs {
        let mut outputs = Outputs::new();
        for column in columns {
            match column {
                ResultColumn::Expr(expression, alias) => {
                    self.read(expression);
                    let name = match (alias, expression) {
                        (Some(As::As(name) | As::Elided(name)), _)
                        | (
                            None,
                            Expr::Name(name)
                            | Expr::Qualified(_, name)
                            | Expr::DoublyQualified(_, _, name),
                        ) => folded(name.0),
                        (None, Expr::Id(id)) => folded(id.0),
                        (None, _) => String::new(),
                    };
                    outputs.push((name, self.origin(expression)));
                }
                ResultColumn::Star => {
                    let tables = self.scopes.last().map(|scope| scope.tables.as_slice());
                    let all = tables.unwrap_or_default().iter();
                    outputs.extend(all.flat_map(|table| table.outputs.iter().cloned()));
                }
                ResultColumn::TableStar(name) => {
                    let name = folded(name.0);
                    let tables = self.scopes.last().map(|scope| scope.tables.as_slice());
                    let named = tables.unwrap_or_default().iter();
                    let named = named.filter(|table| table.name == name);
                    outputs.extend(named.flat_map(|table| table.outputs.iter().cloned()));
                }
            }
        }
        outputs
    }

    /// Reports the first term of an ORDER BY, which alone decides which rows come first.
    fn ordered(&mut self, order: &[SortedColumn<'_>], outputs: &Outputs) {
        if let Some(first) = order.first() {
            let named = |name: &str| outputs.iter().find(|(known, _)| known == name);
            let output = match &first.expr {
                Expr::Literal(Literal::Numeric(number)) => {
                    let position = number.parse::<usize>().ok();
                    position
                        .and_then(|position| position.checked_sub(1))
                        .and_then(|index| outputs.get(index))
                }
                Expr::Id(id) => named(&folded(id.0)),
                Expr::Name(name) => named(&folded(name.0)),
                _ => None,
            };
            let origin = match output {
                Some((_, origin)) => origin.clone(),
                None => self.origin(&first.expr),
            };
            self.add(origin, NumericReading::Ordered);
        }
        order.iter().for_each(|term| self.read(&term.expr));
    }

    /// Adds the tables of FROM, and returns the conditions of its joins.
    fn from<'a>(&mut self, from: &'a FromClause<'a>, scope: &mut Scope) -> Vec<&'a Expr<'a>> {
        let mut conditions = Vec::new();
        if let Some(table) = from.select {
            self.table(table, scope, &mut conditions);
        }
        for joined in from.joins.iter().flatten() {
            self.table(&joined.table, scope, &mut conditions);
            if let Some(JoinConstraint::On(condition)) = &joined.constraint {
                conditions.push(condition);
            }
        }
        conditions
    }

    fn table<'a>(
        &mut self,
        table: &'a SelectTable<'a>,
        scope: &mut Scope,
        conditions: &mut Vec<&'a Expr<'a>>,
    ) {
        let named = |alias: &Option<As<'_>>| match alias {
            Some(As::As(name) | As::Elided(name)) => Some(folded(name.0)),
            None => None,
        };
        match table {
            SelectTable::Table(name, alias, _) => {
                let outputs = self.outputs_of(name);
                let name = named(alias).unwrap_or_else(|| folded(name.name.0));
                scope.tables.push(Table { name, outputs });
            }
            SelectTable::TableCall(name, arguments, alias) => {
                let arguments = arguments.unwrap_or_default();
                arguments.iter().for_each(|argument| self.read(argument));
                scope.tables.push(Table {
                    name: named(alias).unwrap_or_else(|| folded(name.name.0)),
                    outputs: Outputs::new(),
                });
            }
            SelectTable::Select(select, alias) => {
                let outputs = self.select(select);
                let name = named(alias).unwrap_or_default();
                scope.tables.push(Table { name, outputs });
            }
            SelectTable::Sub(from, _) => conditions.extend(self.from(from, scope)),
        }
    }

    /// Returns the columns of a table, view or common table expression.
    fn outputs_of(&mut self, name: &QualifiedName<'_>) -> Outputs {
        let folded = folded(name.name.0);
        let cte = self.ctes.iter().rev().find(|(known, _)| *known == folded);
        if let (None, Some((_, outputs))) = (&name.db_name, cte) {
            return outputs.clone();
        }
        match self.sources.source(&unquote(name.name.0)) {
            None => Outputs::new(),
            Some(Source::Table(columns)) => columns
                .into_iter()
                .map(|(column, is_followed)| {
                    let name = column.to_ascii_lowercase();
                    let origin = is_followed.then(|| Origin {
                        table: folded.clone(),
                        column,
                    });
                    (name, origin)
                })
                .collect(),
            Some(Source::View(definition)) => self.view(&definition),
        }
    }

    fn view(&mut self, definition: &str) -> Outputs {
        if self.views >= MAX_VIEWS {
            return Outputs::new();
        }
        let arena = Bump::new();
        let Ok(Cmd::Stmt(Stmt::CreateView {
            columns, select, ..
        })) = parse(&arena, definition)
        else {
            return Outputs::new();
        };
        // A view cannot use names of the statement around it.
        let (ctes, scopes) = (
            std::mem::take(&mut self.ctes),
            std::mem::take(&mut self.scopes),
        );
        self.views += 1;
        let mut outputs = self.select(select);
        self.views -= 1;
        (self.ctes, self.scopes) = (ctes, scopes);
        if let Some(columns) = columns {
            rename(
                &mut outputs,
                columns.iter().map(|column| folded(column.col_name.0)),
            );
        }
        outputs
    }

    /// Returns the column whose texts a name shows: a column of a table, or else a result column
    /// with this name.
    pub(super) fn named(&self, table: Option<&str>, column: &str) -> Option<Origin> {
        let column = folded(column);
        let table = table.map(folded);
        for scope in self.scopes.iter().rev() {
            let tables = scope
                .tables
                .iter()
                .filter(|known| table.as_ref().is_none_or(|name| known.name == *name));
            let found = tables
                .flat_map(|known| &known.outputs)
                .chain(scope.named.iter().filter(|_| table.is_none()))
                .find(|(name, _)| *name == column);
            if let Some((_, origin)) = found {
                return origin.clone();
            }
        }
        None
    }

    fn optional(&mut self, expression: Option<&Expr<'_>>) {
        if let Some(expression) = expression {
            self.read(expression);
        }
    }

    /// Examines an expression and everything in it.
    pub(super) fn read(&mut self, expression: &Expr<'_>) {
        if !self.step() {
            return;
        }
        self.judge(expression);
        children(expression, &mut |child| self.child(child));
    }

    fn child(&mut self, child: Child<'_>) {
        match child {
            Child::Expression(expression) => self.read(expression),
            Child::Query(select) => {
                self.select(select);
            }
            Child::Table(_) => {}
        }
    }

    /// Counts a step. Returns false if the limit is reached.
    pub(super) fn step(&mut self) -> bool {
        self.steps = self.steps.saturating_add(1);
        self.steps <= MAX_STEPS
    }

    /// Returns the column that the first column of a query shows, without reporting the places in
    /// the query again.
    pub(super) fn first_output(&mut self, select: &Select<'_>) -> Option<Origin> {
        let known = (self.found.uses.len(), self.found.filtered.len());
        let outputs = self.select(select);
        self.found.uses.truncate(known.0);
        self.found.filtered.truncate(known.1);
        outputs.into_iter().next().and_then(|(_, origin)| origin)
    }

    pub(super) fn add(&mut self, origin: Option<Origin>, how: NumericReading) {
        if let Some(origin) = origin {
            let used = NumericUse { origin, how };
            if !self.found.uses.contains(&used) {
                self.found.uses.push(used);
            }
        }
    }
}

fn rename(outputs: &mut Outputs, names: impl Iterator<Item = String>) {
    for (output, name) in outputs.iter_mut().zip(names) {
        output.0 = name;
    }
}
