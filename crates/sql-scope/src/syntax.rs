//! The facts that the tenant wall needs in addition to those of the gate: the columns that are
//! written by name, and the expressions that can fail.
//!
//! An expression can fail on its value, as `json_extract` does on a text that is not JSON. If the
//! engine computes one on a row before it compares the row's tenant, the error reveals something
//! about another tenant's row. So [`Syntax`] lists the columns that such expressions read, and
//! [`super::barrier`] decides if the order of the engine is certain.

use sqlite3_parser::ast::{
    Cmd, Expr, FromClause, InsertBody, JoinConstraint, LikeOperator, Literal, OneSelect, Operator,
    ResolveType, ResultColumn, Select, SelectTable, Set, Stmt, Upsert, UpsertDo, With,
};

use super::owned::Arm;
use crate::layout::UpsertKind;
use sql_gate::functions;
use sql_gate::operations::unquote;
use sql_gate::tree::{self, Child, folded};

/// The facts of a statement for the wall.
#[derive(Debug, Default)]
pub(super) struct Syntax {
    /// OR REPLACE and similar clauses, as they are written, or `None` for the plain form and OR
    /// IGNORE.
    pub refused_conflict: Option<&'static str>,
    /// The column list of an INSERT.
    pub columns: Option<Vec<String>>,
    /// True if the rows of an INSERT come from DEFAULT VALUES.
    pub default_values: bool,
    /// The number of rows that an INSERT lists, if its source is only `VALUES (…), …`.
    pub written_rows: Option<usize>,
    /// The SELECTs from which an INSERT takes its rows.
    pub sources: Vec<Option<Arm>>,
    pub upserts: Vec<UpsertKind>,
    /// Columns that SET names, in UPDATE and DO UPDATE.
    pub set: Vec<String>,
    /// True if the statement contains INDEXED BY or NOT INDEXED.
    pub indexed: bool,
    /// True if a column is written with its schema: `main.t.x`.
    pub schema_column: bool,
    /// The names of the tables in the FROM of an UPDATE, in lower case.
    pub from_names: Vec<String>,
    /// Names in the WITH before the statement, in lower case.
    pub outer_ctes: Vec<String>,
    /// Names of columns, in lower case, inside expressions that can fail.
    pub fallible: Vec<String>,
    /// Bytes of the longest pattern of LIKE or GLOB that consists of literals and parameters,
    /// without the parameters.
    pub pattern_bytes: Option<usize>,
    /// Every name of a column, in lower case.
    pub names: Vec<String>,
    /// True if the statement contains a `*` that stands for columns.
    pub star: bool,
    /// True if the statement contains OR.
    pub or: bool,
}

impl Syntax {
    pub(super) fn of(command: &Cmd<'_>) -> Self {
        let (Cmd::Stmt(statement) | Cmd::Explain(statement) | Cmd::ExplainQueryPlan(statement)) =
            command;
        let mut found = Self::default();
        found.statement(statement);
        found
    }

    fn statement(&mut self, statement: &Stmt<'_>) {
        match statement {
            Stmt::Select(select) => {
                self.outer(select.with.as_ref());
                self.select(select);
            }
            Stmt::Insert { .. } => self.insertion(statement),
            Stmt::Update { .. } => self.update(statement),
            Stmt::Delete {
                with,
                indexed,
                where_clause,
                returning,
                order_by,
                limit,
                ..
            } => {
                self.outer(with.as_ref());
                self.with(with.as_ref());
                self.indexed |= indexed.is_some();
                self.optional(where_clause.as_ref());
                self.columns_of(returning.unwrap_or_default());
                for column in order_by.unwrap_or_default() {
                    self.expression(&column.expr);
                }
                if let Some(limit) = limit {
                    self.expression(&limit.expr);
                    self.optional(limit.offset.as_ref());
                }
            }
            // Every other statement is refused before its parts matter.
            _ => {}
        }
    }

    fn insertion(&mut self, statement: &Stmt<'_>) {
        let Stmt::Insert {
            with,
            or_conflict,
            columns,
            body,
            returning,
            ..
        } = statement
        else {
            return;
        };
        self.outer(with.as_ref());
        self.with(with.as_ref());
        self.refused_conflict = refused_conflict(*or_conflict);
        self.columns = columns
            .as_ref()
            .map(|list| list.iter().map(|name| unquote(name.0)).collect());
        match body {
            InsertBody::Select(select, upsert) => {
                self.select(select);
                self.written_rows = written_rows(select).map(<[_]>::len);
                self.sources = Arm::of_source(select);
                self.upsert(*upsert);
            }
            InsertBody::DefaultValues => self.default_values = true,
        }
        self.columns_of(returning.unwrap_or_default());
    }

    fn update(&mut self, statement: &Stmt<'_>) {
        let Stmt::Update {
            with,
            or_conflict,
            indexed,
            sets,
            from,
            where_clause,
            returning,
            order_by,
            limit,
            ..
        } = statement
        else {
            return;
        };
        self.outer(with.as_ref());
        self.with(with.as_ref());
        self.refused_conflict = refused_conflict(*or_conflict);
        self.indexed |= indexed.is_some();
        self.sets(sets);
        if let Some(from) = from {
            exposed(from, &mut self.from_names);
            self.from(from);
        }
        self.optional(where_clause.as_ref());
        self.columns_of(returning.unwrap_or_default());
        for column in order_by.unwrap_or_default() {
            self.expression(&column.expr);
        }
        if let Some(limit) = limit {
            self.expression(&limit.expr);
            self.optional(limit.offset.as_ref());
        }
    }

    fn outer(&mut self, with: Option<&With<'_>>) {
        let ctes = with.map(|with| with.ctes).unwrap_or_default();
        self.outer_ctes = ctes.iter().map(|cte| folded(cte.tbl_name.0)).collect();
    }

    fn with(&mut self, with: Option<&With<'_>>) {
        for cte in with.map(|with| with.ctes).unwrap_or_default() {
            for column in cte.columns.unwrap_or_default() {
                self.names.push(folded(column.col_name.0));
            }
            self.select(cte.select);
        }
    }

    fn upsert(&mut self, upsert: Option<&Upsert<'_>>) {
        let mut next = upsert;
        while let Some(clause) = next {
            if let Some(index) = &clause.index {
                for column in index.targets {
                    self.expression(&column.expr);
                }
                self.optional(index.where_clause.as_ref());
            }
            match &clause.do_clause {
                UpsertDo::Set { sets, where_clause } => {
                    self.upserts.push(UpsertKind::Update);
                    self.sets(sets);
                    self.optional(where_clause.as_ref());
                }
                UpsertDo::Nothing => self.upserts.push(UpsertKind::Nothing),
            }
            next = clause.next;
        }
    }

    fn sets(&mut self, sets: &[Set<'_>]) {
        for set in sets {
            self.set
                .extend(set.col_names.iter().map(|name| unquote(name.0)));
            self.expression(&set.expr);
        }
    }

    fn select(&mut self, select: &Select<'_>) {
        self.with(select.with.as_ref());
        self.one_select(&select.body.select);
        for compound in select.body.compounds.iter().flatten() {
            self.one_select(&compound.select);
        }
        for column in select.order_by.unwrap_or_default() {
            self.expression(&column.expr);
        }
        if let Some(limit) = select.limit {
            self.expression(&limit.expr);
            self.optional(limit.offset.as_ref());
        }
    }

    fn one_select(&mut self, select: &OneSelect<'_>) {
        match select {
            OneSelect::Values(rows) => {
                for value in rows.iter().flatten() {
                    self.expression(value);
                }
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
                self.columns_of(columns);
                if let Some(from) = from {
                    self.from(from);
                }
                self.optional(*where_clause);
                for expression in group_by.unwrap_or_default() {
                    self.expression(expression);
                }
                self.optional(*having);
                for definition in window_clause.unwrap_or_default() {
                    tree::window(&definition.window, &mut |child| self.child(child));
                }
            }
        }
    }

    fn columns_of(&mut self, columns: &[ResultColumn<'_>]) {
        for column in columns {
            match column {
                ResultColumn::Expr(expression, _) => self.expression(expression),
                ResultColumn::Star | ResultColumn::TableStar(_) => self.star = true,
            }
        }
    }

    fn from(&mut self, from: &FromClause<'_>) {
        if let Some(table) = from.select {
            self.table(table);
        }
        for joined in from.joins.iter().flatten() {
            self.table(&joined.table);
            match &joined.constraint {
                Some(JoinConstraint::On(expression)) => self.expression(expression),
                Some(JoinConstraint::Using(names)) => {
                    self.names.extend(names.iter().map(|name| folded(name.0)));
                }
                None => {}
            }
        }
    }

    fn table(&mut self, table: &SelectTable<'_>) {
        match table {
            SelectTable::Table(_, _, indexed) => self.indexed |= indexed.is_some(),
            SelectTable::TableCall(_, arguments, _) => {
                for argument in arguments.unwrap_or_default() {
                    names_in(argument, &mut self.fallible);
                    self.expression(argument);
                }
            }
            SelectTable::Select(select, _) => self.select(select),
            SelectTable::Sub(from, _) => self.from(from),
        }
    }

    fn optional(&mut self, expression: Option<&Expr<'_>>) {
        if let Some(expression) = expression {
            self.expression(expression);
        }
    }

    fn expression(&mut self, expression: &Expr<'_>) {
        match expression {
            Expr::Id(id) => self.names.push(folded(id.0)),
            Expr::Name(name) | Expr::Qualified(_, name) => self.names.push(folded(name.0)),
            Expr::DoublyQualified(_, _, name) => {
                self.schema_column = true;
                self.names.push(folded(name.0));
            }
            Expr::Binary(_, Operator::Or, _) => self.or = true,
            Expr::Like {
                op: LikeOperator::Like | LikeOperator::Glob,
                rhs,
                ..
            } => {
                if let Some(bytes) = pattern_bytes(rhs) {
                    self.pattern_bytes = Some(self.pattern_bytes.unwrap_or(0).max(bytes));
                }
            }
            _ => {}
        }
        if can_fail(expression) {
            names_in(expression, &mut self.fallible);
        }
        tree::children(expression, &mut |child| self.child(child));
    }

    fn child(&mut self, child: Child<'_>) {
        match child {
            Child::Expression(expression) => self.expression(expression),
            Child::Query(select) => self.select(select),
            Child::Table(_) => self.star = true,
        }
    }
}

/// Returns the conflict clause if it may delete, keep or roll back more than the statement's own
/// row.
fn refused_conflict(or: Option<ResolveType>) -> Option<&'static str> {
    match or {
        None | Some(ResolveType::Abort | ResolveType::Ignore) => None,
        Some(ResolveType::Replace) => Some("REPLACE"),
        Some(ResolveType::Rollback) => Some("OR ROLLBACK"),
        Some(ResolveType::Fail) => Some("OR FAIL"),
    }
}

/// Collects the names that can qualify columns of a FROM, in lower case.
fn exposed(from: &FromClause<'_>, names: &mut Vec<String>) {
    let tables = from
        .select
        .into_iter()
        .chain(from.joins.iter().flatten().map(|joined| &joined.table));
    for table in tables {
        let (written, alias) = match table {
            SelectTable::Table(name, alias, _) | SelectTable::TableCall(name, _, alias) => {
                (Some(name.name.0), alias)
            }
            SelectTable::Select(_, alias) => (None, alias),
            SelectTable::Sub(inner, alias) => {
                exposed(inner, names);
                (None, alias)
            }
        };
        let alias = alias.as_ref().map(|alias| match alias {
            sqlite3_parser::ast::As::As(name) | sqlite3_parser::ast::As::Elided(name) => name.0,
        });
        names.extend(written.into_iter().chain(alias).map(folded));
    }
}

/// Returns true if the operation itself can fail on a value. Its operands are checked separately.
fn can_fail(expression: &Expr<'_>) -> bool {
    match expression {
        Expr::FunctionCall { name, args, .. } => {
            let name = folded(name.0);
            let arguments = args.unwrap_or_default();
            let is_literal = |argument: &Expr<'_>| matches!(argument, Expr::Literal(_));
            match name.as_str() {
                "strftime" => !arguments.first().is_some_and(is_literal),
                _ => !functions::is(&name, functions::INFALLIBLE),
            }
        }
        Expr::Binary(_, Operator::Concat | Operator::ArrowRight | Operator::ArrowRightShift, _) => {
            true
        }
        Expr::Like {
            op, rhs, escape, ..
        } => {
            let is_pattern = matches!(op, LikeOperator::Like | LikeOperator::Glob)
                && pattern_bytes(rhs).is_some();
            !is_pattern || escape.is_some_and(|escape| !is_one_character(escape))
        }
        _ => false,
    }
}

/// Returns the bytes of the literals of a pattern, or `None` if it contains anything other than
/// literals and parameters.
fn pattern_bytes(pattern: &Expr<'_>) -> Option<usize> {
    match pattern {
        Expr::Literal(Literal::String(text)) => Some(text.len()),
        Expr::Literal(_) | Expr::Variable(_) => Some(0),
        Expr::Binary(left, Operator::Concat, right) => {
            Some(pattern_bytes(left)? + pattern_bytes(right)?)
        }
        Expr::Parenthesized(inner) => match inner.as_slice() {
            [one] => pattern_bytes(one),
            _ => None,
        },
        _ => None,
    }
}

fn is_one_character(escape: &Expr<'_>) -> bool {
    matches!(escape, Expr::Literal(Literal::String(text)) if unquote(text).chars().count() == 1)
}

/// Collects every name of a column in an expression, including its sub-queries.
fn names_in(expression: &Expr<'_>, names: &mut Vec<String>) {
    let mut inside = Syntax::default();
    inside.collect_names(expression);
    names.append(&mut inside.names);
    if inside.star {
        // A sub-query that reads all columns reads columns of any name.
        names.push("*".to_owned());
    }
}

impl Syntax {
    /// Does the same as [`Self::expression`], but only for names: it does not check again which
    /// operations can fail, so its work stays linear.
    fn collect_names(&mut self, expression: &Expr<'_>) {
        match expression {
            Expr::Id(id) => self.names.push(folded(id.0)),
            Expr::Name(name) | Expr::Qualified(_, name) | Expr::DoublyQualified(_, _, name) => {
                self.names.push(folded(name.0));
            }
            _ => {}
        }
        tree::children(expression, &mut |child| match child {
            Child::Expression(expression) => self.collect_names(expression),
            // The columns that a query reads may come from its own tables.
            Child::Query(_) | Child::Table(_) => self.star = true,
        });
    }
}

/// Returns the rows of a source that is only `VALUES (…), …`.
pub(super) fn written_rows<'s, 'a>(
    select: &'s Select<'a>,
) -> Option<&'s [sqlite3_parser::Vec<'a, Expr<'a>>]> {
    let is_alone = select.with.is_none()
        && select
            .body
            .compounds
            .as_ref()
            .is_none_or(|compounds| compounds.is_empty())
        && select.order_by.is_none()
        && select.limit.is_none();
    match &select.body.select {
        OneSelect::Values(rows) if is_alone => Some(rows),
        _ => None,
    }
}
